//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustNIO
import TLSWire

/// TLS with an `https` proxy. Its chain passes the same gate as a server's.
struct ProxyTLS: Sendable {
    private let gate: ServerTrustGate

    init(trust: TrustConfiguration, timeout: Duration) {
        var settings = ServerTrustSettings(trust: trust, transportSecurity: .withoutAppTransportSecurity)
        settings.tls.applicationProtocols = ["http/1.1"]
        settings.handshakeTimeout = timeout
        self.gate = ServerTrustGate(settings)
    }

    /// Begins TLS on a connection to a proxy.
    ///
    /// - Returns: Success once the proxy is trusted. The error is a `ConnectionFailure`.
    func secure(_ channel: any Channel, with proxy: Proxy) -> EventLoopFuture<Void> {
        let outcome = channel.eventLoop.makePromise(of: GatedConnection.self)
        do {
            let destination = ATSDestination(try Host(proxy.host), scheme: .https, port: proxy.port)
            try channel.pipeline.syncOperations.addServerTrustHandlers(self.gate, for: destination, outcome: outcome)
        } catch {
            outcome.fail(error)
        }
        return outcome.futureResult.map { _ in }.flatMapErrorThrowing { error in
            let text = TransportErrorText.text(of: error, from: "it")
            throw ConnectionFailure.proxy(ProxyRefusal(proxy, .untrusted(text)))
        }
    }
}
