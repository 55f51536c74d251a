//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// The domains of a configuration, made ready to be looked up by host.
public struct PinnedHosts: Sendable {
    private var table = HostTable<[PinnedDomain]>()
    private let combination: PinningConfiguration.Combination

    /// The domains of a configuration.
    ///
    /// - Throws: `HostPatternError` when a host is not a DNS name or an IP address, or two domains are about the same hosts and only one can speak.
    public init(_ configuration: PinningConfiguration) throws(HostPatternError) {
        self.combination = configuration.combination
        for (pattern, domains) in try configuration.domainsByPattern() { try self.table.insert(domains, for: pattern) }
    }

    /// The domain that speaks for a host, with what others add to it; `nil` when none does.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - port: The port, if it is known; without it, domains with a port do not fit.
    public func domain(for host: Host, port: Int? = nil) -> PinnedDomain? {
        self.rule(for: host, port: port)?.domain
    }

    /// The most specific pattern that fits a host, and the domain that speaks for the host.
    ///
    /// Domains are put together here and not before: each of thousands below one name would have all of that name's pins.
    package func rule(for host: Host, port: Int?) -> (pattern: HostPattern, domain: PinnedDomain)? {
        let entries =
            switch self.combination {
            case .union: self.table.entries(for: host, port: port)
            case .mostSpecific: [self.table.entry(for: host, port: port)].compactMap(\.self)
            }
        guard let pattern = entries.first?.pattern else { return nil }
        return PinnedDomain.united(entries.flatMap(\.value)).map { (pattern, $0) }
    }

    /// The domain that speaks for a host given as text; `nil` when none does.
    ///
    /// - Parameters:
    ///   - host: A DNS name or IP address.
    ///   - port: The port, if it is known; without it, domains with a port do not fit.
    /// - Throws: `InvalidReferenceIdentity` for other text: a client that connected to it without pins would fail open.
    public func domain(forHost host: String, port: Int? = nil) throws(InvalidReferenceIdentity) -> PinnedDomain? {
        self.domain(for: try Host(host), port: port)
    }
}

extension PinnedDomain {
    /// What decides about the domain's servers.
    public var evaluator: ServerTrustEvaluator { ServerTrustEvaluator(ConfiguredTrustEvaluator(self)) }

    /// What decides where hosts without pins are refused.
    ///
    /// - Parameter domain: The domain that speaks for the host; `nil` without one.
    package static func evaluatorRequiringPins(_ domain: PinnedDomain?) -> ServerTrustEvaluator {
        guard let domain, domain.pins != nil else { return ServerTrustEvaluator(MissingPinsTrustEvaluator()) }
        return domain.evaluator
    }
}
