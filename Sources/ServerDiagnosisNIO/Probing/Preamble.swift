//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust
import TLSProbe
import TLSWire

/// What is said on a connection before TLS: to a proxy, then to the server.
struct Preamble: Sendable {
    private var proxy: ProxyConversation?
    private let asked: Proxy?
    private var server: StartTLSConversation?

    /// - Returns: `nil` where TLS comes first.
    /// - Throws: ``ProbeFailure`` when the proxy cannot be asked for the server.
    init?(
        proxy: Proxy?, startTLS: StartTLSProtocol?, host: Host, port: Int, serverName: String
    ) throws(ProbeFailure) {
        guard proxy != nil || startTLS != nil else { return nil }
        self.asked = proxy
        self.server = startTLS.map { StartTLSConversation($0, serverName: serverName) }
        guard let proxy else { return }
        do throws(ProxyRefusal) {
            guard proxy.scheme != .https else { throw ProxyRefusal(proxy, .untrusted("it is not judged here.")) }
            guard let target = ProxyTarget(host.textInURL, address: host.address?.octets, port: port) else {
                throw ProxyRefusal(proxy, .unusableTarget)
            }
            self.proxy = try ProxyConversation(
                proxy, to: target, serverSpeaksFirst: startTLS?.serverSpeaksFirst == true)
        } catch {
            throw .proxy(error)
        }
    }

    /// What is to be done next.
    enum Step {
        case send([UInt8])
        /// Send these, and TLS may begin.
        case ready([UInt8])
    }

    mutating func start() -> Step {
        if self.proxy != nil { return .send(self.proxy?.start() ?? []) }
        return .send(self.server?.start() ?? [])
    }

    mutating func receive(_ bytes: [UInt8]) throws(ProbeFailure) -> Step {
        guard var proxy = self.proxy else { return try self.receiveFromServer(bytes) }
        let step = proxy.receive(bytes)
        self.proxy = proxy
        switch step {
        case .wait: return .send([])
        case .send(let answer): return .send(answer)
        case .refused(let refusal): throw .proxy(refusal)
        case .ready:
            self.proxy = nil
            guard self.server != nil else { return .ready([]) }
            let first = self.server?.start() ?? []
            guard !proxy.remainder.isEmpty else { return .send(first) }
            return try self.receiveFromServer(proxy.remainder)
        }
    }

    /// Whether the server is to speak first, so that one that speaks TLS at once waits as long as this side does.
    var awaitsServer: Bool { self.proxy == nil && self.server?.protocol.serverSpeaksFirst == true }

    /// What a preamble comes to that ends before TLS could begin.
    func failure(_ ending: Ending) -> ProbeFailure {
        if self.proxy != nil, let asked = self.asked {
            return .proxy(ProxyRefusal(asked, ending == .silence ? .silent : .closed))
        }
        return switch ending {
        case .silence: .timedOut(.silent)
        case .closed: .preamble("The connection was closed before TLS could begin.", mayPass: true)
        case .reset: .preamble("The connection was reset before TLS could begin.", mayPass: true)
        }
    }

    /// How a preamble ends before TLS could begin.
    enum Ending {
        case silence, closed, reset
    }

    private mutating func receiveFromServer(_ bytes: [UInt8]) throws(ProbeFailure) -> Step {
        switch self.server?.receive(bytes) {
        case .wait: return .send([])
        case .send(let answer): return .send(answer)
        case .sendLast(let answer): return .ready(answer)
        case .ready, nil: return .ready([])
        case .refused(let refusal): throw .startTLS(refusal)
        }
    }
}
