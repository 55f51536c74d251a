//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A fault that makes a message of HTTP/2 malformed (RFC 9113 §8.1.1).
public enum HTTP2MessageFault: Error, Sendable, Hashable {
    /// A pseudo-header field is unknown, occurs twice, comes after other fields, or is in trailers (RFC 9113 §8.3).
    case pseudoField
    /// `:method` is missing or invalid (RFC 9113 §8.3.1).
    case method
    /// `:scheme` is missing or invalid (RFC 9113 §8.3.1).
    case scheme
    /// `:path` is missing or empty, or is neither a path nor, with OPTIONS, an asterisk (RFC 9113 §8.3.1).
    case path
    /// The request names no server, several servers, or a user (RFC 9113 §8.3.1).
    case authority
    /// `:status` is missing, occurs twice, comes after other fields, or is not a number of three digits (RFC 9113 §8.3.2).
    case status
    /// A field name has capitals, or is not a token (RFC 9113 §8.2.1).
    case name
    /// A field value contains NUL, CR or LF, or begins or ends with a blank (RFC 9113 §8.2.1).
    case value
    /// A field is specific to a connection of HTTP/1.1 (RFC 9113 §8.2.2).
    case connection
    /// The length of the content differs from Content-Length (RFC 9113 §8.1.1).
    case contentLength
    /// Content came before the head, or in a response that has none (RFC 9113 §8.1).
    case unexpectedContent
    /// The status is 101, which HTTP/2 does not have (RFC 9113 §8.6).
    case switchingProtocols
    /// An informational response ended the stream (RFC 9113 §8.1).
    case endsInformational
    /// Trailers do not end the message (RFC 9113 §8.1).
    case unendedTrailers
    /// The fault exists in HTTP/1.1 as well.
    case message(HTTPMessageError)

    /// Returns the fault as the rest of a sentence.
    ///
    /// - Parameter message: The words for the message, such as `the request`.
    package func text(about message: String) -> String {
        switch self {
        case .pseudoField:
            "\(message) has a pseudo-header field that does not belong there (RFC 9113, section 8.3)"
        case .method: "\(message) has no :method that can be read (RFC 9113, section 8.3.1)"
        case .scheme: "\(message) has no :scheme that can be read (RFC 9113, section 8.3.1)"
        case .path: "\(message) has no :path that can be read (RFC 9113, section 8.3.1)"
        case .authority: "\(message) does not name exactly one server (RFC 9113, section 8.3.1)"
        case .status: "\(message) has no :status of three digits (RFC 9113, section 8.3.2)"
        case .name: "a field name of \(message) is malformed (RFC 9113, section 8.2.1)"
        case .value: "a field value of \(message) is malformed (RFC 9113, section 8.2.1)"
        case .connection: "\(message) has a field about the connection (RFC 9113, section 8.2.2)"
        case .contentLength:
            "the content of \(message) has another length than its Content-Length (RFC 9113, section 8.1.1)"
        case .unexpectedContent: "content came where \(message) has none (RFC 9113, section 8.1)"
        case .switchingProtocols: "\(message) has status 101, which HTTP/2 does not have (RFC 9113, section 8.6)"
        case .endsInformational: "\(message) ended with an informational response (RFC 9113, section 8.1)"
        case .unendedTrailers: "fields behind the content did not end \(message) (RFC 9113, section 8.1)"
        case .message(let error): error.description
        }
    }
}
