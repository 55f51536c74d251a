//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import Synchronization

/// The connections of clients: as many as a limit says, and all of them told when the proxy stops.
final class ClientRegistry: Sendable {
    private struct Client {
        let stream: ClientStream
        /// Whether a request is under way.
        var isBusy = false
        /// Ends a connection of several requests at once behind those under way; `nil` for one of HTTP/1.1.
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

    /// Says at which port the proxy listens.
    func listens(at port: Int) { self.state.withLock { $0.port = port } }

    /// Whether a port of this machine is not the proxy's own. As long as its own is not known, no port is.
    func isElsewhere(_ port: Int?) -> Bool {
        guard let own = self.state.withLock({ $0.port }), let port else { return false }
        return port != own
    }

    /// Whether no more requests are begun.
    var isStopping: Bool { self.state.withLock { $0.isStopping } }

    /// The number of connections.
    var count: Int { self.state.withLock { $0.clients.count } }

    /// Takes a connection in.
    ///
    /// - Returns: Its number; `nil` where there are too many, or the proxy stops.
    func add(_ stream: ClientStream) -> Int? {
        self.state.withLock { state in
            guard !state.isStopping, state.clients.count < self.limit else { return nil }
            state.lastNumber += 1
            state.clients[state.lastNumber] = Client(stream: stream)
            return state.lastNumber
        }
    }

    /// Notes whether a request is under way: without one a connection is closed when the proxy stops.
    func setBusy(_ isBusy: Bool, _ number: Int) {
        self.state.withLock { $0.clients[number]?.isBusy = isBusy }
    }

    /// Says how a connection of several requests at once is ended when the proxy stops.
    func onStop(_ number: Int, _ stop: @escaping @Sendable () -> Void) {
        let isStopping = self.state.withLock { state in
            state.clients[number]?.stop = stop
            return state.isStopping
        }
        if isStopping { stop() }
    }

    /// Lets a connection go.
    func remove(_ number: Int) {
        self.state.withLock { state in
            state.clients[number] = nil
            if state.clients.isEmpty { state.emptied?.succeed() }
        }
    }

    /// Ends the connections without a request at once, and the others after a time.
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
