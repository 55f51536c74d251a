//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import HTTPSession
import ServerTrust
import Testing

@testable import ServerTrustCommand

@Suite("Where get connects to")
struct GetConnectionTests {
    private static func routes(_ arguments: [String]) throws -> ConnectionRoutes {
        try GetConnectionOptions.parse(arguments).routes()
    }

    @Test(
        "What is no host, port and address is refused",
        arguments: [
            "a.test", "a.test:443", "a.test::127.0.0.1", "a.test:0:127.0.0.1", "a.test:443:", "a.test:443:b.test",
            "a.test:443:[]", "a.test:443:[127.0.0.1", "a.test:443:127.0.0.1]", "a.test:443:[[::1]]", "a b:443:::1",
            ":443:127.0.0.1", "-a.test:443", "-a.test:443:127.0.0.1", "a.test:443:127.0.0.1,",
            "a.test:443:127.0.0.1,b.test",
            "a.test:443:[::1],,127.0.0.1", "a.test:443:127.0.0.1:80",
        ])
    func refused(text: String) {
        #expect(throws: (any Error).self) { try Self.routes(["--resolve", text]) }
    }

    @Test(
        "Addresses may stand in brackets, several are tried in their order, and a star is every host",
        arguments: [
            ("a.test:443:127.0.0.1", ["127.0.0.1"], false), ("a.test:443:[127.0.0.1]", ["127.0.0.1"], false),
            ("a.test:443:[::1]", ["::1"], false), ("a.test:443:::1", ["::1"], false),
            ("*:443:[::1],127.0.0.1", ["::1", "127.0.0.1"], true),
            ("+a.test:443:127.0.0.1,127.0.0.2,::1", ["127.0.0.1", "127.0.0.2", "::1"], false),
            ("a.test:443:2001:db8::1,[2001:db8::2]", ["2001:db8::1", "2001:db8::2"], false),
        ])
    func addresses(text: String, addresses: [String], isForAll: Bool) throws {
        var expected = ConnectionRoutes()
        expected.resolve(isForAll ? nil : try Host("a.test"), port: 443, to: try addresses.map { try Host($0) })
        #expect(try Self.routes(["--resolve", text]) == expected)
    }
}
