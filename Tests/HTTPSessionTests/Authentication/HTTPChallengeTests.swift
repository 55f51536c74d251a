//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import TestSupport
import Testing

@testable import HTTPSession

/// Each challenge as `scheme`, `scheme token68`, or `scheme name=value;name=value`.
private func summary(_ values: [String], target: HTTPAuthenticationTarget = .server) -> [String] {
    var fields = HTTPFields()
    for value in values {
        fields.append(HTTPField(name: target.challengeField, lenientValue: Array(value.utf8)))
    }
    return HTTPChallenge.challenges(in: fields, target: target).map { challenge in
        let parameters = challenge.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
        return [challenge.scheme, challenge.token68, parameters.isEmpty ? nil : parameters]
            .compactMap(\.self).joined(separator: " ")
    }
}

@Suite("Challenges in the fields of a response")
struct HTTPChallengeTests {
    @Test(
        "What is not well formed takes its own challenge away and no other",
        arguments: [
            (#"Digest realm="a", realm="b", Basic realm="c""#, ["Basic realm=c"]),
            (#"Digest realm="a", REALM=b"#, []),
            (#"Digest realm="a" nonce="b", Basic realm="c""#, ["Basic realm=c"]),
            (#"Digest realm="open, Basic realm=c"#, []),
            (#"Basic realm="c", Digest realm="open"#, ["Basic realm=c"]),
            (#"Digest realm="a\"#, []),
            ("Digest realm=\"a\\\u{1}\", Basic realm=c", ["Basic realm=c"]),
            ("Digest realm=\"a\u{7F}\", Basic realm=c", ["Basic realm=c"]),
            ("Digest realm=\"\u{1}, Evil x=\\\"y\", Basic realm=c", ["Basic realm=c"]),
            (#"Digest realm=, Basic realm=c"#, ["Digest realm=", "Basic realm=c"]),
            (#"Digest realm=a, nonce=, Basic realm=c"#, ["Basic realm=c"]),
            (#"Digest =a, Basic realm=c"#, ["Basic realm=c"]),
            (#"Digest realm="a";nonce="b", Basic realm=c"#, ["Basic realm=c"]),
            (#"Digest a b, Basic realm=c"#, ["Basic realm=c"]),
            (#"Negotiate abc==, realm=x, Basic realm=c"#, ["Basic realm=c"]),
            (#"Negotiate abc== x, Basic realm=c"#, ["Basic realm=c"]),
            (#"Digest(x) realm="a", Basic realm=c"#, ["Basic realm=c"]),
            (#"realm="x", Basic realm=c"#, ["Basic realm=c"]),
            (#"=, "Basic realm=x", Basic realm=c"#, ["Basic realm=c"]),
            (#""Basic realm=x""#, []),
            ("", []), (" , ,,\t", []), ("=", []), ("\"", []), ("\\", []), ("\"\\", []), ("a=\"\\", []),
        ])
    func malformed(value: String, expected: [String]) {
        #expect(summary([value]) == expected)
    }

    @Test(
        "Challenges are told from parameters",
        arguments: [
            // RFC 9110 §11.6.1
            (
                #"Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\"""#,
                ["Basic realm=simple", #"Newauth realm=apps;type=1;title=Login to "apps""#]
            ),
            (
                #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
                [#"Newauth realm=apps;type=1;title=Login to "apps""#, "Basic realm=simple"]
            ),
            ("Negotiate", ["Negotiate"]),
            ("Negotiate, NTLM , Basic realm=x", ["Negotiate", "NTLM", "Basic realm=x"]),
            ("Negotiate YII+/-._~=, NTLM", ["Negotiate YII+/-._~=", "NTLM"]),
            (",, Basic ,, realm=x ,,, b=\"\" ,", ["Basic realm=x;b="]),
            ("Basic\trealm\t=\t\"x\"\t,\tb = c", ["Basic realm=x;b=c"]),
            ("basic realm=x", ["basic realm=x"]),
            (#"Basic realm="a,b, Digest realm=c""#, ["Basic realm=a,b, Digest realm=c"]),
            (#"Digest nonce=abc/+==, qop="auth""#, ["Digest nonce=abc/+==;qop=auth"]),
            (#"Basic realm="\a\\\"""#, [#"Basic realm=a\""#]),
            ("Basic realm=\"\tä\"", ["Basic realm=\tä"]),
            ("Basic", ["Basic"]), ("Basic ", ["Basic"]), ("Basic ,", ["Basic"]),
        ])
    func wellFormed(value: String, expected: [String]) {
        #expect(summary([value]) == expected)
    }

    @Test("Fields are read one by one, so that none goes on with another")
    func fields() {
        #expect(summary([#"Digest realm="open"#, #"Basic realm="b""#]) == ["Basic realm=b"])
        #expect(summary(["Basic realm=a", "nonce=b", "NTLM"]) == ["Basic realm=a", "NTLM"])
        #expect(summary(["Basic realm=a"], target: .proxy) == ["Basic realm=a"])
        let fields: HTTPFields = [.proxyAuthenticate: "Basic realm=a"]
        #expect(HTTPChallenge.challenges(in: fields, target: .server).isEmpty)
    }

    @Test("Octets that are not UTF-8 are kept")
    func octets() throws {
        let fields = HTTPFields([HTTPField(name: .wwwAuthenticate, value: Array("Basic realm=\"".utf8) + [0xE4, 0x22])])
        let challenge = try #require(HTTPChallenge.challenges(in: fields, target: .server).first)
        #expect(challenge.parameter("REALM")?.octets == [0xE4])
    }

    @Test("What is beyond a limit is not read")
    func limits() {
        #expect(summary([(0..<100).map { "S\($0)" }.joined(separator: ",")]).count == 32)
        #expect(summary((0..<100).map { "S\($0)" }).count == 32)
        let parameters = (0..<40).map { "p\($0)=1" }.joined(separator: ",")
        #expect(summary(["Digest \(parameters), Basic realm=c"]) == ["Basic realm=c"])
        let long = String(repeating: "a", count: 5_000)
        #expect(summary(["Digest realm=\(long), Basic realm=c"]) == ["Basic realm=c"])
        #expect(summary(["Digest realm=\"\(long)\", Basic realm=c"]) == ["Basic realm=c"])
        #expect(summary(["Negotiate \(long), Basic realm=c"]) == ["Basic realm=c"])
        #expect(summary(["\(long), Basic realm=c"]) == ["Basic realm=c"])
        #expect(summary(["Basic realm=a", String(repeating: ",", count: 70_000), "NTLM"]) == ["Basic realm=a"])
    }

    @Test(
        "The longest field is read in a moment",
        arguments: ["a=\"", "\\", "a=\"\\\",", "a =", "a ", "\"", ",", "a,", "=", "a b=\"\\", "a  ", "a\t=\t"])
    func cost(piece: String) {
        let value = String(repeating: piece, count: 65_536 / piece.utf8.count)
        let time = ProcessorTime.measure { _ = summary([value]) }
        #expect(time < .seconds(2))
    }

    @Test("A description has no value in it")
    func description() throws {
        let fields: HTTPFields = [.wwwAuthenticate: #"Digest realm="secret", nonce="secret""#]
        let challenge = try #require(HTTPChallenge.challenges(in: fields, target: .server).first)
        #expect(challenge.description == "HTTPChallenge(Digest, realm, nonce)")
    }
}
