//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The rules for an app's connections: an Info.plist as one release of Apple's systems interprets it.
///
/// ```swift
/// let plist = try InfoPropertyList(contentsOf: "Info.plist")
/// let policy = ATSPolicy(plist)
/// let requirements = policy.requirements(for: try ATSDestination(url: "https://api.example.com"))
/// requirements.requiresTLS; requirements.minimumTLSVersion; requirements.cipherSuites
/// ```
///
/// A policy is immutable and created once. Finding the requirements for a destination takes less than a microsecond for any number
/// of domains.
public struct ATSPolicy: Sendable {
    /// The interpretation of a dictionary.
    public struct Configuration: Sendable {
        /// The release of Apple's systems.
        public var system = ATSSystem.newest
        /// The reading of the rules.
        public var strictness = ATSStrictness.engine
        /// A function that returns `true` for local destinations. If it is `nil` or returns `nil`, the rules of the system decide.
        /// A destination's own ``ATSDestination/isLocal`` has priority.
        public var isLocal: (@Sendable (ATSDestination) -> Bool?)?

        /// Creates a configuration, by default of the newest release and its engine.
        public init(system: ATSSystem = .newest, strictness: ATSStrictness = .engine) {
            self.system = system
            self.strictness = strictness
        }
    }

    /// The dictionary of the policy.
    public let dictionary: ATSDictionary
    /// The interpretation of the dictionary.
    public let configuration: Configuration

    let rules: ATSRuleSet
    let exceptions: ExceptionTable
    private let pins: PinTable
    /// An identity for policies with a function for local destinations, because functions cannot be compared.
    private let identity: Identity?

    /// Creates the policy of a dictionary.
    ///
    /// - Parameters:
    ///   - dictionary: The dictionary. One without keys is the strictest policy.
    ///   - configuration: The interpretation of the dictionary.
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

    /// Creates the policy of an app.
    ///
    /// - Parameters:
    ///   - propertyList: The app's Info.plist. Without `NSAppTransportSecurity` all defaults apply.
    ///   - configuration: The interpretation of the dictionary.
    public init(_ propertyList: InfoPropertyList, configuration: Configuration = Configuration()) {
        var dictionary = propertyList.transportSecurity ?? ATSDictionary()
        // Keys outside the section have no effect, which explanations report.
        for other in propertyList.otherKeys where dictionary.issues.count < Self.maximumIssues {
            guard let key = ATSKey(literally: other.value) else { continue }
            dictionary.issues.append(ATSIssue(.misplacedKey(key), [key.rawValue], at: other.position))
        }
        self.init(dictionary, configuration: configuration)
    }

    private static let maximumIssues = 1_000

    /// Returns the requirements for a connection.
    ///
    /// - Parameters:
    ///   - destination: The destination of the load.
    ///   - client: The part of the app that loads.
    public func requirements(for destination: ATSDestination, client: ATSClient = .app) -> ATSRequirements {
        self.requirements(self.decision(for: destination, client), for: destination, client: client)
    }

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
    /// An object that is only equal to itself.
    private final class Identity: Sendable {}

    /// Returns `true` if both policies have the same dictionary and the same interpretation, and so the same requirements. A policy
    /// with ``Configuration/isLocal`` is equal only to its copies.
    public static func == (left: ATSPolicy, right: ATSPolicy) -> Bool {
        left.identity === right.identity && left.dictionary == right.dictionary
            && left.configuration.system == right.configuration.system
            && left.configuration.strictness == right.configuration.strictness
    }

    /// Hashes the dictionary and its interpretation.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.identity.map(ObjectIdentifier.init))
        hasher.combine(self.dictionary)
        hasher.combine(self.configuration.system)
        hasher.combine(self.configuration.strictness)
    }
}
