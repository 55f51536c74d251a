//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// The authentication state of one request: the values that a digest covers and the credential that was sent.
///
/// Create one for each request and keep it while the request is repeated.
public struct AuthenticatedRequest: Sendable {
    /// The content of a request or a response, which a digest with `qop=auth-int` covers.
    public enum Content: Sendable {
        /// The complete content. It is empty if there is none.
        case octets([UInt8])
        /// The hashes of content that was read in pieces.
        case digests(ContentDigests)
        /// Content that is not available as a whole, such as a stream. `qop=auth` is then used, which does not cover it.
        case unavailable

        /// Empty content.
        public static let none = Content.octets([])
    }

    /// The request method.
    public let method: HTTPRequest.Method
    /// The request target as the server reads it: `/path?query`, or `host:port` for CONNECT.
    ///
    /// A proxy forwards `/path?query` even if it receives a complete URL, and HTTP/2 has it in `:path`. Servers compare it with the
    /// target that a digest covers (RFC 7616 §3.4.6).
    public let target: String
    /// The content of the request.
    public package(set) var content: Content

    /// The credential that was sent last, or `nil` if none was sent.
    var sent: Sent?
    /// The number of credentials sent in answer to challenges.
    var answerCount = 0

    /// The kind of credential that was sent.
    enum Sent: Sendable {
        case basic
        case bearer
        case digest(SentDigest)
    }

    /// Creates the state of a request that is not authenticated yet.
    ///
    /// - Parameters:
    ///   - method: The request method.
    ///   - target: The request target as the server reads it.
    ///   - content: The content of the request.
    public init(method: HTTPRequest.Method, target: String, content: Content = .none) {
        self.method = method
        self.target = target
        self.content = content
    }

    /// The path with the query, or `nil` for a target of another form, such as `host:port`.
    var path: Substring? {
        var rest = self.target[...]
        if let scheme = self.target.firstRange(of: "://") {
            rest = self.target[scheme.upperBound...].drop { $0 != "/" }
        }
        return rest.utf8.first == UInt8(ascii: "/") ? rest : nil
    }
}

extension AuthenticatedRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the state of the credential, without target and content, which may contain secrets.
    public var description: String {
        "AuthenticatedRequest(\(self.method.rawValue), \(self.sent == nil ? "no credential" : "credential") sent)"
    }

    /// The same text as ``description``.
    public var debugDescription: String { self.description }

    /// A mirror with the method only.
    public var customMirror: Mirror { Mirror(self, children: ["method": self.method.rawValue]) }
}
