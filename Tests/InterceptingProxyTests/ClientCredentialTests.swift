//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPSession
import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("Who may use the proxy", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ClientCredentialTests {
    private static let password = "correct horse"

    private static func basic(_ text: String) -> String { "Basic " + Data(text.utf8).base64EncodedString() }

    private static let wrongFields: [[String]] = [
        [], [""], ["Basic"], ["Basic "], ["Basic !"], [basic("ada:")], [basic("ada:correct hors")],
        [basic("ada:correct horse ")], [basic("ADA:correct horse")], [basic(":correct horse")],
        [basic("correct horse")],
        ["Bearer YWRhOmNvcnJlY3QgaG9yc2U="], ["Digest username=\"ada\""], ["YWRhOmNvcnJlY3QgaG9yc2U="],
        [basic("ada:wrong"), basic("ada:correct horse")], [basic("ada:correct horse"), basic("ada:correct horse")],
    ]

    @Test("A program that shows no credential, or another one, reaches no server", arguments: Self.wrongFields)
    func refused(fields: [String]) async throws {
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("secret") }) { server in
            try await ProxyScene.with(server: server.port) {
                $0.credential = try ClientCredential(user: "ada", password: Self.password)
                $0.dangerouslyAllowsPlainHTTP = true
            } _: { scene in
                let lines = fields.map { "Proxy-Authorization: \($0)\r\n" }.joined()
                for (target, host) in [
                    ("CONNECT server.test:443", "server.test:443"), ("GET http://server.test/", "server.test"),
                    ("GET /", "server.test"),
                ] {
                    let answer = try await scene.answer(to: "\(target) HTTP/1.1\r\nHost: \(host)\r\n\(lines)\r\n")
                    #expect(answer.hasPrefix("HTTP/1.1 407 Proxy Authentication Required\r\n"), "\(answer)")
                    #expect(
                        answer.contains("Proxy-Authenticate: Basic realm=\"servertrust proxy\", charset=\"UTF-8\"\r\n"))
                    #expect(!answer.contains(Self.password) && !answer.contains("ada"))
                }
                #expect(server.seen.connections == 0)
            }
        }
    }

    @Test("A program that shows the credential reaches servers, which do not get it", arguments: [false, true])
    func shown(isSecure: Bool) async throws {
        let chain = isSecure ? try ProxyScene.chain() : []
        try await TestHTTPServer.with(tls: chain, Answers { _ in TestHTTPServer.response("hello") }) { server in
            try await ProxyScene.with(server: server.port) {
                $0.credential = try ClientCredential(user: "ada", password: Self.password)
                $0.dangerouslyAllowsPlainHTTP = true
            } _: { scene in
                var configuration = HTTPSessionConfiguration(trust: try ProxyScene.clientSettings())
                let place = "http://ada:correct%20horse@127.0.0.1:\(scene.proxy.port)"
                configuration.proxies = try ProxyPolicy(place)
                configuration.dangerouslyAllowsPlainHTTP = true
                let url = (isSecure ? "https" : "http") + "://server.test/"
                for _ in 0..<2 {
                    let (response, content) = try await HTTPSession(configuration).data(from: url)
                    #expect(response.status == 200 && String(buffer: content) == "hello")
                }
                #expect(server.seen.requests.allSatisfy { $0.value("Proxy-Authorization") == nil })
            }
        }
    }

    @Test("A credential shows nothing of itself, and must be one that can be sent")
    func values() throws {
        let credential = try ClientCredential(user: "ada", password: Self.password)
        for text in [
            "\(credential)", String(reflecting: credential),
            String(describing: Mirror(reflecting: credential).children.count),
        ] {
            #expect(!text.contains("ada") && !text.contains("horse"))
        }
        for (user, password) in [("", "x"), ("ada", ""), ("a:da", "x"), ("ada", "x\n"), ("a\u{7F}", "x")] {
            #expect(throws: InterceptingProxyError.self) { try ClientCredential(user: user, password: password) }
        }
    }

    private static let places: [(address: String, isAsked: Bool, password: String?, listens: Bool)] = [
        ("0.0.0.0", false, nil, false), ("0.0.0.0", false, "correct horse", false), ("0.0.0.0", true, nil, false),
        ("0.0.0.0", true, "short", false), ("::", true, nil, false), ("::", false, "correct horse", false),
        ("192.0.2.1", true, nil, false), ("server.test", true, "correct horse", false),
        ("0.0.0.0", true, "correct horse", true), ("127.0.0.1", false, "short", true), ("127.0.0.1", true, nil, true),
    ]

    @Test(
        "The proxy listens beyond this machine when that is asked for, and with a long password", arguments: Self.places
    )
    func listening(address: String, isAsked: Bool, password: String?, listens: Bool) async throws {
        var configuration = InterceptingProxyConfiguration(
            root: try ProxyScene.root.get(), trust: try ProxyScene.clientSettings())
        configuration.address = address
        configuration.dangerouslyListensBeyondThisMachine = isAsked
        configuration.credential = try password.map {
            password throws(InterceptingProxyError) in try ClientCredential(user: "ada", password: password)
        }
        let proxy = try? await InterceptingProxy.start(configuration)
        #expect((proxy != nil) == listens)
        await proxy?.stop()
    }
}
