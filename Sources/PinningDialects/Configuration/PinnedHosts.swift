//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// The domains of a configuration, indexed by host.
///
/// Building the index checks every host pattern. Create it once and use it for many look-ups. For a single look-up,
/// ``PinningConfiguration/domain(forHost:port:)`` is shorter.
public struct PinnedHosts: Sendable {
    private var table = HostTable<[PinnedDomain]>()
    private let combination: PinningConfiguration.Combination

    /// Creates an index of the domains of a configuration.
    ///
    /// - Throws: `HostPatternError` if a host is neither a DNS name nor an IP address, or if two domains have the same hosts and
    ///   the configuration permits only one.
    public init(_ configuration: PinningConfiguration) throws(HostPatternError) {
        self.combination = configuration.combination
        for (pattern, domains) in try configuration.domainsByPattern() { try self.table.insert(domains, for: pattern) }
    }

    /// Returns the domain that applies to a host, including the pins that other domains add, or `nil` if none applies.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - port: The port, or `nil` if it is not known. Domains with a port then do not match.
    public func domain(for host: Host, port: Int? = nil) -> PinnedDomain? {
        self.rule(for: host, port: port)?.domain
    }

    /// Returns the most specific pattern that matches a host, and the domain that applies to the host.
    ///
    /// Domains are united here and not in advance: each of thousands of domains below one name would hold all pins of that name.
    package func rule(for host: Host, port: Int?) -> (pattern: HostPattern, domain: PinnedDomain)? {
        let entries =
            switch self.combination {
            case .union: self.table.entries(for: host, port: port)
            case .mostSpecific: [self.table.entry(for: host, port: port)].compactMap(\.self)
            }
        guard let pattern = entries.first?.pattern else { return nil }
        return PinnedDomain.united(entries.flatMap(\.value)).map { (pattern, $0) }
    }

    /// Returns the domain that applies to a host given as text, or `nil` if none applies.
    ///
    /// - Parameters:
    ///   - host: A DNS name or IP address.
    ///   - port: The port, or `nil` if it is not known. Domains with a port then do not match.
    /// - Throws: `InvalidReferenceIdentity` for other text. A client that connected to such a host without pins would fail open.
    public func domain(forHost host: String, port: Int? = nil) throws(InvalidReferenceIdentity) -> PinnedDomain? {
        self.domain(for: try Host(host), port: port)
    }
}

extension PinnedDomain {
    /// The trust evaluator for the domain's servers.
    public var evaluator: ServerTrustEvaluator { ServerTrustEvaluator(ConfiguredTrustEvaluator(self)) }

    /// Returns the evaluator for a domain, where hosts without pins are refused.
    package static func evaluatorRequiringPins(_ domain: PinnedDomain?) -> ServerTrustEvaluator {
        guard let domain, domain.pins != nil else { return ServerTrustEvaluator(MissingPinsTrustEvaluator()) }
        return domain.evaluator
    }
}
