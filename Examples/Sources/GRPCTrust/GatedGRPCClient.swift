//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import NIOCore
import ServerTrust
import ServerTrustNIO

extension HTTP2ClientTransport.Posix {
    /// A transport whose every connection passes the gate: trust, pins and App Transport Security, the version and the cipher
    /// suite included.
    ///
    /// gRPC adds no TLS of its own. The gate's handlers stand in front of gRPC's.
    ///
    /// - Parameters:
    ///   - target: Where to connect to.
    ///   - gate: What is trusted and enforced. Its settings must offer HTTP/2: `settings.tls.applicationProtocols = ["h2"]`.
    ///   - destination: What servers' certificates must be for, wherever the target leads.
    ///   - config: gRPC's own settings. Its callback for TCP connections is replaced.
    ///   - refusal: Hears why a server is refused; gRPC's own error does not say it.
    /// - Returns: The transport.
    /// - Throws: ``GatedGRPCError`` if HTTP/2 is not offered; `ServerTrustGateError` if there can be no such connection.
    public static func gated(
        target: any ResolvableTarget, by gate: ServerTrustGate, for destination: ATSDestination,
        config: Config = .defaults, refusal: (@Sendable (any Error) -> Void)? = nil
    ) throws -> HTTP2ClientTransport.Posix {
        guard gate.settings.tls.applicationProtocols.contains("h2") else { throw GatedGRPCError.noHTTP2 }
        try gate.check(destination)
        var config = config
        config.channelDebuggingCallbacks.onCreateTCPConnection = { channel in
            channel.eventLoop.makeCompletedFuture {
                let outcome = channel.eventLoop.makePromise(of: GatedConnection.self)
                outcome.futureResult.whenComplete { result in
                    switch result {
                    // Without ALPN a server may take what follows for another protocol.
                    case .success(let connection) where connection.applicationProtocol != "h2":
                        refusal?(GatedGRPCError.noHTTP2)
                        channel.close(promise: nil)
                    case .success: break
                    case .failure(let error): refusal?(error)
                    }
                }
                try channel.pipeline.syncOperations.addServerTrustHandlers(
                    gate, for: destination, outcome: outcome, position: .first)
            }
        }
        return try HTTP2ClientTransport.Posix(target: target, transportSecurity: .customSecure, config: config)
    }
}

/// A gate that cannot be used for gRPC.
public enum GatedGRPCError: Error, CustomStringConvertible {
    /// HTTP/2 is not offered, or the server did not choose it.
    case noHTTP2

    /// What is wrong and what to do.
    public var description: String {
        "gRPC needs HTTP/2. Offer it with settings.tls.applicationProtocols = [\"h2\"], and have the server choose it."
    }
}
