//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How a server's answer breaks the rules of TLS, or the limits of what is read of it.
public enum FlightError: Error, Sendable, Hashable {
    /// A record is longer than TLS allows (RFC 5246 §6.2.3).
    case recordTooLong(Int)
    /// A record holds nothing (RFC 8446 §5.1).
    case emptyRecord
    /// More than is read of one answer was sent: the limit in bytes.
    case tooMuch(limit: Int)
    /// A handshake message claims a length beyond what is read of one answer.
    case messageTooLong(type: UInt8, length: Int)
    /// A record or message came where none of its type may.
    case unexpected(String)
    /// A message's fields do not add up.
    case undecodable(String)
    /// More certificates than are read of one answer.
    case tooManyCertificates
    /// More alerts or other records than a server has reason to send.
    case tooManyRecords
}

// MARK: - Codes and messages, the one table of them

extension FlightError {
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

    /// What is wrong with the answer, in one sentence.
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

    /// What is the matter, in three words or more: to read no further is this side's rule, and not one of TLS.
    package var summary: String {
        switch self {
        case .recordTooLong, .emptyRecord, .unexpected, .undecodable, .tooManyRecords: "breaks the rules of TLS"
        case .tooMuch, .messageTooLong, .tooManyCertificates: "is more than is read"
        }
    }

    /// What to do about it, in one sentence.
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
    /// One of each, for lists of codes.
    package static let oneOfEach: [FlightError] = [
        .recordTooLong(20_000), .emptyRecord, .tooMuch(limit: 1 << 20), .messageTooLong(type: 11, length: 1 << 23),
        .unexpected("application data"), .undecodable("a length"), .tooManyCertificates, .tooManyRecords,
    ]
}
