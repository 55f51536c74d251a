//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import HTTPTypes

@testable import HTTPSession

/// Challenges, and what servers tell of a digest, a line each; a line that begins with `>` is told, the others challenge.
///
/// What is read and written anew is read as the same; what is sent fits one of the challenges and has no control character in
/// it; a digest is what a second, naive computation says; no server keeps a request going.
enum AuthenticationTarget {
    private static let user = "Mufasa"
    private static let password = "Circle of Life"
    private static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv"

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        var (asking, telling) = (HTTPResponse(status: .unauthorized), HTTPResponse(status: .ok))
        for line in bytes.split(separator: 0x0A).prefix(8) {
            if line.first == UInt8(ascii: ">") {
                telling.headerFields.append(HTTPField(name: .authenticationInfo, lenientValue: line.dropFirst()))
            } else {
                asking.headerFields.append(HTTPField(name: .wwwAuthenticate, lenientValue: line))
            }
        }
        let challenges = HTTPChallenge.challenges(in: asking.headerFields, target: .server)
        self.checkChallenges(challenges, &findings)
        self.answer(asking, challenges, telling, findings: &findings)
        self.checkFile(bytes, &findings)
    }

    /// The same octets as a `.netrc` file: who asks, written anew, is read as the same.
    private static func checkFile(_ bytes: [UInt8], _ findings: inout Findings) {
        guard let credential = try? NetrcText(bytes).credential(forHost: "host.test"),
            case .password(let password, let user) = credential.content
        else { return }
        func quoted(_ text: String) -> String {
            // An accent behind a quote makes another character of it, and the same octets.
            "\"" + text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
        }
        let text = "machine host.test login \(quoted(user)) password \(quoted(password))"
        let again = try? NetrcText(text.utf8).credential(forHost: "host.test")
        findings.expect(again == credential, "written anew, a file names another")
    }

    private static func checkChallenges(_ challenges: [HTTPChallenge], _ findings: inout Findings) {
        findings.expect(challenges.count <= 32, "too many challenges")
        for challenge in challenges {
            let names = challenge.parameters.map(\.name)
            findings.expect(Set(names).count == names.count, "a parameter is there twice")
            findings.expect(challenge.token68 == nil || names.isEmpty, "a token68 beside parameters")
            findings.expect(!challenge.parameters.contains { $0.octets.contains(where: self.isControl) }, "a control")
            guard !names.isEmpty else { continue }
            var text = FieldWriter(challenge.scheme)
            for parameter in challenge.parameters { text.add(parameter.name, quoted: parameter.octets) }
            let again = HTTPFields([HTTPField(name: .wwwAuthenticate, value: text.octets)])
            findings.expect(
                HTTPChallenge.challenges(in: again, target: .server) == [challenge], "written anew, it is another")
        }
    }

    private static func isControl(_ octet: UInt8) -> Bool { octet < 0x20 && octet != 0x09 || octet == 0x7F }

    private static func answer(
        _ asking: HTTPResponse, _ challenges: [HTTPChallenge], _ telling: HTTPResponse, findings: inout Findings
    ) {
        guard let credential = try? HTTPCredential(user: self.user, password: self.password) else { return }
        var authenticator = HTTPAuthenticator(credential, allowed: [.basic, .digest])
        authenticator.makeClientNonce = { self.clientNonce }
        var (request, count) = (AuthenticatedRequest(method: .get, target: "/a?b"), 0)
        while case .send(let field) = try? authenticator.respond(to: asking, for: &request) {
            count += 1
            guard count <= 5 else { return findings.expect(false, "a server keeps a request going") }
            self.checkField(field, challenges, &findings)
            // A proof needs the password, which is no part of any input.
            let isProven = try? authenticator.check(telling, content: .octets([]), for: request)
            findings.expect(isProven != true, "a proof without the password")
        }
        var next = AuthenticatedRequest(method: .get, target: "/a?b")
        guard let field = try? authenticator.preemptive(for: &next) else { return }
        findings.expect(!field.withUnsafeBytesOfValue { $0.contains(where: self.isControl) }, "a control is sent")
    }

    private static func checkField(_ field: HTTPField, _ challenges: [HTTPChallenge], _ findings: inout Findings) {
        let octets = field.withUnsafeBytesOfValue { Array($0) }
        findings.expect(!octets.contains(where: self.isControl), "a control is sent")
        guard octets.starts(with: "Digest ".utf8) else {
            return findings.expect(field.value == "Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl", "another Basic is sent")
        }
        let sent = HTTPChallenge.challenges(
            in: HTTPFields([HTTPField(name: .wwwAuthenticate, value: octets)]), target: .server)
        guard let sent = sent.first else { return findings.expect(false, "what is sent cannot be read") }
        let asked = challenges.filter {
            $0.scheme.lowercased() == "digest" && $0.parameter("nonce")?.octets == sent.parameter("nonce")?.octets
                && $0["algorithm"] == sent["algorithm"]
                && $0.parameter("opaque")?.octets == sent.parameter("opaque")?.octets
                && ($0.parameter("realm")?.octets ?? []) == sent.parameter("realm")?.octets
        }
        findings.expect(!asked.isEmpty, "no challenge asks for what is sent")
        findings.expect(sent["response"] == self.response(sent), "another digest")
    }

    /// RFC 7616 §3.4, word by word.
    private static func response(_ sent: HTTPChallenge) -> String? {
        let name = (sent["algorithm"] ?? "MD5").lowercased()
        func digest(_ parts: [[UInt8]]) -> [UInt8] {
            let data = Array(parts.joined(separator: [UInt8(ascii: ":")]))
            if name.hasPrefix("md5") { return self.hex(Insecure.MD5.hash(data: data)) }
            if name.hasPrefix("sha-256") { return self.hex(SHA256.hash(data: data)) }
            return DigestAlgorithm("SHA-512-256")?.digest(of: data) ?? []
        }
        func octets(_ name: String) -> [UInt8] { sent.parameter(name)?.octets ?? [] }
        var key = digest([Array(self.user.utf8), octets("realm"), Array(self.password.utf8)])
        if name.hasSuffix("-sess") { key = digest([key, octets("nonce"), octets("cnonce")]) }
        var covered = [Array("GET".utf8), Array("/a?b".utf8)]
        if sent["qop"] == "auth-int" { covered.append(digest([[]])) }
        guard sent["qop"] != nil else {
            return String(decoding: digest([key, octets("nonce"), digest(covered)]), as: UTF8.self)
        }
        return String(
            decoding: digest([
                key, octets("nonce"), octets("nc"), octets("cnonce"), octets("qop"), digest(covered),
            ]), as: UTF8.self)
    }

    private static func hex(_ octets: some Sequence<UInt8>) -> [UInt8] {
        octets.flatMap { Array((String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)).utf8) }
    }

    static func seeds() -> [[UInt8]] {
        [
            #"Basic realm="simple", charset="UTF-8""#, #"Negotiate abc==, NTLM, Basic realm=x"#,
            #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
            #"Digest realm="r", nonce="n", qop="auth, auth-int", algorithm=SHA-256, opaque="o", stale=true"#
                + "\n" + #"Digest realm="r", nonce="n", algorithm=MD5"#
                + "\n>nextnonce=\"m\", qop=auth, rspauth=\"00\"",
            #"Digest realm="r\\\"", nonce="n", qop=auth-int, algorithm=SHA-512-256-sess, userhash=true"#
                + "\n>nextnonce=x",
            #"Digest realm="r", nonce="n", qop="auth", charset=UTF-8, domain="/a /b""# + "\n>cnonce=\"\", nc=00000001",
            "macdef m\n\nmachine host.test # x\nlogin \"a\\\"b\" password p default login \"\"",
            #"Digest realm="open, nonce=n, Basic"#, ",,,Digest\t,Bearer error=\"invalid_token\",,", "\u{0}\u{7F}\"\\",
        ].map { Array($0.utf8) }
    }
}
