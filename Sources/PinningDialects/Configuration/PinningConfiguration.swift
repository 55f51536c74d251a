//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// What is pinned for which hosts: one model of everything the dialects can say.
///
/// ```swift
/// let configuration = try PinningConfiguration(contentsOf: bytes, in: .android)
/// let manager = try configuration.manager()
/// let decision = manager.evaluate(trust, forHost: "api.example.com")
/// ```
public struct PinningConfiguration: Sendable, Hashable {
    /// What becomes of a host that several domains fit.
    public enum Combination: String, Sendable, Hashable, CaseIterable {
        /// The most specific domain alone speaks: Android, TrustKit, and this package's own format.
        case mostSpecific = "most-specific"
        /// The pins of all of them count, for each scope together: OkHttp, `NSPinnedDomains`.
        case union
    }

    /// The domains.
    public var domains: [PinnedDomain]

    /// What becomes of a host that several domains fit.
    public var combination: Combination

    /// A configuration.
    ///
    /// - Parameters:
    ///   - domains: The domains.
    ///   - combination: What becomes of a host that several of them fit.
    public init(domains: [PinnedDomain] = [], combination: Combination = .mostSpecific) {
        self.domains = domains
        self.combination = combination
    }

    /// The evaluators of all domains, to decide about servers with.
    ///
    /// - Parameters:
    ///   - allHostsMustBeEvaluated: Whether hosts without an entry are refused. Otherwise Apple's ordinary rules decide.
    ///   - requiresPins: Whether hosts without pins are refused: those without an entry, and those whose entry pins nothing.
    ///     A host that is misspelt in the configuration is then not let through.
    ///   - reporter: Hears of every path without what is pinned.
    /// - Throws: `HostPatternError` when two domains are about the same hosts and only one can speak.
    public func manager(
        allHostsMustBeEvaluated: Bool = false, requiresPins: Bool = false, reporter: PinReporter? = nil
    ) throws(HostPatternError) -> ServerTrustManager {
        let hosts = try PinnedHosts(self)
        return ServerTrustManager(
            allHostsMustBeEvaluated: allHostsMustBeEvaluated || requiresPins, reporter: reporter
        ) { host, port in
            hosts.rule(for: host, port: port).map { pattern, domain in
                (pattern, requiresPins ? PinnedDomain.evaluatorRequiringPins(domain) : domain.evaluator)
            }
        }
    }

    /// The domain that speaks for a host, with what others add to it; `nil` when none does.
    ///
    /// For many look-ups make a ``PinnedHosts`` once.
    ///
    /// - Parameters:
    ///   - host: A DNS name or IP address.
    ///   - port: The port, if it is known; without it, domains with a port do not fit.
    /// - Throws: `HostPatternError` when the host is not a DNS name or an IP address, or two domains are about the same hosts.
    public func domain(forHost host: String, port: Int? = nil) throws(HostPatternError) -> PinnedDomain? {
        let hosts = try PinnedHosts(self)
        do {
            return try hosts.domain(forHost: host, port: port)
        } catch {
            throw HostPatternError(.invalidHost(error), pattern: host)
        }
    }
}
