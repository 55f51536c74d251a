//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import NIOCore
public import NIOSSL
import NIOTLS
public import ServerTrust
import TLSWire

// For clients that own their `NIOSSLClientHandler` and take no callback. NIOSSL has already judged the server by its own rules, and
// shows only the server's own certificate. A check here can only refuse.
extension ServerTrustGate {
    /// Judges the server of a completed handshake by the settings of this gate. It can only refuse.
    ///
    /// Call it after `TLSUserEvent.handshakeCompleted`: before that the server has not proven possession of its key. Among several
    /// TLS handlers, as behind a proxy over TLS, it uses the first. Use ``ServerTrustPeerCheck`` there.
    ///
    /// NIOSSL shows the server's own certificate, but not its intermediates unless a callback returned a validated chain. The path
    /// is built from `intermediates` and the anchors. A server without such a path is refused.
    ///
    /// The cipher suite and the extended master secret are not visible. The cipher suite is assumed to be an allowed one, so offer
    /// no others (``tlsConfiguration(for:)``).
    ///
    /// - Parameters:
    ///   - channel: The connection. Call on its event loop.
    ///   - destination: The destination. The leaf must be valid for its host.
    ///   - intermediates: The intermediates that the server is expected to send.
    /// - Returns: The facts about the connection.
    /// - Throws: ``ServerTrustGateError`` if the server is refused. ``ServerTrustPeerCheckError`` if it cannot be judged.
    @discardableResult
    public func checkPeer(
        of channel: any Channel, for destination: ATSDestination, intermediates: [Certificate] = []
    ) throws -> GatedConnection {
        let tls = try? channel.pipeline.syncOperations.handler(type: NIOSSLHandler.self)
        return try self.checkPeer(of: tls, for: destination, intermediates: intermediates)
    }

    fileprivate func checkPeer(
        of tls: NIOSSLHandler?, for destination: ATSDestination, intermediates: [Certificate]
    ) throws -> GatedConnection {
        let generation = self.generation
        guard generation.settings.handler == nil else { throw ServerTrustPeerCheckError(.handler) }
        let requirements = try generation.check(destination)
        guard destination.scheme == .https, let leaf = tls?.peerCertificate, let version = tls?.tlsVersion
        else { throw ServerTrustPeerCheckError(.noTLS) }
        let endpoint = try TLSEndpoint(host: destination.host, port: destination.port)
        let judge = ConnectionJudge(
            generation.settings, destination, requirements: requirements, hostname: endpoint.host.text)
        let validated = tls?.peerValidatedCertificateChain.map { Array($0) } ?? []
        return try judge.judge(
            [leaf] + validated.dropFirst(), version: TLSProtocolVersion(version), expecting: intermediates
        ).outcome.get()
    }
}

/// A handler that holds all data back until the server is judged, for a pipeline with the TLS handler of another library. It can
/// only refuse.
///
/// Add it directly behind the `NIOSSLClientHandler`. ``ServerTrustGate/checkPeer(of:for:intermediates:)`` describes the checks and
/// their limits.
public final class ServerTrustPeerCheck: ChannelDuplexHandler {
    /// The type of inbound data.
    public typealias InboundIn = ByteBuffer
    /// The type of the program's writes.
    public typealias OutboundIn = ByteBuffer

    private let base: GateHandler

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - gate: The gate. Its settings must have no handler: see ``ServerTrustPeerCheckError``.
    ///   - destination: The destination. The leaf must be valid for its host.
    ///   - tls: The TLS handler in front of the check. Its server is judged.
    ///   - intermediates: The intermediates that the server is expected to send.
    ///   - outcome: Succeeds with the facts about the connection if it is let through, and fails with the error otherwise.
    public init(
        _ gate: ServerTrustGate, for destination: ATSDestination, behind tls: NIOSSLClientHandler,
        intermediates: [Certificate] = [], outcome: EventLoopPromise<GatedConnection>? = nil
    ) {
        self.base = GateHandler(
            PeerInspection(gate, destination, tls: tls, intermediates: intermediates, outcome: outcome))
    }

