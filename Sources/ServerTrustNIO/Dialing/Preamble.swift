//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// The exchange before TLS: with the proxy, then with the server.
struct Preamble: Sendable {
    private let way: Proxy?
    private var proxy: ProxyConversation?
    private var server: StartTLSConversation?

    /// Creates the exchange. Returns `nil` if TLS comes first.
    ///
    /// - Parameters:
    ///   - target: The server in the proxy's terms, or `nil` if its address cannot be expressed in them.
    ///   - proxy: The proxy, or `nil` if there is none.
    ///   - startTLS: The server's protocol before TLS, or `nil` if there is none.
    ///   - serverName: The name of the server, for XMPP.
    /// - Throws: `ConnectionFailure` if the proxy cannot be asked for the server.
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

    /// The next step of the exchange.
    enum Step: Sendable {
        /// Send these bytes, and wait for an answer.
        case send([UInt8])
        /// Send these bytes, then begin TLS.
        case ready([UInt8])
    }

    mutating func start() -> [UInt8] {
        let first = self.proxy?.start()
        return first ?? self.server?.start() ?? []
    }

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

    /// `true` if the server must speak first. A server that expects TLS at once would wait as well, so both sides would wait.
    var awaitsServer: Bool { self.proxy == nil && self.server?.protocol.serverSpeaksFirst == true }

    /// Returns the failure for an exchange that ended before TLS could begin.
    func failure(_ failure: ConnectionFailure) -> ConnectionFailure {
        if self.proxy != nil, let way = self.way {
            return .proxy(ProxyRefusal(way, failure == .timedOut(.silent) ? .silent : .closed))
        }
        switch failure {
        case .closed: return .preamble("The connection was closed before TLS could begin.", mayPass: true)
        case .reset: return .preamble("The connection was reset before TLS could begin.", mayPass: true)
        case .timedOut(.silent): return self.server.map { .timedOut(Self.phase(of: $0)) } ?? failure
        default: return failure
        }
    }

    private static func phase(of conversation: StartTLSConversation) -> ConnectionFailure.Phase {
        conversation.unanswered.map { .beforeTLS(unanswered: $0) } ?? .greeting(conversation.protocol)
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
