//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The errors for octets that are not a valid request of HTTP/1.1 or HTTP/2, or that can be read in more than one way.
///
/// Readers throw them, and nothing more can be read from the connection afterwards. ``status`` is the status to answer with.
public enum HTTPRequestError: Error, Sendable, Hashable {
    /// The first line is not a request line (RFC 9112 §3).
    case requestLine
    /// The version is not HTTP/1.0 or HTTP/1.1.
    case version
    /// The Host field is missing, or there are several (RFC 9112 §3.2).
    case host
    /// The length of the content is declared in two ways, or more than once (RFC 9112 §6.1 and §6.3).
    case framing
    /// The transfer coding is not `chunked` alone (RFC 9112 §6.1).
    case transferCoding
    /// The expectation is not `100-continue` (RFC 9110 §10.1.1).
    case expectation
    /// A line, a field or a chunk is malformed or too large.
    case message(HTTPMessageError)
    /// A request of HTTP/2 is malformed (RFC 9113 §8.1.1).
    case http2(HTTP2MessageFault)
    /// A stream of HTTP/2 requests CONNECT, or a protocol other than WebSocket, which are not supported (RFC 9113 §8.5, RFC 8441
    /// §4).
    case connect

    init(_ fault: HTTP2MessageFault) {
        self = if case .message(let error) = fault { .message(error) } else { .http2(fault) }
    }

    /// The status of the answer (RFC 9110 §15.5 and §15.6).
    public var status: Int {
        switch self {
        case .version: 505
        case .transferCoding, .connect: 501
        case .expectation: 417
        case .message(.headTooLarge), .message(.tooManyFields): 431
        case .requestLine, .host, .framing, .message, .http2: 400
        }
    }
}

extension HTTPRequestError: CustomStringConvertible {
    /// The fault, as a sentence.
    public var description: String {
        switch self {
        case .requestLine: "The first line is not a request line (RFC 9112, section 3)."
        case .version: "The request is neither HTTP/1.1 nor HTTP/1.0."
        case .host: "The request does not have exactly one Host field (RFC 9112, section 3.2)."
        case .framing:
            "The request says the length of its content in two ways, or more than once (RFC 9112, sections 6.1 and 6.3)."
        case .transferCoding: "The Transfer-Encoding is not chunked alone (RFC 9112, section 6.1)."
        case .expectation: "The Expect field is not 100-continue (RFC 9110, section 10.1.1)."
        case .message(let error): Self.text(of: error)
        case .http2(let fault): Self.sentence(fault.text(about: "the request"))
        case .connect:
            "CONNECT, and protocols other than HTTP and WebSocket, are not taken on a stream of HTTP/2 (RFC 9113, section 8.5)."
        }
    }

    private static func sentence(_ text: String) -> String { "\(text.prefix(1).uppercased())\(text.dropFirst())." }

    private static func text(of error: HTTPMessageError) -> String {
        switch error {
        case .noResponse, .cutInHead: "The connection ended within the head of the request."
        case .cutInContent: "The connection ended before the request was complete."
        case .statusLine: Self.requestLine.description
        case .fieldLine(let number): "Field line \(number) of the request is malformed (RFC 9112, section 5)."
        case .forbiddenOctet:
            "The request has a control character in its head, or a line that does not end with CRLF (RFC 9112, section 2.2)."
        case .contentLength: "The Content-Length is not one number (RFC 9112, section 6.3)."
        case .transferCoding: Self.transferCoding.description
        case .chunk: "A chunk of the request is malformed (RFC 9112, section 7.1)."
        case .headTooLarge(let limit): "The head of the request has more than \(limit) bytes."
        case .tooManyFields(let limit): "The request has more than \(limit) fields."
        case .unaskedProtocolChange: "The request changes the protocol."
        case .unexpectedOctets: "More bytes came than belong to the request."
        }
    }
}
