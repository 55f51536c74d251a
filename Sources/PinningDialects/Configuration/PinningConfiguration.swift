//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// The pins of hosts, in one model for everything that the dialects can express.
///
/// ```swift
/// let configuration = try PinningConfiguration(contentsOf: bytes, in: .android)
/// let manager = try configuration.manager()
/// let decision = manager.evaluate(trust, forHost: "api.example.com")
/// ```
public struct PinningConfiguration: Sendable, Hashable {
    /// The rule for a host that several domains match.
    ///
    /// The libraries and platforms of the dialects follow different rules, so a configuration keeps the rule of the dialect that
    /// it was read from.
    public enum Combination: String, Sendable, Hashable, CaseIterable {
        /// Only the most specific domain applies: Android, TrustKit and this package's own format.
        case mostSpecific = "most-specific"
        /// The pins of all matching domains count, united scope by scope: OkHttp and `NSPinnedDomains`.
        case union
    }

    /// The domains in the order of the file.
    public var domains: [PinnedDomain]

    /// The rule for a host that several domains match.
    public var combination: Combination

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - domains: The domains.
    ///   - combination: The rule for a host that several domains match.
    public init(domains: [PinnedDomain] = [], combination: Combination = .mostSpecific) {
        self.domains = domains
        self.combination = combination
    }

    /// Creates a trust manager with the evaluators of all domains.
    ///
    /// - Parameters:
    ///   - allHostsMustBeEvaluated: `true` to refuse hosts without an entry. Otherwise Apple's ordinary rules apply to them.
    ///   - requiresPins: `true` to refuse hosts without pins: those without an entry and those with an entry without pins. A host
    ///     that is misspelt in the configuration is then refused as well.
    ///   - reporter: Receives a report about every path that matches no pin.
    /// - Throws: `HostPatternError` if two domains have the same hosts and the configuration permits only one.
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

    /// Returns the domain that applies to a host, including the pins that other domains add, or `nil` if none applies.
    ///
    /// For many look-ups create a ``PinnedHosts`` once.
    ///
    /// - Parameters:
    ///   - host: A DNS name or IP address.
    ///   - port: The port, or `nil` if it is not known. Domains with a port then do not match.
    /// - Throws: `HostPatternError` if the host is neither a DNS name nor an IP address, or if two domains have the same hosts.
    public func domain(forHost host: String, port: Int? = nil) throws(HostPatternError) -> PinnedDomain? {
        let hosts = try PinnedHosts(self)
        do {
            return try hosts.domain(forHost: host, port: port)
        } catch {
            throw HostPatternError(.invalidHost(error), pattern: host)
        }
    }
}
