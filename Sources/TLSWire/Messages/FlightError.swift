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
