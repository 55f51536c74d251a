//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DequeModule

/// Which connection a request gets: a value without sockets, clocks and threads.
///
/// A connection is used by one request at a time. Requests for one key wait in the order of asking when it has as many
/// connections as it may.
struct ConnectionPool<Key: Hashable & Sendable, Connection: Hashable & Sendable, Waiter: Hashable & Sendable>: Sendable
{
    /// What a request does next.
    enum Answer: Hashable, Sendable {
        /// Use this one.
        case use(Connection)
        /// Open one, and say what came of it.
        case open
    }

    private struct Place {
        /// The connections that are opened or used.
        var leased = 0
        /// Those that nothing uses, the one that was used last at the end.
        var idle: [Connection] = []
        var waiters: Deque<Waiter> = []

        var isEmpty: Bool { self.leased == 0 && self.idle.isEmpty && self.waiters.isEmpty }
    }

    /// The connections of one key.
    let limit: Int
    /// The connections that nothing uses, of all keys.
    let idleLimit: Int
    private var places: [Key: Place] = [:]
    /// Where those are that nothing uses, the oldest first.
    private var idle: Deque<(key: Key, connection: Connection)> = []

    init(limit: Int, idleLimit: Int) { (self.limit, self.idleLimit) = (max(1, limit), max(0, idleLimit)) }

    /// Asks for a connection.
    ///
    /// - Returns: `nil` when the waiter has to wait.
    mutating func acquire(_ key: Key, for waiter: Waiter) -> Answer? {
        var place = self.places[key] ?? Place()
        defer { self.places[key] = place }
        if let connection = place.idle.popLast() {
            place.leased += 1
            self.forget(connection)
            return .use(connection)
        }
        guard place.leased < self.limit else {
            place.waiters.append(waiter)
            return nil
        }
        place.leased += 1
        return .open
    }

    /// Gives a connection back.
    ///
    /// - Parameter isReusable: Whether another request can use it. Otherwise the caller closes it.
    /// - Returns: The waiter that goes on, and how; the connections to close, as too many are idle.
    mutating func release(
        _ connection: Connection, of key: Key, isReusable: Bool
    ) -> (next: (Waiter, Answer)?, surplus: [Connection]) {
        guard isReusable else { return (self.giveUp(key), []) }
        guard var place = self.places[key] else { return (nil, [connection]) }
        if let waiter = place.waiters.popFirst() {
            self.places[key] = place
            return ((waiter, .use(connection)), [])
        }
        place.leased -= 1
        place.idle.append(connection)
        self.places[key] = place
        self.idle.append((key, connection))
        return (nil, self.removeSurplus())
    }

    /// Gives the right to a connection back that was never opened, or is closed.
    ///
    /// - Returns: The waiter that opens one in its place.
    mutating func giveUp(_ key: Key) -> (Waiter, Answer)? {
        guard var place = self.places[key] else { return nil }
        defer { self.places[key] = place.isEmpty ? nil : place }
        if let waiter = place.waiters.popFirst() { return (waiter, .open) }
        place.leased -= 1
        return nil
    }

    /// Takes a connection out that nothing uses, as it was closed or is too old.
    ///
    /// - Returns: Whether it was there.
    mutating func remove(_ connection: Connection, of key: Key) -> Bool {
        guard var place = self.places[key], let index = place.idle.firstIndex(of: connection) else { return false }
        place.idle.remove(at: index)
        self.places[key] = place.isEmpty ? nil : place
        self.forget(connection)
        return true
    }

    /// Takes a waiter out.
    ///
    /// - Returns: Whether it still waited.
    mutating func cancel(_ waiter: Waiter, of key: Key) -> Bool {
        guard var place = self.places[key], let index = place.waiters.firstIndex(of: waiter) else { return false }
        place.waiters.remove(at: index)
        self.places[key] = place.isEmpty ? nil : place
        return true
    }

    /// Takes out all connections that nothing uses.
    mutating func removeIdle() -> [Connection] {
        let connections = self.idle.map(\.connection)
        for (key, connection) in self.idle { _ = self.remove(connection, of: key) }
        return connections
    }

    private mutating func removeSurplus() -> [Connection] {
        var surplus: [Connection] = []
        while self.idle.count > self.idleLimit, let (key, connection) = self.idle.first {
            _ = self.remove(connection, of: key)
            surplus.append(connection)
        }
        return surplus
    }

    private mutating func forget(_ connection: Connection) {
        // The one that was used last is asked for most often.
        guard let index = self.idle.lastIndex(where: { $0.connection == connection }) else { return }
        self.idle.remove(at: index)
    }
}
