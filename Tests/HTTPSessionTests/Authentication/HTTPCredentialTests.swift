//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Testing

@testable import HTTPSession

@Suite("Credentials and how Basic writes them")
struct HTTPCredentialTests {
    @Test("Control characters are refused", arguments: ["a\r\nb", "a\u{0}", "\u{7F}", "\t", "a\u{85}b", "\u{1B}"])
    func controls(text: String) {
        #expect(throws: HTTPAuthenticationError.controlCharacter) { try credential(text, "x") }
        #expect(throws: HTTPAuthenticationError.controlCharacter) { try credential("x", text) }
    }

    @Test(
        "What is no token is refused",
        arguments: ["", "=", "a b", "Bearer a", "a\r\nb", "a=b", "\u{E4}", "\"a\"", "a,b"])
    func tokens(text: String) {
        #expect(throws: HTTPAuthenticationError.invalidToken) { try HTTPCredential(token: text) }
    }

    @Test("Basic has no user with a colon, while Digest has")
    func colon() throws {
        var authenticator = HTTPAuthenticator(try credential("a:b", "c"), allowed: [.basic, .digest])
        var request = AuthenticatedRequest(method: .get, target: "/")
        #expect(throws: HTTPAuthenticationError.colonInUser) {
            try authenticator.respond(to: challenge("Basic realm=x"), for: &request)
        }
        #expect(try authenticator.value(for: challenge("Digest realm=x, nonce=y"), &request) != nil)
    }

    @Test(
        "Basic as RFC 7617 has it, in the encoding that the server takes",
        arguments: [
            ("Aladdin", "open sesame", "Basic realm=x", .utf8, "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("test", "123\u{A3}", #"Basic realm="foo", charset="UTF-8""#, .utf8, "dGVzdDoxMjPCow=="),
            ("test", "123\u{A3}", #"Basic realm="foo", charset=utf-8"#, .latin1, "dGVzdDoxMjPCow=="),
            ("test", "123\u{A3}", "Basic realm=foo", .latin1, "dGVzdDoxMjOj"),
            ("", "", "Basic", .utf8, "Og=="), ("a", ":b:", "Basic", .utf8, "YTo6Yjo="),
            ("a", "", "basic", .utf8, "YTo="),
        ] as [(String, String, String, HTTPCredentialEncoding, String)])
    func basic(user: String, password: String, value: String, encoding: HTTPCredentialEncoding, base64: String) throws {
        var authenticator = HTTPAuthenticator(try credential(user, password), allowed: .basic)
        authenticator.encoding = encoding
        var request = AuthenticatedRequest(method: .get, target: "/")
        #expect(try authenticator.value(for: challenge(value), &request) == "Basic \(base64)")
    }

    @Test("What ISO 8859-1 lacks is an error")
    func notLatin1() throws {
        var authenticator = HTTPAuthenticator(try credential("a", "\u{20AC}"), allowed: .basic)
        authenticator.encoding = .latin1
        authenticator.sendsBasicUnasked = true
        var request = AuthenticatedRequest(method: .get, target: "/")
        #expect(throws: HTTPAuthenticationError.notLatin1) { try authenticator.preemptive(for: &request) }
    }

    @Test("Credentials are compared as servers do, octet by octet")
    func equality() throws {
        #expect(try credential("\u{E9}", "") != credential("e\u{301}", ""))
        #expect(try credential("a", "b") == credential("a", "b"))
        #expect(try credential("a", "b") != HTTPCredential(token: "a"))
    }

    @Test("No description, dump or error holds a secret")
    func secrets() throws {
        let secret = "Xyzzy42"
        var authenticator = HTTPAuthenticator(try credential(secret, secret), allowed: [.basic, .digest])
        var request = AuthenticatedRequest(method: .get, target: "/\(secret)", content: .octets(Array(secret.utf8)))
        _ = try authenticator.respond(to: challenge(#"Digest realm="r", nonce="n", algorithm=MD5"#), for: &request)
        let token = try HTTPCredential(token: secret)
        for value in [authenticator, request, try credential(secret, secret), token] as [Any] {
            var text = "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
            #expect(!text.contains(secret))
        }
        #expect(HTTPAuthenticationError.allCases.allSatisfy { !$0.description.isEmpty })
    }

    @Test("A credential is never part of an index of header compression")
    func indexing() throws {
        var authenticator = HTTPAuthenticator(try HTTPCredential(token: "a"), allowed: .bearer)
        var request = AuthenticatedRequest(method: .get, target: "/")
        #expect(try authenticator.preemptive(for: &request)?.indexingStrategy == .disallow)
    }
}
