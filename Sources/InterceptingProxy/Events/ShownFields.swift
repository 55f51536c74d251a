//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes

/// Fields and URLs without what may be secret: keys have fields of many names, so that the harmless ones are listed.
enum ShownFields {
    static let hidden = "(hidden)"

    private static let harmless: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges",
        "access-control-allow-credentials", "access-control-allow-headers", "access-control-allow-methods",
        "access-control-allow-origin", "access-control-expose-headers", "access-control-max-age",
        "access-control-request-headers", "access-control-request-method", "age", "allow", "alt-svc", "cache-control",
        "connection", "content-disposition", "content-encoding", "content-language", "content-length", "content-range",
        "content-security-policy", "content-type", "date", "dnt", "expect", "expires", "host", "if-modified-since",
        "if-unmodified-since", "keep-alive", "last-modified", "pragma", "priority", "proxy-status", "range",
        "referrer-policy", "retry-after", "sec-ch-ua", "sec-ch-ua-mobile", "sec-ch-ua-platform", "sec-fetch-dest",
        "sec-fetch-mode", "sec-fetch-site", "sec-fetch-user", "sec-websocket-version", "server",
        "strict-transport-security", "te", "trailer", "transfer-encoding", "upgrade", "upgrade-insecure-requests",
        "user-agent", "vary", "via", "x-content-type-options", "x-frame-options", "x-xss-protection",
    ]
    private static let urls: Set<String> = ["content-location", "location", "origin", "referer"]

    /// The fields, with the values hidden that may be secret.
    static func fields(_ fields: HTTPFields) -> HTTPFields {
        var shown = HTTPFields()
        for field in fields {
            let name = field.name.canonicalName
            let value =
                Self.harmless.contains(name)
                ? field.value : Self.urls.contains(name) ? Self.withoutQueryValues(field.value) : Self.hidden
            shown.append(HTTPField(name: field.name, value: value))
        }
        return shown
    }

    /// A URL, or a path with its query, with the values of the query hidden, and without a fragment. One that says who asks is
    /// hidden.
    static func withoutQueryValues(_ text: String) -> String {
        let text = text.prefix { $0 != "#" }
        guard !text.prefix(while: { $0 != "?" }).contains("@") else { return Self.hidden }
        guard let mark = text.firstIndex(of: "?") else { return String(text) }
        let items = text[text.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        let shown = items.map { item in
            // What has no name may be a value.
            // What ends in "=" may be a value in Base64, without a name.
            let end = item.firstIndex(of: "=").flatMap { item[$0...].allSatisfy { $0 == "=" } ? nil : $0 }
            return end.map { item[..<$0] + "=" + Self.hidden } ?? (item.isEmpty ? "" : Self.hidden[...])
        }
        return text[..<mark] + "?" + shown.joined(separator: "&")
    }
}
