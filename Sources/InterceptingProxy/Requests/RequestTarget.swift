//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPSession
import HTTPTypes
import ServerTrust
import ServerTrustNIO

/// The destination of a request according to its target and its Host field, which must agree (RFC 9112 §3.2).
enum RequestTarget: Sendable {
    /// A tunnel to a host and port, in which the proxy acts as the server.
    case tunnel(Host, port: Int)
    case request(HTTPURL)

    /// Reads the target of a request.
    ///
    /// - Parameters:
    ///   - head: The request.
    ///   - tunnel: The server of the tunnel, or `nil` outside of a tunnel.
    /// - Throws: `Refusal` if the target cannot be read or contradicts the Host field or the tunnel.
    init(_ head: RequestHead, in tunnel: HTTPURL.Origin?) throws(Refusal) {
        if head.method == .connect {
            guard tunnel == nil else { throw Self.malformed("CONNECT does not lead out of a tunnel.") }
            self = try Self.tunnel(head)
        } else if let tunnel {
            self = .request(try Self.url(head, in: tunnel))
        } else {
            self = .request(try Self.plainURL(head))
        }
    }

    private static func tunnel(_ head: RequestHead) throws(Refusal) -> RequestTarget {
        let authority = try Self.authority(head.target)
        guard let port = authority.port else {
            throw Self.malformed("CONNECT names a host and a port, such as example.com:443.")
        }
        if let named = try Self.namedHost(head) {
            guard named.host == authority.host, named.port ?? port == port else { throw Self.contradiction }
        }
        return .tunnel(authority.host, port: port)
    }

    /// Returns the URL of a request within a tunnel. Its target is a path, or a URL of the same server.
    private static func url(_ head: RequestHead, in tunnel: HTTPURL.Origin) throws(Refusal) -> HTTPURL {
        if !Self.names(head, tunnel), let named = try Self.namedHost(head) {
            guard named.host == tunnel.host, named.port ?? 443 == tunnel.port else { throw Self.misdirected(tunnel) }
        }
        if Self.isPath(head.target) || Self.isAsterisk(head) { return HTTPURL(tunnel, target: head.target) }
        let (origin, target) = try Self.absolute(head)
        guard origin == tunnel else { throw Self.misdirected(tunnel) }
        return HTTPURL(origin, target: target)
    }

    /// Returns the URL of a request outside of a tunnel. Its target must be an `http` URL.
    private static func plainURL(_ head: RequestHead) throws(Refusal) -> HTTPURL {
        guard !Self.isPath(head.target), !Self.isAsterisk(head) else {
            throw Refusal(
                400, .notAProxyRequest, reason: "This is a proxy, and the request names no server.",
                remedy: "Set it as the proxy of the program, with https_proxy=http://ADDRESS:PORT for instance.",
                proxyStatus: "http_request_error")
        }
        let (origin, target) = try Self.absolute(head)
        guard origin.scheme == .http else {
            throw Self.malformed("A request for https comes through a tunnel, which CONNECT opens.")
        }
        if let named = try Self.namedHost(head) {
            guard named.host == origin.host, named.port ?? 80 == origin.port else { throw Self.contradiction }
        }
        return HTTPURL(origin, target: target)
    }

    private static func isPath(_ target: String) -> Bool { target.utf8.first == UInt8(ascii: "/") }

    private static func isAsterisk(_ head: RequestHead) -> Bool { head.target == "*" && head.method == .options }

    private static func absolute(_ head: RequestHead) throws(Refusal) -> (HTTPURL.Origin, target: String) {
        let url: AuthorityURL
        do {
            url = try AuthorityURL(head.target)
        } catch {
            throw Self.malformed("The target of the request cannot be read: \(error).")
        }
        guard let scheme = HTTPURL.Scheme(rawValue: url.scheme), url.authority.userInformation == nil else {
            throw Self.malformed("The target of the request is not a URL of http or https, or names a user.")
        }
        let port = url.authority.port ?? scheme.defaultPort
        let origin = HTTPURL.Origin(scheme: scheme, host: url.authority.host, port: port)
        guard url.rest.isEmpty || url.rest.hasPrefix("?") else { return (origin, String(url.rest)) }
        // An OPTIONS request for the whole server (RFC 9112 §3.2.4).
        if url.rest.isEmpty, head.method == .options { return (origin, "*") }
        return (origin, "/" + url.rest)
    }

    /// Returns `true` if the Host field equals the origin octet by octet and need not be parsed.
    private static func names(_ head: RequestHead, _ origin: HTTPURL.Origin) -> Bool {
        guard let text = head.fields.text(of: .hostName) else { return false }
        return text.utf8.elementsEqual(origin.authority.utf8)
    }

    private static func namedHost(_ head: RequestHead) throws(Refusal) -> Authority? {
        guard let text = head.fields[.hostName] else { return nil }
        let authority = try Self.authority(text)
        return authority
    }

    private static func authority(_ text: String) throws(Refusal) -> Authority {
        let authority: Authority
        do {
            authority = try Authority(text[...], isInURL: true)
        } catch {
            throw Self.malformed("The host of the request cannot be read: \(error).")
        }
        guard authority.userInformation == nil else {
            throw Self.malformed(
                "The host of the request has a user in front of it, which a request cannot name there.")
        }
        return authority
    }

    private static func malformed(_ reason: String) -> Refusal {
        Refusal(
            400, .badRequest, reason: reason, remedy: "Have the program that sent it corrected.",
            proxyStatus: "http_request_error")
    }

    private static var contradiction: Refusal {
        Self.malformed("The target of the request and its Host field name two servers.")
    }

    /// Returns the refusal of a request for another server than that of the tunnel (RFC 9110 §15.5.20). The server of the tunnel
    /// was evaluated under one name only.
    private static func misdirected(_ tunnel: HTTPURL.Origin) -> Refusal {
        Refusal(
            421, .misdirected, reason: "The request is for another server than the tunnel, which is to \(tunnel).",
            remedy: "Have the program open a tunnel to that server.", proxyStatus: "http_request_error")
    }
}
