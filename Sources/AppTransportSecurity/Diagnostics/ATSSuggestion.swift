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
        /// An exception lets it through: for the host, or for one that loads are redirected to.
        case exception(ATSExceptionDomain, risks: [Risk])
        /// An exception leaves the decision about the chain to the app's delegate, which must then accept it. Only for what
        /// the app can know better: who issues for the host, and under which name and until when.
        case exceptionAndDelegate(ATSExceptionDomain, risks: [Risk])
        /// No exception helps.
        case impossible
    }

    /// A risk that an exception takes, or something that the app itself demands beyond the default and the exception gives up.
    public enum Risk: String, Sendable, Hashable, CaseIterable {
        /// Plain HTTP is allowed, and the app may accept any server.
        case insecureHTTP = "insecure-http"
        /// Someone who gets the server's key later can read what was recorded.
        case forwardSecrecy = "forward-secrecy"
        /// TLS 1.1, which is obsolete.
        case tls11 = "tls-1.1"
        /// TLS 1.0, which is obsolete.
        case tls10 = "tls-1.0"
        /// TLS 1.2, where the app itself demands a newer version.
        case tls12 = "tls-1.2"
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
    ///   - dictionary: The dictionary that there is. What is suggested takes the place of its exception for the host, and
    ///     says what holds for the host already, but for what has to be given up; the others stay.
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

    /// What holds for a host today, but for what is given up of it; `nil` where that is not demanded anyway.
    private init?(
        givingUp change: Change, for destination: ATSDestination, today: ATSPolicy, client: ATSClient
    ) {
        var domain = today.entry(for: destination, client: client)
        let demandsPackage = today.requirements(for: destination, client: client).niapPackage != .none
        guard domain.giveUp(change), demandsPackage || !change.dropsPackage else { return nil }
        self.domain = domain
        self.risks = domain.risks(after: change)
    }

    /// Those first that give up least: an old version before what is sent in the clear, forward secrecy before both, and
    /// after all of them NIAP's package, which the app demands of its own accord. Last comes a host that loads are redirected
    /// to, as where it decides no exception for the first one helps.
    static func leastFirst(
        at destination: ATSDestination, _ facts: ATSServerFacts, today: ATSPolicy, client: ATSClient
    ) -> [Attempt] {
        let others = facts.redirects.filter { $0.scheme == .http && $0.host != destination.host }
        return Change.leastFirst.compactMap { Attempt(givingUp: $0, for: destination, today: today, client: client) }
            + others.compactMap {
                Attempt(givingUp: Change(allowsInsecureHTTP: true), for: $0, today: today, client: client)
            }
    }

    /// The app's policy with the exception in place of the one that there may be.
    func policy(after today: ATSPolicy) -> ATSPolicy {
        var dictionary = today.dictionary
        dictionary.exceptionDomains.removeAll { $0.name == self.domain.name }
        dictionary.exceptionDomains.append(self.domain)
        return ATSPolicy(dictionary, configuration: today.configuration)
    }
}

/// What may be given up of what holds for a host.
private struct Change: Sendable {
    var dropsPackage = false
    var allowsInsecureHTTP = false
    var minimumVersion: ATSMinimumVersion?
    var dropsForwardSecrecy = false

    static let leastFirst: [Change] = {
        let versions: [ATSMinimumVersion?] = [nil, .tls12, .tls11, .tls10]
        let transport = versions.flatMap { version in
            [false, true].map { Change(minimumVersion: version, dropsForwardSecrecy: $0) }
        }
        return [false, true].flatMap { package in
            [false, true].flatMap { http in
                transport.map { change in
                    var change = change
                    (change.dropsPackage, change.allowsInsecureHTTP) = (package, http)
                    return change
                }
            }
        }
    }()
}

