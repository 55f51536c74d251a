//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The errors for octets that are not a valid HTTP/1.1 response, or that exceed the limits.
///
/// Readers throw them, and nothing more can be read from the connection afterwards.
public enum HTTPMessageError: Error, Sendable, Hashable {
    /// The connection ended before any octet of a response.
    case noResponse
    /// The connection ended within the head.
    case cutInHead
    /// The connection ended within the content.
    case cutInContent
    /// The first line is not a status line (RFC 9112 §4).
    case statusLine
    /// A field line is malformed (RFC 9112 §5). The value is its number after the status line.
    case fieldLine(Int)
    /// A line contains an octet that is never allowed: NUL, or CR without LF (RFC 9112 §2.2).
    case forbiddenOctet
    /// Content-Length is not a number, or has several different values (RFC 9112 §6.3).
    case contentLength
    /// The transfer coding is not supported (RFC 9112 §6.1).
    case transferCoding
    /// A chunk has no valid size, or does not end in the right place (RFC 9112 §7.1).
    case chunk
    /// The head, with all informational responses and the trailers, exceeds the limit in octets.
    case headTooLarge(limit: Int)
    /// The number of fields exceeds the limit.
    case tooManyFields(limit: Int)
    /// The server changed the protocol without a request to do so (RFC 9110 §7.8).
    case unaskedProtocolChange
    /// Octets followed the end of a response.
    case unexpectedOctets
}

extension HTTPMessageError: CustomStringConvertible {
    /// The fault, as the rest of a sentence about the server.
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
