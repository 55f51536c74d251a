//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
public import ServerTrustNIO
public import TLSWire

/// Hears what a session does, and why each server was trusted or not. For logs, metrics, traces and progress.
public protocol HTTPSessionObserver: Sendable {
    /// Something happens. Called in the order of a request, from its task, which waits meanwhile.
    func session(_ event: HTTPSessionEvent)
}

/// What a session does. Nothing secret is in it: fields that hold credentials or cookies have the value `(hidden)`, and so have
/// URLs in fields that say who asks.
public enum HTTPSessionEvent: Sendable {
    /// A connection is opened.
    case connecting(HTTPURL.Origin, proxy: Proxy?)
    /// A connection is there, with the verdict about the server.
    case connected(ConnectionReport)
    /// A connection does not come about, or its server is refused.
    case failed(HTTPSessionError)
    /// A request is sent.
    case request(method: HTTPRequest.Method, url: HTTPURL, fields: HTTPFields)
    /// A response before the response came, such as 103.
    case informational(status: Int, fields: HTTPFields)
    /// The head of a response came.
    case response(status: Int, fields: HTTPFields, url: HTTPURL)
    /// A server or a proxy asks for a credential, and the request is sent again with one.
    case challenged(status: Int, HTTPURL.Origin)
    /// A redirect is followed.
    case redirected(from: HTTPURL, to: HTTPURL, status: Int)
    /// A request is sent again, as its connection was closed before an answer.
    case retrying(HTTPURL)
}

extension HTTPFields {
    private static let secret: Set<HTTPField.Name> = [
        .authorization, .proxyAuthorization, .cookie, .setCookie,
    ]

    /// The fields for people to see.
    var withoutSecrets: HTTPFields {
        var fields = HTTPFields()
        for field in self {
            let isSecret = Self.secret.contains(field.name) || Self.hasUserInformation(field.value)
            fields.append(isSecret ? HTTPField(name: field.name, value: "(hidden)") : field)
        }
        return fields
    }

    /// Whether a value has a URL in it with a user or a password (RFC 3986 §3.2.1), as Location may have.
    private static func hasUserInformation(_ value: String) -> Bool {
        guard value.utf8.contains(UInt8(ascii: "@")) else { return false }
        var rest = value.utf8[...]
        while let slashes = rest.firstRange(of: "//".utf8) {
            rest = rest[slashes.upperBound...]
            let authority = rest.prefix { !"/?#".utf8.contains($0) }
            if authority.contains(UInt8(ascii: "@")) { return true }
        }
        return false
    }
}
