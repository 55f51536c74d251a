//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
public import NIOCore
public import NIOPosix
public import ServerTrust

/// A stream over TLS whose server is evaluated for a name of your choice, by the rules of a gate or by you.
///
/// ```swift
/// let stream = try await SecureStream.connect(to: "192.0.2.1", port: 993, peerName: "mail.example.com", gate: gate)
/// try await stream.write(ByteBuffer(string: "a1 CAPABILITY\r\n"))
/// for try await octets in stream.octets { … }
/// ```
///
/// With ``Validation-swift.enum/byCaller`` it is open, and can neither be read nor written, until ``accept()``: what the TLS
/// overrides of NSStream were for, without a moment in which an untrusted server is sent something. The decision has the time
/// of ``ServerTrustSettings/handlerTimeout``.
///
/// One task reads and one writes at a time. The connection is closed with the last reference to the stream.
public final class SecureStream: Sendable {
    /// Who decides about the server.
    public enum Validation: Sendable, Hashable {
        /// The rules of the gate.
        case automatic
        /// The caller, about what the rules leave to the program: what pins and App Transport Security refuse stays refused, and
        /// connecting fails.
        case byCaller
    }

    /// The chain of the server, ready to be evaluated by the rules of the gate. Change a copy to evaluate it for another name
    /// or with other anchors.
    public let peerTrust: Trust

    /// Why the rules of the gate refuse the server; `nil` where they trust it.
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
    ///   - peerName: The name or IP address that the server's certificate must be for; `nil` for `address`.
    ///   - gate: What is trusted and enforced.
    ///   - validation: Who decides about the server.
    ///   - group: The event loops.
    ///   - connectTimeout: The time for resolving and connecting; the handshake has its own.
    /// - Returns: The stream, open; with ``Validation-swift.enum/byCaller`` it waits for ``accept()``.
    /// - Throws: ``ServerTrustGateError`` if the server is refused; ``TLSConnectionError`` if there is no connection;
    ///   ``TLSEndpointError`` if a host is no host; ``SecureStreamError`` if the settings have a handler that would decide in place
    ///   of the caller.
    public static func connect(
        to address: String, port: Int, peerName: String? = nil, gate: ServerTrustGate,
        validation: Validation = .automatic, group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        connectTimeout: Duration = .seconds(10)
    ) async throws -> SecureStream {
        // What is refused in any case is refused before there is a connection.
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

    /// Accepts the server, and waits until the handshake is over.
    ///
    /// - Warning: This overrules an untrusted chain. Call it only after ``peerTrust``, or a copy of it, was evaluated and is trusted.
    /// - Returns: What came of the connection.
    /// - Throws: ``ServerTrustGateError`` if the server was refused before, the time was over, or the handshake fails.
    @discardableResult
    public func accept() async throws -> GatedConnection {
        self.decision.decide(.useCredential(ServerTrustCredential(trust: self.peerTrust)))
        return try await self.outcome.get()
    }

    /// Refuses the server, and closes the connection.
    ///
    /// - Parameter reason: Why; ``accept()`` throws it as the cause of its error.
    public func refuse(_ reason: (any Error)? = nil) async {
        self.decision.decide(.cancelAuthenticationChallenge(reason))
        // The server is told by an alert, for which the handshake has to end by itself.
        _ = try? await self.outcome.get()
        await self.stream.close()
    }

    /// What came since the last read. The connection is read from only while this waits.
    ///
    /// Cancelling the task ends the wait and loses nothing.
    ///
    /// - Returns: Octets; `nil` at the end that the server announced (close_notify).
    /// - Throws: ``SecureStreamError``
    public func read() async throws -> ByteBuffer? { try await self.stream.next(.octets, in: .secure) }

    /// Everything that comes, each element when it is asked for.
    public var octets: Octets { Octets(stream: self) }

    /// Writes, and waits until the operating system has taken everything.
    ///
    /// Cancelling the task closes the connection, as something may be sent in part.
    ///
    /// - Parameter octets: What to send.
    /// - Throws: ``SecureStreamError``; the error of the connection where it broke.
    public func write(_ octets: ByteBuffer) async throws { try await self.stream.write(octets, in: .secure) }

    /// Announces that nothing more will be written (close_notify). The server's half stays open.
    ///
    /// - Throws: ``SecureStreamError``; the error of the connection where it broke.
    public func finishWriting() async throws { try await self.stream.finishWriting(in: .secure) }

    /// Closes the connection with close_notify, and waits for the server's for as long as the configuration of TLS says.
    public func close() async { await self.stream.close() }
}

extension SecureStream {
    /// The octets of a stream, in the order and the pieces in which they come.
    public struct Octets: AsyncSequence, Sendable {
        /// What is read at a time.
        public typealias Element = ByteBuffer

        let stream: SecureStream

        /// Reads from where the stream is.
        public func makeAsyncIterator() -> Iterator { Iterator(stream: self.stream) }

        /// Reads a stream.
        public struct Iterator: AsyncIteratorProtocol {
            let stream: SecureStream

            /// What comes next: see ``SecureStream/read()``.
            ///
            /// - Throws: ``SecureStreamError``
            public func next() async throws -> ByteBuffer? { try await self.stream.read() }
        }
    }
}
