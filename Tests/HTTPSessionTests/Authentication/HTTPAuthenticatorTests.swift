//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Testing

@testable import HTTPSession

private let digestOne = #"Digest realm="r", nonce="one", qop="auth""#
private let digestTwo = #"Digest realm="r", nonce="two", qop="auth""#
private let staleTwo = #"Digest realm="r", nonce="two", qop="auth", stale=TRUE"#
private let basic = #"Basic realm="r""#

private func get(_ target: String = "/a/b") -> AuthenticatedRequest {
    AuthenticatedRequest(method: .get, target: target)
}

@Suite("What an authenticator sends, and when")
struct HTTPAuthenticatorTests {
    @Test("A wrong credential is sent once", arguments: [digestOne, basic])
    func refused(value: String) throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: [.basic, .digest])
        var request = get()
        #expect(try authenticator.value(for: challenge(value), &request) != nil)
        #expect(try authenticator.reason(for: challenge(value), &request) == .credentialRefused)
        #expect(try authenticator.reason(for: challenge(value), &request) == .credentialRefused)
        var next = get()
        #expect(try authenticator.preemptive(for: &next) == nil)
    }

    @Test("Another nonce does not make a wrong credential right")
    func refusedWithNewNonce() throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: [.basic, .digest])
        var request = get()
        #expect(try authenticator.value(for: challenge(digestOne), &request) != nil)
        #expect(try authenticator.reason(for: challenge(digestTwo, basic), &request) == .credentialRefused)
    }

    @Test("A nonce that is too old is replaced, but not forever")
    func stale() throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: .digest)
        var request = get()
        #expect(try authenticator.value(for: challenge(digestOne), &request) != nil)
        for _ in 0..<4 {
            let value = try authenticator.value(for: challenge(staleTwo), &request)
            #expect(parameter("nonce", of: value) == "two")
            #expect(parameter("nc", of: value) == "00000001")
        }
        #expect(try authenticator.reason(for: challenge(staleTwo), &request) == .tooManyChallenges)
    }

    @Test("A nonce that was taken before is too old, even where the server does not say so")
    func expired() throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: .digest)
        var first = get()
        _ = try authenticator.respond(to: challenge(digestOne), for: &first)
        try authenticator.check(response(200), for: first)
        var second = get()
        #expect(parameter("nc", of: try authenticator.preemptive(for: &second)?.value) == "00000002")
        #expect(parameter("nonce", of: try authenticator.value(for: challenge(digestTwo), &second)) == "two")
        #expect(try authenticator.reason(for: challenge(digestOne), &second) == .credentialRefused)
    }

    @Test("The same nonce again is no reason to try again")
    func sameNonce() throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: .digest)
        var first = get()
        _ = try authenticator.respond(to: challenge(digestOne), for: &first)
        try authenticator.check(response(200), for: first)
        var second = get()
        _ = try authenticator.preemptive(for: &second)
        #expect(try authenticator.reason(for: challenge(digestOne), &second) == .credentialRefused)
    }

    @Test("Requests with one nonce are counted, with one nonce of the client")
    func counts() throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: .digest)
        var first = get()
        let answer = try authenticator.value(for: challenge(digestOne), &first)
        #expect(parameter("nc", of: answer) == "00000001")
        var last: String?
        for _ in 0..<15 {
            var request = get()
            last = try authenticator.preemptive(for: &request)?.value
        }
        #expect(parameter("nc", of: last) == "00000010")
        #expect(parameter("cnonce", of: last) == parameter("cnonce", of: answer))
        #expect(parameter("cnonce", of: last)?.utf8.count == 32)
    }

    @Test("Requests at the same time each answer their own challenge")
    func concurrent() throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: .digest)
        var (one, two) = (get(), get())
        #expect(parameter("nonce", of: try authenticator.value(for: challenge(digestOne), &one)) == "one")
        #expect(parameter("nonce", of: try authenticator.value(for: challenge(digestTwo), &two)) == "two")
        #expect(try authenticator.check(response(200), for: one) == false)
        try authenticator.check(response(200), for: two)
    }

    @Test(
        "The strongest scheme that the server offers and the caller allows is used",
        arguments: [
            ([basic, digestOne], [.basic, .digest], "Digest"),
            ([basic, digestOne], .basic, "Basic"),
            ([basic], .digest, nil), ([digestOne], .basic, nil),
            (["Negotiate", "NTLM", "Mutual realm=x"], [.basic, .digest], nil),
            (["Negotiate, NTLM abc==, Basic realm=x"], [.basic, .digest], "Basic"),
            (["Digest realm=r, nonce=1, algorithm=SHA-3, Basic realm=x"], [.basic, .digest], "Basic"),
            (["Bearer"], [.basic, .digest, .bearer], nil),
        ] as [([String], HTTPAuthenticationSchemes, String?)])
    func choice(values: [String], allowed: HTTPAuthenticationSchemes, scheme: String?) throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: allowed)
        var (request, response) = (get(), HTTPResponse(status: .unauthorized))
        for value in values { response.headerFields.append(HTTPField(name: .wwwAuthenticate, value: value)) }
        let value = try authenticator.value(for: response, &request)
        #expect(value?.prefix { $0 != " " } == scheme.map { $0[...] })
    }

    @Test("Hashes are preferred by their strength, and then by the server's order")
    func strength() {
        let names = ["MD5", "SHA-256", "MD5-sess", "SHA-512-256-sess", "SHA-256-sess", "SHA-512-256"]
        let list = names.map { #"Digest realm=r, nonce=n, qop="auth", algorithm=\#($0)"# }
        let fields: HTTPFields = [.wwwAuthenticate: (["Basic realm=r"] + list + ["Bearer"]).joined(separator: ", ")]
        let offers = HTTPAuthenticationOffer.offers(in: fields, target: .server, allowed: [.basic, .digest, .bearer])
        #expect(
            offers.map { $0.challenge["algorithm"] ?? $0.challenge.scheme } == [
                "Bearer", "SHA-512-256-sess", "SHA-512-256", "SHA-256", "SHA-256-sess", "MD5", "MD5-sess", "Basic",
            ])
    }

    @Test("Responses that do not ask are delivered")
    func notAsked() throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: [.basic, .digest])
        var request = get()
        for status in [200, 403, 407, 500] {
            #expect(
                try authenticator.reason(for: response(status, (.wwwAuthenticate, basic)), &request) == .notAsked)
        }
        #expect(try authenticator.reason(for: response(401), &request) == .noUsableChallenge)
        #expect(
            try authenticator.reason(for: response(401, (.proxyAuthenticate, basic)), &request) == .noUsableChallenge)
    }

    @Test("A proxy is answered in its own field")
    func proxy() throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: [.basic, .digest], target: .proxy)
        var request = AuthenticatedRequest(method: .connect, target: "example.com:443")
        #expect(try authenticator.reason(for: response(401, (.wwwAuthenticate, basic)), &request) == .notAsked)
        let value = try authenticator.value(
            for: response(407, (.proxyAuthenticate, digestOne + #", domain="/elsewhere""#)), &request)
        #expect(parameter("uri", of: value) == "example.com:443")
        // The server behind the proxy asks: the proxy took its credential.
        try authenticator.check(response(401), for: request)
        var next = AuthenticatedRequest(method: .get, target: "http://example.com/")
        let field = try authenticator.preemptive(for: &next)
        #expect(field?.name == .proxyAuthorization)
        #expect(parameter("uri", of: field?.value) == "http://example.com/")
    }

    @Test("What the proxy refuses has not reached the server")
    func proxyBeforeServer() throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: .digest)
        var request = get()
        _ = try authenticator.respond(to: challenge(digestOne), for: &request)
        try authenticator.check(response(407, (.authenticationInfo, "nextnonce=evil")), for: request)
        #expect(try authenticator.reason(for: challenge(digestTwo), &request) == .credentialRefused)
    }

    @Test(
        "A nonce is sent unasked only where the server says it is for",
        arguments: [
            ("", "/x", true), ("/a", "/a", true), ("/a", "/a/b", true), ("/a", "/a?q", true), ("/a/", "/a/b", true),
            ("/a", "/ab", false), ("/a/", "/a", false), ("/x /a", "/a/b", true), ("/x /y", "/a", false),
            ("https://other.example/", "/a", false), ("/", "*", false), ("/a", "http://example.com/a/b", true),
        ])
    func domain(domain: String, target: String, isCovered: Bool) throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: .digest)
        var request = get()
        _ = try authenticator.respond(to: challenge(digestOne + #", domain="\#(domain)""#), for: &request)
        var next = get(target)
        #expect((try authenticator.preemptive(for: &next) != nil) == isCovered)
    }

    @Test(
        "Basic is sent unasked at or below the folder that asked",
        arguments: [
            ("/a/b", true), ("/a/", true), ("/a/c/d", true), ("/a", false), ("/", false), ("/ab/c", false),
            ("http://h/a/x", true), ("*", false),
        ])
    func folder(target: String, isSent: Bool) throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: [.basic, .digest])
        var request = get("/a/b?c=/d/e")
        _ = try authenticator.respond(to: challenge(basic), for: &request)
        var next = get(target)
        #expect((try authenticator.preemptive(for: &next) != nil) == isSent)
    }

    @Test("Basic is sent before the first challenge only where that is asked for")
    func unasked() throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: [.basic, .digest])
        var request = get()
        #expect(try authenticator.preemptive(for: &request) == nil)
        authenticator.sendsBasicUnasked = true
        #expect(try authenticator.preemptive(for: &request)?.value == "Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl")
        #expect(try authenticator.value(for: challenge(digestOne, basic), &request)?.hasPrefix("Digest ") == true)
        var digest = HTTPAuthenticator(try credential(), allowed: .digest)
        digest.sendsBasicUnasked = true
        var other = get()
        #expect(try digest.preemptive(for: &other) == nil)
    }

    @Test("An offer that the caller chooses is answered, if it is allowed")
    func chosenOffer() throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: .basic)
        var request = get()
        let offers = HTTPAuthenticationOffer.offers(
            in: challenge(digestOne, basic).headerFields, target: .server, allowed: [.basic, .digest])
        #expect(try authenticator.answer(offers[0], for: &request) == nil)
        #expect(try authenticator.answer(offers[1], for: &request)?.name == .authorization)
        #expect(offers.map(\.realm) == ["r", "r"])
        #expect(offers.map(\.isStale) == [false, false])
    }

    @Test("A token is sent at once, and not again after a refusal")
    func bearer() throws {
        var authenticator = HTTPAuthenticator(
            try HTTPCredential(token: "mF_9.B5f-4.1JqM"), allowed: [.basic, .digest, .bearer])
        var request = get()
        #expect(try authenticator.preemptive(for: &request)?.value == "Bearer mF_9.B5f-4.1JqM")
        let refusal = challenge(#"Bearer realm="r", error="invalid_token""#, basic)
        #expect(try authenticator.reason(for: refusal, &request) == .credentialRefused)
        var other = HTTPAuthenticator(try HTTPCredential(token: "a=="), allowed: .digest)
        #expect(try other.preemptive(for: &request) == nil)
    }
}
