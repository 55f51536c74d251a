//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
public import NIOCore
public import NIOPosix
public import ServerTrust

/// A stream over TLS. Its server is evaluated for a name of your choice, by the rules of a gate or by you.
///
/// ```swift
/// let stream = try await SecureStream.connect(to: "192.0.2.1", port: 993, peerName: "mail.example.com", gate: gate)
/// try await stream.write(ByteBuffer(string: "a1 CAPABILITY\r\n"))
/// for try await octets in stream.octets { … }
/// ```
///
/// With `Validation-swift.enum.byCaller` the stream can be neither read nor written until ``accept()``. This replaces the TLS
/// overrides of NSStream, and at no time is an untrusted server sent any data. The time to decide is
/// ``ServerTrustSettings/handlerTimeout``.
///
/// Only one task may read and one may write at a time. The connection is closed with the last reference to the stream.
public final class SecureStream: Sendable {
    /// The party that decides about the server.
    public enum Validation: Sendable, Hashable {
        /// The rules of the gate decide.
        case automatic
        /// The caller decides about every server that the rules leave to the program. If pins or App Transport Security refuse the
        /// server, connecting fails.
        case byCaller
    }

    /// The chain of the server, ready to be evaluated by the rules of the gate. Change a copy to evaluate it for another name or
    /// with other anchors.
    public let peerTrust: Trust

    /// The refusal by the rules of the gate, or `nil` if they trust the server.
    public let refusal: (any Error)?

    private let stream: StreamChannel
    private let decision: StreamDecision
    private let outcome: EventLoopFuture<GatedConnection>

    init(
        _ stream: StreamChannel, _ challenge: ServerTrustChallenge, decision: StreamDecision,
        outcome: EventLoopFuture<GatedConnection>
    ) {
        self.peerTrust = challenge.trust
        self.refusal = challenge.refusal
        self.stream = stream
        self.decision = decision
        self.outcome = outcome
    }

    deinit { self.decision.end(nil) }

    /// Connects to an address, and evaluates the server for a name.
    ///
    /// - Parameters:
    ///   - address: The IP address or DNS name to connect to.
    ///   - port: The TCP port.
    ///   - peerName: The name or IP address that the server's certificate must be valid for, or `nil` for `address`.
    ///   - gate: The gate with its settings.
    ///   - validation: The party that decides about the server.
    ///   - group: The event loops.
    ///   - connectTimeout: The time for resolving and connecting. The handshake has its own.
    /// - Returns: The open stream. With `Validation-swift.enum.byCaller` it waits for ``accept()``.
    /// - Throws: ``ServerTrustGateError`` if the server is refused. ``TLSConnectionError`` if the connection fails.
    ///   ``TLSEndpointError`` if a host or the port is invalid. ``SecureStreamError`` if the settings have a handler that would
    ///   decide instead of the caller.
    public static func connect(
        to address: String, port: Int, peerName: String? = nil, gate: ServerTrustGate,
        validation: Validation = .automatic, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        connectTimeout: Duration = .seconds(10)
    ) async throws -> SecureStream {
        // Destinations that no connection could satisfy are refused before connecting.
        let destination = ATSDestination(host: peerName ?? address, port: port)
        try gate.check(destination)
        let endpoint = try TLSEndpoint(
            host: destination.host, port: port, connectAddress: peerName == nil ? nil : address)
        let dialer = Dialer(on: group.any(), connectTimeout: TimeAmount(bounding: connectTimeout))
        await gate.look(at: destination, through: dialer, to: endpoint)
        let plain = try await PlainStream.connect(
            to: address, port: port, peerName: peerName, group: group, connectTimeout: connectTimeout)
        return try await plain.upgrade(gate: gate, validation: validation, looking: .address)
    }

    /// Accepts the server, and waits for the end of the handshake.
    ///
    /// - Warning: This overrules an untrusted chain. Call it only after you have evaluated ``peerTrust``, or a copy of it, and the
    ///   result is trusted.
    /// - Returns: The facts about the connection.
    /// - Throws: ``ServerTrustGateError`` if the server was refused before, the time to decide has passed, or the handshake fails.
    @discardableResult
    public func accept() async throws -> GatedConnection {
        self.decision.decide(.useCredential(ServerTrustCredential(trust: self.peerTrust)))
        return try await self.outcome.get()
    }

    /// Refuses the server, and closes the connection.
    ///
    /// - Parameter reason: The reason. ``accept()`` throws it as the cause of its error.
    public func refuse(_ reason: (any Error)? = nil) async {
        self.decision.decide(.cancelAuthenticationChallenge(reason))
        // The handshake must end by itself so that the server receives an alert.
        _ = try? await self.outcome.get()
        await self.stream.close()
    }

    /// Reads the octets that arrived since the last read. The connection is read only during a call.
    ///
    /// Cancelling the task ends the wait and loses no data.
    ///
    /// - Returns: The octets, or `nil` at the end that the server announced (close_notify).
    /// - Throws: ``SecureStreamError`` if the stream is truncated or cannot be read.
    public func read() async throws -> ByteBuffer? { try await self.stream.next(.octets, in: .secure) }

    /// All octets of the stream as a sequence. Each element is read on demand.
    public var octets: Octets { Octets(stream: self) }

    /// Writes octets, and waits until the operating system has taken them all.
    ///
    /// Cancelling the task closes the connection, because a part of the octets may have been sent.
    ///
    /// - Parameter octets: The octets to send.
    /// - Throws: ``SecureStreamError`` if the stream cannot be written. The error of the connection if it broke.
    public func write(_ octets: ByteBuffer) async throws { try await self.stream.write(octets, in: .secure) }

    /// Sends close_notify to announce the end of the program's data. The server's direction stays open.
    ///
    /// - Throws: ``SecureStreamError`` if the stream cannot be written. The error of the connection if it broke.
    public func finishWriting() async throws { try await self.stream.finishWriting(in: .secure) }

    /// Closes the connection with close_notify, and waits for the server's close_notify for as long as the TLS configuration
    /// allows.
    public func close() async { await self.stream.close() }
}

extension SecureStream {
    /// The octets of a stream, in the order and the pieces in which they arrive.
    public struct Octets: AsyncSequence, Sendable {
        /// The octets of one read.
        public typealias Element = ByteBuffer

        let stream: SecureStream

        /// Creates an iterator that continues at the stream's current position.
        public func makeAsyncIterator() -> Iterator { Iterator(stream: self.stream) }

        /// An iterator that reads the stream.
        public struct Iterator: AsyncIteratorProtocol {
            let stream: SecureStream

            /// Reads the next octets: see ``SecureStream/read()``.
            ///
            /// - Throws: ``SecureStreamError`` if the stream is truncated or cannot be read.
            public func next() async throws -> ByteBuffer? { try await self.stream.read() }
        }
    }
}
