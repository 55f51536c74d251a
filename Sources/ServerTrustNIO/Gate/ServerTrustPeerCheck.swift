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

// For clients that own their `NIOSSLClientHandler` and take no callback. NIOSSL has judged the server by its own rules then,
// and shows the server's own certificate alone. What is judged here can only ever refuse.
extension ServerTrustGate {
    /// Judges the server of a connection whose handshake is complete, by the settings of this gate. It can only refuse.
    ///
    /// Call it after `TLSUserEvent.handshakeCompleted`: before, the server has not proven to hold its key. Of several TLS handlers,
    /// as behind a proxy over TLS, the first is asked: use ``ServerTrustPeerCheck`` there.
    ///
    /// NIOSSL shows the server's own certificate and not the intermediates that were sent with it, unless a callback gave it a
    /// validated chain. A path is built from `intermediates` and the anchors. A server whose path cannot be built is refused.
    ///
    /// The cipher suite and the extended master secret cannot be seen. The cipher suite counts as one that is allowed: offer no
    /// others (``tlsConfiguration(for:)``).
    ///
    /// - Parameters:
    ///   - channel: The connection, on its event loop.
    ///   - destination: What was asked for.
    ///   - intermediates: What the server is expected to send besides its own certificate.
    /// - Returns: What was agreed on.
    /// - Throws: ``ServerTrustGateError`` when the server is refused; ``ServerTrustPeerCheckError`` when it cannot be judged.
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

/// Holds everything back until the server was judged, in a pipeline whose TLS handler is another's. It can only refuse.
///
/// Add it directly behind the `NIOSSLClientHandler`. What is judged, and what cannot be seen, is said at
/// ``ServerTrustGate/checkPeer(of:for:intermediates:)``.
public final class ServerTrustPeerCheck: ChannelDuplexHandler {
    /// What the handler receives.
    public typealias InboundIn = ByteBuffer
    /// What the handler is written.
    public typealias OutboundIn = ByteBuffer

    private let base: GateHandler

    /// A check.
    ///
    /// - Parameters:
    ///   - gate: What is trusted and enforced. Its settings must have no handler: see ``ServerTrustPeerCheckError``.
    ///   - destination: What was asked for.
    ///   - tls: The TLS handler that it stands behind, whose server is judged.
    ///   - intermediates: What the server is expected to send besides its own certificate.
    ///   - outcome: Gets what was agreed on if the connection is let through, and the error if not.
    public init(
        _ gate: ServerTrustGate, for destination: ATSDestination, behind tls: NIOSSLClientHandler,
        intermediates: [Certificate] = [], outcome: EventLoopPromise<GatedConnection>? = nil
    ) {
        self.base = GateHandler(
            PeerInspection(gate, destination, tls: tls, intermediates: intermediates, outcome: outcome))
    }

    /// Starts the time for the handshake.
    public func handlerAdded(context: ChannelHandlerContext) { self.base.handlerAdded(context: context) }
    /// Ends the waiting.
    public func handlerRemoved(context: ChannelHandlerContext) { self.base.handlerRemoved(context: context) }
    /// Starts the time for the handshake.
    public func channelActive(context: ChannelHandlerContext) { self.base.channelActive(context: context) }
    /// Ends the waiting.
    public func channelInactive(context: ChannelHandlerContext) { self.base.channelInactive(context: context) }
    /// Judges the server once the handshake is complete.
    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        self.base.userInboundEventTriggered(context: context, event: event)
    }
    /// Lets through what comes after the verdict.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.base.channelRead(context: context, data: data)
    }
    /// Says once what is wrong.
    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.base.errorCaught(context: context, error: error)
    }
    /// Holds what is written before the verdict.
    public func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        self.base.write(context: context, data: data, promise: promise)
    }
    /// Remembers what was to be sent before the verdict.
    public func flush(context: ChannelHandlerContext) { self.base.flush(context: context) }
    /// Closes, the held writes before where only the output is closed.
    public func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        self.base.close(context: context, mode: mode, promise: promise)
    }
}

/// A handshake that another library judges first.
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

/// A server that cannot be judged behind another library's TLS.
public struct ServerTrustPeerCheckError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Why.
    public enum Code: String, Sendable, Hashable {
        /// The settings have a handler. Behind another library's TLS the server was judged already, and a callback cannot stop
        /// the reading while a handler decides.
        case handler
        /// The connection has no TLS, or its server has no certificate yet.
        case noTLS
    }

    /// Why.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }

    /// What is wrong and what to do.
    public var description: String {
        switch self.code {
        case .handler:
            "The settings have a handler, which needs a connection of the gate. Use such a connection, or settings without a "
                + "handler."
        case .noTLS:
            "The connection has no server's certificate. Check it behind a TLS handler whose handshake is complete."
        }
    }
}