    /// Starts the handshake's timer if the channel is active.
    public func handlerAdded(context: ChannelHandlerContext) { self.base.handlerAdded(context: context) }
    /// Ends the wait for the verdict.
    public func handlerRemoved(context: ChannelHandlerContext) { self.base.handlerRemoved(context: context) }
    /// Starts the handshake's timer.
    public func channelActive(context: ChannelHandlerContext) { self.base.channelActive(context: context) }
    /// Ends the wait for the verdict with an error.
    public func channelInactive(context: ChannelHandlerContext) { self.base.channelInactive(context: context) }
    /// Judges the server once the handshake is complete.
    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        self.base.userInboundEventTriggered(context: context, event: event)
    }
    /// Passes data on once the server is trusted, and drops it otherwise.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.base.channelRead(context: context, data: data)
    }
    /// Refuses the connection at the first error before the verdict, and passes errors on once it is open.
    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.base.errorCaught(context: context, error: error)
    }
    /// Holds writes until the verdict.
    public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.base.write(context: context, data: data, promise: promise)
    }
    /// Marks the held writes for sending before the verdict, and flushes afterwards.
    public func flush(context: ChannelHandlerContext) { self.base.flush(context: context) }
    /// Closes the channel. If only the output is closed before the verdict, the held writes are sent first.
    public func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        self.base.close(context: context, mode: mode, promise: promise)
    }
}

/// A handshake that another library completed first.
private final class PeerInspection: GatedHandshake {
    private let gate: ServerTrustGate
    private let destination: ATSDestination
    private weak var tls: NIOSSLHandler?
    private let intermediates: [Certificate]
    private var connection: GatedConnection?
    private var promise: EventLoopPromise<GatedConnection>?

    var timeout: Duration { self.gate.settings.handshakeTimeout }
    var maximumPendingBytes: Int { self.gate.settings.maximumPendingBytes }

    init(
        _ gate: ServerTrustGate, _ destination: ATSDestination, tls: NIOSSLHandler, intermediates: [Certificate],
        outcome promise: EventLoopPromise<GatedConnection>?
    ) {
        self.gate = gate
        self.destination = destination
        self.tls = tls
        self.intermediates = intermediates
        self.promise = promise
    }

    func refusal(on context: ChannelHandlerContext, negotiated: String?) -> (any Error)? {
        do {
            self.connection = try self.gate.checkPeer(
                of: self.tls, for: self.destination, intermediates: self.intermediates)
            self.connection?.applicationProtocol = negotiated
            return nil
        } catch {
            return error
        }
    }

    func open() {
        guard let connection = self.connection.take() else { return }
        self.promise.take()?.succeed(connection)
    }

    func fail(_ error: any Error) { self.promise.take()?.fail(error) }

    func error(for error: any Error) -> any Error { error }
}

/// The error for a server that cannot be judged behind another library's TLS.
///
/// It occurs when the program calls the check on an unsuitable connection or with unsuitable settings, not because of a fault of
/// the server.
public struct ServerTrustPeerCheckError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of problem.
    public enum Code: String, Sendable, Hashable {
        /// The settings have a handler. Behind another library's TLS the handshake is already complete, and a callback cannot
        /// stop the reading while a handler decides.
        case handler
        /// The connection has no TLS, or its server has sent no certificate yet.
        case noTLS
    }

    /// The kind of problem.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }

    /// The problem and a remedy.
    public var description: String {
        switch self.code {
        case .handler:
            "The settings have a handler, which needs a connection of the gate. Use such a connection, or settings without a "
                + "handler."
        case .noTLS:
            "The connection has no server's certificate. Check it behind a TLS handler with a complete handshake."
        }
    }
}
