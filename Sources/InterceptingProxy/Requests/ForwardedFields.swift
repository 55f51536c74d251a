//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes

/// The fields that a proxy hands on: all but those that are for one connection alone (RFC 9110 §7.6.1).
enum ForwardedFields {
    /// What is about a connection, or framed anew on the next one.
    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]

    /// The fields of a request for the server, without those that frame its content.
    static func request(_ fields: HTTPFields) -> HTTPFields {
        var kept = Self.endToEnd(fields) { $0.name != .contentLength && $0.name.canonicalName != "http2-settings" }
        // Trailers pass, so that a server that waits for this, as those of gRPC do, may send them (RFC 9110 §10.1.4).
        if fields.contains(.te), fields.has("te", in: .connection), fields.elements(of: .te).contains("trailers") {
            (kept[.te], kept[.connection]) = ("trailers", "TE")
        }
        return kept
    }

    /// The fields of a response for the client, without those that frame its content, and without those that lead around the gate
    /// (Alt-Svc, RFC 7838) or pass for the proxy's own word (RFC 9209).
    static func response(_ fields: HTTPFields) -> HTTPFields {
        Self.endToEnd(fields) { field in
            switch field.name.canonicalName {
            case "content-length", "alt-svc": false
            case "proxy-status": !field.value.lowercased().contains("servertrust")
            default: true
            }
        }
    }

    /// The fields of a response before the response.
    static func informational(_ fields: HTTPFields) -> HTTPFields {
        var shown = HTTPFields()
        // What a session hides from those who watch it is for the response alone.
        for field in Self.response(fields) where field.value != "(hidden)" { shown.append(field) }
        return shown
    }

    /// The fields behind content. A trailer cannot frame or route a message (RFC 9110 §6.5.1), and must not carry what the head of
    /// a response must not carry.
    static func trailers(_ fields: HTTPFields) -> HTTPFields {
        guard !fields.isEmpty else { return [:] }
        let forbidden: Set<String> = ["host", "trailer", "set-cookie", "authorization"]
        var kept = HTTPFields()
        for field in Self.response(fields) where !forbidden.contains(field.name.canonicalName) { kept.append(field) }
        return kept
    }

    /// The fields behind content for a server: what routes a request, changes what it means, says who asks or how content is read is
    /// no trailer (RFC 9110 §6.5.1), and a server that joins trailers with the head would take it for the proxy's word.
    static func requestTrailers(_ fields: HTTPFields) -> HTTPFields {
        guard !fields.isEmpty else { return [:] }
        let forbidden: Set<String> = [
            "cache-control", "content-encoding", "content-range", "content-type", "cookie", "expect", "forwarded",
            "http2-settings", "max-forwards", "pragma", "range",
        ]
        var kept = HTTPFields()
        for field in Self.trailers(fields) {
            let name = field.name.canonicalName
            if !forbidden.contains(name), !name.hasPrefix("if-"), !name.hasPrefix("x-forwarded-") { kept.append(field) }
        }
        return kept
    }

    /// The fields that a proxy adds at most, in most messages.
    private static let addedCount = 2

    private static func endToEnd(_ fields: HTTPFields, _ isKept: (HTTPField) -> Bool) -> HTTPFields {
        let named = fields.elements(of: .connection)
        var kept = HTTPFields()
        kept.reserveCapacity(fields.count + Self.addedCount)
        for field in fields {
            let name = field.name.canonicalName
            // A Connection field that names the host would have the request go without one.
            guard !Self.hopByHop.contains(name), !named.contains(name) || name == "host", isKept(field) else {
                continue
            }
            kept.append(field)
        }
        return kept
    }
}
