//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TestSupport
import Testing

@Suite("A test server in a scope", .limitedConcurrency, .timeLimit(.minutes(10)))
struct TestServerScopeTests {
    private struct Mishap: Error {}

    @Test("Refuses connections after its scope")
    func isShutDown() async throws {
        let endpoint = try await withTestServer(.goodECDSA) { server in
            _ = try await server.trust()
            return try server.endpoint
        }
        await expectRefusal(endpoint)
    }

    @Test("Refuses connections after a scope that throws, and the error is the scope's")
    func isShutDownAfterAnError() async throws {
        var endpoints: [TLSEndpoint] = []
        await #expect(throws: Mishap.self) {
            try await withPinningServers([.genuine, .appendedLeaf]) { servers in
                endpoints = try servers.map { try $0.endpoint }
                throw Mishap()
            }
        }
        #expect(endpoints.count == 2)
        for endpoint in endpoints { await expectRefusal(endpoint) }
    }

    @Test("Ends with its task, even if the scope does not listen to the cancellation")
    func isShutDownWhenCancelled() async throws {
        let (ports, continuation) = AsyncStream<TLSEndpoint>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await withPinningServer(.genuine) { server in
                continuation.yield(try server.endpoint)
                // A task of its own, which is not cancelled.
                await Task.detached { for await _ in ends { break } }.value
                await #expect(throws: CancellationError.self) { try await server.trust() }
            }
        }
        var iterator = ports.makeAsyncIterator()
        let endpoint = try #require(await iterator.next())
        task.cancel()
        await expectRefusal(endpoint)
        end.yield()
        try await task.value
    }

    @Test("A whole range ends with its scope")
    func rangeIsShutDown() async throws {
        let endpoints = try await withTestServers([.expired, .selfSigned]) { range in
            try range.targets.map { try $0.endpoint }
        }
        for endpoint in endpoints { await expectRefusal(endpoint) }
    }

    @Test("A server that cannot be started is an error, and its scope is not entered")
    func impossibleServer() async throws {
        let configuration = TestTLSServer.Configuration(
            certificates: [[0x30, 0]], privateKey: try TestPrivateKey(.p256))
        await #expect(throws: (any Error).self) {
            try await withTestServer(configuration) { _ in Issue.record("there is no server") }
        }
    }
}

/// Expects that nothing listens at an endpoint any more.
///
/// Asks more than once, as closing a socket takes a moment where no caller waits for it.
private func expectRefusal(_ endpoint: TLSEndpoint, sourceLocation: SourceLocation = #_sourceLocation) async {
    var last: (any Error)?
    for _ in 0..<50 {
        do {
            _ = try await TLSConnection.presentedChain(of: endpoint)
        } catch let error as TLSConnectionError where error.code == "connection-refused" {
            return
        } catch {
            last = error
        }
        try? await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("\(endpoint) still answers: \(String(describing: last))", sourceLocation: sourceLocation)
}
