//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// A request as far as authentication knows it: what a digest covers, and what was sent with it. One for each request, which
/// is kept while the request is repeated.
public struct AuthenticatedRequest: Sendable {
    /// The content of a request or a response, for `qop=auth-int`, which covers it.
    public enum Content: Sendable {
        /// The whole content; empty without content.
        case octets([UInt8])
        /// Content that was read in pieces.
        case digests(ContentDigests)
        /// Content that is not at hand as a whole, such as a stream. `qop=auth` is used then, which does not cover it.
        case unavailable

        /// No content.
        public static let none = Content.octets([])
    }

    /// The method.
    public let method: HTTPRequest.Method
    /// The target as the server reads it: `/path?query`, which a proxy passes on even if it gets a whole URL, or `host:port`
    /// for CONNECT. HTTP/2 has it in `:path`. Servers compare it with what a digest covers (RFC 7616 §3.4.6).
    public let target: String
    /// The content.
    public package(set) var content: Content

    /// What was sent with the request last; `nil` as long as nothing was.
    var sent: Sent?
    /// How often a credential was sent after a challenge.
    var answerCount = 0

    /// What was sent with a request.
    enum Sent: Sendable {
        case basic
        case bearer
        case digest(SentDigest)
    }

    /// A request that is not authenticated yet.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: The target as the server reads it.
    ///   - content: The content.
    public init(method: HTTPRequest.Method, target: String, content: Content = .none) {
        self.method = method
        self.target = target
        self.content = content
    }

    /// The path with the query; `nil` for a target of another form, such as `host:port`.
    var path: Substring? {
        var rest = self.target[...]
        if let scheme = self.target.firstRange(of: "://") {
            rest = self.target[scheme.upperBound...].drop { $0 != "/" }
        }
        return rest.utf8.first == UInt8(ascii: "/") ? rest : nil
    }
}

extension AuthenticatedRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and whether a credential was sent, without target and content, which may hold secrets.
    public var description: String {
        "AuthenticatedRequest(\(self.method.rawValue), \(self.sent == nil ? "no credential" : "credential") sent)"
    }

    /// The same as ``description``.
    public var debugDescription: String { self.description }

    /// A reflection without what it holds.
    public var customMirror: Mirror { Mirror(self, children: ["method": self.method.rawValue]) }
}
