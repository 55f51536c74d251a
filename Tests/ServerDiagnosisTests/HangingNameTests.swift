//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerDiagnosis
import ServerTrust
import Synchronization
import TLSProbe
import TLSWire
import TestSupport
import Testing

@testable import ServerTrustNIO

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

private func findHere() -> NameLookupOutcome {
    (try? SocketAddress(ipAddress: "127.0.0.1", port: 0)).map { .found([$0]) } ?? .notFound
}

@Suite("Names that hang", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HangingNameTests {
    @Test(
        "Two hundred live servers are answered beside twenty names that hang, however many threads there are",
        arguments: [64, 24])
    func fleet(threads: Int) async throws {
        let isOver = Atomic(false)
        defer { isOver.store(true, ordering: .releasing) }
        var configuration = Prober.Configuration()
        configuration.timeout = .seconds(10)
        configuration.maximumConnections = 24
        // As a zone whose servers do not answer.
        configuration.resolver = NameResolver(threads: threads) { name in
            while name.hasPrefix("hang"), !isOver.load(ordering: .acquiring) { usleep(1_000) }
            return findHere()
        }
        let prober = Prober(configuration)
        try await RawServer.with(.answer(ScriptedServer.alert(40))) { server in
            let names = (0..<200).map { "live-\($0).test" } + (0..<20).map { "hang-\($0).test" }
            let failures = try await Self.failures(of: names, prober, port: server.port)
            for (name, failure) in failures {
                #expect(failure == (name.hasPrefix("hang") ? .timedOut(.resolving) : nil), "\(name)")
            }
            #expect(failures.count == 220)
        }
    }

    @Test("A server that waits for a thread longer than it may take itself is answered")
    func waiting() async throws {
        // The one thread is taken for eight seconds.
        let resolver = NameResolver(threads: 1) { name in
            if name.hasPrefix("hang") { sleep(8) }
            return findHere()
        }
        var configuration = Prober.Configuration()
        configuration.resolver = resolver
        (configuration.timeout, configuration.timeoutPerHost) = (.seconds(5), .seconds(6))
        let prober = Prober(configuration)
        try await RawServer.with(.answer(ScriptedServer.alert(40))) { server in
            let failures = try await Self.failures(of: ["hang.test", "live.test"], prober, port: server.port)
            #expect(failures["live.test"] == .some(nil), "\(failures)")
        }
    }

    private static func failures(
        of names: [String], _ prober: Prober, port: Int
    ) async throws -> [String: ConnectionFailure?] {
        let endpoints = try names.map { try TLSEndpoint(host: $0, port: port) }
        return await withTaskGroup(of: (String, ConnectionFailure?).self) { group in
            for endpoint in endpoints {
                group.addTask { (endpoint.host.text, await prober.facts(about: endpoint, plan: .ats).failure) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = .some($1.1) }
        }
    }
}
