//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Testing

@testable import HTTPSession

private let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
private let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
private let opaque = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"

private func answer(
    _ parameters: String, content: AuthenticatedRequest.Content = .none, allowed: HTTPAuthenticationSchemes = .digest
) throws -> String? {
    var authenticator = HTTPAuthenticator(try credential(), allowed: allowed)
    authenticator.makeClientNonce = { clientNonce }
    var request = AuthenticatedRequest(method: .get, target: "/dir/index.html", content: content)
    return try authenticator.value(
        for: challenge(#"Digest realm="http-auth@example.org", nonce="\#(nonce)", \#(parameters)"#), &request)
}

@Suite("Digests as the specifications compute them")
struct DigestVectorTests {
    /// RFC 7616 §3.9.1.
    @Test(
        "The example with MD5 and SHA-256",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ])
    func example(algorithm: String, response: String) throws {
        let value = try answer(#"qop="auth, auth-int", algorithm=\#(algorithm), opaque="\#(opaque)""#)
        #expect(
            value == #"Digest username="Mufasa", realm="http-auth@example.org", nonce="\#(nonce)", "#
                + #"uri="/dir/index.html", cnonce="\#(clientNonce)", nc=00000001, qop=auth, response="\#(response)", "#
                + #"opaque="\#(opaque)", algorithm=\#(algorithm)"#)
    }

    /// RFC 7616 §3.9.2 with the user and the response of its erratum 4897: the text hashes with SHA-512 and cuts.
    @Test("The example with SHA-512-256, a hashed user and UTF-8")
    func hashedUser() throws {
        var authenticator = HTTPAuthenticator(
            try credential("J\u{E4}s\u{F8}n Doe", "Secret, or not?"), allowed: .digest)
        authenticator.makeClientNonce = { "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v" }
        authenticator.encoding = .latin1
        var request = AuthenticatedRequest(method: .get, target: "/doe.json")
        let value = try authenticator.value(
            for: challenge(
                #"Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, "#
                    + #"nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", "#
                    + #"opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true"#), &request
        )
        #expect(
            parameter("username", of: value) == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
        #expect(
            parameter("response", of: value) == "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5")
        #expect(value?.hasSuffix(#", algorithm=SHA-512-256, userhash=true"#) == true)
    }

    /// Computed with Python's hashlib.
    @Test(
        "Every hash, alone and for a session, with and without the content",
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec", "1707eaf5c6ed1a8f6ff2e49286b06bc2"),
            ("MD5-sess", "e783283f46242139c486a698fec7211d", "6a1a4afa9798b44b19c2a93b62d15219"),
            (
                "SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
                "887bb8d7a6c4cc95528278df0ec68f641244105a1d6a3aa8769488086b20e097"
            ),
            (
                "sha-256-SESS", "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7",
                "84a87498d03b113c7971267b821f7ff9dec19d9a133971ebb6c8f5e22d763a57"
            ),
            (
                "SHA-512-256", "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0",
                "22967e9d752a22df88ed3b06b4100071cf40f061328f9415ca94ef1adad6e072"
            ),
            (
                "SHA-512-256-sess", "3f2a34f923c38b0fb26dce2fdfc2ce326c23cecf86fbb1444f3e51fbbc2cb92e",
                "624a95ce6eb0c4d02a07dac0bb173ab759426c02a61f702aa580f06705bd6bfd"
            ),
        ])
    func hashes(algorithm: String, auth: String, authInt: String) throws {
        let hello = AuthenticatedRequest.Content.octets(Array("hello".utf8))
        let plain = try answer(#"qop="auth", algorithm=\#(algorithm)"#, content: hello)
        #expect(parameter("response", of: plain) == auth)
        #expect(parameter("qop", of: plain) == "auth")
        #expect(parameter("algorithm", of: plain) == algorithm)
        let covering = try answer(#"qop="auth,auth-int", algorithm="\#(algorithm)""#, content: hello)
        #expect(parameter("response", of: covering) == authInt)
        #expect(parameter("qop", of: covering) == "auth-int")
        var digests = ContentDigests()
        for piece in ["he", "", "llo"] { Array(piece.utf8).withUnsafeBytes { digests.receive($0) } }
        let pieces = try answer(#"qop="auth-int", algorithm="\#(algorithm)""#, content: .digests(digests))
        #expect(parameter("response", of: pieces) == authInt)
        let stream = try answer(#"qop="auth,auth-int", algorithm=\#(algorithm)"#, content: .unavailable)
        #expect(parameter("response", of: stream) == auth)
    }

    @Test("An empty content is covered where the server insists")
    func emptyContent() throws {
        let value = try answer(#"qop=auth-int"#)
        #expect(parameter("response", of: value) == "8804a53d3640a40a4f73cea12c5ba451")
    }

    @Test("Content that is not at hand cannot be covered")
    func unavailableContent() throws {
        #expect(try answer(#"qop="auth-int", algorithm=MD5"#, content: .unavailable) == nil)
    }

    @Test("Without a quality of protection, the form of RFC 2069 has no count and no nonce of the client")
    func legacy() throws {
        #expect(
            try answer(#"qop="""#) == #"Digest username="Mufasa", realm="http-auth@example.org", nonce="\#(nonce)", "#
                + #"uri="/dir/index.html", response="7b2cc3b30e75b4777ea31027084363fd""#)
    }

    @Test(
        "A challenge that cannot be answered is passed over",
        arguments: [
            #"qop="auth", algorithm=SHA-1"#, #"qop="auth", algorithm="""#, #"qop="auth-conf""#, #"qop="crazy, wild""#,
            "algorithm=MD5-sess", "algorithm=SHA-512", "algorithm=-sess", "algorithm=MD5-sess-sess",
        ])
    func unusable(parameters: String) throws {
        #expect(try answer(parameters) == nil)
        #expect(
            try answer(parameters + #", Basic realm="b""#, allowed: [.digest, .basic])?.hasPrefix("Basic ") == true)
    }

    @Test("A challenge without a nonce cannot be answered")
    func missingNonce() throws {
        var authenticator = HTTPAuthenticator(try credential(), allowed: .digest)
        var request = AuthenticatedRequest(method: .get, target: "/")
        #expect(
            try authenticator.reason(for: challenge(#"Digest realm="a", qop="auth""#), &request) == .noUsableChallenge)
    }

    @Test("An unknown quality beside a known one is passed over")
    func mixedQualities() throws {
        #expect(parameter("qop", of: try answer("qop=\" crazy ,\tAUTH\"")) == "auth")
    }

    @Test("Quotes and backslashes are hashed plain and sent escaped")
    func escapes() throws {
        var authenticator = HTTPAuthenticator(try credential(#"te"st\"#, "pw"), allowed: .digest)
        var request = AuthenticatedRequest(method: .get, target: "/x")
        let value = try authenticator.value(
            for: challenge(#"Digest realm="a \"b\" \\c", nonce="n\"1", opaque="\\o""#), &request)
        #expect(
            value == #"Digest username="te\"st\\", realm="a \"b\" \\c", nonce="n\"1", uri="/x", "#
                + #"response="49c1094b01b315204e8ca47761ae0326", opaque="\\o""#)
    }

    @Test(
        "A user beyond ASCII is written as the server reads it",
        arguments: [
            (#"charset="utf-8""#, "username*=UTF-8''J%C3%A4s%C3%B8n, ", "2a8e40855554ff0faba131e7755eb2b2", false),
            (#"charset=UTF-8"#, "username*=UTF-8''J%C3%A4s%C3%B8n, ", "2a8e40855554ff0faba131e7755eb2b2", true),
            ("x=y", "username=\"J\u{E4}s\u{F8}n\", ", "2a8e40855554ff0faba131e7755eb2b2", false),
        ])
    func international(parameters: String, user: String, response: String, prefersLatin1: Bool) throws {
        var authenticator = HTTPAuthenticator(try credential("J\u{E4}s\u{F8}n", "p\u{E4}"), allowed: .digest)
        authenticator.encoding = prefersLatin1 ? .latin1 : .utf8
        var request = AuthenticatedRequest(method: .get, target: "/")
        let value = try authenticator.value(
            for: challenge(#"Digest realm="r", nonce="n", \#(parameters)"#), &request)
        #expect(value?.hasPrefix("Digest \(user)") == true)
        #expect(parameter("response", of: value) == response)
    }

    @Test("Servers with newer hashes read the extended form of the user")
    func extendedUser() throws {
        var authenticator = HTTPAuthenticator(try credential("J\u{E4}s\u{F8}n", "p\u{E4}"), allowed: .digest)
        var request = AuthenticatedRequest(method: .get, target: "/")
        let value = try authenticator.value(
            for: challenge(#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#), &request)
        #expect(value?.hasPrefix("Digest username*=UTF-8''J%C3%A4s%C3%B8n, ") == true)
    }

    @Test("ISO 8859-1 is used where it is asked for")
    func latin1() throws {
        var authenticator = HTTPAuthenticator(try credential("J\u{E4}s\u{F8}n", "p\u{E4}"), allowed: .digest)
        authenticator.encoding = .latin1
        var request = AuthenticatedRequest(method: .get, target: "/")
        guard
            case .send(let field) = try authenticator.respond(
                to: challenge(#"Digest realm="r", nonce="n""#), for: &request)
        else {
            Issue.record("not answered")
            return
        }
        let octets = field.withUnsafeBytesOfValue(Array.init)
        #expect(octets.starts(with: Array("Digest username=\"J".utf8) + [0xE4, 0x73, 0xF8]))
        #expect(String(decoding: octets, as: UTF8.self).contains("59aeffaed63d16a7e420a69109aa5681"))
    }

    /// FIPS 180-4 and NIST's examples for SHA-512/256.
    @Test(
        "SHA-512/256 is NIST's and not a cut SHA-512",
        arguments: [
            ("", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
            ("abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
                    + "mnopqrstnopqrstu", "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"
            ),
        ])
    func sha512256(text: String, digest: String) throws {
        let algorithm = try #require(DigestAlgorithm("SHA-512-256"))
        #expect(algorithm.digest(of: Array(text.utf8)) == Array(digest.utf8))
    }
}
