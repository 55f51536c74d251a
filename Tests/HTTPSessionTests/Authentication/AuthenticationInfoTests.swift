//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import Testing

@testable import HTTPSession

private let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
private let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"

/// What checking a response comes to, after a request with a digest.
private struct Exchange {
    var authenticator: HTTPAuthenticator
    var request: AuthenticatedRequest

    init(_ parameters: String = #"qop="auth, auth-int""#, target: HTTPAuthenticationTarget = .server) throws {
        self.authenticator = HTTPAuthenticator(try credential(), allowed: .digest, target: target)
        self.authenticator.makeClientNonce = { clientNonce }
        self.request = AuthenticatedRequest(method: .get, target: "/dir/index.html")
        let value = #"Digest realm="http-auth@example.org", nonce="\#(nonce)", \#(parameters)"#
        let asking = response(target.status.code, (target.challengeField, value))
        _ = try self.authenticator.respond(to: asking, for: &self.request)
    }

    mutating func check(_ info: String, content: AuthenticatedRequest.Content = .unavailable) throws -> Bool {
        try self.authenticator.check(
            response(200, (self.authenticator.target.infoField, info)), content: content, for: self.request)
    }

    mutating func next() throws -> String? {
        var next = AuthenticatedRequest(method: .get, target: "/dir/index.html")
        return try self.authenticator.preemptive(for: &next)?.value
    }
}

