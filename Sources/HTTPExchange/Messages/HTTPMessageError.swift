//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a server sends that is no HTTP/1.1 response, or too much of one.
public enum HTTPMessageError: Error, Sendable, Hashable {
    /// The connection ended before an octet of a response.
    case noResponse
    /// The connection ended within the head.
    case cutInHead
    /// The connection ended within the content.
    case cutInContent
    /// The first line is no status line (RFC 9112 §4).
    case statusLine
    /// A field line is malformed (RFC 9112 §5), by its number after the status line.
    case fieldLine(Int)
    /// A line has an octet in it that no line may have: NUL, or CR without LF (RFC 9112 §2.2).
    case forbiddenOctet
    /// Content-Length is no number, or has several (RFC 9112 §6.3).
    case contentLength
    /// A transfer coding that this client does not read (RFC 9112 §6.1).
    case transferCoding
    /// A chunk has no size, or does not end where it should (RFC 9112 §7.1).
    case chunk
    /// More octets in the head, in all informational responses or in the trailers than are taken.
    case headTooLarge(limit: Int)
    /// More fields than are taken.
    case tooManyFields(limit: Int)
    /// The server changes the protocol, which it was not asked to (RFC 9110 §7.8).
    case unaskedProtocolChange
    /// More octets after a response than belong to it.
    case unexpectedOctets
}

extension HTTPMessageError: CustomStringConvertible {
    /// What is wrong, as the rest of a sentence about the server.
    public var description: String {
        switch self {
        case .noResponse: "it closed the connection without an answer"
        case .cutInHead: "the connection ended within the head of its response"
        case .cutInContent: "the connection ended before its response was complete"
        case .statusLine: "its answer does not begin with an HTTP/1.1 status line (RFC 9112, section 4)"
        case .fieldLine(let number): "field line \(number) of its response is malformed (RFC 9112, section 5)"
        case .forbiddenOctet: "the head of its response has a NUL octet, or a CR without LF (RFC 9112, section 2.2)"
        case .contentLength: "its Content-Length is not one number (RFC 9112, section 6.3)"
        case .transferCoding: "its Transfer-Encoding is not chunked alone (RFC 9112, section 6.1)"
        case .chunk: "a chunk of its response is malformed (RFC 9112, section 7.1)"
        case .headTooLarge(let limit): "the head of its response has more than \(limit) bytes"
        case .tooManyFields(let limit): "its response has more than \(limit) fields"
        case .unaskedProtocolChange: "it changes the protocol without being asked to (RFC 9110, section 7.8)"
        case .unexpectedOctets: "it sent more than its response"
        }
    }
}
