//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
public import NIOCore
public import NIOPosix
import ServerTrust

/// A stream without TLS, for what protocols say before they begin it (STARTTLS). Nothing on it is protected.
///
/// ```swift
/// let plain = try await PlainStream.connect(to: "mail.example.com", port: 25)
/// _ = try await plain.readLine()
/// try await plain.write(ByteBuffer(string: "STARTTLS\r\n"))
/// guard try await plain.readLine()?.hasPrefix("220") == true else { return }
/// let stream = try await plain.upgrade(gate: gate)
/// ```
///
/// Read lines with ``readLine(limit:)``: what came behind a line stays in the stream, and ``upgrade(gate:validation:)`` refuses to
/// begin TLS behind it. Everything that was read before the upgrade may come from an attacker: ask the server again after it.
public final class PlainStream: Sendable {
    private let stream: StreamChannel
    private let endpoint: TLSEndpoint

    private init(_ stream: StreamChannel, _ endpoint: TLSEndpoint) {
        self.stream = stream
        self.endpoint = endpoint
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - address: The IP address or DNS name to connect to.
    ///   - port: The TCP port.
    ///   - peerName: The name or IP address that the server's certificate must be for after the upgrade; `nil` for `address`.
    ///   - group: The event loops.
    ///   - connectTimeout: The time for resolving and connecting.
    /// - Throws: ``TLSConnectionError`` if there is no connection; ``TLSEndpointError`` if a host is no host.
    public static func connect(
        to address: String, port: Int, peerName: String? = nil,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, connectTimeout: Duration = .seconds(10)
    ) async throws -> PlainStream {
        let endpoint = try TLSEndpoint(
            host: peerName ?? address, port: port, connectAddress: peerName == nil ? nil : address)
        let stream = try await StreamChannel.connect(to: endpoint, group: group, timeout: connectTimeout)
        return PlainStream(stream, endpoint)
    }

    /// The next line, with its line break.
    ///
    /// - Parameter limit: The octets that it may have.
    /// - Returns: The line, in which octets that are no UTF-8 are replaced; `nil` at the end.
    /// - Throws: ``SecureStreamError``
    public func readLine(limit: Int = 8_192) async throws -> String? {
        try await self.stream.next(.line(limit: max(limit, 1)), in: .plain).map { String(buffer: $0) }
    }

    /// What came since the last read, lines or not.
    ///
    /// - Returns: Octets; `nil` at the end.
    /// - Throws: ``SecureStreamError``
    public func read() async throws -> ByteBuffer? { try await self.stream.next(.octets, in: .plain) }

    /// Writes, and waits until the operating system has taken everything.
    ///
    /// - Parameter octets: What to send. Everyone on the way can read it.
    /// - Throws: ``SecureStreamError``; the error of the connection where it broke.
    public func write(_ octets: ByteBuffer) async throws { try await self.stream.write(octets, in: .plain) }

    /// Closes the connection.
    public func close() async { await self.stream.close() }

    /// Begins TLS, after which this stream can no longer be used.
    ///
    /// - Parameters:
    ///   - gate: What is trusted and enforced.
    ///   - validation: Who decides about the server.
    /// - Returns: The stream; with ``SecureStream/Validation-swift.enum/byCaller`` it waits for ``SecureStream/accept()``.
    /// - Throws: ``SecureStreamError`` where octets came that were not read; ``ServerTrustGateError`` if the server is refused. The
    ///   connection is closed then.
    public func upgrade(
        gate: ServerTrustGate, validation: SecureStream.Validation = .automatic
    ) async throws -> SecureStream {
        try await self.upgrade(gate: gate, validation: validation, looking: .none)
    }

    /// The same with a way to look at the server.
    func upgrade(
        gate: ServerTrustGate, validation: SecureStream.Validation, looking way: LookingWay
    ) async throws -> SecureStream {
        let generation = gate.generation
        guard validation == .automatic || generation.settings.handler == nil else { throw SecureStreamError(.handler) }
        let decision = StreamDecision(validation, base: generation.settings.handler)
        let outcome = self.beginHandshake(generation, decision, looking: way)
        outcome.whenFailure { decision.end($0) }
        let stream = self.stream
        return try await withTaskCancellationHandler {
            if validation == .automatic { _ = try await outcome.get() }
            for try await challenge in decision.challenges {
                return SecureStream(stream, challenge, decision: decision, outcome: outcome)
            }
            throw CancellationError()
        } onCancel: {
            decision.end(CancellationError())
            stream.channel.close(promise: nil)
        }
    }

    private func beginHandshake(
        _ generation: GateGeneration, _ decision: StreamDecision, looking way: LookingWay
    ) -> EventLoopFuture<GatedConnection> {
        let destination = ATSDestination(self.endpoint.host, port: self.endpoint.port)
        let outcome = self.stream.eventLoop.makePromise(of: GatedConnection.self)
        let channel = self.stream.channel
        self.stream.onLoop { handler in
            do {
                try handler.beginHandshake { pipeline in
                    try pipeline.addServerTrustHandlers(
                        generation, for: destination, outcome: outcome, position: .before(handler), deciding: decision,
                        looking: way)
                }
            } catch {
                let isClosed = error is ChannelError
                outcome.fail(isClosed ? generation.closedError(for: destination, cause: error) : error)
                channel.close(promise: nil)
            }
        }
        return outcome.futureResult
    }
}

extension GateGeneration {
    /// The error for a server that closed the connection before the handshake.
    fileprivate func closedError(for destination: ATSDestination, cause: any Error) -> ServerTrustGateError {
        let verdict = self.requirements(for: destination).verdict(on: .failed(.closed))
        return ServerTrustGateError(destination, verdict, cause: cause)
    }
}
