//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The evaluation of a certificate's timestamps.
///
/// It lists every timestamp with its status, and compares the logs that count with the rules. If ``isRequired`` is
/// `true`, a shortfall rejects the certificate.
public struct TransparencyReport: Sendable, Hashable {
    /// The source of a timestamp (RFC 6962 §3.3).
    public enum Source: String, Sendable, Hashable {
        /// The timestamp is in the certificate.
        case certificate
        /// The timestamp is in an OCSP response.
        case response
        /// The timestamp is in the TLS handshake.
        case handshake
    }

    /// The status of a timestamp.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        /// The timestamp counts.
        case valid
        /// The octets are not a timestamp.
        case malformed
        /// The version of the timestamp is unknown.
        case unknownVersion = "unknown-version"
        /// The list of logs does not have the log.
        case unknownLog = "unknown-log"
        /// The timestamp is later than the time of the evaluation.
        case future
        /// The timestamp is not in the certificate, and the log is retired.
        case retiredLog = "retired-log"
        /// The timestamp is later than the moment at which the log became read-only.
        case readOnlyLog = "read-only-log"
        /// The log does not accept certificates with this expiry.
        case outsideInterval = "outside-interval"
        /// Logs do not use the algorithm of the signature.
        case unsupportedAlgorithm = "unsupported-algorithm"
        /// The log did not sign the timestamp for this certificate.
        case badSignature = "bad-signature"
        /// The timestamp exceeds the limit on examined timestamps.
        case notExamined = "not-examined"
    }

    /// One timestamp of the report.
    public struct Entry: Sendable, Hashable {
        /// The source of the timestamp.
        public let source: Source
        /// The identifier of the log, or empty if the timestamp is malformed.
        public let logIdentifier: [UInt8]
        /// The name of the log in the list, or `nil` for an unknown log.
        public let logName: String?
        /// The time of the timestamp, truncated to seconds, or `nil` if the timestamp is malformed.
        public let time: Timestamp?
        /// The status of the timestamp.
        public let status: Status
    }

    /// The timestamps, first of the certificate, then of the responses, then of the handshake.
    public let entries: [Entry]
    /// `true` if the timestamps meet the policy.
    public let meetsPolicy: Bool
    /// `true` if the timestamps would meet the policy if every unknown log counted. A newer list may contain these logs.
    public let couldMeetPolicy: Bool
    /// `true` if the certificate is rejected without sufficient timestamps.
    public internal(set) var isRequired: Bool
    /// `true` if the certificate needs timestamps, they do not suffice, and only a newer list can decide. The
    /// certificate is then not rejected.
    public internal(set) var isUndetermined: Bool
    /// The number of logs that must have signed: two if a valid timestamp outside the certificate was delivered,
    /// otherwise the number that its lifetime requires.
    public let neededLogs: Int
    /// The number of logs that count.
    public let countedLogs: Int
    /// The number of operators of the logs that count.
    public let countedOperators: Int
}

/// The unmet requirement of certificate transparency, as the evidence for a rejection.
public struct TransparencyShortfall: Sendable, Hashable {
    /// The rules for counting timestamps.
    public let rules: TransparencyRules
    /// The number of logs that must have signed.
    public let needed: Int
    /// The number of logs that did sign.
    public let counted: Int
    /// The number of operators of the logs that did sign.
    public let countedOperators: Int
    /// The number of timestamps, valid or not.
    public let timestamps: Int
    /// The number of timestamps of logs that the list does not have.
    public let unknownLogs: Int
}
