//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import ServerTrust
import Synchronization
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

/// Names that hang until a test lets them go, and are counted.
final class HangingNames: Sendable {
    private let state = Mutex((running: 0, most: 0, asked: [String: Int](), callers: 0, areReleased: false))

    /// Those that were asked of the system, and how often.
    var asked: [String: Int] { self.state.withLock { $0.asked } }
    /// The most that were asked of it at the same time.
    var most: Int { self.state.withLock { $0.most } }

    /// The callers that a test has counted.
    var callers: Int { self.state.withLock { $0.callers } }

    func addCaller() { self.state.withLock { $0.callers += 1 } }

    /// Ends the hanging.
    func release() { self.state.withLock { $0.areReleased = true } }

    /// Blocks for names that begin with `hang`, and finds every other at 127.0.0.1.
    func lookUp(_ name: String) -> NameLookupOutcome {
        self.state.withLock { state in
            state.running += 1
            state.most = max(state.most, state.running)
            state.asked[name, default: 0] += 1
        }
        while name.hasPrefix("hang"), !self.state.withLock({ $0.areReleased }) { usleep(1_000) }
        self.state.withLock { $0.running -= 1 }
        return (try? SocketAddress(ipAddress: "127.0.0.1", port: 0)).map { .found([$0]) } ?? .notFound
    }
}

@Suite("Looking names up", .limitedConcurrency, .timeLimit(.minutes(10)))
struct NameResolverTests {
    @Test("An address needs no thread of tasks, which may all be busy", arguments: ["127.0.0.1", "::1"])
    func addresses(text: String) async throws {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        let isAnswered = try await eventLoop.submit {
            let resolver = BootstrapResolver(on: eventLoop)
            var found: [SocketAddress]?
            for future in [
                resolver.initiateAQuery(host: text, port: 443), resolver.initiateAAAAQuery(host: text, port: 443),
            ] {
                future.assumeIsolated().whenSuccess { found = (found ?? []) + $0 }
            }
            return found == [try SocketAddress(ipAddress: text, port: 443)]
        }.get()
        #expect(isAnswered)
    }

