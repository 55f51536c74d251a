//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
public import NIOCore
public import NIOPosix
import ServerTrust
import TLSWire

/// A stream without TLS, for the part of a protocol that precedes it (STARTTLS). Its data is not protected.
///
/// ```swift
/// let plain = try await PlainStream.connect(to: "mail.example.com", port: 25)
/// _ = try await plain.readLine()
/// try await plain.write(ByteBuffer(string: "STARTTLS\r\n"))
/// guard try await plain.readLine()?.hasPrefix("220") == true else { return }
/// let stream = try await plain.upgrade(gate: gate)
/// ```
///
/// Read lines with ``readLine(limit:)``. Octets after a line stay in the stream, and ``upgrade(gate:validation:)`` refuses to begin
/// TLS after unread octets. All data read before the upgrade may come from an attacker, so ask the server for it again after the
/// upgrade.
public final class PlainStream: Sendable {
    private let stream: StreamChannel
    private let endpoint: TLSEndpoint

    private init(_ stream: StreamChannel, _ endpoint: TLSEndpoint) {
        self.stream = stream
        self.endpoint = endpoint
    }

    /// Connects to a server without TLS.
    ///
    /// - Parameters:
    ///   - address: The IP address or DNS name to connect to.
    ///   - port: The TCP port.
    ///   - peerName: The name or IP address that the server's certificate must be valid for after the upgrade, or `nil` for
    ///     `address`.
    ///   - group: The event loops.
    ///   - connectTimeout: The time for resolving and connecting.
    /// - Throws: ``TLSConnectionError`` if the connection fails. ``TLSEndpointError`` if a host or the port is invalid.
    public static func connect(
        to address: String, port: Int, peerName: String? = nil,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, connectTimeout: Duration = .seconds(10)
    ) async throws -> PlainStream {
        let endpoint = try TLSEndpoint(
            host: peerName ?? address, port: port, connectAddress: peerName == nil ? nil : address)
        let stream = try await StreamChannel.connect(to: endpoint, group: group, timeout: connectTimeout)
        return PlainStream(stream, endpoint)
    }

    /// Reads the next line with its line break.
    ///
    /// - Parameter limit: The maximum number of octets in the line.
    /// - Returns: The line, with invalid UTF-8 replaced, or `nil` at the end of the stream.
    /// - Throws: ``SecureStreamError`` if the line is too long, the stream ends within it, or the stream cannot be read.
    public func readLine(limit: Int = 8_192) async throws -> String? {
        try await self.stream.next(.line(limit: max(limit, 1)), in: .plain).map { String(buffer: $0) }
    }

    /// Reads the octets that arrived since the last read, in lines or not.
    ///
    /// - Returns: The octets, or `nil` at the end of the stream.
    /// - Throws: ``SecureStreamError`` if the stream cannot be read.
    public func read() async throws -> ByteBuffer? { try await self.stream.next(.octets, in: .plain) }

    /// Writes octets, and waits until the operating system has taken them all.
    ///
    /// - Parameter octets: The octets to send. They can be read by any machine on the network path.
    /// - Throws: ``SecureStreamError`` if the stream cannot be written. The error of the connection if it broke.
    public func write(_ octets: ByteBuffer) async throws { try await self.stream.write(octets, in: .plain) }

    /// Closes the connection.
    public func close() async { await self.stream.close() }

    /// Begins TLS. This stream cannot be used afterwards.
    ///
    /// - Parameters:
    ///   - gate: The gate with its settings.
    ///   - validation: The party that decides about the server.
    /// - Returns: The stream. With ``SecureStream/Validation-swift.enum/byCaller`` it waits for ``SecureStream/accept()``.
    /// - Throws: ``SecureStreamError`` if there are unread octets, or if the settings have a handler and `validation` is by the
    ///   caller. ``ServerTrustGateError`` if the server is refused. The connection is closed then, except if the settings have a
    ///   handler.
    public func upgrade(
        gate: ServerTrustGate, validation: SecureStream.Validation = .automatic
    ) async throws -> SecureStream {
        try await self.upgrade(gate: gate, validation: validation, looking: .none)
    }

    /// Begins TLS with a given way to look at the server.
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
    fileprivate func closedError(for destination: ATSDestination, cause: any Error) -> ServerTrustGateError {
        let verdict = self.requirements(for: destination).verdict(on: .failed(.closed))
        return ServerTrustGateError(destination, verdict, cause: cause)
    }
}
