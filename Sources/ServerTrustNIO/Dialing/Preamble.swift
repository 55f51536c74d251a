//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// The words on a connection before TLS: to a proxy, then to the server.
struct Preamble: Sendable {
    private let way: Proxy?
    private var proxy: ProxyConversation?
    private var server: StartTLSConversation?

    /// A preamble.
    ///
    /// - Parameters:
    ///   - target: The server as a proxy is told of it; `nil` for a server that no proxy can be told of.
    ///   - proxy: The proxy; `nil` for none.
    ///   - startTLS: The protocol of the server before TLS; `nil` for none.
    ///   - serverName: The name of the server, for XMPP.
    /// - Returns: `nil` where TLS comes first.
    /// - Throws: ``ConnectionFailure`` when the proxy cannot be asked for the server.
    init?(
        to target: ProxyTarget?, through proxy: Proxy?, startTLS: StartTLSProtocol?, serverName: String
    ) throws(ConnectionFailure) {
        guard proxy != nil || startTLS != nil else { return nil }
        self.way = proxy
        self.server = startTLS.map { StartTLSConversation($0, serverName: serverName) }
        guard let proxy else { return }
        do throws(ProxyRefusal) {
            guard let target else { throw ProxyRefusal(proxy, .unusableTarget) }
            self.proxy = try ProxyConversation(
                proxy, to: target, serverSpeaksFirst: startTLS?.serverSpeaksFirst == true)
        } catch {
            throw .proxy(error)
        }
    }

    /// The next thing to do.
    enum Step: Sendable {
        /// Send these, and wait.
        case send([UInt8])
        /// Send these, and TLS may begin.
        case ready([UInt8])
    }

    /// The first words.
    mutating func start() -> [UInt8] {
        let first = self.proxy?.start()
        return first ?? self.server?.start() ?? []
    }

    /// Takes the next bytes.
    mutating func receive(_ bytes: [UInt8]) throws(ConnectionFailure) -> Step {
        guard var proxy = self.proxy else { return try self.receiveFromServer(bytes) }
        let step = proxy.receive(bytes)
        self.proxy = proxy
        switch step {
        case .wait: return .send([])
        case .send(let answer): return .send(answer)
        case .refused(let refusal): throw .proxy(refusal)
        case .ready:
            self.proxy = nil
            guard let first = self.server?.start() else { return .ready([]) }
            return proxy.remainder.isEmpty ? .send(first) : try self.receiveFromServer(proxy.remainder)
        }
    }

    /// Whether the server is to speak first, so that a server that speaks TLS at once waits as long as this side does.
    var awaitsServer: Bool { self.proxy == nil && self.server?.protocol.serverSpeaksFirst == true }

    /// The failure of a preamble that ends before TLS could begin.
    func failure(_ failure: ConnectionFailure) -> ConnectionFailure {
        if self.proxy != nil, let way = self.way {
            return .proxy(ProxyRefusal(way, failure == .timedOut(.silent) ? .silent : .closed))
        }
        switch failure {
        case .closed: return .preamble("The connection was closed before TLS could begin.", mayPass: true)
        case .reset: return .preamble("The connection was reset before TLS could begin.", mayPass: true)
        default: return failure
        }
    }

    private mutating func receiveFromServer(_ bytes: [UInt8]) throws(ConnectionFailure) -> Step {
        switch self.server?.receive(bytes) {
        case .wait: return .send([])
        case .send(let answer): return .send(answer)
        case .sendLast(let answer): return .ready(answer)
        case .ready, nil: return .ready([])
        case .refused(let refusal): throw .startTLS(refusal)
        }
    }
}
