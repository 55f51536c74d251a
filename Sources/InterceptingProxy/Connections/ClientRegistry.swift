//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import Synchronization

/// The connections of clients, limited in number and ended together when the proxy stops.
final class ClientRegistry: Sendable {
    private struct Client {
        let stream: ClientStream
        var isBusy = false
        /// A closure that ends a connection with concurrent requests after those in progress. `nil` for HTTP/1.1.
        var stop: (@Sendable () -> Void)?
    }

    private struct State {
        var clients: [Int: Client] = [:]
        var lastNumber = 0
        var isStopping = false
        var emptied: EventLoopPromise<Void>?
        var port: Int?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) { self.limit = max(limit, 1) }

    func listens(at port: Int) { self.state.withLock { $0.port = port } }

    /// Returns `true` if a local port is not the proxy's own. Returns `false` while the proxy's own port is unknown.
    func isElsewhere(_ port: Int?) -> Bool {
        guard let own = self.state.withLock({ $0.port }), let port else { return false }
        return port != own
    }

    var isStopping: Bool { self.state.withLock { $0.isStopping } }

    var count: Int { self.state.withLock { $0.clients.count } }

    /// Adds a connection.
    ///
    /// - Returns: The number of the connection, or `nil` if there are too many or the proxy stops.
    func add(_ stream: ClientStream) -> Int? {
        self.state.withLock { state in
            guard !state.isStopping, state.clients.count < self.limit else { return nil }
            state.lastNumber += 1
            state.clients[state.lastNumber] = Client(stream: stream)
            return state.lastNumber
        }
    }

    /// Stores if a request is in progress. Connections without one are closed when the proxy stops.
    func setBusy(_ isBusy: Bool, _ number: Int) {
        self.state.withLock { $0.clients[number]?.isBusy = isBusy }
    }

    /// Sets the closure that ends a connection with concurrent requests. It is called at once if the proxy is already stopping.
    func onStop(_ number: Int, _ stop: @escaping @Sendable () -> Void) {
        let isStopping = self.state.withLock { state in
            state.clients[number]?.stop = stop
            return state.isStopping
        }
        if isStopping { stop() }
    }

    func remove(_ number: Int) {
        self.state.withLock { state in
            state.clients[number] = nil
            if state.clients.isEmpty { state.emptied?.succeed() }
        }
    }

    /// Closes idle connections at once and all others after a time limit.
    func stop(within time: Duration, on eventLoop: any EventLoop) async {
        let emptied = eventLoop.makePromise(of: Void.self)
        let clients = self.state.withLock { state in
            (state.isStopping, state.emptied) = (true, emptied)
            if state.clients.isEmpty { emptied.succeed() }
            return Array(state.clients.values)
        }
        for client in clients {
            if let stop = client.stop { stop() } else if !client.isBusy { client.stream.close() }
        }
        let timer = eventLoop.scheduleTask(in: TimeAmount(time)) { self.closeAll() }
        try? await emptied.futureResult.get()
        timer.cancel()
    }

    private func closeAll() {
        for client in self.state.withLock({ Array($0.clients.values) }) { client.stream.close() }
    }
}
