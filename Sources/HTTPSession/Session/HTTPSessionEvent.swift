//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes
public import ServerTrustNIO
public import TLSWire

/// An observer of a session's events, including the verdict on each server. It is meant for logs, metrics, traces and progress.
public protocol HTTPSessionObserver: Sendable {
    /// Receives an event. Called in the order of a request, from its task, which waits until the call returns.
    func session(_ event: HTTPSessionEvent)
}

/// An event of a session.
///
/// Events contain no secrets. Fields with credentials or cookies have the value `(hidden)`, and so have fields with URLs that
/// contain a user name or password.
public enum HTTPSessionEvent: Sendable {
    /// A connection is being opened.
    case connecting(HTTPURL.Origin, proxy: Proxy?)
    /// A connection was opened, with the verdict on the server.
    case connected(ConnectionReport)
    /// A connection could not be opened, or its server was refused.
    case failed(HTTPSessionError)
    /// A request is about to be sent.
    case request(method: HTTPRequest.Method, url: HTTPURL, fields: HTTPFields)
    /// An informational response arrived, such as 103.
    case informational(status: Int, fields: HTTPFields)
    /// The head of a response arrived.
    case response(status: Int, fields: HTTPFields, url: HTTPURL)
    /// A server or a proxy requested a credential, and the request is sent again with one.
    case challenged(status: Int, HTTPURL.Origin)
    /// A redirect is being followed.
    case redirected(from: HTTPURL, to: HTTPURL, status: Int)
    /// A request is sent again, because its connection was closed before a response or the server did not process it.
    case retrying(HTTPURL)
}

extension HTTPFields {
    private static let secret: Set<HTTPField.Name> = [
        .authorization, .proxyAuthorization, .cookie, .setCookie,
    ]

    /// The fields with secret values replaced, for display.
    var withoutSecrets: HTTPFields {
        var fields = HTTPFields()
        for field in self {
            let isSecret = Self.secret.contains(field.name) || Self.hasUserInformation(field.value)
            fields.append(isSecret ? HTTPField(name: field.name, value: "(hidden)") : field)
        }
        return fields
    }

    /// Returns `true` if a value contains a URL with a user name or password (RFC 3986 §3.2.1), as Location may.
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
