//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a client sends that is no request of HTTP/1.1 or HTTP/2, or can be read in more than one way.
public enum HTTPRequestError: Error, Sendable, Hashable {
    /// The first line is no request line (RFC 9112 §3).
    case requestLine
    /// The version is not HTTP/1.0 or HTTP/1.1.
    case version
    /// There is no Host field where one must be, or there are several (RFC 9112 §3.2).
    case host
    /// The length of the content is said in two ways, or more than once (RFC 9112 §6.1 and §6.3).
    case framing
    /// A transfer coding that is not `chunked` alone (RFC 9112 §6.1).
    case transferCoding
    /// An expectation that is not `100-continue` (RFC 9110 §10.1.1).
    case expectation
    /// Lines, fields or chunks are malformed, or too large.
    case message(HTTPMessageError)
    /// A request of HTTP/2 is malformed (RFC 9113 §8.1.1).
    case http2(HTTP2RequestFault)
    /// CONNECT on a stream of HTTP/2, or another protocol than WebSocket on one (RFC 9113 §8.5, RFC 8441 §4), which are not taken.
    case connect

    /// The status that answers it (RFC 9110 §15.5 and §15.6).
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
    /// What is wrong, as a sentence.
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
        case .http2(let fault): fault.description
        case .connect:
            "CONNECT, and protocols other than HTTP and WebSocket, are not taken on a stream of HTTP/2 (RFC 9113, section 8.5)."
        }
    }

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

/// What is malformed about a request of HTTP/2.
public enum HTTP2RequestFault: Sendable, Hashable {
    /// A pseudo-header field that is unknown, comes twice, stands behind other fields, or is in trailers (RFC 9113 §8.3).
    case pseudoField
    /// `:method` is missing, or no method (RFC 9113 §8.3.1).
    case method
    /// `:scheme` is missing, or no scheme (RFC 9113 §8.3.1).
    case scheme
    /// `:path` is missing or empty, or neither a path nor, with OPTIONS, an asterisk (RFC 9113 §8.3.1).
    case path
    /// No server is named, or two are, or a user is (RFC 9113 §8.3.1).
    case authority
    /// A name in capitals, or that is no token (RFC 9113 §8.2.1).
    case name
    /// A value with NUL, CR or LF, or with blanks at its ends (RFC 9113 §8.2.1).
    case value
    /// A field about the connection (RFC 9113 §8.2.2).
    case connection
    /// The content has another length than Content-Length says (RFC 9113 §8.1.1).
    case contentLength
    /// Trailers that do not end the request (RFC 9113 §8.1).
    case unendedTrailers

    static func field(_ fault: HTTP2FieldFault) -> HTTP2RequestFault {
        switch fault {
        case .name: .name
        case .value: .value
        case .connection: .connection
        }
    }
}

extension HTTP2RequestFault: CustomStringConvertible {
    /// What is wrong, as a sentence.
    public var description: String {
        switch self {
        case .pseudoField: "A pseudo-header field of the request does not belong there (RFC 9113, section 8.3)."
        case .method: "The request has no :method that can be read (RFC 9113, section 8.3.1)."
        case .scheme: "The request has no :scheme that can be read (RFC 9113, section 8.3.1)."
        case .path: "The request has no :path that can be read (RFC 9113, section 8.3.1)."
        case .authority: "The request does not name exactly one server (RFC 9113, section 8.3.1)."
        case .name: "A field name of the request is malformed (RFC 9113, section 8.2.1)."
        case .value: "A field value of the request is malformed (RFC 9113, section 8.2.1)."
        case .connection: "The request has a field about the connection (RFC 9113, section 8.2.2)."
        case .contentLength:
            "The content of the request has another length than its Content-Length (RFC 9113, section 8.1.1)."
        case .unendedTrailers: "Fields behind the content did not end the request (RFC 9113, section 8.1)."
        }
    }
}
