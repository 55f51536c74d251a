//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The smallest exception that would let a server through, and what it gives up.
public struct ATSSuggestion: Sendable {
    /// What there is to do.
    public enum Outcome: Sendable {
        /// Nothing: the server is let through as it is.
        case nothing
        /// An exception lets it through.
        case exception(ATSExceptionDomain, givesUp: [Sacrifice])
        /// An exception leaves the decision about the chain to the app's delegate, which must then accept it.
        case exceptionAndDelegate(ATSExceptionDomain, givesUp: [Sacrifice])
        /// No exception helps.
        case impossible
    }

    /// Something an exception gives up.
    public enum Sacrifice: String, Sendable, Hashable, CaseIterable {
        /// Plain HTTP is allowed, and the app may accept any server.
        case insecureHTTP = "insecure-http"
        /// What was recorded can be read by whoever gets the server's key.
        case forwardSecrecy = "forward-secrecy"
        /// TLS 1.1, which is obsolete.
        case tls11 = "tls-1.1"
        /// TLS 1.0, which is obsolete.
        case tls10 = "tls-1.0"
    }

    /// What happens today.
    public let verdict: ATSVerdict
    /// What there is to do.
    public let outcome: Outcome

    /// Looks for it.
    ///
    /// - Parameters:
    ///   - destination: Where the server is; with the scheme http, how to allow that.
    ///   - facts: What is known of the server. Its trust is to be evaluated for the host.
    ///   - dictionary: The dictionary that there is, whose exceptions for other hosts stay.
    ///   - configuration: The release, and whose reading of the rules holds.
    ///   - client: Who in the app loads.
    public init(
        for destination: ATSDestination, facts: ATSServerFacts, dictionary: ATSDictionary = ATSDictionary(),
        configuration: ATSPolicy.Configuration = ATSPolicy.Configuration(), client: ATSClient = .app
    ) {
        let today = ATSPolicy(dictionary, configuration: configuration)
        self.verdict = today.verdict(on: facts, at: destination, client: client)
        guard !self.verdict.isAllowed else {
            self.outcome = .nothing
            return
        }
        var delegated: Candidate?
        for candidate in Candidate.leastFirst {
            let policy = ATSPolicy(candidate.added(to: dictionary, for: destination), configuration: configuration)
            let verdict = policy.verdict(on: facts, at: destination, client: client)
            if verdict.isAllowed {
                self.outcome = .exception(candidate.domain(destination.host), givesUp: candidate.sacrifices)
                return
            }
            if verdict.isOverridable { delegated = delegated ?? candidate }
        }
        guard let delegated else {
            self.outcome = .impossible
            return
        }
        self.outcome = .exceptionAndDelegate(
            delegated.domain(destination.host), givesUp: delegated.sacrifices)
    }
}

/// A combination of keys that may be tried.
private struct Candidate: Sendable {
    var sacrifices: [ATSSuggestion.Sacrifice]

    /// Those first that give up least: an old version before what is sent in the clear, and forward secrecy before both.
    static let leastFirst: [Candidate] = {
        let transport: [[ATSSuggestion.Sacrifice]] = [
            [], [.forwardSecrecy], [.tls11], [.tls11, .forwardSecrecy], [.tls10], [.tls10, .forwardSecrecy],
        ]
        return (transport + transport.map { [.insecureHTTP] + $0 }).map { Candidate(sacrifices: $0) }
    }()

    func domain(_ host: String) -> ATSExceptionDomain {
        var domain = ATSExceptionDomain(host)
        if self.sacrifices.contains(.insecureHTTP) { domain.allowsInsecureHTTPLoads = true }
        if self.sacrifices.contains(.forwardSecrecy) { domain.requiresForwardSecrecy = false }
        if self.sacrifices.contains(.tls11) { domain.minimumTLSVersion = "TLSv1.1" }
        if self.sacrifices.contains(.tls10) { domain.minimumTLSVersion = "TLSv1.0" }
        return domain
    }

    func added(to dictionary: ATSDictionary, for destination: ATSDestination) -> ATSDictionary {
        var dictionary = dictionary
        dictionary.exceptionDomains.removeAll { $0.name == destination.host }
        dictionary.exceptionDomains.append(self.domain(destination.host))
        return dictionary
    }
}

extension ATSSuggestion.Sacrifice {
    /// What is given up, in one sentence.
    public var warning: String {
        switch self {
        case .insecureHTTP:
            "Plain HTTP is allowed for the host, where everyone on the way can read and change what is loaded; "
                + "and App Transport Security does not hold the app's delegate to trusted certificates."
        case .forwardSecrecy:
            "Whoever gets the server's key later can read what was recorded before."
        case .tls11: "TLS 1.1 is obsolete (RFC 8996), and no release since 26 speaks it."
        case .tls10: "TLS 1.0 is obsolete (RFC 8996), and no release since 26 speaks it."
        }
    }

    /// The key of an exception that gives it up.
    public var key: ATSKey {
        switch self {
        case .insecureHTTP: .exceptionAllowsInsecureHTTPLoads
        case .forwardSecrecy: .exceptionRequiresForwardSecrecy
        case .tls11, .tls10: .exceptionMinimumTLSVersion
        }
    }

    /// Whether the App Store asks why.
    public var needsJustification: Bool { self.key.needsJustification }
}
