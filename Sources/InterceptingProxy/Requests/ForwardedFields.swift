//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes

/// The fields that a proxy forwards: all except those that concern a single connection (RFC 9110 §7.6.1).
enum ForwardedFields {
    /// The fields that concern a single connection or its framing.
    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]

    /// Returns the fields of a request for the server, without those that frame its content.
    static func request(_ fields: HTTPFields) -> HTTPFields {
        var kept = Self.endToEnd(fields) { $0.name != .contentLength && $0.name.canonicalName != "http2-settings" }
        // `TE: trailers` is forwarded, because servers such as those of gRPC send trailers only after they receive it
        // (RFC 9110 §10.1.4).
        if fields.contains(.te), fields.has("te", in: .connection), fields.elements(of: .te).contains("trailers") {
            (kept[.te], kept[.connection]) = ("trailers", "TE")
        }
        return kept
    }

    /// Returns the fields of a response for the client, without those that frame its content.
    ///
    /// It also removes Alt-Svc (RFC 7838), which could lead the client around the gate, and Proxy-Status fields that imitate the
    /// proxy's own (RFC 9209).
    static func response(_ fields: HTTPFields) -> HTTPFields {
        Self.endToEnd(fields) { field in
            switch field.name.canonicalName {
            case "content-length", "alt-svc": false
            case "proxy-status": !field.value.lowercased().contains("servertrust")
            default: true
            }
        }
    }

    /// Returns the fields of an informational response for the client.
    static func informational(_ fields: HTTPFields) -> HTTPFields {
        var shown = HTTPFields()
        // The session replaces secret values for observers. Such a field belongs to the final response only.
        for field in Self.response(fields) where field.value != "(hidden)" { shown.append(field) }
        return shown
    }

    /// Returns the trailer fields of a response for the client.
    ///
    /// A trailer must not frame or route a message (RFC 9110 §6.5.1), and fields that are removed from the head are
    /// removed here too.
    static func trailers(_ fields: HTTPFields) -> HTTPFields {
        guard !fields.isEmpty else { return [:] }
        let forbidden: Set<String> = ["host", "trailer", "set-cookie", "authorization"]
        var kept = HTTPFields()
        for field in Self.response(fields) where !forbidden.contains(field.name.canonicalName) { kept.append(field) }
        return kept
    }

    /// Returns the trailer fields of a request for the server.
    ///
    /// Fields for routing, request modifiers, authentication or content format must not be trailers (RFC 9110 §6.5.1). A server
    /// that merges trailers into the head would treat them as if the proxy had sent them.
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

    /// The number of fields that a proxy adds to most messages, for the initial capacity.
    private static let addedCount = 2

    private static func endToEnd(_ fields: HTTPFields, _ isKept: (HTTPField) -> Bool) -> HTTPFields {
        let named = fields.elements(of: .connection)
        var kept = HTTPFields()
        kept.reserveCapacity(fields.count + Self.addedCount)
        for field in fields {
            let name = field.name.canonicalName
            // A Connection field that names Host must not remove that field.
            guard !Self.hopByHop.contains(name), !named.contains(name) || name == "host", isKept(field) else {
                continue
            }
            kept.append(field)
        }
        return kept
    }
}
