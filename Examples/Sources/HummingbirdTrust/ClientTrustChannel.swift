//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServerTrust
import ServerTrustNIO

extension HTTPServerBuilder {
    /// A server that lets through only clients whose certificates the gate trusts.
    ///
    /// ```swift
    /// let app = Application(router: router, server: .clientTrust(gate))
    /// ```
    ///
    /// The gate makes a TLS context for each connection, so that no session is resumed without a judgment. Hummingbird's
    /// own `tls` has one context for the whole server.
    ///
    /// - Parameters:
    ///   - gate: Who is trusted, and who the server is.
    ///   - configuration: How HTTP/1.1 is spoken within TLS.
    public static func clientTrust(
        _ gate: ClientTrustGate, configuration: HTTP1Channel.Configuration = .init()
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            ClientTrustChannel(base: HTTP1Channel(responder: responder, configuration: configuration), gate: gate)
        }
    }
}

/// A connection that passes the gate before anything else is set up on it.
public struct ClientTrustChannel<Base: ServerChildChannel>: ServerChildChannel {
    /// What the base works with.
    public typealias Value = Base.Value

    private let base: Base
    private let gate: ClientTrustGate

    init(base: Base, gate: ClientTrustGate) {
        self.base = base
        self.gate = gate
    }

    /// Adds the gate, and what is spoken within TLS behind it.
    public func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            let outcome = channel.eventLoop.makePromise(of: GatedClient.self)
            outcome.futureResult.whenFailure { error in
                logger.info("A client was refused", metadata: ["reason": "\(error)"])
            }
            try channel.pipeline.syncOperations.addClientTrustHandlers(self.gate, outcome: outcome)
        }
        .flatMap { self.base.setup(channel: channel, logger: logger) }
    }

    /// Has the base speak.
    public func handle(value: Value, logger: Logger) async {
        await self.base.handle(value: value, logger: logger)
    }
}

/// A request's context that knows the client that made it.
public struct ClientTrustRequestContext: RequestContext {
    /// Hummingbird's own part.
    public var coreContext: CoreRequestContextStorage
    private let channel: any Channel

    /// A context for a request on a connection that passed the gate.
    public init(source: ApplicationRequestContextSource) {
        self.coreContext = .init(source: source)
        self.channel = source.channel
    }

    /// Who the client is; `nil` for a client without a certificate, where that is allowed.
    ///
    /// Throws where it is not known: the client has gone, or the connection has no gate.
    public var client: ClientIdentity? {
        get async throws {
            let channel = self.channel
            let gated = try await channel.eventLoop.submit { channel.pipeline.syncOperations.gatedClient }.get()
            guard let gated else {
                throw HTTPError(.unauthorized, message: "The client of the connection is not known.")
            }
            return gated.identity
        }
    }
}
