//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DequeModule

/// The assignment of connections to requests, as a value without sockets, clocks and threads.
///
/// A connection carries one request at a time, or several if its server uses HTTP/2. Requests for a key wait in their order while
/// the key has its maximum number of connections, or while a connection is being opened that may carry all of them.
struct ConnectionPool<Key: Hashable & Sendable, Connection: Hashable & Sendable, Waiter: Hashable & Sendable>: Sendable
{
    /// The next step of a request.
    enum Answer: Hashable, Sendable {
        case use(Connection)
        /// Open a connection and report the result.
        case open
    }

    typealias Turn = (Waiter, Answer)

    /// A connection that carries several requests.
    private struct Shared {
        let connection: Connection
        var requests: Int
        var capacity: Int

        var hasRoom: Bool { self.requests < self.capacity }
    }

    private struct Place {
        /// The number of connections that are being opened, carry a request, or are shared.
        var leased = 0
        var opening = 0
        /// The idle connections without the shared ones, the most recently used last.
        var idle: [Connection] = []
        var shared: [Shared] = []
        /// `true` if the server may use HTTP/2, as far as the last attempt to connect to it shows.
        var mayShare = false
        var waiters: Deque<Waiter> = []
        /// The number of times that a non-preferred connection was used since one was last opened for that reason.
        var detours = 0

        /// Returns `true` if another connection may be opened. One that is being opened may carry all waiting requests.
        func mayOpen(limit: Int) -> Bool { self.leased < limit && !(self.mayShare && self.opening > 0) }

        var isEmpty: Bool { self.leased == 0 && self.idle.isEmpty && self.waiters.isEmpty }
    }

    /// The number of detours that cost as much as a handshake, because each one wakes two threads.
    private static var detoursPerHandshake: Int { 16 }

    /// The maximum number of connections of one key.
    let limit: Int
    /// The maximum number of idle connections of all keys.
    let idleLimit: Int
    private var places: [Key: Place] = [:]
    /// The idle connections of all keys, the oldest first.
    private var idle: Deque<(key: Key, connection: Connection)> = []

    init(limit: Int, idleLimit: Int) { (self.limit, self.idleLimit) = (max(1, limit), max(0, idleLimit)) }

    /// Requests a connection.
    ///
    /// - Parameters:
    ///   - key: The required properties of the connection.
    ///   - waiter: The waiter that represents the request.
    ///   - mayShare: `true` if the server may use HTTP/2.
    ///   - prefers: Returns `true` for idle connections to use first. If others are used often, a new connection is opened.
    /// - Returns: The next step, or `nil` if the waiter must wait.
    mutating func acquire(
        _ key: Key, for waiter: Waiter, mayShare: Bool = false, prefers: (Connection) -> Bool = { _ in true }
    ) -> Answer? {
        // The place is removed from the dictionary, so that its arrays are changed without a copy.
        var place = self.places.removeValue(forKey: key) ?? Place(mayShare: mayShare)
        defer { self.places[key] = place }
        if let connection = self.share(&place) { return .use(connection) }
        if let index = place.idle.lastIndex(where: prefers) ?? self.detour(&place) {
            let connection = place.idle.remove(at: index)
            place.leased += 1
            self.forget(connection)
            return .use(connection)
        }
        guard place.mayOpen(limit: self.limit) else {
            place.waiters.append(waiter)
            return nil
        }
        place.leased += 1
        place.opening += 1
        return .open
    }

    /// Returns an idle connection that is not preferred, or `nil` if there is none or another one should be opened.
    private func detour(_ place: inout Place) -> Int? {
        guard let index = place.idle.indices.last else { return nil }
        place.detours += 1
        let mayOpen = place.leased + place.idle.count < self.limit
        guard mayOpen, place.detours > Self.detoursPerHandshake else { return index }
        place.detours = 0
        return nil
    }

    /// Adds a request to the least busy shared connection and returns it, or `nil` if none has room.
    private mutating func share(_ place: inout Place) -> Connection? {
        guard !place.shared.isEmpty else { return nil }
        let open = place.shared.indices.filter { place.shared[$0].hasRoom }
        guard let index = open.min(by: { place.shared[$0].requests < place.shared[$1].requests }) else { return nil }
        if place.shared[index].requests == 0 { self.forget(place.shared[index].connection) }
        place.shared[index].requests += 1
        return place.shared[index].connection
    }

    /// Adds a connection that was opened and carries the request that opened it.
    ///
    /// - Parameter capacity: The maximum number of concurrent requests, or `nil` for a connection that is not shared.
    /// - Returns: The waiters that continue, with their next steps.
    mutating func opened(_ connection: Connection, of key: Key, capacity: Int?) -> [Turn] {
        guard var place = self.places[key] else { return [] }
        place.opening -= 1
        place.mayShare = capacity != nil
        if let capacity { place.shared.append(Shared(connection: connection, requests: 1, capacity: max(1, capacity))) }
        return self.serveWaiters(of: key, place)
    }

