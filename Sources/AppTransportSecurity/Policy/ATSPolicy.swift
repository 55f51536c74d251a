//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What an app may connect to, and how: an Info.plist as one release of Apple's systems understands it.
///
/// ```swift
/// let plist = try InfoPropertyList(contentsOf: "Info.plist")
/// let policy = ATSPolicy(plist)
/// let requirements = policy.requirements(for: try ATSDestination(url: "https://api.example.com"))
/// requirements.requiresTLS; requirements.minimumTLSVersion; requirements.cipherSuites
/// ```
///
/// Immutable, and made once: finding the requirements for a destination takes less than a microsecond, however many
/// domains there are.
public struct ATSPolicy: Sendable {
    /// How a dictionary is understood.
    public struct Configuration: Sendable {
        /// The release of Apple's systems.
        public var system = ATSSystem.newest
        /// Whose reading of the rules holds.
        public var strictness = ATSStrictness.engine
        /// Tells which destinations are local, unless they say so themselves; `nil` answers leave it to the rules of the
        /// system, as does `nil` here.
        public var isLocal: (@Sendable (ATSDestination) -> Bool?)?

        /// The newest release, as its engine has it.
        public init(system: ATSSystem = .newest, strictness: ATSStrictness = .engine) {
            self.system = system
            self.strictness = strictness
        }
    }

    /// The dictionary.
    public let dictionary: ATSDictionary
    /// How it is understood.
    public let configuration: Configuration

    let rules: ATSRuleSet
    let exceptions: ExceptionTable
    private let pins: PinTable
    /// Tells policies with a program's own judgment of what is local from each other, as closures cannot be compared.
    private let identity: Identity?

    /// The policy of a dictionary.
    ///
    /// - Parameters:
    ///   - dictionary: The dictionary; one without keys is the strictest policy.
    ///   - configuration: How it is understood.
    public init(_ dictionary: ATSDictionary, configuration: Configuration = Configuration()) {
        let system = configuration.system
        self.dictionary = dictionary
        self.configuration = configuration
        self.rules = ATSRuleSet(dictionary, system, strictness: configuration.strictness)
        self.exceptions = ExceptionTable(
            self.rules, configuration.strictness, readsAddresses: system.readsAddressExceptions)
        self.pins = PinTable(system.readsPinnedDomains ? dictionary.pinnedDomains : [])
        self.identity = configuration.isLocal == nil ? nil : Identity()
    }

    /// The policy of an app.
    ///
    /// - Parameters:
    ///   - propertyList: Its Info.plist; without `NSAppTransportSecurity` all defaults hold.
    ///   - configuration: How it is understood.
    public init(_ propertyList: InfoPropertyList, configuration: Configuration = Configuration()) {
        var dictionary = propertyList.transportSecurity ?? ATSDictionary()
        // What lies beside the section counts for nothing, which explanations are to say.
        for other in propertyList.otherKeys where dictionary.issues.count < Self.maximumIssues {
            guard let key = ATSKey(literally: other.value) else { continue }
            dictionary.issues.append(ATSIssue(.misplacedKey(key), [key.rawValue], at: other.position))
        }
        self.init(dictionary, configuration: configuration)
    }

    private static let maximumIssues = 1_000

    /// What is asked of a connection.
    ///
    /// - Parameters:
    ///   - destination: Where it goes.
    ///   - client: Who in the app makes it.
    public func requirements(for destination: ATSDestination, client: ATSClient = .app) -> ATSRequirements {
        self.requirements(self.decision(for: destination, client), for: destination, client: client)
    }

    /// Whether a destination is local.
    func isLocal(_ destination: ATSDestination) -> Bool {
        destination.isLocal ?? self.configuration.isLocal?(destination)
            ?? ATSLocality.isLocal(destination, self.configuration.system)
    }

    func requirements(
        _ decision: ATSDecision, for destination: ATSDestination, client: ATSClient
    ) -> ATSRequirements {
        var requirements = ATSRequirements()
        requirements.strictness = self.configuration.strictness
        requirements.system = self.configuration.system
        requirements.systemMinimumVersion = self.configuration.system.minimumTLSVersion
        requirements.systemMaximumVersion = self.configuration.system.maximumTLSVersion
        decision.apply(self.rules, to: &requirements)
        // The system itself has no Info.plist.
        guard client != .deviceManagement else { return requirements }
        requirements.pins = self.pins.pins(for: destination.host)
        return requirements
    }
}

extension ATSPolicy: Hashable {
    /// Something that is equal to itself alone.
    private final class Identity: Sendable {}

    /// Whether both ask the same of every destination: the same dictionary, understood in the same way. A policy with
    /// ``Configuration/isLocal`` is equal to its copies alone.
    public static func == (left: ATSPolicy, right: ATSPolicy) -> Bool {
        left.identity === right.identity && left.dictionary == right.dictionary
            && left.configuration.system == right.configuration.system
            && left.configuration.strictness == right.configuration.strictness
    }

    /// Feeds what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.identity.map(ObjectIdentifier.init))
        hasher.combine(self.dictionary)
        hasher.combine(self.configuration.system)
        hasher.combine(self.configuration.strictness)
    }
}
