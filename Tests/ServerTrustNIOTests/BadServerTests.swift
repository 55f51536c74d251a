//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import ServerTrustNIO
import TLSWire
import TestSupport
import Testing

@Suite("Connecting to something that is no TLS server", .limitedConcurrency, .timeLimit(.minutes(10)))
struct BadServerTests {
    @Test(
        "An answer that is not TLS is called that",
        arguments: [
            "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "220 mail ESMTP\r\n",
            "\u{0}\u{1}\u{2}", "\u{16}x", "x",
        ]
    )
    func notTLS(answer: String) async throws {
        for behaviour in [RawServer.Behaviour.answer(Array(answer.utf8)), .answerAndClose(Array(answer.utf8))] {
            let error = try await self.error(from: behaviour)
            #expect(error.code == "not-tls")
            #expect(error.description.contains("does not answer in TLS"))
        }
    }

    @Test("The beginning of a plain answer is quoted")
    func quotesTheAnswer() async throws {
        let error = try await self.error(from: .answer(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)))
        #expect(error.description.contains("“HTTP/1.1 400 Bad Request"))
    }

    @Test("A server that says nothing is given up at the deadline, and the connection closed")
    func silence() async throws {
        try await RawServer.with(.silent) { server in
            let start = ContinuousClock.now
            let error = try await self.error(from: server, timeout: .seconds(2))
            let elapsed = ContinuousClock.now - start
            #expect(error.failure == .timedOut(.silent))
            // How much later the test runs on is the machine's business. The server would stay silent for ever.
            #expect(elapsed >= .milliseconds(1990), "\(elapsed)")
            #expect(try await server.isIdle())
        }
    }

    @Test(
        "A slow server does not get more time",
        arguments: [[0x16, 0x03, 0x03, 0x40, 0x00] + [UInt8](repeating: 0, count: 1000), [0x16]]
    )
    func slowness(bytes: [UInt8]) async throws {
        // Its bytes would last for minutes. That the call returns at all is the deadline's doing.
        let error = try await self.error(from: .slow(bytes, every: .milliseconds(50)), timeout: .seconds(1))
        #expect(error.failure == .timedOut(.underWay))
    }

    @Test("A closed or reset connection is called that")
    func closing() async throws {
        // A server that closes before it has read all resets the connection.
        #expect([.closed, .reset].contains(try await self.error(from: .close).failure))
        #expect([.closed, .reset].contains(try await self.error(from: .reset).failure))
    }

    @Test(
        "Endless bytes end, whatever they are",
        arguments: [
            // Not TLS, empty handshake records, unknown warnings, an endless record, records of application data.
            ([0x00], "not-tls"),
            ([0x16, 0x03, 0x03, 0x00, 0x00], "malformed"),
            ([0x15, 0x03, 0x03, 0x00, 0x02, 0x01, 0x70], "malformed"),
            ([0x16, 0x03, 0x03, 0xFF, 0xFF], "malformed"),
            ([0x17, 0x03, 0x03, 0x00, 0x01, 0x00], "malformed"),
            ([0x14, 0x03, 0x03, 0x00, 0x01, 0x01], "malformed"),
        ] as [([UInt8], String)]
    )
    func endlessBytes(pattern: [UInt8], code: String) async throws {
        let chunk = Array(repeatElement(pattern, count: 1000).joined())
        let error = try await self.error(from: .endless(chunk), timeout: .seconds(120))
        // What claims to be a long message is more than is read.
        #expect(error.code == code || code == "malformed" && error.failure.isOfLimit)
    }

    @Test("A fatal alert is named", arguments: [(40, "handshake_failure"), (112, "unrecognized_name"), (200, "200")])
    func alerts(number: UInt8, name: String) async throws {
        let error = try await self.error(from: .answer([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, number]))
        #expect(error.alert == TLSAlertDescription(rawValue: number))
        #expect(error.alert?.description.contains(name) == true && error.description.contains(name))
    }

    @Test("Random bytes behind a record header never trap", arguments: 0..<50)
    func randomBytes(seed: UInt64) async throws {
        var generator = SeededGenerator(state: seed)
        let length = Int.random(in: 1...300, using: &generator)
        var junk = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
        if seed.isMultiple(of: 2) {
            junk = [2, 0, UInt8(length >> 8), UInt8(length & 0xFF), 3, 3] + junk
        }
        let record = [0x16, 0x03, 0x03, UInt8(junk.count >> 8), UInt8(junk.count & 0xFF)] + junk
        let error = try await self.error(from: .answerAndClose(record))
        #expect(!error.failure.isWithoutServer, "\(error)")
    }

    @Test("Nothing on the port is a refused connection")
    func refusedConnection() async throws {
        let port = try await RawServer.with(.close) { $0.port }
        let error = await #expect(throws: TLSConnectionError.self) {
            try await TLSConnection.presentedChain(of: TLSEndpoint(host: "127.0.0.1", port: port))
        }
        #expect(error?.failure == .connectionRefused)
        let named = await #expect(throws: TLSConnectionError.self) {
            try await TLSConnection.presentedChain(of: TLSEndpoint(host: "localhost", port: port))
        }
        #expect(named?.failure == .connectionRefused)
    }

    @Test("A name that does not exist cannot be resolved")
    func unknownName() async throws {
        var configuration = TLSConnection.Configuration()
        configuration.timeout = .seconds(5)
        let error = await #expect(throws: TLSConnectionError.self) {
            // RFC 6761, section 6.4: never resolves.
            try await TLSConnection.presentedChain(
                of: TLSEndpoint(host: "name.invalid"),
                configuration: configuration
            )
        }
        #expect([.hostNotFound, .lookupFailed, .timedOut(.resolving), .timedOut(.connecting)].contains(error?.failure))
    }

    @Test("Cancelling the task ends the connection at once")
    func cancellation() async throws {
        var configuration = TLSConnection.Configuration()
        configuration.timeout = .seconds(3_600)
        let patient = configuration
        try await RawServer.with(.silent) { server in
            let endpoint = try TLSEndpoint(host: "127.0.0.1", port: server.port)
            let task = Task { try await TLSConnection.presentedChain(of: endpoint, configuration: patient) }
            #expect(try await server.isConnected())
            task.cancel()
            // Not what the deadline would throw, an hour later.
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await server.isIdle())
        }
    }

    private func error(
        from behaviour: RawServer.Behaviour,
        timeout: Duration = .seconds(60)
    ) async throws -> TLSConnectionError {
        try await RawServer.with(behaviour) { try await self.error(from: $0, timeout: timeout) }
    }

    private func error(from server: RawServer, timeout: Duration) async throws -> TLSConnectionError {
        var configuration = TLSConnection.Configuration()
        configuration.timeout = timeout
        let error = await #expect(throws: TLSConnectionError.self) {
            try await TLSConnection.presentedChain(
                of: TLSEndpoint(host: "server.test", port: server.port, connectAddress: "127.0.0.1"),
                configuration: configuration
            )
        }
        return try #require(error)
    }
}