@Suite("What a server tells of a digest that it took")
struct AuthenticationInfoTests {
    @Test(
        "A server that does not know the password, or speaks of another request, is an error",
        arguments: [
            (#"rspauth="9b712497bc9f91499fbcca1dfc5f09a6""#, .wrongResponseDigest),
            (#"rspauth="""#, .wrongResponseDigest), ("rspauth=9b71", .wrongResponseDigest),
            (#"rspauth="9b712497bc9f91499fbcca1dfc5f09a5", qop=auth-conf"#, .wrongResponseDigest),
            (#"rspauth="9b712497bc9f91499fbcca1dfc5f09a5", nc=00000002"#, .infoOfAnotherRequest),
            (#"rspauth="9b712497bc9f91499fbcca1dfc5f09a5", cnonce="x""#, .infoOfAnotherRequest),
            (#"nextnonce="open"#, .malformedInfo), (#"nextnonce="a", nextnonce="b""#, .malformedInfo),
            ("Digest nextnonce=a", .malformedInfo), ("nextnonce", .malformedInfo), ("nextnonce=a b=c", .malformedInfo),
        ] as [(String, HTTPAuthenticationError)])
    func wrong(info: String, error: HTTPAuthenticationError) throws {
        var exchange = try Exchange()
        #expect(throws: error) { try exchange.check(info) }
        #expect(try exchange.next() == nil, "a nonce of such a server is not used again")
    }

    @Test("Too much of it is an error")
    func large() throws {
        var exchange = try Exchange()
        #expect(throws: HTTPAuthenticationError.malformedInfo) {
            try exchange.check(String(repeating: "a=b,", count: 10_000))
        }
        let many = (0..<40).map { "p\($0)=1" }.joined(separator: ",")
        #expect(throws: HTTPAuthenticationError.malformedInfo) { try exchange.check(many) }
    }

    @Test(
        "A server that knows the password proves it",
        arguments: [
            #"qop=auth, rspauth="9b712497bc9f91499fbcca1dfc5f09a5", cnonce="\#(clientNonce)", nc=00000001"#,
            #"rspauth="9B712497BC9F91499FBCCA1DFC5F09A5""#, #", ,rspauth=9b712497bc9f91499fbcca1dfc5f09a5,"#,
        ])
    func proven(info: String) throws {
        var exchange = try Exchange()
        #expect(try exchange.check(info))
        #expect(parameter("nc", of: try exchange.next()) == "00000002")
    }

    @Test("A proof may cover the content")
    func content() throws {
        var exchange = try Exchange()
        let info = #"qop=auth-int, rspauth="6e17dd06bd52f02e910b2954c2041177""#
        #expect(try exchange.check(info, content: .octets(Array("hello".utf8))))
        #expect(try exchange.check(info, content: .unavailable) == false)
        #expect(throws: HTTPAuthenticationError.wrongResponseDigest) {
            try exchange.check(info, content: .octets(Array("hallo".utf8)))
        }
    }

    @Test(
        "A proof that covers the content is held against it piece by piece",
        arguments: [
            (["hal", "lo"], true), (["hello", "x"], true), ([], true), (["hello"], false), (["", "h", "ello"], false),
        ])
    func contentInPieces(pieces: [String], isWrong: Bool) throws {
        var exchange = try Exchange()
        let info = #"qop=auth-int, rspauth="6e17dd06bd52f02e910b2954c2041177""#
        _ = try exchange.check(info)
        let answer = response(200, (.authenticationInfo, info))
        var proof = try #require(exchange.authenticator.contentProof(in: answer, for: exchange.request))
        for piece in pieces { Array(piece.utf8).withUnsafeBytes { proof.receive($0) } }
        if isWrong {
            #expect(throws: HTTPAuthenticationError.wrongResponseDigest) { try proof.check() }
        } else {
            try proof.check()
        }
    }

    @Test(
        "What covers no content is no proof of it",
        arguments: [
            #"qop=auth, rspauth="9b712497bc9f91499fbcca1dfc5f09a5""#, "nextnonce=x", "qop=auth-int",
            "qop=crazy, rspauth=9b",
        ])
    func noContentProof(info: String) throws {
        let exchange = try Exchange()
        let answer = response(200, (.authenticationInfo, info))
        #expect(exchange.authenticator.contentProof(in: answer, for: exchange.request) == nil)
        let asking = response(401, (.authenticationInfo, #"qop=auth-int, rspauth="6e17dd06bd52f02e910b2954c2041177""#))
        #expect(exchange.authenticator.contentProof(in: asking, for: exchange.request) == nil)
    }

    @Test(
        "The next nonce is used for the next request, counted anew",
        arguments: [.server, .proxy] as [HTTPAuthenticationTarget])
    func nextNonce(target: HTTPAuthenticationTarget) throws {
        var exchange = try Exchange(target: target)
        #expect(try exchange.check(#"nextnonce="second \" one""#) == false)
        let next = try exchange.next()
        #expect(parameter("nonce", of: next) == #"second " one"#)
        #expect(parameter("nc", of: next) == "00000001")
    }

    @Test(
        "The next nonce may come behind the content",
        arguments: [.server, .proxy] as [HTTPAuthenticationTarget])
    func trailingNonce(target: HTTPAuthenticationTarget) throws {
        var exchange = try Exchange(target: target)
        #expect(throws: HTTPAuthenticationError.malformedInfo) {
            try exchange.authenticator.note(trailers: [target.infoField: "nextnonce"], for: exchange.request)
        }
        let other: HTTPField.Name = target == .server ? .proxyAuthenticationInfo : .authenticationInfo
        try exchange.authenticator.note(trailers: [other: "nextnonce=evil"], for: exchange.request)
        try exchange.authenticator.note(trailers: [target.infoField: "nextnonce=second"], for: exchange.request)
        let next = try exchange.next()
        #expect(parameter("nonce", of: next) == "second")
        #expect(parameter("nc", of: next) == "00000001")
    }

    @Test("Trailers of a request with an older nonce, or without a credential, change nothing")
    func otherTrailers() throws {
        var exchange = try Exchange()
        let bare = AuthenticatedRequest(method: .get, target: "/")
        try exchange.authenticator.note(trailers: [.authenticationInfo: "nextnonce=x"], for: bare)
        #expect(parameter("nonce", of: try exchange.next()) == nonce)
        _ = try exchange.check("nextnonce=second")
        try exchange.authenticator.note(trailers: [.authenticationInfo: "nextnonce=late"], for: exchange.request)
        #expect(parameter("nonce", of: try exchange.next()) == "second")
    }

    @Test("The key of a session lasts longer than its first nonce")
    func session() throws {
        var exchange = try Exchange(#"qop="auth", algorithm=MD5-sess"#)
        _ = try exchange.check("nextnonce=second")
        let next = try exchange.next()
        #expect(parameter("cnonce", of: next) == clientNonce)
        #expect(parameter("response", of: next) == "25dec2c2c591091433ae424eaf5dcc06")
    }

    @Test("The answer to another challenge, or to no credential, changes nothing")
    func others() throws {
        var exchange = try Exchange()
        let bare = AuthenticatedRequest(method: .get, target: "/")
        #expect(
            try exchange.authenticator.check(response(200, (.authenticationInfo, "nextnonce=x")), for: bare) == false)
        #expect(try exchange.authenticator.check(challenge("Digest"), for: exchange.request) == false)
        let other = response(200, (.proxyAuthenticationInfo, "nextnonce=x"))
        #expect(try exchange.authenticator.check(other, for: exchange.request) == false)
        #expect(parameter("nonce", of: try exchange.next()) == nonce)
    }
}