extension ATSPolicy {
    /// What holds for a host, as an entry of its own: also what an entry for a name above it, or one of the system, says.
    fileprivate func entry(for destination: ATSDestination, client: ATSClient) -> ATSExceptionDomain {
        let requirements = self.requirements(for: destination, client: client)
        let own = self.dictionary.exceptionDomains.last { $0.name == destination.host }
        var domain = ATSExceptionDomain(destination.host)
        domain.includesSubdomains = own?.includesSubdomains
        if requirements.exception?.isBuiltIn == true, requirements.exception?.name == destination.host {
            domain.includesSubdomains = true
        }
        if !requirements.requiresTLS, self.configuration.system.hasAppTransportSecurity, client != .deviceManagement {
            domain.allowsInsecureHTTPLoads = true
        }
        if let version = requirements.minimumTLSVersion, version != .tls12 {
            domain.minimumTLSVersion = ATSEntry(version.rawValue)
        }
        if requirements.requiresForwardSecrecy == false { domain.requiresForwardSecrecy = false }
        if !self.configuration.system.readsNIAPKeys {
            domain.requiresNIAPTLSPackageVersion = own?.requiresNIAPTLSPackageVersion
        } else if requirements.niapPackage != self.rules.globals.package ?? .none {
            domain.requiresNIAPTLSPackageVersion = ATSEntry(requirements.niapPackage.rawValue)
        }
        return domain
    }
}

extension ATSExceptionDomain {
    private var minimum: ATSMinimumVersion {
        self.minimumTLSVersion.flatMap { ATSMinimumVersion(rawValue: $0.value) } ?? .tls12
    }

    /// Gives something up.
    ///
    /// - Returns: Whether all of it is demanded so far.
    fileprivate mutating func giveUp(_ change: Change) -> Bool {
        if change.dropsPackage { self.requiresNIAPTLSPackageVersion = "none" }
        if change.allowsInsecureHTTP {
            guard self.allowsInsecureHTTPLoads == nil else { return false }
            self.allowsInsecureHTTPLoads = true
        }
        if let version = change.minimumVersion {
            guard version.rank < self.minimum.rank else { return false }
            self.minimumTLSVersion = version == .tls12 ? nil : ATSEntry(version.rawValue)
        }
        if change.dropsForwardSecrecy {
            guard self.requiresForwardSecrecy == nil else { return false }
            self.requiresForwardSecrecy = false
        }
        return true
    }

    /// The risks that the entry takes, those of today too, and what of the app's own demands is given up.
    fileprivate func risks(after change: Change) -> [ATSSuggestion.Risk] {
        let version: ATSSuggestion.Risk? =
            switch self.minimum {
            case .tls10: .tls10
            case .tls11: .tls11
            default: change.minimumVersion == nil ? nil : .tls12
            }
        return [
            change.dropsPackage ? .niapPackage : nil, self.allowsInsecureHTTPLoads == nil ? nil : .insecureHTTP,
            version,
            self.requiresForwardSecrecy == nil ? nil : .forwardSecrecy,
        ].compactMap(\.self)
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
    /// The risk, in one sentence.
    public var warning: String {
        switch self {
        case .insecureHTTP:
            "Plain HTTP is allowed for the host, where any network on the way can read and change the content; "
                + "and App Transport Security does not hold the app's delegate to trusted certificates."
        case .forwardSecrecy:
            "An attacker with the server's key can read connections that were recorded earlier."
        case .tls11: "TLS 1.1 is obsolete (RFC 8996), and no release since 26 speaks it."
        case .tls10: "TLS 1.0 is obsolete (RFC 8996), and no release since 26 speaks it."
        case .tls12: "TLS 1.2 is enough for the host, where the app itself demands a newer version."
        case .niapPackage: "FCP_v2.1, which the app itself demands, is not demanded of the host."
        }
    }

    /// The key of an exception that takes it.
    public var key: ATSKey {
        switch self {
        case .insecureHTTP: .exceptionAllowsInsecureHTTPLoads
        case .forwardSecrecy: .exceptionRequiresForwardSecrecy
        case .tls12, .tls11, .tls10: .exceptionMinimumTLSVersion
        case .niapPackage: .exceptionRequiresNIAPTLSPackageVersion
        }
    }

    /// Whether the App Store asks why, which it does of no exception that is as strict as the default.
    public var needsJustification: Bool { self != .tls12 && self.key.needsJustification }
}
