//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Whether and how certificate transparency is asked for (SecPolicyServer.c `SecPolicyCheckSystemTrustedCTRequired`).
public struct TransparencyRequest: Sendable, Hashable {
    /// The anchors below which servers need certificate transparency.
    public enum PublicRoots: Sendable, Hashable {
        /// Anchors of the class system.
        case system
        /// Certificates with these SHA-256 fingerprints, whatever made them anchors.
        case fingerprints(Set<[UInt8]>)
    }

    /// What a list of sixty days or more may refuse.
    public enum OldListRule: Sendable, Hashable {
        /// Nothing, as on Apple's systems. Theirs is seldom old: they fetch a new one twice a day.
        case refusesNothing
        /// Certificates that no newer list could clear: those that lack timestamps even if every unknown log counted.
        case refusesWhatNewerListsCannotClear
    }

    /// The rules by which timestamps are counted.
    public var rules: TransparencyRules
    /// The logs whose promises count.
    public var logs: TransparencyLogs
    /// Whether the list of logs is young enough to refuse certificates by. Timestamps count at any age of the list.
    public var isListCurrent: Bool
    /// What the list may refuse when it is not young enough.
    public var oldListRule: OldListRule
    /// Whether anything is refused at all. What the timestamps are worth is told anyway.
    public var isEnforced: Bool
    /// `SignedCertificateTimestampList`s from the handshake (RFC 6962 §3.3.1).
    public var timestampLists: [[UInt8]]
    /// The anchors below which certificate transparency is required.
    public var publicRoots: PublicRoots
    /// SHA-256 fingerprints of anchors below which it is not, whatever ``publicRoots`` says.
    public var exemptRoots: Set<[UInt8]>
    /// Hosts of which it is not required: `x` for the name itself, `.x` for it and all names below.
    public var exceptedDomains: [String]
    /// SHA-256 digests of keys of which it is not required: of a leaf, or of an authority that speaks for one organization.
    public var exceptedKeys: Set<[UInt8]>

    /// A request that requires transparency below system roots.
    ///
    /// - Parameters:
    ///   - logs: The logs whose promises count.
    ///   - isListCurrent: Whether the list of logs is young enough to refuse certificates by.
    ///   - rules: The rules by which timestamps are counted.
    public init(logs: TransparencyLogs, isListCurrent: Bool = true, rules: TransparencyRules = .apple) {
        self.rules = rules
        self.logs = logs
        self.isListCurrent = isListCurrent
        self.oldListRule = .refusesNothing
        self.isEnforced = true
        self.timestampLists = []
        self.publicRoots = .system
        self.exemptRoots = []
        self.exceptedDomains = []
        self.exceptedKeys = []
    }
}

extension TransparencyRequest {
    /// Whether a list is young enough to refuse certificates by: less than sixty days from now for Apple, seventy for Chrome,
    /// in either direction (OTATrustUtilities.m `SecOTAPKIAssetStalenessLessThanSeconds`).
    ///
    /// - Parameters:
    ///   - date: When the list was last known to be the newest.
    ///   - now: The moment of asking, which is not the moment that certificates are judged for.
    ///   - rules: The rules by which timestamps are counted.
    public static func isCurrent(
        listOf date: Timestamp, at now: Timestamp, by rules: TransparencyRules = .apple
    ) -> Bool {
        let (age, overflow) = now.secondsSinceEpoch.subtractingReportingOverflow(date.secondsSinceEpoch)
        return !overflow && age.magnitude < UInt64(rules.maximumListAge)
    }
}
