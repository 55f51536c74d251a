//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The smallest exception that would allow a load, and the protection that it gives up.
///
/// It tries exceptions in the order of increasing risk against the facts about the server.
public struct ATSSuggestion: Sendable {
    /// The necessary change.
    public enum Outcome: Sendable {
        /// No change is needed, because the load is allowed.
        case nothing
        /// An exception for the host, or for a redirect's host, allows the load.
        case exception(ATSExceptionDomain, risks: [Risk])
        /// The app needs an exception, and its delegate must accept the chain.
        ///
        /// This occurs only if the app may know better than the system: about the issuer for the host, the name, the use and the
        /// validity.
        case exceptionAndDelegate(ATSExceptionDomain, risks: [Risk])
        /// No exception helps.
        case impossible
    }

    /// A risk of an exception, or a stricter requirement of the app that the exception gives up.
    public enum Risk: String, Sendable, Hashable, CaseIterable {
        /// Plain HTTP is allowed, and the app may accept any server.
        case insecureHTTP = "insecure-http"
        /// An attacker with the server's key can read connections that were recorded earlier.
        case forwardSecrecy = "forward-secrecy"
        /// TLS 1.1 is allowed, which is obsolete.
        case tls11 = "tls-1.1"
        /// TLS 1.0 is allowed, which is obsolete.
        case tls10 = "tls-1.0"
        /// TLS 1.2 is allowed, although the app requires a newer version.
        case tls12 = "tls-1.2"
        /// The NIAP package that the app requires is dropped.
        case niapPackage = "niap-package"
    }

    /// The verdict with the current dictionary.
    public let verdict: ATSVerdict
    /// The necessary change.
    public let outcome: Outcome
    /// `true` if the current dictionary allows the load, and App Transport Security's defaults would refuse it.
    public let needsDictionary: Bool

