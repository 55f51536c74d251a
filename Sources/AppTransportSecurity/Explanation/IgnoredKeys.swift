//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// The keys without effect for a destination, each with the reason.
struct IgnoredKeys {
    private(set) var keys: [ATSExplanation.IgnoredKey] = []
    private let policy: ATSPolicy
    private let decision: ATSDecision

    /// The maximum number of keys, more than a person reads. A file can have a million.
    private static let maximumCount = 200

    init(_ policy: ATSPolicy, _ decision: ATSDecision, destination: ATSDestination, client: ATSClient) {
        self.policy = policy
        self.decision = decision
        for issue in policy.dictionary.issues { self.add(issue.path, at: issue.position, reason: issue.consequence) }
        self.addGlobals(client)
        self.addExceptions(destination)
        self.addPins(destination, client)
        self.addKeysOfMatch()
    }

    private mutating func add(_ path: [String], at position: TextPosition?, reason: String) {
        guard self.keys.count < Self.maximumCount else { return }
        self.keys.append(ATSExplanation.IgnoredKey(path, at: position, reason: reason))
    }

    private mutating func add(_ key: ATSKey, at position: TextPosition?, reason: String) {
        self.add([key.rawValue], at: position, reason: reason)
    }

    // MARK: Global keys

    private mutating func addGlobals(_ client: ATSClient) {
        let dictionary = self.policy.dictionary
        for key in ATSKey.keys(of: .global) where key.valueType == .boolean {
            guard let flag = dictionary.flag(key), let reason = self.reason(against: key, client) else { continue }
            self.add(key, at: flag.position, reason: reason)
        }
        self.add(package: dictionary.requiresNIAPTLSPackageVersion, [ATSKey.requiresNIAPTLSPackageVersion.rawValue])
    }

    private mutating func add(package: ATSEntry<String>?, _ path: [String]) {
        guard let package else { return }
        if !self.policy.configuration.system.readsNIAPKeys {
            self.add(path, at: package.position, reason: "It is read since 26.4.")
        } else if NIAPTLSPackage(package.value) == nil {
            self.add(path, at: package.position, reason: "No package has this name.")
        }
    }

    /// Returns the reason that a switch had no effect. It is `nil` if the switch decided, or if its absence would change nothing.
    private func reason(against key: ATSKey, _ client: ATSClient) -> String? {
        let system = self.policy.configuration.system
        if key != .allowsArbitraryLoads, !system.readsAllGlobalKeys { return "\(system) reads no such key." }
        switch self.decision {
        case .exception: return "The exception for the host takes the place of every global key."
        case .noTransportSecurity, .management: return self.unconcerned
        case .local: return key == .allowsLocalNetworking ? nil : "The host is local, which is asked first."
        case .freeClient(let free): return key == free ? nil : "\(free.rawValue) is asked first."
        case .arbitraryLoads, .byDefault, .secured: break
        }
        switch key {
        case .allowsArbitraryLoads:
            guard case .secured(let keys) = self.decision else { return nil }
            return "\(keys.map(\.rawValue).joined(separator: " and ")) takes it out of force by being there."
        case .allowsArbitraryLoadsForMedia where client != .media: return "It is for media alone."
        case .allowsArbitraryLoadsInWebContent where client != .webContent: return "It is for web content alone."
        default: return nil
        }
    }

    private var unconcerned: String {
        let system = self.policy.configuration.system
        return system.hasAppTransportSecurity
            ? "It does not concern the client." : "\(system) has no App Transport Security."
    }

    // MARK: Exceptions

    private mutating func addExceptions(_ destination: ATSDestination) {
        switch self.decision {
        case .noTransportSecurity, .management:
            guard let index = self.policy.exceptions.index(for: destination) else { return }
            let exception = self.policy.rules.exceptions[index]
            guard !exception.isBuiltIn else { return }
            self.add(
                [ATSKey.exceptionDomains.rawValue, exception.name], at: exception.position, reason: self.unconcerned)
        default: self.addOtherExceptions(destination)
        }
    }

    private mutating func addOtherExceptions(_ destination: ATSDestination) {
        let readsAddresses = self.policy.configuration.system.readsAddressExceptions
        let (matched, host) = (self.matchedName, destination.host.lowercased())
        let spellings = Set(self.otherSpellings)
        for domain in self.policy.dictionary.exceptionDomains where domain.name != matched {
            let path = [ATSKey.exceptionDomains.rawValue, domain.name]
            if destination.isAddress, domain.name == destination.host, !readsAddresses {
                self.add(path, at: domain.position, reason: "Addresses can be excepted since iOS 17.")
            } else if let matched, spellings.contains(domain.name) {
                self.add(
                    path, at: domain.position,
                    reason: "It is for the same addresses as \(matched), and which of them counts is not defined: the "
                        + "strictest of them holds.")
            } else if destination.isAddress, AddressBlock.isMeant(by: domain.name) {
                guard ExceptionTable.block(domain.name, self.policy.configuration.strictness) == nil else { continue }
                self.add(path, at: domain.position, reason: "It is no block of addresses.")
            } else if domain.name.lowercased() == host, domain.name != destination.host {
                self.add(
                    path, at: domain.position, reason: "Names are compared letter by letter, and the case differs.")
            }
        }
        guard !destination.isAddress else { return }
        for index in self.policy.exceptions.passedBy(on: destination.host) {
            let exception = self.policy.rules.exceptions[index]
            self.add(
                [ATSKey.exceptionDomains.rawValue, exception.name], at: exception.position,
                reason: "It is not for names below \(exception.name), without \(ATSKey.includesSubdomains.rawValue).")
        }
    }

