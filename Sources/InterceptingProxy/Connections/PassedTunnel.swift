//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPSession
import HTTPTypes
import NIOCore
import NIOPosix
import ServerTrust
import ServerTrustNIO
import TLSWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A tunnel in which a program speaks TLS with a server itself, once the server is judged.
struct PassedTunnel: Sendable {
    let proxy: ProxyCore
    let client: ClientStream
    let connection: Int
    let host: Host
    let port: Int

    private var origin: HTTPURL.Origin { HTTPURL.Origin(scheme: .https, host: self.host, port: self.port) }
    private var limits: InterceptingProxyConfiguration.Limits { self.proxy.configuration.limits }

    /// Judges the server, connects to it, and passes octets until one side ends.
    ///
    /// - Returns: Why it ended before its time; `nil` where nothing was wrong.
    /// - Throws: ``Refusal`` before the tunnel is open; the error of the client's connection.
    func run() async throws -> String? {
        var record = ProxiedRequest(
            start: Date(), connection: self.connection, version: .http1, method: .connect,
            server: .init(self.origin))
        defer { self.proxy.report(.request(record)) }
        let (judged, server): (JudgedServer, ClientStream)
        do {
            (judged, server) = try await self.open()
        } catch let refusal as Refusal {
            record.note(refusal)
            throw refusal
        }
        defer { server.close() }
        self.client.onClose { server.close() }
        defer { self.client.onClose(nil) }
        (record.status, record.exception) = (200, judged.gated.verdict.requirements.exception?.name)
        try await self.client.write(Self.established, within: self.limits.idleTime)
        return try await self.pass(to: server, judged, &record)
    }

    private static let established = ByteBuffer(staticString: "HTTP/1.1 200 Connection established\r\n\r\n")

    // MARK: Opening

    /// In a task of its own: a client that goes away ends it.
    private func open() async throws -> (JudgedServer, ClientStream) {
        let task = Task {
            do {
                return try await self.reach()
            } catch let error as HTTPSessionError where !Task.isCancelled {
                throw self.proxy.refusal(error)
            }
        }
        self.client.onClose { task.cancel() }
        self.client.watch()
        defer { self.client.onClose(nil) }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func reach() async throws -> (JudgedServer, ClientStream) {
        if let known = self.proxy.judged.server(self.origin, at: .now()) {
            do { return (known, try await self.connect(to: known.address)) } catch {
                // It may have moved meanwhile.
                self.proxy.judged.forget(self.origin)
            }
        }
        let judged = try await self.proxy.session.judge(self.origin)
        self.proxy.judged.remember(judged, self.origin, at: .now())
        return (judged, try await self.connect(to: judged.address))
    }

    /// Connects to the very address that was judged.
    private func connect(to address: SocketAddress) async throws -> ClientStream {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        let outcome = eventLoop.makePromise(of: ClientStream.self)
        let connected = ClientBootstrap(group: eventLoop)
            .connectTimeout(
                TimeAmount(min(max(self.proxy.configuration.timeouts.connect, .milliseconds(1)), .seconds(300)))
            )
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { outcome.succeed(try ClientStream(channel)) }
            }
            .connect(to: address)
        connected.whenFailure { outcome.fail($0) }
        do {
            _ = try await connected.get()
            return try await outcome.futureResult.get()
        } catch {
            throw Refusal(
                502, .noResponse,
                reason: "The server was judged at \(address), and cannot be reached there: "
                    + "\(TransportErrorText.text(of: error)).",
                remedy: "Try again.", proxyStatus: "destination_unavailable")
        }
    }

    // MARK: Passing

    private func pass(
        to server: ClientStream, _ judged: JudgedServer, _ record: inout ProxiedRequest
    ) async throws -> String? {
        let traffic = TunnelTraffic(client: self.client, server: server, limits: self.limits)
        defer { (record.requestSize, record.responseSize) = traffic.sizes }
        do {
            if let alert = try await self.greet(server, judged, traffic) {
                (record.rule, record.reason) = ("alert", "The server ended the handshake with the alert \(alert).")
                return nil
            }
            record.verdict = .trusted
            try await traffic.pass()
            record.isComplete = true
            return nil
        } catch  where traffic.hasHalfEnded {
            // What one side has ended breaks at the other as often as it ends there.
            record.isComplete = true
            return nil
        } catch let fault as TunnelFault {
            // The next tunnel does not rely on what this one has disproved.
            self.proxy.judged.forget(self.origin)
            record.verdict = fault.isOfTrust ? .refused : .failed
            (record.rule, record.reason) = (fault.code, fault.message)
            try await self.client.write(ByteBuffer(bytes: fault.record), within: self.limits.idleTime)
            await self.client.drain()
            return fault.message
        } catch {
            let reason = TransportErrorText.text(of: error)
            if record.verdict != .trusted {
                record.reason = "The handshake was cut: \(reason)" + (reason.hasSuffix(".") ? "" : ".")
            }
            return reason
        }
    }

    /// Passes the hellos, each once it is checked.
    ///
    /// - Returns: The alert by which the server has ended the handshake; `nil` where it goes on.
    private func greet(
        _ server: ClientStream, _ judged: JudgedServer, _ traffic: TunnelTraffic
    ) async throws -> TLSAlertDescription? {
        var handshake = TunnelHandshake(to: self.host, judged)
        let deadline = ContinuousClock.now + self.limits.headTime * 2
        while let side = handshake.awaited {
            let time = min(ContinuousClock.now.duration(to: deadline), self.limits.headTime)
            let from = side == .client ? self.client : server
            // A client that goes away ends the wait for the server.
            if side == .server { self.client.watch() }
            guard let octets = try await from.read(within: max(time, .zero)) else { throw ChannelError.eof }
            guard let checked = try handshake.receive(octets) else { continue }
            try await traffic.send(checked, from: side)
        }
        if let alert = handshake.alert {
            await self.client.drain()
            return alert
        }
        if handshake.ofClient.readableBytes > 0 { try await traffic.send(handshake.ofClient, from: .client) }
        return nil
    }
}
