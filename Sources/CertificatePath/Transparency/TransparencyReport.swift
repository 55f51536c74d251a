//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What the timestamps of a certificate are worth.
public struct TransparencyReport: Sendable, Hashable {
    /// Where a timestamp comes from (RFC 6962 §3.3).
    public enum Source: String, Sendable, Hashable {
        /// The certificate.
        case certificate
        /// An OCSP response.
        case response
        /// The handshake.
        case handshake
    }

    /// Whether a timestamp counts.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// It does.
        case valid
        /// It is not a timestamp.
        case malformed
        /// It is of a version that is not known.
        case unknownVersion = "unknown-version"
        /// No list at hand has the log.
        case unknownLog = "unknown-log"
        /// It is from after the moment of the evaluation.
        case future
        /// It was delivered apart from the certificate, and the log is retired.
        case retiredLog = "retired-log"
        /// It is from after the log became read-only.
        case readOnlyLog = "read-only-log"
        /// The log does not take certificates that end then.
        case outsideInterval = "outside-interval"
        /// Its signature is of an algorithm that logs do not use.
        case unsupportedAlgorithm = "unsupported-algorithm"
        /// The log did not sign it for this certificate.
        case badSignature = "bad-signature"
        /// More timestamps were delivered than are looked at.
        case notExamined = "not-examined"
    }

    /// One timestamp.
    public struct Entry: Sendable, Hashable {
        /// Where it comes from.
        public let source: Source
        /// What it names its log by; empty when it cannot be read.
        public let logIdentifier: [UInt8]
        /// What the list calls the log; `nil` for an unknown log.
        public let logName: String?
        /// When the log signed it, cut to seconds; `nil` when it cannot be read.
        public let time: Timestamp?
        /// Whether it counts.
        public let status: Status
    }

    /// The timestamps, in the order of certificate, responses, handshake.
    public let entries: [Entry]
    /// Whether they suffice.
    public let meetsPolicy: Bool
    /// Whether they would suffice if every log counted that the list does not know: a newer list may know it.
    public let couldMeetPolicy: Bool
    /// Whether the certificate is refused when they do not suffice.
    public internal(set) var isRequired: Bool
    /// Whether they do not suffice, the certificate needs them, and only a newer list can tell more: it is not refused.
    public internal(set) var isUndetermined: Bool
    /// How many logs had to sign: two where timestamps were delivered apart from the certificate; otherwise as many as its
    /// lifetime asks.
    public let neededLogs: Int
    /// How many logs count.
    public let countedLogs: Int
    /// How many operators run those that count.
    public let countedOperators: Int
}

/// What is missing of certificate transparency.
public struct TransparencyShortfall: Sendable, Hashable {
    /// The rules by which timestamps were counted.
    public let rules: TransparencyRules
    /// How many logs had to sign.
    public let needed: Int
    /// How many did.
    public let counted: Int
    /// How many operators run those that did.
    public let countedOperators: Int
    /// How many timestamps there are, valid or not.
    public let timestamps: Int
    /// How many of them are from logs that the list does not have.
    public let unknownLogs: Int
}
