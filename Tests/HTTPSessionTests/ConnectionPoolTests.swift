//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
        #expect(next?.0 == 3 && next?.1 == .use(10) && surplus.isEmpty)
        // One that is closed makes room for another.
        let closed = pool.release(11, of: "a", isReusable: false)
        #expect(closed.next?.0 == 4 && closed.next?.1 == .open)
    }

    @Test("The connection that was used last is used first")
    func lastInFirstOut() {
        var pool = Pool(limit: 3, idleLimit: 10)
        for waiter in 1...3 { #expect(pool.acquire("a", for: waiter) == .open) }
        for connection in 1...3 { _ = pool.release(connection, of: "a", isReusable: true) }
        #expect(pool.acquire("a", for: 4) == .use(3))
        #expect(pool.acquire("b", for: 5) == .open)
    }

    @Test("A connection that did not come about lets the next request try")
    func failure() {
        var pool = Pool(limit: 1, idleLimit: 10)
        #expect(pool.acquire("a", for: 1) == .open)
        #expect(pool.acquire("a", for: 2) == nil)
        #expect(pool.giveUp("a")?.0 == 2)
        #expect(pool.giveUp("a") == nil)
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
        #expect(next == nil && surplus.isEmpty)
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