    /// Changes the maximum number of concurrent requests of a shared connection.
    mutating func resize(_ connection: Connection, of key: Key, capacity: Int) -> [Turn] {
        guard var place = self.places[key],
            let index = place.shared.firstIndex(where: { $0.connection == connection })
        else { return [] }
        place.shared[index].capacity = max(1, capacity)
        return self.serveWaiters(of: key, place)
    }

    /// Removes a shared connection, which finishes its requests and gets no others.
    mutating func retire(_ connection: Connection, of key: Key) -> [Turn] {
        guard var place = self.places[key],
            let index = place.shared.firstIndex(where: { $0.connection == connection })
        else { return [] }
        if place.shared.remove(at: index).requests == 0 { self.forget(connection) }
        place.leased -= 1
        return self.serveWaiters(of: key, place)
    }

    /// Continues waiters as far as there is room, on shared connections first.
    private mutating func serveWaiters(of key: Key, _ place: Place) -> [Turn] {
        var place = place
        var turns: [Turn] = []
        while let waiter = place.waiters.first {
            if let connection = self.share(&place) {
                turns.append((waiter, .use(connection)))
            } else if place.mayOpen(limit: self.limit) {
                place.leased += 1
                place.opening += 1
                turns.append((waiter, .open))
            } else {
                break
            }
            place.waiters.removeFirst()
        }
        self.places[key] = place.isEmpty ? nil : place
        return turns
    }

    /// Returns a connection to the pool.
    ///
    /// - Parameter isReusable: `true` if another request can use the connection. Otherwise the caller closes it.
    /// - Returns: The waiter that continues, with its next step, and the surplus idle connections that the caller must close.
    mutating func release(
        _ connection: Connection, of key: Key, isReusable: Bool
    ) -> (next: [Turn], surplus: [Connection]) {
        guard isReusable else { return (self.giveUp(key, wasOpening: false), []) }
        guard var place = self.places.removeValue(forKey: key) else { return ([], [connection]) }
        if let waiter = place.waiters.popFirst() {
            self.places[key] = place
            return ([(waiter, .use(connection))], [])
        }
        place.leased -= 1
        place.idle.append(connection)
        self.places[key] = place
        self.idle.append((key, connection))
        return ([], self.removeSurplus())
    }

    /// Ends a request on a shared connection. Does nothing if the connection was removed.
    mutating func releaseShared(_ connection: Connection, of key: Key) -> (next: [Turn], surplus: [Connection]) {
        guard var place = self.places[key],
            let index = place.shared.firstIndex(where: { $0.connection == connection })
        else { return ([], []) }
        place.shared[index].requests -= 1
        let isIdle = place.shared[index].requests == 0
        if isIdle { self.idle.append((key, connection)) }
        let turns = self.serveWaiters(of: key, place)
        return (turns, isIdle && turns.isEmpty ? self.removeSurplus() : [])
    }

    /// Gives up the right to a connection that was not opened, or that is closed.
    ///
    /// - Returns: The waiter that opens a connection in its place.
    mutating func giveUp(_ key: Key, wasOpening: Bool = true) -> [Turn] {
        guard var place = self.places[key] else { return [] }
        place.leased -= 1
        if wasOpening {
            place.opening -= 1
            // If the server does not answer, the waiting requests must not wait for each other as well.
            place.mayShare = false
        }
        return self.serveWaiters(of: key, place)
    }

    /// Removes an idle connection that was closed or is too old.
    ///
    /// - Returns: `true` if the connection was idle in the pool.
    mutating func remove(_ connection: Connection, of key: Key) -> Bool {
        guard var place = self.places[key] else { return false }
        if let index = place.idle.firstIndex(of: connection) {
            place.idle.remove(at: index)
        } else if let index = place.shared.firstIndex(where: { $0.connection == connection && $0.requests == 0 }) {
            place.shared.remove(at: index)
            place.leased -= 1
        } else {
            return false
        }
        self.places[key] = place.isEmpty ? nil : place
        self.forget(connection)
        return true
    }

    /// Removes a waiter.
    ///
    /// - Returns: `true` if it was still waiting.
    mutating func cancel(_ waiter: Waiter, of key: Key) -> Bool {
        guard var place = self.places[key], let index = place.waiters.firstIndex(of: waiter) else { return false }
        place.waiters.remove(at: index)
        self.places[key] = place.isEmpty ? nil : place
        return true
    }

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
        // The search starts at the most recently used connection, which is the most likely one.
        guard let index = self.idle.lastIndex(where: { $0.connection == connection }) else { return }
        self.idle.remove(at: index)
    }
}
