//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The smallest exception that would let a server through, and what it gives up.
public struct ATSSuggestion: Sendable {
    /// What there is to do.
    public enum Outcome: Sendable {
        /// Nothing: the server is let through as it is.
        case nothing
        /// An exception lets it through: for the host, or for one that loads are redirected to. Without a risk, it only
        /// takes back what the app demands beyond the default.
        case exception(ATSExceptionDomain, risks: [Risk])
        /// An exception leaves the decision about the chain to the app's delegate, which must then accept it. Only for what
        /// the app can know better: who issues for the host, and under which name and until when.
        case exceptionAndDelegate(ATSExceptionDomain, risks: [Risk])
        /// No exception helps.
        case impossible
    }

    /// A risk that an exception takes.
    public enum Risk: String, Sendable, Hashable, CaseIterable {
        /// Plain HTTP is allowed, and the app may accept any server.
        case insecureHTTP = "insecure-http"
        /// Someone who gets the server's key later can read what was recorded.
        case forwardSecrecy = "forward-secrecy"
        /// TLS 1.1, which is obsolete.
        case tls11 = "tls-1.1"
        /// TLS 1.0, which is obsolete.
        case tls10 = "tls-1.0"
        /// The package of NIAP that the app itself demands.
        case niapPackage = "niap-package"
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
    ///   - dictionary: The dictionary that there is. What is suggested takes the place of its exception for the host;
    ///     the others stay.
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
        var delegated: Attempt?
        for attempt in Attempt.leastFirst(at: destination, facts, today: today, client: client) {
            let verdict = attempt.policy(after: today).verdict(on: facts, at: destination, client: client)
            if verdict.isAllowed {
                self.outcome = .exception(attempt.domain, risks: attempt.risks)
                return
            }
            if verdict.isForDelegate { delegated = delegated ?? attempt }
        }
        guard let delegated else {
            self.outcome = .impossible
            return
        }
        self.outcome = .exceptionAndDelegate(delegated.domain, risks: delegated.risks)
    }
}

/// An exception that may be tried.
private struct Attempt: Sendable {
    let domain: ATSExceptionDomain
    let risks: [ATSSuggestion.Risk]

    /// An exception for a host that takes no other risks than these: what there is for the host already stays as far as
    /// names below it and NIAP's package go, and of the rest what is demanded by default holds.
    private init(
        _ risks: [ATSSuggestion.Risk], for destination: ATSDestination, today: ATSPolicy,
        client: ATSClient
    ) {
        var domain = ATSExceptionDomain(destination.host)
        let current = today.dictionary.exceptionDomains.last { $0.name == destination.host }
        domain.includesSubdomains = current?.includesSubdomains
        let package = today.requirements(for: destination, client: client).niapPackage
        if package != today.rules.globals.package ?? .none {
            domain.requiresNIAPTLSPackageVersion = ATSEntry(package.rawValue)
        }
        for risk in risks { risk.apply(to: &domain) }
        self.domain = domain
        self.risks = risks
    }

    /// Those first that give up least: an old version before what is sent in the clear, forward secrecy before both, and
    /// after all of them what the app demands of its own accord. Last comes a host that loads are redirected to, as where
    /// it decides no exception for the first one helps.
    static func leastFirst(
        at destination: ATSDestination, _ facts: ATSServerFacts, today: ATSPolicy, client: ATSClient
    ) -> [Attempt] {
        let hasPackage = today.requirements(for: destination, client: client).niapPackage != .none
        let all = hasPackage ? Self.combinations + Self.combinations.map { [.niapPackage] + $0 } : Self.combinations
        let others = facts.redirects.filter { $0.scheme == .http && $0.host != destination.host }
        return all.map { Attempt($0, for: destination, today: today, client: client) }
            + others.map { Attempt([.insecureHTTP], for: $0, today: today, client: client) }
    }

    private static let combinations: [[ATSSuggestion.Risk]] = {
        let transport: [[ATSSuggestion.Risk]] = [
            [], [.forwardSecrecy], [.tls11], [.tls11, .forwardSecrecy], [.tls10], [.tls10, .forwardSecrecy],
        ]
        return transport + transport.map { [.insecureHTTP] + $0 }
    }()

    /// The app's policy with the exception in place of the one that there may be.
    func policy(after today: ATSPolicy) -> ATSPolicy {
        var dictionary = today.dictionary
        dictionary.exceptionDomains.removeAll { $0.name == self.domain.name }
        dictionary.exceptionDomains.append(self.domain)
        return ATSPolicy(dictionary, configuration: today.configuration)
    }
}

extension ATSVerdict {
    /// Whether nothing is left but what an app may know better than the system: with a revoked certificate, a forgeable digest
    /// or a small key no delegate can tell the server from an attacker.
    fileprivate var isForDelegate: Bool {
        self.isOverridable
            && self.violations.allSatisfy { violation in
                guard case .untrusted(let failure) = violation.reason else { return false }
                return failure.reasons.allSatisfy(\.reason.isForDelegate)
            }
    }
}

extension RejectionReason {
    /// Whether it is about who issues for a host, under which name, for which use and until when.
    fileprivate var isForDelegate: Bool {
        switch self {
        case .untrustedRoot, .unknownIssuer, .nameMismatch, .expired, .notYetValid, .lifetimeTooLong,
            .transparencyMissing, .extendedKeyUsage, .serverAuthenticationMissing, .revocationStatusUnknown:
            true
        default: false
        }
    }
}

extension ATSSuggestion.Risk {
    /// Sets the key that takes it.
    fileprivate func apply(to domain: inout ATSExceptionDomain) {
        switch self {
        case .insecureHTTP: domain.allowsInsecureHTTPLoads = true
        case .forwardSecrecy: domain.requiresForwardSecrecy = false
        case .tls11: domain.minimumTLSVersion = "TLSv1.1"
        case .tls10: domain.minimumTLSVersion = "TLSv1.0"
        case .niapPackage: domain.requiresNIAPTLSPackageVersion = "none"
        }
    }
}

extension ATSSuggestion.Risk {
    /// The risk, in one sentence.
    public var warning: String {
        switch self {
        case .insecureHTTP:
            "Plain HTTP is allowed for the host, where everyone on the way can read and change what is loaded; "
                + "and App Transport Security does not hold the app's delegate to trusted certificates."
        case .forwardSecrecy:
            "Someone who gets the server's key later can read what was recorded before."
        case .tls11: "TLS 1.1 is obsolete (RFC 8996), and no release since 26 speaks it."
        case .tls10: "TLS 1.0 is obsolete (RFC 8996), and no release since 26 speaks it."
        case .niapPackage: "FCP_v2.1, which the app itself demands, is not demanded of the host."
        }
    }

    /// The key of an exception that takes it.
    public var key: ATSKey {
        switch self {
        case .insecureHTTP: .exceptionAllowsInsecureHTTPLoads
        case .forwardSecrecy: .exceptionRequiresForwardSecrecy
        case .tls11, .tls10: .exceptionMinimumTLSVersion
        case .niapPackage: .exceptionRequiresNIAPTLSPackageVersion
        }
    }

    /// Whether the App Store asks why.
    public var needsJustification: Bool { self.key.needsJustification }
}
