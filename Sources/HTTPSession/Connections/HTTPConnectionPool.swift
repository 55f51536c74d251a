//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix
import Synchronization

/// A pool of idle connections for reuse by later requests.
///
/// Sessions may share a pool. A connection serves only requests of sessions with exactly the rules that its server
/// was evaluated by.
///
/// ```swift
/// let pool = HTTPConnectionPool()
/// var configuration = HTTPSessionConfiguration(trust: trust, pool: pool)
/// ```
public final class HTTPConnectionPool: Sendable {
    /// The limits on the number and age of connections.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of connections for one combination of host, port, proxy and rules.
        public var perHost = 8
        /// The maximum number of idle connections to all hosts.
        public var idle = 256
        /// The time after which an idle connection is closed.
        public var idleTime = Duration.seconds(60)

        /// Creates the default limits.
        public init() {}
    }

    private typealias Pool = ConnectionPool<ConnectionKey, HTTPConnection, UInt64>

    private struct State {
        var pool: Pool
        var lastWaiter: UInt64 = 0
        var waiters: [UInt64: EventLoopPromise<Pool.Answer>] = [:]

        mutating func turn(for key: ConnectionKey, on preferred: (any EventLoop)?) -> Turn {
            self.lastWaiter += 1
            let answer = self.pool.acquire(key, for: self.lastWaiter, mayShare: key.mayShare) {
                preferred == nil || $0.channel.eventLoop === preferred
            }
            if let answer { return .now(answer) }
            let promise = HTTPConnectionPool.waitingLoop.makePromise(of: Pool.Answer.self)
            self.waiters[self.lastWaiter] = promise
            return .later(self.lastWaiter, promise)
        }
    }

    private enum Turn: Sendable {
        case now(Pool.Answer)
        case later(UInt64, EventLoopPromise<Pool.Answer>)
    }

    /// The event loops over which connections are spread. The group's own rotation is not used, because it has other users: two
    /// users in step could put all connections on one event loop.
    private static let eventLoops = Array(MultiThreadedEventLoopGroup.singleton.makeIterator())

    private let idleTime: TimeAmount
    private let openedCount = Atomic<Int>(0)
    private let state: Mutex<State>

    /// Creates an empty pool.
    public init(limits: Limits = Limits()) {
        self.idleTime = TimeAmount(min(max(limits.idleTime, .milliseconds(1)), .seconds(86_400)))
        self.state = Mutex(State(pool: Pool(limit: limits.perHost, idleLimit: limits.idle)))
    }

    deinit {
        for connection in self.state.withLock({ $0.pool.removeIdle() }) { connection.close() }
    }

    /// Closes all idle connections.
    public func closeIdleConnections() {
        for connection in self.state.withLock({ $0.pool.removeIdle() }) { connection.close() }
    }

    /// Returns a connection for a request. The caller must release it.
    ///
    /// - Parameters:
    ///   - key: The required properties of the connection.
    ///   - deadline: The deadline for waiting for a connection.
    ///   - preferred: The preferred event loop of the connection, or `nil` to use any.
    ///   - open: A closure that opens a connection on an event loop if no idle one is available.
    /// - Returns: The connection, and `true` if an earlier request used it.
    func connection(
        for key: ConnectionKey, until deadline: NIODeadline, on preferred: (any EventLoop)? = nil,
        open: (any EventLoop) async throws -> HTTPConnection
    ) async throws -> (HTTPConnection, isReused: Bool) {
        while true {
            switch try await self.answer(for: key, until: deadline, on: preferred) {
            case .use(let connection):
                guard connection.isActive else {
                    self.release(connection, isReusable: false)
                    self.retire(connection)
                    continue
                }
                return (connection, true)
            case .open:
                do {
                    let connection = try await open(preferred ?? self.nextEventLoop())
                    await self.take(connection)
                    return (connection, false)
                } catch {
                    self.giveUp(key)
                    throw error
                }
            }
        }
    }

    private func nextEventLoop() -> any EventLoop {
        let count = self.openedCount.wrappingAdd(1, ordering: .relaxed).oldValue
        guard !Self.eventLoops.isEmpty else { return MultiThreadedEventLoopGroup.singleton.any() }
        return Self.eventLoops[Int(UInt(bitPattern: count) % UInt(Self.eventLoops.count))]
    }

    /// Returns a connection to the pool.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - isReusable: `true` if another request can use the connection. Otherwise it is closed.
    func release(_ connection: HTTPConnection, isReusable: Bool) {
        let isReusable = isReusable && connection.isActive
        connection.touch()
        let surplus = self.state.withLock { state in
            let (next, surplus) =
                connection.isShared
                ? state.pool.releaseShared(connection, of: connection.key)
                : state.pool.release(connection, of: connection.key, isReusable: isReusable)
            Self.resume(next, &state)
            return surplus
        }
        // The end of a request does not close a shared connection.
        if !isReusable, !connection.isShared { connection.close() }
        for connection in surplus { connection.close() }
    }

    private func giveUp(_ key: ConnectionKey) {
        self.state.withLock { state in Self.resume(state.pool.giveUp(key), &state) }
    }

    private static func resume(_ turns: [Pool.Turn], _ state: inout State) {
        for (waiter, answer) in turns { state.waiters.removeValue(forKey: waiter)?.succeed(answer) }
    }

    // MARK: Waiting

    /// The event loop of the promises and timers of waiting requests.
    private static let waitingLoop = HTTPConnectionPool.eventLoops.first ?? MultiThreadedEventLoopGroup.singleton.any()

    private func answer(
        for key: ConnectionKey, until deadline: NIODeadline, on preferred: (any EventLoop)?
    ) async throws -> Pool.Answer {
        let turn = self.state.withLock { $0.turn(for: key, on: preferred) }
        let waiter: UInt64
        let promise: EventLoopPromise<Pool.Answer>
        switch turn {
        case .now(let answer): return answer
        case .later(let place, let promised): (waiter, promise) = (place, promised)
        }
        let timer = Self.waitingLoop.scheduleTask(deadline: deadline) {
            self.fail(waiter, of: key, with: PoolTimeout())
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            self.fail(waiter, of: key, with: CancellationError())
        }
    }

    private func fail(_ waiter: UInt64, of key: ConnectionKey, with error: any Error) {
        self.state.withLock { state in
            guard state.pool.cancel(waiter, of: key) else { return }
            state.waiters.removeValue(forKey: waiter)?.fail(error)
        }
    }

    // MARK: Connections that come and go

    /// Adds an opened connection. It is removed when it is closed, accepts no more requests, or has been idle for too long.
    private func take(_ connection: HTTPConnection) async {
        await connection.join { [weak self] capacity in
            self?.state.withLock { state in
                Self.resume(state.pool.opened(connection, of: connection.key, capacity: capacity), &state)
            }
        } onChange: { [weak self] in
            self?.change(connection, to: $0)
        }
        connection.channel.closeFuture.whenComplete { [weak self] _ in
            self?.state.withLock { state in
                Self.resume(state.pool.retire(connection, of: connection.key), &state)
                _ = state.pool.remove(connection, of: connection.key)
            }
        }
        self.checkAge(of: connection, in: self.idleTime)
    }

    /// Removes a shared connection, so that it gets no further requests.
    private func retire(_ connection: HTTPConnection) {
        self.state.withLock { state in Self.resume(state.pool.retire(connection, of: connection.key), &state) }
    }

    private func change(_ connection: HTTPConnection, to capacity: HTTP2ConnectionHandler.Capacity) {
        self.state.withLock { state in
            let turns =
                switch capacity {
                case .streams(let count): state.pool.resize(connection, of: connection.key, capacity: count)
                case .none: state.pool.retire(connection, of: connection.key)
                }
            Self.resume(turns, &state)
        }
    }

    private func checkAge(of connection: HTTPConnection, in time: TimeAmount) {
        connection.channel.eventLoop.scheduleTask(in: time) { [weak self] in
            guard let self, connection.isActive else { return }
            let left = connection.lastUse + self.idleTime - .now()
            guard left <= .zero else { return self.checkAge(of: connection, in: left) }
            // A connection in use is checked again later.
            guard self.state.withLock({ $0.pool.remove(connection, of: connection.key) }) else {
                return self.checkAge(of: connection, in: self.idleTime)
            }
            connection.close()
        }
    }
}

/// An error for a wait for a connection that exceeded its deadline.
struct PoolTimeout: Error {}
