//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DequeModule

/// Which connection a request gets: a value without sockets, clocks and threads.
///
/// A connection carries one request at a time, or, where its server speaks HTTP/2, several. Requests for one key wait in the
/// order of asking when it has as many connections as it may, and while one is opened that may carry all of them.
struct ConnectionPool<Key: Hashable & Sendable, Connection: Hashable & Sendable, Waiter: Hashable & Sendable>: Sendable
{
    /// What a request does next.
    enum Answer: Hashable, Sendable {
        /// Use this one.
        case use(Connection)
        /// Open one, and say what came of it.
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
        /// The connections that are opened, or carry a request, or are shared.
        var leased = 0
        var opening = 0
        /// Those that nothing uses, the one that was used last at the end; without those that are shared.
        var idle: [Connection] = []
        var shared: [Shared] = []
        /// Whether the server may speak HTTP/2: the last connection to it came about, if there was one, and had HTTP/2.
        var mayShare = false
        var waiters: Deque<Waiter> = []
        /// How often a connection was taken that was not preferred, since one was opened for that reason.
        var detours = 0

        /// Whether another connection may be opened. One that is being opened may carry all that wait.
        func mayOpen(limit: Int) -> Bool { self.leased < limit && !(self.mayShare && self.opening > 0) }

        var isEmpty: Bool { self.leased == 0 && self.idle.isEmpty && self.waiters.isEmpty }
    }

    /// How many detours cost as much as a handshake: each wakes two threads.
    private static var detoursPerHandshake: Int { 16 }

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
    /// - Parameters:
    ///   - key: What the connection must be.
    ///   - waiter: Who asks.
    ///   - mayShare: Whether the server may turn out to speak HTTP/2.
    ///   - prefers: Whether a connection that nothing uses is taken before others. Where others are taken often, one is opened.
    /// - Returns: `nil` when the waiter has to wait.
    mutating func acquire(
        _ key: Key, for waiter: Waiter, mayShare: Bool = false, prefers: (Connection) -> Bool = { _ in true }
    ) -> Answer? {
        // Taken out, so that its arrays are changed where they are and not copied.
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

    /// A connection that is idle and not preferred; `nil` without one, or where it is time to open another.
    private func detour(_ place: inout Place) -> Int? {
        guard let index = place.idle.indices.last else { return nil }
        place.detours += 1
        let mayOpen = place.leased + place.idle.count < self.limit
        guard mayOpen, place.detours > Self.detoursPerHandshake else { return index }
        place.detours = 0
        return nil
    }

    /// The least busy of the shared connections, with another request on it.
    private mutating func share(_ place: inout Place) -> Connection? {
        guard !place.shared.isEmpty else { return nil }
        let open = place.shared.indices.filter { place.shared[$0].hasRoom }
        guard let index = open.min(by: { place.shared[$0].requests < place.shared[$1].requests }) else { return nil }
        if place.shared[index].requests == 0 { self.forget(place.shared[index].connection) }
        place.shared[index].requests += 1
        return place.shared[index].connection
    }

    /// Says that a connection was opened, which carries the request of the one who opened it.
    ///
    /// - Parameter capacity: How many requests it carries at a time; `nil` for one, and then the next.
    /// - Returns: The waiters that go on, and how.
    mutating func opened(_ connection: Connection, of key: Key, capacity: Int?) -> [Turn] {
        guard var place = self.places[key] else { return [] }
        place.opening -= 1
        place.mayShare = capacity != nil
        if let capacity { place.shared.append(Shared(connection: connection, requests: 1, capacity: max(1, capacity))) }
        return self.serveWaiters(of: key, place)
    }

    /// Says how many requests a shared connection carries from now on.
    mutating func resize(_ connection: Connection, of key: Key, capacity: Int) -> [Turn] {
        guard var place = self.places[key],
            let index = place.shared.firstIndex(where: { $0.connection == connection })
        else { return [] }
        place.shared[index].capacity = max(1, capacity)
        return self.serveWaiters(of: key, place)
    }

    /// Takes a shared connection out, which carries its requests to their end and no others.
    mutating func retire(_ connection: Connection, of key: Key) -> [Turn] {
        guard var place = self.places[key],
            let index = place.shared.firstIndex(where: { $0.connection == connection })
        else { return [] }
        if place.shared.remove(at: index).requests == 0 { self.forget(connection) }
        place.leased -= 1
        return self.serveWaiters(of: key, place)
    }

    /// Has waiters go on as far as there is room, on shared connections first.
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

    /// Gives a connection back.
    ///
    /// - Parameter isReusable: Whether another request can use it. Otherwise the caller closes it.
    /// - Returns: The waiter that goes on, and how; the connections to close, as too many are idle.
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

    /// Gives a request back that a shared connection carried. One that was taken out is known no more.
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

    /// Gives the right to a connection back that was never opened, or is closed.
    ///
    /// - Returns: The waiter that opens one in its place.
    mutating func giveUp(_ key: Key, wasOpening: Bool = true) -> [Turn] {
        guard var place = self.places[key] else { return [] }
        place.leased -= 1
        if wasOpening {
            place.opening -= 1
            // Otherwise those that wait for a server that does not answer would wait for each other, too.
            place.mayShare = false
        }
        return self.serveWaiters(of: key, place)
    }

    /// Takes a connection out that nothing uses, as it was closed or is too old.
    ///
    /// - Returns: Whether it was there.
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
