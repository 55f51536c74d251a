//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason that a server's answer cannot be read: it breaks the rules of TLS or exceeds a limit of the reader.
///
/// Each error has a stable ``code`` for programs, and a ``message`` and a ``remedy`` for a person.
public enum FlightError: Error, Sendable, Hashable {
    /// A record is longer than TLS allows (RFC 5246 §6.2.3).
    case recordTooLong(Int)
    /// A record is empty (RFC 8446 §5.1).
    case emptyRecord
    /// The answer exceeds the limit, given in bytes.
    case tooMuch(limit: Int)
    /// A handshake message claims a length beyond the limit.
    case messageTooLong(type: UInt8, length: Int)
    /// A record or message has a type that is not allowed at this point. The text names it.
    case unexpected(String)
    /// The fields of a message contradict each other. The text names them.
    case undecodable(String)
    /// The answer has more certificates than the limit.
    case tooManyCertificates
    /// The answer has more alerts or other records than a server has reason to send.
    case tooManyRecords
}

// MARK: - Codes and messages, the one table of them

extension FlightError {
    /// `true` if the answer exceeds a limit of the reader. It may break no rule of TLS.
    package var isAboutLimit: Bool {
        switch self {
        case .tooMuch, .messageTooLong, .tooManyCertificates: true
        default: false
        }
    }

    /// A short, stable name for programs.
    public var code: String {
        switch self {
        case .recordTooLong: "record-too-long"
        case .emptyRecord: "empty-record"
        case .tooMuch: "too-much"
        case .messageTooLong: "message-too-long"
        case .unexpected: "unexpected"
        case .undecodable: "undecodable"
        case .tooManyCertificates: "too-many-certificates"
        case .tooManyRecords: "too-many-records"
        }
    }

    /// The error in one sentence.
    public var message: String {
        switch self {
        case .recordTooLong(let length): "A record of \(length) bytes is longer than TLS allows."
        case .emptyRecord: "A record holds nothing."
        case .tooMuch(let limit): "More than the \(limit) bytes came that are read of one answer."
        case .messageTooLong(let type, let length):
            "A handshake message of type \(type) claims \(length) bytes, more than are read."
        case .unexpected(let what): "Something came where it may not: \(what)."
        case .undecodable(let what): "The fields of a message do not add up: \(what)."
        case .tooManyCertificates: "More certificates came than are read of one answer."
        case .tooManyRecords: "More records came than a server has reason to send."
        }
    }

    /// The kind of error as the predicate of a sentence. Exceeding a limit breaks a rule of the reader, not one of TLS.
    package var summary: String {
        switch self {
        case .recordTooLong, .emptyRecord, .unexpected, .undecodable, .tooManyRecords: "breaks the rules of TLS"
        case .tooMuch, .messageTooLong, .tooManyCertificates: "is more than is read"
        }
    }

    /// The remedy in one sentence.
    public var remedy: String {
        switch self {
        case .recordTooLong, .emptyRecord, .unexpected, .undecodable:
            "Check that the port speaks TLS and nothing else, and update the server's TLS library."
        case .tooMuch, .messageTooLong, .tooManyCertificates, .tooManyRecords:
            "Check what answers at this address. If it is the server, have it send its own chain and nothing else."
        }
    }
}

extension FlightError {
    /// One error of each kind, for lists of codes.
    package static let oneOfEach: [FlightError] = [
        .recordTooLong(20_000), .emptyRecord, .tooMuch(limit: 1 << 20), .messageTooLong(type: 11, length: 1 << 23),
        .unexpected("application data"), .undecodable("a length"), .tooManyCertificates, .tooManyRecords,
    ]
}
