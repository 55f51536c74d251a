//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Testing

@testable import InterceptingProxy

@Suite("What is shown of requests")
struct ProxiedExchangeTests {
    private static let urls: [(target: String, shown: String)] = [
        ("/a?token=s3cret&b", "/a?token=(hidden)&(hidden)"), ("/?s3cret", "/?(hidden)"),
        ("/a?x=1=s3cret", "/a?x=(hidden)"),
        ("/a#s3cret", "/a"), ("https://ada:s3cret@a.test/", "(hidden)"), ("//s3cret@a.test/?b", "(hidden)"),
        ("/a?b=s3cret@c", "/a?b=(hidden)"), ("/a?&b=s3cret", "/a?&b=(hidden)"), ("/a", "/a"), ("*", "*"),
        ("/a?", "/a?"), ("/a?czNjcmV0cw==&b=", "/a?(hidden)&(hidden)"), ("/a?b=c=", "/a?b=(hidden)"),
    ]

    @Test("Values of a query, fragments and users are hidden", arguments: Self.urls)
    func targets(target: String, shown: String) throws {
        #expect(ShownFields.withoutQueryValues(target) == shown)
        #expect(ProxiedExchange(.withoutSecrets, target: target, [:])?.target == shown)
        #expect(ProxiedExchange(.dangerouslyWithSecrets, target: target, [:])?.target == target)
    }

    private static let secretNames = [
        "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Api-Key", "X-Amz-Security-Token",
        "If-None-Match",
        "ETag", "WWW-Authenticate", "Private-Token", "X-Anything", "Sec-WebSocket-Key",
    ]

    @Test("The value of a field is hidden unless the field is known to be harmless", arguments: secretNames)
    func fields(name: String) throws {
        var fields = HTTPFields()
        fields[try #require(HTTPField.Name(name))] = "s3cret"
        fields[.accept] = "text/html"
        fields[.location] = "https://a.test/?token=s3cret"
        var exchange = try #require(ProxiedExchange(.withoutSecrets, target: "/", fields))
        exchange.note(fields, from: nil)
        for shown in [exchange.requestFields, exchange.responseFields] {
            #expect(shown.map(\.value) == ["(hidden)", "text/html", "https://a.test/?token=(hidden)"])
        }
        #expect(ProxiedExchange(.dangerouslyWithSecrets, target: "/", fields)?.requestFields == fields)
        #expect(ProxiedExchange(.none, target: "/", fields) == nil)
    }
}
