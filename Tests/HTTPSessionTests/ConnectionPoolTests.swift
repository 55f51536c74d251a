//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import ServerTrust
import ServerTrustNIO
import Testing

@testable import HTTPSession

@Suite("The pool of connections, without any")
struct ConnectionPoolTests {
    private typealias Pool = ConnectionPool<String, Int, Int>

    @Test("A key has as many connections as it may, and then requests wait in their order")
    func limit() throws {
        var pool = Pool(limit: 2, idleLimit: 10)
        #expect(pool.acquire("a", for: 1) == .open)
        #expect(pool.acquire("a", for: 2) == .open)
        #expect(pool.acquire("a", for: 3) == nil)
        #expect(pool.acquire("a", for: 4) == nil)
        #expect(pool.acquire("b", for: 5) == .open)
        let (next, surplus) = pool.release(10, of: "a", isReusable: true)
        #expect(next.first?.0 == 3 && next.first?.1 == .use(10) && surplus.isEmpty)
        // One that is closed makes room for another.
        let closed = pool.release(11, of: "a", isReusable: false)
        #expect(closed.next.first?.0 == 4 && closed.next.first?.1 == .open)
    }

    @Test("The connection that was used last is used first")
    func lastInFirstOut() {
        var pool = Pool(limit: 3, idleLimit: 10)
        for waiter in 1...3 { #expect(pool.acquire("a", for: waiter) == .open) }
        for connection in 1...3 { _ = pool.release(connection, of: "a", isReusable: true) }
        #expect(pool.acquire("a", for: 4) == .use(3))
        #expect(pool.acquire("b", for: 5) == .open)
    }

    @Test("A connection that is preferred is taken before one that was used later, and any before a new one")
    func preferred() {
        var pool = Pool(limit: 4, idleLimit: 4)
        for waiter in 1...3 { #expect(pool.acquire("a", for: waiter) == .open) }
        for connection in 1...3 { _ = pool.release(connection, of: "a", isReusable: true) }
        #expect(pool.acquire("a", for: 4) { $0 == 1 } == .use(1))
        #expect(pool.acquire("a", for: 5) { $0 == 1 } == .use(3))
        #expect(pool.acquire("a", for: 6) { $0 == 2 } == .use(2))
        #expect(pool.acquire("a", for: 7) { $0 == 1 } == .open)
    }

    @Test("Where no connection is preferred for long one is opened, within the limit", arguments: [1, 2])
    func detours(limit: Int) {
        var pool = Pool(limit: limit, idleLimit: 4)
        #expect(pool.acquire("a", for: 0) == .open)
        _ = pool.release(1, of: "a", isReusable: true)
        var opened: [Int] = []
        for waiter in 1...60 {
            let answer = pool.acquire("a", for: waiter) { $0 == 2 }
            if answer == .open { opened.append(waiter) }
            _ = pool.release(answer == .use(1) ? 1 : 2, of: "a", isReusable: true)
        }
        // From then on the preferred one is there.
        #expect(opened == (limit == 1 ? [] : [17]))
    }

    @Test("A connection that did not come about lets the next request try")
    func failure() {
        var pool = Pool(limit: 1, idleLimit: 10)
        #expect(pool.acquire("a", for: 1) == .open)
        #expect(pool.acquire("a", for: 2) == nil)
        #expect(pool.giveUp("a").first?.0 == 2)
        #expect(pool.giveUp("a").isEmpty)
        #expect(pool.acquire("a", for: 3) == .open)
    }

    @Test("A request that was cancelled gets no connection")
    func cancellation() {
        var pool = Pool(limit: 1, idleLimit: 10)
        #expect(pool.acquire("a", for: 1) == .open)
        #expect(pool.acquire("a", for: 2) == nil)
        let first = pool.cancel(2, of: "a")
        let second = pool.cancel(2, of: "a")
        #expect(first && !second)
        let (next, surplus) = pool.release(1, of: "a", isReusable: true)
        #expect(next.isEmpty && surplus.isEmpty)
        #expect(pool.acquire("a", for: 3) == .use(1))
    }

    @Test("Of idle connections the oldest go when there are too many, of whatever key")
    func idleLimit() {
        var pool = Pool(limit: 5, idleLimit: 2)
        for key in ["a", "b", "c"] { #expect(pool.acquire(key, for: 0) == .open) }
        #expect(pool.release(1, of: "a", isReusable: true).surplus.isEmpty)
        #expect(pool.release(2, of: "b", isReusable: true).surplus.isEmpty)
        #expect(pool.release(3, of: "c", isReusable: true).surplus == [1])
        #expect(pool.acquire("a", for: 1) == .open)
        let removed = pool.remove(2, of: "b")
        let again = pool.remove(2, of: "b")
        #expect(removed && !again)
        #expect(pool.removeIdle() == [3])
    }
}

@Suite("The pool of connections that carry several requests, without any")
struct SharedConnectionPoolTests {
    private typealias Pool = ConnectionPool<String, Int, Int>

    private static func pool(limit: Int = 2) -> Pool { Pool(limit: limit, idleLimit: 10) }

    @Test("Requests wait for the first connection, and share it as far as it goes")
    func sharing() {
        var pool = Self.pool()
        #expect(pool.acquire("a", for: 1, mayShare: true) == .open)
        for waiter in 2...5 { #expect(pool.acquire("a", for: waiter, mayShare: true) == nil) }
        let turns = pool.opened(10, of: "a", capacity: 3)
        #expect(turns.map(\.0) == [2, 3, 4] && turns.map(\.1) == [.use(10), .use(10), .open])
        #expect(pool.opened(11, of: "a", capacity: 3).map(\.1) == [.use(11)])
        // The one with fewer requests is next.
        #expect(pool.acquire("a", for: 6, mayShare: true) == .use(11))
        #expect(pool.acquire("a", for: 7, mayShare: true) == nil)
        let (next, surplus) = pool.releaseShared(10, of: "a")
        #expect(next.map(\.0) == [7] && next.map(\.1) == [.use(10)] && surplus.isEmpty)
    }

    @Test("A server that speaks HTTP/1.1 gets as many connections as it may, at once")
    func exclusive() {
        var pool = Self.pool(limit: 3)
        #expect(pool.acquire("a", for: 1, mayShare: true) == .open)
        for waiter in 2...4 { #expect(pool.acquire("a", for: waiter, mayShare: true) == nil) }
        let turns = pool.opened(10, of: "a", capacity: nil)
        #expect(turns.map(\.0) == [2, 3] && turns.map(\.1) == [.open, .open])
        #expect(pool.release(10, of: "a", isReusable: true).next.first?.1 == .use(10))
    }

    @Test("Requests that wait for a connection that does not come about try several at once")
    func sharedFailure() {
        var pool = Self.pool(limit: 3)
        #expect(pool.acquire("a", for: 1, mayShare: true) == .open)
        for waiter in 2...5 { #expect(pool.acquire("a", for: waiter, mayShare: true) == nil) }
        let turns = pool.giveUp("a")
        #expect(turns.map(\.0) == [2, 3, 4] && turns.map(\.1) == [.open, .open, .open])
        // The first that comes about carries the rest.
        let (next, again) = (pool.opened(10, of: "a", capacity: 5), pool.acquire("a", for: 6, mayShare: true))
        #expect(next.map(\.0) == [5] && next.map(\.1) == [.use(10)] && again == .use(10))
    }

    @Test("A connection that takes no more requests carries its own to their end, and others open another")
    func retiring() {
        var pool = Self.pool(limit: 1)
        #expect(pool.acquire("a", for: 1, mayShare: true) == .open)
        #expect(pool.opened(10, of: "a", capacity: 1).isEmpty)
        #expect(pool.acquire("a", for: 2, mayShare: true) == nil)
        let turns = pool.retire(10, of: "a")
        #expect(turns.map(\.0) == [2] && turns.map(\.1) == [.open])
        let (next, surplus) = pool.releaseShared(10, of: "a")
        #expect(next.isEmpty && surplus.isEmpty)
        #expect(pool.retire(10, of: "a").isEmpty && !pool.remove(10, of: "a"))
        #expect(pool.opened(11, of: "a", capacity: 5).isEmpty)
        #expect(pool.acquire("a", for: 3, mayShare: true) == .use(11))
    }

    @Test("More room lets requests go on that wait, and less keeps the next back")
    func resizing() {
        var pool = Self.pool(limit: 1)
        #expect(pool.acquire("a", for: 1, mayShare: true) == .open)
        #expect(pool.opened(10, of: "a", capacity: 1).isEmpty)
        for waiter in 2...4 { #expect(pool.acquire("a", for: waiter, mayShare: true) == nil) }
        #expect(pool.resize(10, of: "a", capacity: 3).map(\.0) == [2, 3])
        #expect(pool.resize(10, of: "a", capacity: 1).isEmpty)
        for _ in 0..<2 { #expect(pool.releaseShared(10, of: "a").next.isEmpty) }
        #expect(pool.releaseShared(10, of: "a").next.map(\.0) == [4])
    }

    @Test("One that nothing uses is idle once, and goes when there are too many or it is too old")
    func idle() {
        var pool = Pool(limit: 2, idleLimit: 1)
        for key in ["a", "b"] {
            #expect(pool.acquire(key, for: 1, mayShare: true) == .open)
            #expect(pool.opened(key == "a" ? 10 : 11, of: key, capacity: 5).isEmpty)
        }
        #expect(pool.acquire("a", for: 2, mayShare: true) == .use(10))
        #expect(pool.releaseShared(10, of: "a").surplus.isEmpty && !pool.remove(10, of: "a"))
        #expect(pool.releaseShared(10, of: "a").surplus.isEmpty)
        #expect(pool.releaseShared(11, of: "b").surplus == [10])
        let (removed, again) = (pool.remove(11, of: "b"), pool.remove(11, of: "b"))
        #expect(removed && !again)
        #expect(pool.acquire("b", for: 3, mayShare: true) == .open)
    }
}

@Suite("Where the pool has connections opened")
struct EventLoopTests {
    @Test("Connections are spread over all event loops, whatever others take their turns between")
    func spread() async throws {
        let pool = HTTPConnectionPool()
        let url = try HTTPURL("https://server.test/")
        let scope = TrustScope(ServerTrustSettings(trust: .only([])))
        let key = ConnectionKey(
            origin: url.origin, destination: url.origin.destination, route: nil, addresses: [], proxy: nil,
            isTunnel: false, trust: scope)
        let loops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator())
        var counts: [ObjectIdentifier: Int] = [:]
        for _ in 0..<4 * loops.count {
            _ = MultiThreadedEventLoopGroup.singleton.next()
            await #expect(throws: CancellationError.self) {
                _ = try await pool.connection(for: key, until: .distantFuture) { eventLoop in
                    counts[ObjectIdentifier(eventLoop), default: 0] += 1
                    throw CancellationError()
                }
            }
        }
        #expect(loops.allSatisfy { counts[ObjectIdentifier($0)] == 4 })
    }
}
