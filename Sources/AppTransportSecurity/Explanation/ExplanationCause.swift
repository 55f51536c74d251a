//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// A description of the keys that led to a decision.
struct ExplanationCause {
    private let policy: ATSPolicy
    private let decision: ATSDecision
    private let client: ATSClient
    /// The exceptions of the app that decided: one, or several for the same addresses in other spellings.
    private let domains: [ATSExceptionDomain]

    init(_ policy: ATSPolicy, _ decision: ATSDecision, client: ATSClient) {
        self.policy = policy
        self.decision = decision
        self.client = client
        guard case .exception(let index) = decision, !policy.rules.exceptions[index].isBuiltIn else {
            self.domains = []
            return
        }
        let spellings = policy.rules.spellings.spellings(of: index)
        self.domains = (spellings.isEmpty ? [index] : spellings).compactMap { index in
            let name = policy.rules.exceptions[index].name
            return policy.dictionary.exceptionDomains.last { $0.name == name }
        }
    }

    func decision(on part: ATSExplanation.Part, _ requirements: ATSRequirements) -> ATSExplanation.Decision {
        let value = requirements.words(on: part)
        switch part {
        case .plainHTTP: return self.make(part, value, key: self.key(.exceptionAllowsInsecureHTTPLoads))
        case .version:
            return self.make(part, value, key: self.niapKey(requirements) ?? self.key(.exceptionMinimumTLSVersion))
        case .cipherSuites:
            return self.make(part, value, key: self.niapKey(requirements) ?? self.key(.exceptionRequiresForwardSecrecy))
        case .certificates: return self.make(part, value, key: self.key(.exceptionAllowsInsecureHTTPLoads))
        case .pins:
            let pinned = requirements.pins?.domains.first
            let path = pinned.map { [ATSKey.pinnedDomains.rawValue, $0.name] } ?? []
            let reason = pinned.map { "The host is pinned under \"\($0.name)\"." } ?? self.reasonWithoutPins
            return ATSExplanation.Decision(
                part: part, value: value, path: path, position: pinned?.position, reason: reason)
        }
    }

    private var reasonWithoutPins: String {
        let system = self.policy.configuration.system
        guard !self.policy.dictionary.pinnedDomains.isEmpty, self.policy.reasonAgainstPins(self.client) != nil else {
            return "No pinned domain matches."
        }
        let key = ATSKey.pinnedDomains.rawValue
        return system.readsPinnedDomains
            ? "\(key) does not concern the client." : "\(key) is read since \(system.counterpart(ofIOS: 14))."
    }

    /// A key that decided.
    private struct Key {
        let path: [String]
        let position: TextPosition?
        let reason: String
    }

    private func make(_ part: ATSExplanation.Part, _ value: String, key: Key) -> ATSExplanation.Decision {
        ATSExplanation.Decision(part: part, value: value, path: key.path, position: key.position, reason: key.reason)
    }

    /// Returns the key of the exception if there is one, or else the global key that decided.
    private func key(_ key: ATSKey) -> Key {
        guard case .exception(let index) = self.decision else {
            switch self.decision {
            // The global keys only decide that the rules are in force, not their content.
            case .secured, .byDefault:
                return key == .exceptionAllowsInsecureHTTPLoads
                    ? self.globalKey : Key(path: [], position: nil, reason: "It is the default.")
            default: return self.globalKey
            }
        }
        let exception = self.policy.rules.exceptions[index]
        guard let domain = self.domain(saying: key, of: exception) else {
            return Key(path: [], position: nil, reason: "The system itself excepts \(exception.name).")
        }
        let path = [ATSKey.exceptionDomains.rawValue, domain.name]
        guard let position = domain.position(of: key) else {
            return Key(
                path: path, position: domain.position,
                reason: "The exception does not say \(key.rawValue), so its default holds.")
        }
        return Key(path: path + [key.rawValue], position: position, reason: self.reason(of: key, domain))
    }

    private func domain(saying key: ATSKey, of exception: ATSRuleSet.Exception) -> ATSExceptionDomain? {
        guard self.domains.count > 1 else { return self.domains.first }
        let (system, strictness) = (self.policy.configuration.system, self.policy.configuration.strictness)
        return self.domains.first {
            ATSRuleSet.exception($0, strictness, readsNIAP: system.readsNIAPKeys).agrees(with: exception, on: key)
        } ?? self.domains.first
    }

    private func reason(of key: ATSKey, _ domain: ATSExceptionDomain) -> String {
        let (system, strictness) = (self.policy.configuration.system, self.policy.configuration.strictness)
        guard key == .exceptionMinimumTLSVersion, let text = domain.minimumTLSVersion?.value else {
            return "The exception says so."
        }
        guard let minimum = ATSMinimumVersion(text: text, strictness) else {
            return "The exception names no version, so the default holds."
        }
        guard let version = minimum.version, version < system.minimumTLSVersion else { return "The exception says so." }
        return "The exception says \(text), and \(system) speaks nothing older than \(system.minimumTLSVersion)."
    }

