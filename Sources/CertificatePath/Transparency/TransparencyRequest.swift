//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The request for an evaluation of certificate transparency (SecPolicyServer.c `SecPolicyCheckSystemTrustedCTRequired`).
///
/// It has the logs, the timestamps from the handshake, and the conditions under which a certificate without sufficient
/// timestamps is rejected.
public struct TransparencyRequest: Sendable, Hashable {
    /// The anchors below which servers need certificate transparency.
    public enum PublicRoots: Sendable, Hashable {
        /// Anchors of the class system.
        case system
        /// The certificates with these SHA-256 fingerprints, from any source of anchors.
        case fingerprints(Set<[UInt8]>)
    }

    /// The certificates that an old list of logs may reject.
    public enum OldListRule: Sendable, Hashable {
        /// An old list rejects no certificate, as on Apple's systems. Their list is rarely old, because they fetch it twice a day.
        case refusesNothing
        /// An old list rejects the certificates that no newer list could clear. They lack timestamps even if every
        /// unknown log counted.
        case refusesWhatNewerListsCannotClear
    }

    /// The rules for counting timestamps.
    public var rules: TransparencyRules
    /// The logs with timestamps that count.
    public var logs: TransparencyLogs
    /// `true` if the list of logs is recent enough to reject certificates. Timestamps count regardless of the age of the list.
    public var isListCurrent: Bool
    /// The certificates that the list may reject if it is not recent enough.
    public var oldListRule: OldListRule
    /// `true` if certificates may be rejected. The report is made in any case.
    public var isEnforced: Bool
    /// The `SignedCertificateTimestampList`s from the handshake (RFC 6962 §3.3.1).
    public var timestampLists: [[UInt8]]
    /// The anchors below which certificate transparency is required.
    public var publicRoots: PublicRoots
    /// The SHA-256 fingerprints of anchors below which certificate transparency is not required, regardless of ``publicRoots``.
    public var exemptRoots: Set<[UInt8]>
    /// The hosts that do not need certificate transparency: `x` for the name itself, `.x` for it and all names below.
    public var exceptedDomains: [String]
    /// The SHA-256 digests of keys that do not need certificate transparency. The key is that of a leaf, or of an
    /// authority that is limited to one organization.
    public var exceptedKeys: Set<[UInt8]>

    /// Creates a request that requires certificate transparency below system roots.
    ///
    /// - Parameters:
    ///   - logs: The logs with timestamps that count.
    ///   - isListCurrent: `true` if the list of logs is recent enough to reject certificates.
    ///   - rules: The rules for counting timestamps.
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
    /// Returns `true` if a list is recent enough to reject certificates. Its date must be less than sixty days from
    /// now for Apple, seventy for Chrome, in either direction (OTATrustUtilities.m
    /// `SecOTAPKIAssetStalenessLessThanSeconds`).
    ///
    /// - Parameters:
    ///   - date: The moment when the list was last known to be the newest.
    ///   - now: The current time, which may differ from the time of the evaluation.
    ///   - rules: The rules for counting timestamps.
    public static func isCurrent(
        listOf date: Timestamp, at now: Timestamp, by rules: TransparencyRules = .apple
    ) -> Bool {
        let (age, overflow) = now.secondsSinceEpoch.subtractingReportingOverflow(date.secondsSinceEpoch)
        return !overflow && age.magnitude < UInt64(rules.maximumListAge)
    }
}
