//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import ServerTrust
import ServerTrustTesting
import Synchronization
import TestSupport
import Testing

@testable import ServerTrustNIO

@Suite("Streams that begin in plain", .limitedConcurrency, .timeLimit(.minutes(10)))
struct StreamUpgradeTests {
    @Test("A stream is upgraded in the middle, and what was said before is over", arguments: [true, false])
    func upgrade(isTrusted: Bool) async throws {
        try await StreamTestServer.with(nil, script: Self.smtp(Self.ready)) { port in
            let plain = try await Self.ready(port)
            let gate = try StreamFixture.gate(anchors: isTrusted ? nil : TrustAnchors.none)
            guard isTrusted else {
                await #expect(throws: ServerTrustGateError.self) { try await plain.upgrade(gate: gate) }
                return
            }
            let stream = try await plain.upgrade(gate: gate)
            try await stream.write(ByteBuffer(string: "EHLO client\r\n"))
            #expect(try await stream.read().map { String(buffer: $0) } == "250 over TLS: EHLO client\r\n")
            await #expect { try await plain.readLine() } throws: { ($0 as? SecureStreamError)?.code == .upgraded }
            await #expect {
                try await plain.write(ByteBuffer(string: "x"))
            } throws: { ($0 as? SecureStreamError)?.code == .upgraded }
            await #expect {
                try await plain.upgrade(gate: gate)
            } throws: { ($0 as? SecureStreamError)?.code == .upgraded }
            await stream.close()
        }
    }

    @Test("Octets that a server sent before TLS are refused", arguments: injections)
    func injected(injection: String) async throws {
        try await StreamTestServer.with(nil, script: Self.smtp(Self.ready + injection)) { port in
            let plain = try await Self.ready(port)
            await #expect {
                try await plain.upgrade(gate: try StreamFixture.gate())
            } throws: { ($0 as? SecureStreamError)?.code == .injectedOctets }
            await #expect(throws: (any Error).self) { try await plain.readLine() }
        }
    }

    @Test("Octets that come by themselves before the server's hello are refused", arguments: injections)
    func injectedLater(injection: String) async throws {
        let script: StreamTestServer.Script = { client in
            var inbound = client.inbound.makeAsyncIterator()
            try await client.write("220 hello\r\n")
            _ = try await inbound.next()
            try await client.write(Self.ready)
            // The ClientHello is on its way, and its answer is not.
            _ = try await inbound.next()
            try await client.beginTLS(after: injection, try ATSFixture.ecdsa.get())
            _ = try await inbound.next()
        }
        try await StreamTestServer.with(nil, script: script) { port in
            let plain = try await Self.ready(port)
            // The beginning of a record could become one.
            let gate = try StreamFixture.gate { $0.handshakeTimeout = .seconds(4) }
            let error = await #expect(throws: ServerTrustGateError.self) { try await plain.upgrade(gate: gate) }
            #expect(error?.verdict.isAllowed == false)
        }
    }

    @Test("Lines are bounded, and end as the stream does")
    func lines() async throws {
        let script: StreamTestServer.Script = { client in
            try await client.write("one\r\ntwo\n\n" + String(repeating: "x", count: 100) + "\nend")
            try await client.finish()
        }
        try await StreamTestServer.with(nil, script: script) { port in
            let plain = try await PlainStream.connect(to: "127.0.0.1", port: port)
            #expect(try await plain.readLine() == "one\r\n")
            #expect(try await plain.readLine() == "two\n")
            #expect(try await plain.readLine() == "\n")
            await #expect { try await plain.readLine(limit: 100) } throws: {
                ($0 as? SecureStreamError)?.code == .lineTooLong
            }
            #expect(try await plain.readLine(limit: 101)?.count == 101)
            await #expect { try await plain.readLine() } throws: { ($0 as? SecureStreamError)?.code == .truncated }
            #expect(try await plain.read().map { String(buffer: $0) } == "end")
            #expect(try await plain.readLine() == nil)
            await plain.close()
        }
    }

    static let ready = "220 go ahead\r\n"

    /// A client that asked for TLS and was told to go ahead.
    private static func ready(_ port: Int) async throws -> PlainStream {
        let plain = try await PlainStream.connect(to: "127.0.0.1", port: port, peerName: StreamFixture.host)
        #expect(try await plain.readLine() == "220 hello\r\n")
        try await plain.write(ByteBuffer(string: "STARTTLS\r\n"))
        #expect(try await plain.readLine() == Self.ready)
        return plain
    }

    /// A mail server, which says something before TLS and answers over TLS.
    private static func smtp(_ answer: String) -> StreamTestServer.Script {
        { client in
            var inbound = client.inbound.makeAsyncIterator()
            try await client.write("220 hello\r\n")
            guard let command = try await inbound.next(), String(buffer: command) == "STARTTLS\r\n" else { return }
            try await client.beginTLS(after: answer, try ATSFixture.ecdsa.get())
            while let more = try await inbound.next() {
                try await client.write("250 over TLS: \(String(buffer: more))")
            }
        }
    }
}

private let injections = ["250 ok\r\n", "x", "\u{16}\u{3}"]
