//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrustTesting
import TLSWire
import TestSupport

/// Servers that break the rules of TLS, or send more than is read.
enum HostileRows {
    static func with(_ body: (TestCertificate, [DoorRow]) async throws -> Void) async throws {
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["a.test"]))
        let broken = DoorAnswer.refused("malformed")
        let servers: [(String, RawServer.Behaviour, DoorAnswer)] = [
            ("a thousand certificates", .answer(Self.many(leaf.der)), .refused("limit-exceeded")),
            ("a garbled ServerKeyExchange of TLS 1.2", .answer(Self.garbledKeyExchange(leaf.der)), broken),
            ("a forged ServerKeyExchange of TLS 1.2", .answer(Self.forgedKeyExchange(leaf.der)), broken),
            ("a garbled ServerHello of TLS 1.3", .answer(Self.garbledHello), broken),
            (
                "an answer that is no TLS", .answerAndClose(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)),
                .refused("not-tls")
            ),
            ("an alert", .answerAndClose(ScriptedServer.alert(40)), .refused("alert")),
            // Closing or resetting is a matter of time, and what explains a server names the fact that is missing.
            ("a connection that is closed", .close, .undecided()),
        ]
        try await Self.serve(servers[...], rows: []) { try await body(authority.root, $0) }
    }

    private static let suite = CipherSuite(rawValue: 0xC02B)
    private static let hello = ScriptedServer.hello(
        .tls12, suite, extensions: [ScriptedServer.serverExtension(0xFF01, [0]), ScriptedServer.serverExtension(23)])

    /// Messages in records of at most 16 KiB.
    private static func records(_ messages: [UInt8]) -> [UInt8] {
        stride(from: 0, to: messages.count, by: 16_384).flatMap {
            ScriptedServer.record(Array(messages[$0..<min($0 + 16_384, messages.count)]))
        }
    }

    private static func many(_ leaf: [UInt8]) -> [UInt8] {
        let chain = [[UInt8]](repeating: leaf, count: 1_000)
        return Self.records(
            Self.hello + ScriptedServer.certificate(chain)
                + ScriptedServer.keyExchange(.x25519, signedWith: SignatureScheme(rawValue: 0x0403))
                + ScriptedServer.done)
    }

    private static func garbledKeyExchange(_ leaf: [UInt8]) -> [UInt8] {
        Self.records(
            Self.hello + ScriptedServer.certificate([leaf]) + ScriptedServer.message(12, [3, 0, 29, 200, 1, 2])
                + ScriptedServer.done)
    }

    private static func forgedKeyExchange(_ leaf: [UInt8]) -> [UInt8] {
        Self.records(
            Self.hello + ScriptedServer.certificate([leaf])
                + ScriptedServer.keyExchange(.secp256r1, signedWith: SignatureScheme(rawValue: 0x0403))
                + ScriptedServer.done)
    }

    /// The key of the server has half of its octets.
    private static let garbledHello: [UInt8] = {
        let key = ScriptedServer.number(29) + ScriptedServer.vector16([UInt8](repeating: 1, count: 16))
        return ScriptedServer.record(
            ScriptedServer.hello(
                .tls12, CipherSuite(rawValue: 0x1301),
                extensions: [ScriptedServer.serverExtension(43, [3, 4]), ScriptedServer.serverExtension(51, key)]))
    }()

    /// Starts each server.
    private static func serve(
        _ servers: ArraySlice<(String, RawServer.Behaviour, DoorAnswer)>, rows: [DoorRow],
        _ body: ([DoorRow]) async throws -> Void
    ) async throws {
        guard let (name, behaviour, answer) = servers.first else { return try await body(rows) }
        try await RawServer.with(behaviour) { server in
            let row = DoorRow(name, DoorTarget(host: "a.test", port: server.port), answer)
            try await Self.serve(servers.dropFirst(), rows: rows + [row.ofHandshakes], body)
        }
    }
}
