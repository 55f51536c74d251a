//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// A certificate transparency log in a client's list.
///
/// The list of a client has the logs that it trusts. Combine them into ``TransparencyLogs`` for a ``TransparencyRequest``.
public struct TransparencyLog: Sendable {
    /// The state of a log. Only some timestamps of a read-only or retired log count.
    public enum State: Sendable, Hashable {
        /// The timestamps of the log count.
        case usable
        /// Only timestamps made up to that second count.
        case readOnly(since: Timestamp)
        /// Timestamps in certificates count under conditions, if they were made before that moment. Others do not count.
        case retired(since: Timestamp)
    }

    /// An earlier operator of a log, with the end of its operation.
    public struct PreviousOperator: Sendable, Hashable {
        /// The name of the operator.
        public let name: String
        /// The first moment under another operator.
        public let end: Timestamp

        /// Creates an earlier operator.
        public init(name: String, end: Timestamp) { (self.name, self.end) = (name, end) }
    }

    /// The identifier in timestamps: the SHA-256 digest of the log's key, or another value from the list.
    public let identifier: [UInt8]
    /// The name of the log in the list.
    public let name: String
    /// The name of the log's operator in the list.
    public let operatorName: String
    /// The earlier operators of the log, the earliest first.
    public var previousOperators: [PreviousOperator] = []
    /// True for a log of the static-ct-api (https://c2sp.org/static-ct-api), false for one of RFC 6962.
    public var isStatic = false
    /// The state of the log.
    public let state: State
    /// The first expiry of the certificates that the log accepts, or `nil` for no limit.
    public let firstExpiry: Timestamp?
    /// The moment before which certificates must expire for the log to accept them, or `nil` for no limit.
    public let endOfExpiry: Timestamp?
    let key: PublicKeySource

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - subjectPublicKeyInfo: The DER encoding of its key.
    ///   - identifier: The identifier in timestamps, or `nil` for the SHA-256 digest of the key.
    ///   - name: The name of the log in the list.
    ///   - operatorName: The name of the operator.
    ///   - state: The state of the log.
    ///   - firstExpiry: The first expiry of the certificates that it accepts, or `nil` for no limit.
    ///   - endOfExpiry: The first expiry after those, or `nil` for no limit.
    /// - Throws: ``DERError`` if the key is malformed.
    public init(
        subjectPublicKeyInfo: [UInt8], identifier: [UInt8]? = nil, name: String = "", operatorName: String = "",
        state: State = .usable, firstExpiry: Timestamp? = nil, endOfExpiry: Timestamp? = nil
    ) throws(DERError) {
        let emptyName = DERWriter.element(.sequence, [])
        self.key = .anchor(try SubjectAndKey(subject: emptyName, subjectPublicKeyInfo: subjectPublicKeyInfo))
        self.identifier = identifier ?? Array(SHA256.hash(data: subjectPublicKeyInfo))
        self.name = name
        self.operatorName = operatorName
        self.state = state
        self.firstExpiry = firstExpiry
        self.endOfExpiry = endOfExpiry
    }

    /// The DER encoding of the log's key.
    public var subjectPublicKeyInfo: [UInt8] { self.key.bytes[self.key.info.whole] }

    /// `true` unless the log is retired. Only a log that is not retired counts for timestamps outside the certificate.
    var isCurrent: Bool {
        guard case .retired = self.state else { return true }
        return false
    }

    /// Returns the operator of the log at a moment, in milliseconds since 1970.
    func operatorName(at milliseconds: UInt64) -> String {
        let past = self.previousOperators.first { milliseconds < TransparencyTally.milliseconds($0.end) }
        return past?.name ?? self.operatorName
    }

    func takes(expiry: Timestamp) -> Bool {
        (self.firstExpiry.map { $0 <= expiry } ?? true) && (self.endOfExpiry.map { expiry < $0 } ?? true)
    }
}

extension TransparencyLog: Hashable {
    /// Returns `true` if both are the same log in the same state, with the same operators.
    public static func == (left: TransparencyLog, right: TransparencyLog) -> Bool {
        left.identifier == right.identifier && left.subjectPublicKeyInfo == right.subjectPublicKeyInfo
            && left.name == right.name && left.operatorName == right.operatorName
            && left.previousOperators == right.previousOperators && left.state == right.state
            && left.isStatic == right.isStatic && left.firstExpiry == right.firstExpiry
            && left.endOfExpiry == right.endOfExpiry
    }

    /// Feeds the identifier, which is usually the digest of the key, and the state.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.identifier)
        hasher.combine(self.state)
    }
}

/// A set of logs by their identifiers. If two logs have the same identifier, the later one counts.
public struct TransparencyLogs: Sendable, Hashable {
    /// The logs by the first eight octets of their identifiers, which rarely collide.
    private var logs: [UInt64: [TransparencyLog]] = [:]

    /// Creates a set from logs in the order of a list.
    public init(_ logs: some Sequence<TransparencyLog> = []) {
        for log in logs {
            let beginning = Self.beginning(log.identifier[...])
            self.logs[beginning, default: []].removeAll { $0.identifier == log.identifier }
            self.logs[beginning, default: []].append(log)
        }
    }

    /// The number of logs.
    public var count: Int { self.logs.values.reduce(0) { $0 + $1.count } }

    /// All logs, in no particular order.
    public var all: [TransparencyLog] { self.logs.values.flatMap(\.self) }

    /// The log of an identifier; `nil` for an unknown one.
    package func log(named identifier: ArraySlice<UInt8>) -> TransparencyLog? {
        self.logs[Self.beginning(identifier)]?.first { $0.identifier[...] == identifier }
    }

    private static func beginning(_ identifier: ArraySlice<UInt8>) -> UInt64 {
        identifier.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
