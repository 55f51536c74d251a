//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerIntegrations
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

@Suite("Services", .timeLimit(.minutes(2)))
struct ServiceTests {
    @Test("Anchors follow a file until the program shuts down, and a bad file is logged once")
    func files() async throws {
        try await withFolder { folder in
            let path = folder.appendingPathComponent("roots.pem")
            try Data(try Self.root("first").utf8).write(to: path)
            let gate = ServerTrustGate(ServerTrustSettings(trust: TrustConfiguration(anchors: .none)))
            let (clock, log) = (TickedClock(), LogLines())
            let service = FileFollowingService(.certificates(path.path), clock: clock, logger: log.logger) { roots in
                gate.update { $0.anchors = .only(roots) }
            }
            try await testGracefulShutdown { shutdown in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await service.run() }
                    await clock.isSleptOn()
                    #expect(gate.settings.anchors.certificates.map(\.commonName) == ["first"])
                    try Data("junk".utf8).write(to: path)
                    for _ in 0..<4 { await clock.tick() }
                    #expect(gate.settings.anchors.certificates.map(\.commonName) == ["first"])
                    try Data(try Self.root("second").utf8).write(to: path)
                    for _ in 0..<2 { await clock.tick() }
                    #expect(gate.settings.anchors.certificates.map(\.commonName) == ["second"])
                    shutdown.triggerGracefulShutdown()
                    try await group.waitForAll()
                }
            }
            #expect(log.all.map { $0.prefix(6) } == ["notice", "error:", "notice"])
            #expect(log.all.count == 3 && log.all[1].contains(path.path))
        }
    }

    @Test("A program does not start with a file that is missing")
    func missing() async throws {
        try await withFolder { folder in
            let path = folder.appendingPathComponent("roots.pem").path
            let service = FileFollowingService(.certificates(path), logger: LogLines().logger) { _ in }
            let error = await #expect(throws: FollowedFileError.self) { try await service.run() }
            #expect(error?.path == path)
        }
    }

    @Test("Apple's data are read again, and data that cannot be read leave the earlier ones in force")
    func appleData() async throws {
        struct Unreadable: Error {}
        let (clock, log) = (TickedClock(), LogLines())
        let applied = Mutex(0)
        let isReadable = Mutex(true)
        let service = AppleDataService(clock: clock, logger: log.logger) {
            guard isReadable.withLock({ $0 }) else { throw Unreadable() }
            return .builtIn
        } apply: { data in
            #expect(!data.serverRoots.isEmpty)
            applied.withLock { $0 += 1 }
        }
        try await testGracefulShutdown { shutdown in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await service.run() }
                await clock.isSleptOn()
                #expect(applied.withLock { $0 } == 1)
                await clock.tick()
                #expect(applied.withLock { $0 } == 2)
                isReadable.withLock { $0 = false }
                await clock.tick()
                #expect(applied.withLock { $0 } == 2 && log.all.count == 1)
                shutdown.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
    }

    @Test("Data that are older than those in force are logged and not applied")
    func olderData() async throws {
        let (clock, log) = (TickedClock(), LogLines())
        let newer = AppleTrustData.builtIn
        // Without the status list, every root that Apple has blocked since its release would be trusted again.
        let older = newer.dangerouslyTrustingBlockedRoots()
        let isOlder = Mutex(false)
        let applied = Mutex(0)
        let service = AppleDataService(clock: clock, logger: log.logger) {
            isOlder.withLock { $0 } ? older : newer
        } apply: { _ in
            applied.withLock { $0 += 1 }
        }
        try await testGracefulShutdown { shutdown in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await service.run() }
                await clock.isSleptOn()
                isOlder.withLock { $0 = true }
                await clock.tick()
                #expect(applied.withLock { $0 } == 1 && log.all.count == 1)
                #expect(log.all.first?.contains("older than the one in force") == true, "\(log.all)")
                shutdown.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
    }

    @Test("A program does not start with Apple's data that cannot be read")
    func missingAppleData() async throws {
        struct Unreadable: Error {}
        let service = AppleDataService(logger: LogLines().logger) {
            throw Unreadable()
        } apply: { _ in
        }
        await #expect(throws: Unreadable.self) { try await service.run() }
    }

    @Test("Waiting reports are delivered before the program ends")
    func reports() async throws {
        let delivered = Mutex<[String]>([])
        let isOpen = AsyncStream.makeStream(of: Void.self)
        let reporter = PinReporter { report in
            var open = isOpen.stream.makeAsyncIterator()
            _ = await open.next()
            delivered.withLock { $0.append(report.host) }
        }
        try await testGracefulShutdown { shutdown in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await PinReportService(reporter).run() }
                for host in ["a.test", "b.test"] { reporter.report(try await Self.report(host)) }
                shutdown.triggerGracefulShutdown()
                isOpen.continuation.finish()
                try await group.waitForAll()
            }
        }
        #expect(delivered.withLock { $0 } == ["a.test", "b.test"])
    }

    @Test("A program that is canceled does not wait for a report server that is silent")
    func silentReportServer() async throws {
        let hasBegun = AsyncStream.makeStream(of: Void.self)
        let reporter = PinReporter { _ in
            hasBegun.continuation.yield()
            try? await Task.sleep(for: .seconds(86_400))
        }
        reporter.report(try await Self.report("a.test"))
        var begun = hasBegun.stream.makeAsyncIterator()
        _ = await begun.next()
        let run = Task { try await PinReportService(reporter).run() }
        run.cancel()
        try await run.value
    }

    private static func root(_ name: String) throws -> String {
        try TestAuthority(root: .root(commonName: name)).root.pem
    }

    /// Returns the report of a server that does not match its pin.
    private static func report(_ host: String) async throws -> PinReport {
        let reports = AsyncStream.makeStream(of: PinReport.self)
        let reporter = PinReporter { reports.continuation.yield($0) }
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: [host]))
        let manager = try ServerTrustManager(
            evaluators: [host: .pins([try Pin(digest: [UInt8](repeating: 1, count: 32))])], reporter: reporter)
        let trust = try Trust(
            certificates: [try Certificate(der: leaf.der)], policy: .tlsServer(hostname: host),
            configuration: TrustConfiguration(anchors: authority.anchors))
        _ = manager.evaluate(trust, forHost: host)
        var iterator = reports.stream.makeAsyncIterator()
        return try #require(await iterator.next())
    }
}
