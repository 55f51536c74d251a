//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// A log of certificate transparency, as a client's list has it.
public struct TransparencyLog: Sendable {
    /// Whether the log's promises count.
    public enum State: Sendable, Hashable {
        /// They do.
        case usable
        /// Those made up to that second do.
        case readOnly(since: Timestamp)
        /// Those in certificates do, under conditions, if they were made before; others do not.
        case retired(since: Timestamp)
    }

    /// Who ran a log, and until when.
    public struct PreviousOperator: Sendable, Hashable {
        /// Who ran it.
        public let name: String
        /// The first moment at which another operator did.
        public let end: Timestamp

        /// An operator of the past.
        public init(name: String, end: Timestamp) { (self.name, self.end) = (name, end) }
    }

    /// What timestamps name the log by: SHA-256 of its key, or what the list says instead.
    public let identifier: [UInt8]
    /// What the list calls the log.
    public let name: String
    /// Who runs the log, as the list says.
    public let operatorName: String
    /// Who ran the log before, the earliest first.
    public var previousOperators: [PreviousOperator] = []
    /// Whether its promises count.
    public let state: State
    /// The log takes certificates that end from this moment on; `nil` for no limit.
    public let firstExpiry: Timestamp?
    /// The log takes certificates that end before this moment; `nil` for no limit.
    public let endOfExpiry: Timestamp?
    let key: PublicKeySource

    /// A log.
    ///
    /// - Parameters:
    ///   - subjectPublicKeyInfo: The DER encoding of its key.
    ///   - identifier: What timestamps name it by; `nil` for SHA-256 of the key.
    ///   - name: What the list calls it.
    ///   - operatorName: Who runs it.
    ///   - state: Whether its promises count.
    ///   - firstExpiry: The first end of validity of the certificates that it takes; `nil` for no limit.
    ///   - endOfExpiry: The first end of validity after those; `nil` for no limit.
    /// - Throws: ``DERError`` when the key cannot be read.
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

    /// Whether the log's promises count for what is delivered now.
    var isCurrent: Bool {
        guard case .retired = self.state else { return true }
        return false
    }

    /// Who ran the log at a moment, in milliseconds since 1970.
    func operatorName(at milliseconds: UInt64) -> String {
        let past = self.previousOperators.first { milliseconds < TransparencyTally.milliseconds($0.end) }
        return past?.name ?? self.operatorName
    }

    func takes(expiry: Timestamp) -> Bool {
        (self.firstExpiry.map { $0 <= expiry } ?? true) && (self.endOfExpiry.map { expiry < $0 } ?? true)
    }
}

extension TransparencyLog: Hashable {
    /// Whether both are the same log in the same state, by the same operators.
    public static func == (left: TransparencyLog, right: TransparencyLog) -> Bool {
        left.identifier == right.identifier && left.subjectPublicKeyInfo == right.subjectPublicKeyInfo
            && left.name == right.name && left.operatorName == right.operatorName
            && left.previousOperators == right.previousOperators && left.state == right.state
            && left.firstExpiry == right.firstExpiry && left.endOfExpiry == right.endOfExpiry
    }

    /// Feeds the identifier, which is the digest of the key, and the state.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.identifier)
        hasher.combine(self.state)
    }
}

/// Logs by their identifiers. Of two with the same one the later stands.
public struct TransparencyLogs: Sendable, Hashable {
    /// The logs, by the beginning of their identifiers: few begin alike.
    private var logs: [UInt64: [TransparencyLog]] = [:]

    /// Logs in the order of a list.
    public init(_ logs: some Sequence<TransparencyLog> = []) {
        for log in logs {
            let beginning = Self.beginning(log.identifier[...])
            self.logs[beginning, default: []].removeAll { $0.identifier == log.identifier }
            self.logs[beginning, default: []].append(log)
        }
    }

    /// The number of logs.
    public var count: Int { self.logs.values.reduce(0) { $0 + $1.count } }

    /// All of them, in no order.
    public var all: [TransparencyLog] { self.logs.values.flatMap(\.self) }

    func log(named identifier: ArraySlice<UInt8>) -> TransparencyLog? {
        self.logs[Self.beginning(identifier)]?.first { $0.identifier[...] == identifier }
    }

    private static func beginning(_ identifier: ArraySlice<UInt8>) -> UInt64 {
        identifier.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
