//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import ServerTrust
import ServerTrustNIO
import TestSupport
import Testing

@testable import HTTPSession

@Suite("Addresses that a program gives in place of DNS", .limitedConcurrency, .timeLimit(.minutes(10)))
struct KnownAddressTests {
    private static func session(
        _ rules: [(host: String?, addresses: [String])], allows: @escaping @Sendable (String) -> Bool = { _ in true }
    ) throws -> HTTPSession {
        var routes = ConnectionRoutes()
        for (host, addresses) in rules {
            routes.resolve(try host.map { try Host($0) }, to: try addresses.map { try Host($0) })
        }
        return SessionFixture.plain {
            $0.routes = routes
            $0.allowsAddress = { allows($0.ipAddress ?? "") }
        }
    }

    @Test("Where no address answers, there is an error that says so")
    func silent() async throws {
        let port = try await TestHTTPServer.with(Answers { _ in .silence }) { $0.port }
        let session = try Self.session([("server.test", ["127.0.0.1", "127.0.0.1"])])
        let error = await #expect(throws: HTTPSessionError.self) {
            try await session.text("http://server.test:\(port)/")
        }
        #expect(error?.code == .cannotConnectToHost)
    }

    @Test("An address that may not be connected to is passed over")
    func forbidden() async throws {
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("hello") }) { server in
            let url = "http://server.test:\(server.port)/"
            let none = try Self.session([("server.test", ["127.0.0.1"])]) { _ in false }
            await #expect(throws: HTTPSessionError.self) { try await none.text(url) }
            let one = try Self.session([("server.test", ["192.0.2.1", "127.0.0.1"])]) { $0 == "127.0.0.1" }
            #expect(try await one.text(url) == "hello")
            #expect(server.seen.connections == 1)
        }
    }

    @Test("A redirect to a name with a local address alone is not followed where only public addresses are allowed")
    func redirected() async throws {
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("secret") }) { inner in
            let location = "Location: http://other.test:\(inner.port)/"
            let answers = Answers { _ in TestHTTPServer.response("", "302 X", fields: [location]) }
            try await TestHTTPServer.with(answers) { outer in
                let found = [try SocketAddress(ipAddress: "127.0.0.1", port: 0)]
                for allowed in [[outer.port], [outer.port, inner.port]] {
                    let session = SessionFixture.plain {
                        $0.resolver = NameResolver(threads: 1) { _ in .found(found) }
                        $0.allowsAddress = { address in
                            address.port.map(allowed.contains) == true
                                || AddressRule(allowsLocalAddresses: false).allows(address)
                        }
                    }
                    let text = try? await session.text("http://named.test:\(outer.port)/")
                    #expect(text == (allowed.count == 2 ? "secret" : nil))
                    #expect(inner.seen.connections == allowed.count - 1)
                }
            }
        }
    }

    @Test("The next address is tried where one does not answer, over IPv6 and IPv4", arguments: ["127.0.0.2", "::1"])
    func next(first: String) async throws {
        try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("hello") }) { server in
            let session = try Self.session([("server.test", [first, "127.0.0.1"])])
            #expect(try await session.text("http://server.test:\(server.port)/") == "hello")
        }
    }

    @Test("What is said of a host goes before what is said of all, and of both the last holds")
    func order() throws {
        var routes = ConnectionRoutes()
        routes.resolve(nil, to: try Host("192.0.2.9"))
        routes.resolve(try Host("a.test"), port: 443, to: try Host("192.0.2.1"))
        routes.resolve(try Host("a.test"), port: 443, to: try Host("192.0.2.2"))
        routes.resolve(nil, port: 443, to: try Host("192.0.2.3"))
        #expect(routes.addresses(of: try Host("a.test"), port: 443).map(\.text) == ["192.0.2.2"])
        #expect(routes.addresses(of: try Host("b.test"), port: 443).map(\.text) == ["192.0.2.3"])
        #expect(routes.addresses(of: try Host("a.test"), port: 80).map(\.text) == ["192.0.2.9"])
    }
}