    private var globalKey: Key {
        let dictionary = self.policy.dictionary
        switch self.decision {
        case .noTransportSecurity:
            let who = self.client == .deviceManagement ? "device management" : "any app"
            return Key(
                path: [], position: nil,
                reason: "\(self.policy.configuration.system) has no App Transport Security for \(who).")
        case .management: return Key(path: [], position: nil, reason: "Device management demands it since 27.")
        case .local:
            let key = dictionary.allowsLocalNetworking
            return Key(
                path: key == nil ? [] : [ATSKey.allowsLocalNetworking.rawValue], position: key?.position,
                reason: "The host is local.")
        case .freeClient(let key):
            return Key(
                path: [key.rawValue], position: dictionary.position(of: key),
                reason: "It is on, and frees \(self.client == .media ? "media" : "web content").")
        case .arbitraryLoads:
            return Key(
                path: [ATSKey.allowsArbitraryLoads.rawValue], position: dictionary.allowsArbitraryLoads?.position,
                reason: "It is on, and no other key takes it out of force.")
        case .secured(let keys):
            let key = keys.first ?? .allowsLocalNetworking
            return Key(
                path: [key.rawValue], position: dictionary.position(of: key),
                reason: "It is there, which takes \(ATSKey.allowsArbitraryLoads.rawValue) out of force.")
        case .byDefault, .exception: return Key(path: [], position: nil, reason: "It is the default.")
        }
    }

    private func niapKey(_ requirements: ATSRequirements) -> Key? {
        guard requirements.niapPackage == .fcp21, self.decision != .management else { return nil }
        for domain in self.domains {
            guard let key = domain.requiresNIAPTLSPackageVersion, NIAPTLSPackage(key.value) == .fcp21 else { continue }
            let path = [
                ATSKey.exceptionDomains.rawValue, domain.name, ATSKey.exceptionRequiresNIAPTLSPackageVersion.rawValue,
            ]
            return Key(path: path, position: key.position, reason: "The exception demands it.")
        }
        return Key(
            path: [ATSKey.requiresNIAPTLSPackageVersion.rawValue],
            position: self.policy.dictionary.requiresNIAPTLSPackageVersion?.position,
            reason: "It is demanded for every host.")
    }
}

extension ATSRuleSet.Exception {
    fileprivate func agrees(with other: Self, on key: ATSKey) -> Bool {
        switch key {
        case .exceptionAllowsInsecureHTTPLoads: self.allowsInsecureHTTP == other.allowsInsecureHTTP
        case .exceptionMinimumTLSVersion: self.minimumTLSVersion == other.minimumTLSVersion
        case .exceptionRequiresForwardSecrecy: self.requiresForwardSecrecy == other.requiresForwardSecrecy
        default: true
        }
    }
}

extension ATSRequirements {
    fileprivate func words(on part: ATSExplanation.Part) -> String {
        switch part {
        case .plainHTTP: self.requiresTLS ? "refused" : "allowed"
        case .version: self.effectiveMinimumVersion.map { "\($0) or newer" } ?? "none: DTLS is demanded"
        case .cipherSuites: self.suiteWords
        case .certificates: self.certificateWords
        case .pins: self.pinWords
        }
    }

    private var suiteWords: String {
        if self.niapPackage == .fcp21 { return "ECDHE with AES-GCM, or TLS 1.3 (FCP_v2.1)" }
        switch self.cipherSuiteGroup {
        case .ats?: return "with forward secrecy"
        case .atsAndCompatible?: return "also without forward secrecy"
        case .unrestricted?, .fcp21?, nil: return "any the system offers"
        }
    }

    private var certificateWords: String {
        guard self.isEnforced else { return "trusted, unless the app accepts it anyway" }
        guard let rsa = self.minimumRSAKeySize, let curve = self.minimumECKeySize else {
            return "trusted, signed over SHA-256 or better"
        }
        return "trusted, RSA with \(rsa) bits or more or a curve with \(curve), signed over SHA-256 or better"
    }

    private var pinWords: String {
        guard let pins else { return "none" }
        let sets = [(pins.leaf, "the server"), (pins.authorities, "an authority")].compactMap { digests, whose in
            digests.map { $0.isEmpty ? "no key of \(whose) can match" : "one of \($0.count) for \(whose)" }
        }
        return sets.joined(separator: " and ")
    }
}

extension ATSDictionary {
    func position(of key: ATSKey) -> TextPosition? {
        switch key {
        case .allowsArbitraryLoads: self.allowsArbitraryLoads?.position
        case .allowsArbitraryLoadsForMedia: self.allowsArbitraryLoadsForMedia?.position
        case .allowsArbitraryLoadsInWebContent: self.allowsArbitraryLoadsInWebContent?.position
        case .allowsLocalNetworking: self.allowsLocalNetworking?.position
        case .requiresNIAPTLSPackageVersion: self.requiresNIAPTLSPackageVersion?.position
        default: nil
        }
    }
}

extension ATSExceptionDomain {
    /// Returns the place of a key of the entry. The inner optional is `nil` if the entry has the key but the file has no lines.
    func position(of key: ATSKey) -> TextPosition?? {
        switch key {
        case .includesSubdomains: self.includesSubdomains.map(\.position)
        case .exceptionAllowsInsecureHTTPLoads: self.allowsInsecureHTTPLoads.map(\.position)
        case .exceptionMinimumTLSVersion: self.minimumTLSVersion.map(\.position)
        case .exceptionRequiresForwardSecrecy: self.requiresForwardSecrecy.map(\.position)
        case .exceptionRequiresNIAPTLSPackageVersion: self.requiresNIAPTLSPackageVersion.map(\.position)
        default: nil
        }
    }
}