    private var otherSpellings: [String] {
        guard case .exception(let index) = self.decision else { return [] }
        let rules = self.policy.rules
        return rules.spellings.spellings(of: index).dropFirst().map { rules.exceptions[$0].name }
    }

    private var matchedName: String? {
        guard case .exception(let index) = self.decision else { return nil }
        return self.policy.rules.exceptions[index].name
    }

    // MARK: Pins

    /// Adds the entries with pins that would count for another client or system.
    private mutating func addPins(_ destination: ATSDestination, _ client: ATSClient) {
        guard let reason = self.policy.reasonAgainstPins(client) else { return }
        let domains = PinTable(self.policy.dictionary.pinnedDomains).pins(for: destination.host)?.domains ?? []
        for domain in domains {
            self.add([ATSKey.pinnedDomains.rawValue, domain.name], at: domain.position, reason: reason)
        }
    }

    // MARK: Keys of the exception that decided

    private mutating func addKeysOfMatch() {
        guard case .exception(let index) = self.decision, !self.policy.rules.exceptions[index].isBuiltIn,
            let domain = self.policy.dictionary.exceptionDomains.last(where: { $0.name == self.matchedName })
        else { return }
        let path = [ATSKey.exceptionDomains.rawValue, domain.name]
        for (key, position) in domain.obsoleteKeys.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            self.add(
                path + [key.rawValue], at: position,
                reason: "Nothing reads it. \(key.replacement?.rawValue ?? "") is read.")
        }
        if let key = domain.requiresCertificateTransparency {
            self.add(
                path + [ATSKey.requiresCertificateTransparency.rawValue], at: key.position,
                reason: "It is obsolete: certificate transparency is always demanded of public roots.")
        }
        self.addVersion(of: domain, path + [ATSKey.exceptionMinimumTLSVersion.rawValue])
        self.add(package: domain.requiresNIAPTLSPackageVersion, path + [Self.packageKey.rawValue])
    }

    private static let packageKey = ATSKey.exceptionRequiresNIAPTLSPackageVersion

    private mutating func addVersion(of domain: ATSExceptionDomain, _ path: [String]) {
        guard let text = domain.minimumTLSVersion else { return }
        let (system, strictness) = (self.policy.configuration.system, self.policy.configuration.strictness)
        guard let minimum = ATSMinimumVersion(text: text.value, strictness) else {
            self.add(path, at: text.position, reason: "It names no version, and TLSv1.2 holds.")
            return
        }
        if let version = minimum.version, version < system.minimumTLSVersion {
            self.add(
                path, at: text.position, reason: "\(system) speaks nothing older than \(system.minimumTLSVersion).")
        }
    }
}

extension ATSPolicy {
    /// Returns the reason that pins are not evaluated, or `nil` if they are.
    func reasonAgainstPins(_ client: ATSClient) -> String? {
        let system = self.configuration.system
        guard system.readsPinnedDomains else { return "It is read since \(system.counterpart(ofIOS: 14))." }
        return client == .deviceManagement ? "It does not concern the client." : nil
    }
}

extension ATSDictionary {
    func flag(_ key: ATSKey) -> ATSEntry<ATSFlag>? {
        switch key {
        case .allowsArbitraryLoads: self.allowsArbitraryLoads
        case .allowsArbitraryLoadsForMedia: self.allowsArbitraryLoadsForMedia
        case .allowsArbitraryLoadsInWebContent: self.allowsArbitraryLoadsInWebContent
        case .allowsLocalNetworking: self.allowsLocalNetworking
        default: nil
        }
    }
}

extension ATSIssue {
    /// The effect of the issue in Apple's engine, in one sentence.
    public var consequence: String {
        switch self.kind {
        case .unknownKey: "It means nothing here."
        case .misplacedKey(let key): "It means something elsewhere: \(key.place)."
        case .wrongType("an array", let found):
            "It is \(found), not an array, and as good as an empty one: nothing passes."
        case .wrongType(let expected, let found): "It is \(found), not \(expected), and as good as not there."
        case .numberForBoolean where self.path.first == ATSKey.pinnedDomains.rawValue:
            "It is a number, and only a boolean counts here."
        case .numberForBoolean(let number):
            number == 1 ? "It is a number, and counts as on." : "It is a number other than 1, and counts as off."
        case .duplicateKey: "It is there twice, and the last one counts."
        case .pinWithoutDigest: "A pin without \(ATSKey.spkiSHA256.rawValue) is passed over."
        }
    }
}

extension ATSKey {
    fileprivate var place: String {
        let places = Level.allCases.filter(self.levels.contains).map { level in
            switch level {
            case .global: "in \(Self.section)"
            case .exception: "in an entry of \(Self.exceptionDomains.rawValue)"
            case .pinnedDomain: "in an entry of \(Self.pinnedDomains.rawValue)"
            case .pin: "in a pin"
            }
        }
        return places.joined(separator: " or ")
    }
}
