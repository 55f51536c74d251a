//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import AsyncHTTPClient
import AsyncHTTPClientTrust
import Hummingbird
import HummingbirdTrust
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import Testing

@Suite("async-http-client", .serialized, .timeLimit(.minutes(3)))
struct AsyncHTTPClientTests {
    @Test("A server that NIOSSL trusts and the gate does not gets no request", arguments: rows)
    func judged(row: Row) async throws {
        let calls = Mutex(0)
        let note: @Sendable () -> Void = { calls.withLock { $0 += 1 } }
        try await TLSServer.with(note) { port in
            let gate = try Fixture.gate(row.change)
            let configuration = try HTTPClient.Configuration.gated(
                by: gate, for: ATSDestination(host: Fixture.host, port: port),
                roots: [try Fixture.servers.get().root.trustCertificate], intermediates: [])
            if row.isAllowed {
                #expect(try await HTTPClient.get(port, configuration) == "hello")
            } else {
                await #expect(throws: (any Error).self) { try await HTTPClient.get(port, configuration) }
            }
        }
        #expect(calls.withLock { $0 } == (row.isAllowed ? 1 : 0), "\(row.name)")
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var isAllowed = false
        var change: @Sendable (inout ServerTrustSettings) throws -> Void = { _ in }

        var testDescription: String { self.name }
    }

    static let rows = [
        Row(name: "nothing wrong", isAllowed: true),
        Row(name: "another root", change: { $0.anchors = .none }),
        Row(
            name: "another key pinned",
            change: { settings in
                settings.evaluator = ServerTrustEvaluator.pins([try Fixture.otherPin.get()])
            }),
        Row(name: "a handler", change: { $0.handler = Refuser() }),
    ]

    private struct Refuser: ServerTrustHandler {
        func respond(to challenge: ServerTrustChallenge) async throws -> ServerTrustDisposition {
            .performDefaultHandling
        }
    }
}

/// A server that asks clients for nothing.
enum TLSServer {
    static func with(_ call: @escaping @Sendable () -> Void, _ body: (Int) async throws -> Void) async throws {
        let gate = try Fixture.clientGate { $0.presentation = .optional }
        let router = Router(context: ClientTrustRequestContext.self)
        router.get("/") { _, _ in
            call()
            return "hello"
        }
        try await Application.serving(router, .clientTrust(gate), body)
    }
}