    @Test("Names that hang delay no other name, as long as there are threads")
    func apart() async {
        let names = HangingNames()
        defer { names.release() }
        let resolver = NameResolver(threads: 8, lookUp: names.lookUp)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<7 {
                group.addTask {
                    let answer = await resolver.addresses(of: "hang-\(index).test", timeout: .milliseconds(300))
                    #expect(answer.outcome == .timedOut)
                }
            }
            for index in 0..<200 {
                group.addTask {
                    let answer = await resolver.addresses(of: "live-\(index).test", timeout: .seconds(600))
                    #expect(answer.outcome != .timedOut && answer.outcome != .notFound)
                }
            }
        }
    }

    @Test("Each name has one thread however often it is asked for, and all together have so many")
    @MainActor
    func bounded() async {
        let names = HangingNames()
        let resolver = NameResolver(threads: 3, lookUp: names.lookUp)
        let callers = (0..<60).map { index in
            // On one actor a caller that has begun to ask waits already when another task runs.
            Task {
                names.addCaller()
                return await resolver.addresses(of: "hang-\(index % 6).test", timeout: .seconds(600)).outcome
            }
        }
        while names.callers < 60 { await Task.yield() }
        names.release()
        for caller in callers { #expect(await caller.value != .timedOut) }
        #expect(names.most <= 3 && names.asked.count == 6 && names.asked.values.allSatisfy { $0 == 1 })
    }

    @Test("Waiting for a thread is not the name's time, and is said")
    func waiting() async {
        let names = HangingNames()
        let resolver = NameResolver(threads: 1, lookUp: names.lookUp)
        async let first = resolver.addresses(of: "hang.test", timeout: .milliseconds(100))
        while names.asked.isEmpty { await Task.yield() }
        // The thread is taken for longer than the name has.
        let second = Task {
            names.addCaller()
            return await resolver.addresses(of: "live.test", timeout: .seconds(4))
        }
        while names.callers == 0 { await Task.yield() }
        try? await Task.sleep(for: .seconds(5))
        names.release()
        #expect(await first.outcome == .timedOut)
        let answer = await second.value
        #expect(answer.outcome != .timedOut && answer.waited > .milliseconds(300), "\(answer)")
    }

    @Sendable private static func findNothing(_ name: String) -> NameLookupOutcome { .notFound }

    @Test("Without any thread each name is told so, however many wait")
    func withoutThreads() async {
        let held = Mutex<[@Sendable () -> Void]>([])
        let isExhausted = Atomic(false)
        let resolver = NameResolver(threads: 1, lookUp: Self.findNothing) { body in
            guard !isExhausted.load(ordering: .acquiring) else { return false }
            held.withLock { $0.append(body) }
            return true
        }
        await withTaskGroup(of: NameLookupOutcome.self) { group in
            for index in 0..<20_000 {
                group.addTask { await resolver.addresses(of: "\(index).test", timeout: .seconds(600)).outcome }
            }
            while held.withLock({ $0.isEmpty }) { await Task.yield() }
            isExhausted.store(true, ordering: .releasing)
            // All the others wait for the one look-up that is going on.
            let first = held.withLock { $0.removeFirst() }
            first()
            var outcomes: [NameLookupOutcome: Int] = [:]
            for await outcome in group { outcomes[outcome, default: 0] += 1 }
            #expect(outcomes == [.notFound: 1, .starved: 19_999], "\(outcomes.count)")
        }
    }

    @Test("Where the system gives fewer threads than are allowed, names wait for those that there are")
    func fewThreads() async {
        let running = Atomic(0)
        let resolver = NameResolver(threads: 64, lookUp: Self.findNothing) { body in
            guard running.add(1, ordering: .acquiringAndReleasing).newValue <= 2 else {
                running.subtract(1, ordering: .acquiringAndReleasing)
                return false
            }
            return BlockingThread.start {
                usleep(1_000)
                running.subtract(1, ordering: .acquiringAndReleasing)
                body()
            }
        }
        await withTaskGroup(of: NameLookupOutcome.self) { group in
            for index in 0..<300 {
                group.addTask { await resolver.addresses(of: "\(index).test", timeout: .seconds(600)).outcome }
            }
            for await outcome in group { #expect(outcome == .notFound) }
        }
    }

    @Test("A caller with little patience is told that other names keep the threads busy")
    func patience() async {
        let names = HangingNames()
        defer { names.release() }
        let resolver = NameResolver(threads: 1, lookUp: names.lookUp)
        async let first = resolver.addresses(of: "hang.test", timeout: .milliseconds(100))
        while names.asked.isEmpty { await Task.yield() }
        let second = await resolver.addresses(of: "live.test", timeout: .seconds(50), patience: .milliseconds(200))
        #expect(second.outcome == .busy)
        #expect(await first.outcome == .timedOut)
    }

    @Test("A caller that is cancelled is answered at once, also before it asks")
    func cancelled() async {
        let names = HangingNames()
        defer { names.release() }
        let resolver = NameResolver(threads: 1, lookUp: names.lookUp)
        for isEarly in [true, false] {
            let task = Task {
                if isEarly { while !Task.isCancelled { await Task.yield() } }
                return await resolver.addresses(of: "hang.test", timeout: .seconds(600))
            }
            while !isEarly, names.asked.isEmpty { await Task.yield() }
            task.cancel()
            #expect(await task.value.outcome == .cancelled)
        }
    }

    @Test("An address needs no thread", arguments: ["127.0.0.1", "::1", "2001:db8::1"])
    func address(text: String) async throws {
        let resolver = NameResolver(threads: 1) { _ in .notFound }
        let address = try SocketAddress(ipAddress: text, port: 0)
        #expect(await resolver.addresses(of: text, timeout: .zero).outcome == .found([address]))
    }

    @Test("The system finds this machine, and no name that cannot be")
    func system() async {
        let found = await NameResolver.system.addresses(of: "localhost", timeout: .seconds(20)).outcome
        guard case .found(let addresses) = found else { return #expect(Bool(false), "\(found)") }
        #expect(addresses.allSatisfy { ["127.0.0.1", "::1"].contains($0.ipAddress) })
        let missing = await NameResolver.system.addresses(of: "no name", timeout: .seconds(20)).outcome
        #expect(missing == .notFound || missing == .timedOut)
    }

    @Test("A fetcher answers while the names of other certificates hang")
    func fetcher() async throws {
        let body = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        try await RawServer.with(.answerAndClose(Array(body.utf8))) { server in
            let names = HangingNames()
            defer { names.release() }
            var fetcher = HTTPFetcher()
            fetcher.configuration.dangerouslyAllowsLocalAddresses = true
            fetcher.resolver = NameResolver(threads: 6, lookUp: names.lookUp)
            let (ready, port) = (fetcher, server.port)
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<25 {
                    let isHanging = index < 5
                    let url = "http://\(isHanging ? "hang" : "live")-\(index).test:\(port)/x"
                    group.addTask {
                        let time = isHanging ? Duration.milliseconds(300) : .seconds(600)
                        let request = ResourceRequest(
                            url: url, kind: .issuer, body: nil, maximumSize: 10, timeout: time)
                        do {
                            let bytes = try await ready.fetch(request)
                            #expect(!isHanging && bytes == Array("ok".utf8))
                        } catch {
                            #expect(isHanging && (error as? ResourceError)?.code == .timedOut, "\(error)")
                        }
                    }
                }
            }
        }
    }

    @Test(
        "A name server that gives no answer says nothing about the name",
        arguments: [
            (EAI_AGAIN, Int32(0), NameLookupOutcome.unanswered), (EAI_FAIL, 0, .unanswered),
            (EAI_SYSTEM, ECONNREFUSED, .unanswered), (EAI_SYSTEM, EMFILE, .starved), (EAI_SYSTEM, ENFILE, .starved),
            (EAI_NONAME, 0, .notFound),
        ])
    func temporaryFailure(code: Int32, number: Int32, outcome: NameLookupOutcome) {
        #expect(SystemNameLookup.outcome(of: code, number) == outcome)
    }
}