    /// Searches for the smallest exception.
    ///
    /// - Parameters:
    ///   - destination: The destination of the load. With the scheme http, the exception allows plain HTTP.
    ///   - facts: The facts about the server, with trust evaluated for the host.
    ///   - dictionary: The current dictionary. The suggestion replaces its exception for the host and keeps all rules that need not
    ///     be given up. Other exceptions stay.
    ///   - configuration: The release and the reading of the rules.
    ///   - client: The part of the app that loads.
    public init(
        for destination: ATSDestination, facts: ATSServerFacts, dictionary: ATSDictionary = ATSDictionary(),
        configuration: ATSPolicy.Configuration = ATSPolicy.Configuration(), client: ATSClient = .app
    ) {
        let today = ATSPolicy(dictionary, configuration: configuration)
        self.verdict = today.verdict(on: facts, at: destination, client: client)
        let standard = ATSPolicy(ATSDictionary(), configuration: configuration)
        self.needsDictionary =
            self.verdict.isAllowed
            && standard.verdict(on: facts, at: destination, client: client).outcome == .failed
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

/// An exception to try.
private struct Attempt: Sendable {
    let domain: ATSExceptionDomain
    let risks: [ATSSuggestion.Risk]

    /// Creates an exception with the host's current rules and a change, or returns `nil` if a part of the change is not in force
    /// there.
    private init?(
        givingUp change: Change, for destination: ATSDestination, today: ATSPolicy, client: ATSClient
    ) {
        var domain = today.entry(for: destination, client: client)
        let demandsPackage = today.requirements(for: destination, client: client).niapPackage != .none
        guard domain.giveUp(change), demandsPackage || !change.dropsPackage else { return nil }
        // Without a package for all hosts, an entry without the key demands none.
        if change.dropsPackage, (today.rules.globals.package ?? NIAPTLSPackage.none) == NIAPTLSPackage.none {
            domain.requiresNIAPTLSPackageVersion = nil
        }
        self.domain = domain
        self.risks = domain.risks(after: change)
    }

    /// Returns all exceptions in the order of increasing risk: old versions come before plain HTTP, forward secrecy before both,
    /// and NIAP's package, which the app requires by its own choice, after all of them. The hosts of redirects come last, because
    /// no exception for the first host helps there.
    static func leastFirst(
        at destination: ATSDestination, _ facts: ATSServerFacts, today: ATSPolicy, client: ATSClient
    ) -> [Attempt] {
        let others = facts.redirects.filter { $0.scheme == .http && $0.host != destination.host }
        return Change.leastFirst.compactMap { Attempt(givingUp: $0, for: destination, today: today, client: client) }
            + others.compactMap {
                Attempt(givingUp: Change(allowsInsecureHTTP: true), for: $0, today: today, client: client)
            }
    }

    func policy(after today: ATSPolicy) -> ATSPolicy {
        var dictionary = today.dictionary
        dictionary.exceptionDomains.removeAll { $0.name == self.domain.name }
        dictionary.exceptionDomains.append(self.domain)
        return ATSPolicy(dictionary, configuration: today.configuration)
    }
}

/// The requirements for a host that an exception gives up.
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
    /// Returns the rules for a host as an entry of its own, including those of an entry for a parent domain or of the system.
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

    /// Gives up requirements.
    ///
    /// - Returns: `false` if one of them was not in force.
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

    /// Also allows everything that another exception for the host allows, such as for another port.
    package mutating func allow(as other: ATSExceptionDomain) {
        self.includesSubdomains = self.includesSubdomains ?? other.includesSubdomains
        self.allowsInsecureHTTPLoads = self.allowsInsecureHTTPLoads ?? other.allowsInsecureHTTPLoads
        self.requiresForwardSecrecy = self.requiresForwardSecrecy ?? other.requiresForwardSecrecy
        if other.minimum.rank < self.minimum.rank { self.minimumTLSVersion = other.minimumTLSVersion }
        if self.requiresNIAPTLSPackageVersion != other.requiresNIAPTLSPackageVersion {
            self.requiresNIAPTLSPackageVersion = "none"
        }
    }

    /// Returns the risks of the entry, including present ones, and the app's own requirements that it gives up.
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
    /// `true` if only facts remain that an app may know better than the system. With a revoked certificate, a forgeable digest or a
    /// small key, no delegate can tell the server from an attacker.
    fileprivate var isForDelegate: Bool {
        self.isOverridable
            && self.violations.allSatisfy { violation in
                guard case .untrusted(let failure) = violation.reason else { return false }
                return failure.reasons.allSatisfy(\.reason.isForDelegate)
            }
    }
}

extension RejectionReason {
    /// `true` if the reason concerns the issuer for a host, the name, the use or the validity.
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
    /// The risk in one sentence.
    public var warning: String {
        switch self {
        case .insecureHTTP:
            "Plain HTTP is allowed for the host, where any network on the way can read and change the content. "
                + "The app's delegate may accept certificates that are not trusted."
        case .forwardSecrecy:
            "An attacker with the server's key can read connections that were recorded earlier."
        case .tls11: "TLS 1.1 is obsolete (RFC 8996), and no release since 26 speaks it."
        case .tls10: "TLS 1.0 is obsolete (RFC 8996), and no release since 26 speaks it."
        case .tls12: "TLS 1.2 is enough for the host, where the app itself demands a newer version."
        case .niapPackage: "FCP_v2.1, which the app itself demands, is not demanded of the host."
        }
    }

    /// The key of an exception that takes the risk.
    public var key: ATSKey {
        switch self {
        case .insecureHTTP: .exceptionAllowsInsecureHTTPLoads
        case .forwardSecrecy: .exceptionRequiresForwardSecrecy
        case .tls12, .tls11, .tls10: .exceptionMinimumTLSVersion
        case .niapPackage: .exceptionRequiresNIAPTLSPackageVersion
        }
    }

    /// `true` if the App Store requires a justification. It requires none for an exception that is as strict as the default.
    public var needsJustification: Bool { self != .tls12 && self.key.needsJustification }
}
