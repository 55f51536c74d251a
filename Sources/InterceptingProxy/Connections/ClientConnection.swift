//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPSession
import NIOCore
import ServerReports
import ServerTrust
import ServerTrustNIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A client's connection from its first request to its end. One task runs it.
struct ClientConnection {
    let proxy: ProxyCore
    let number: Int
    var record: ProxiedConnection
    let owned = OwnedConnections()
    private let stream: ClientStream
    private let reader: ClientReader
    /// The server of the tunnel, or `nil` if no tunnel is open.
    private var tunnel: HTTPURL.Origin?
    /// `true` if a `ProxyExchange` reports the request.
    private var isReported = false

    init(_ stream: ClientStream, number: Int, of proxy: ProxyCore) {
        self.proxy = proxy
        self.stream = stream
        self.number = number
        self.reader = ClientReader(stream, limits: proxy.configuration.limits)
        self.record = ProxiedConnection(number: number, start: Date())
    }

    mutating func run() async {
        do {
            while try await self.serveNext() {}
        } catch let error as HTTPRequestError {
            await self.refuse(Refusal(error), nil)
        } catch {
            self.record.problem = self.record.problem ?? TransportErrorText.text(of: error, from: "the client")
        }
        self.stream.close()
        self.proxy.clients.remove(self.number)
        self.proxy.report(.connection(self.record))
    }

    /// Serves the next request.
    ///
    /// - Returns: `true` if another request may follow.
    private mutating func serveNext() async throws -> Bool {
        self.proxy.clients.setBusy(false, self.number)
        self.isReported = false
        guard !self.proxy.clients.isStopping, let (head, framing) = try await self.reader.nextHead() else {
            return false
        }
        self.proxy.clients.setBusy(true, self.number)
        do {
            return try await self.serve(head, framing)
        } catch let refusal as Refusal {
            await self.refuse(refusal, head)
            return false
        }
    }

    private mutating func serve(_ head: RequestHead, _ framing: MessageFraming) async throws -> Bool {
        if self.tunnel == nil, let credential = self.proxy.configuration.credential,
            !credential.isShown(by: head.fields)
        {
            throw Refusal.credential
        }
        switch try RequestTarget(head, in: self.tunnel) {
        case .tunnel(let host, let port):
            (self.record.host, self.record.port) = (host, port)
            try self.proxy.check(host, port: port)
            let origin = HTTPURL.Origin(scheme: .https, host: host, port: port)
            self.tunnel = origin
            guard let connection = try await self.openTunnel(to: host) else { return true }
            await self.serve(connection, in: origin)
            return false
        case .request(let url):
            // An HTTP/1.0 client does not understand chunks (RFC 9112 §6.1) and could not detect a truncated response.
            guard head.minorVersion > 0 else { throw Refusal.oldVersion }
            try self.proxy.check(url.host, port: url.port)
            self.record.requestCount += 1
            self.isReported = true
            let lane = HTTP1Lane(self.stream, self.reader, head: head, proxy: self.proxy)
            try await ProxyExchange(
                proxy: self.proxy, lane: lane, connection: self.number, owned: self.owned, head: head, framing: framing,
                url: url,
                upgrade: ProxyUpgrade(head, framing), cancel: { [stream = self.stream] in stream.cancel() }
            ).run()
            return lane.keepsConnection
        }
    }

    // MARK: Tunnels

    /// Sends 200 and continues as the TLS server for the requested host.
    ///
    /// - Returns: The HTTP/2 connection, or `nil` if the client has not negotiated HTTP/2.
    private mutating func openTunnel(to host: Host) async throws -> HTTP2ClientConnection? {
        let leaves = self.proxy.leaves
        guard leaves.root.covers(host) else {
            throw Refusal(
                403, .nameNotPermitted, reason: "The root of the proxy does not certify \(host).",
                remedy: "Start the proxy with a root that may certify \(host)."
            )
        }
        try await self.readToEnd()
        let limits = self.proxy.configuration.limits
        let context = try leaves.context(for: host, at: Date())
        try await self.stream.write(
            ByteBuffer(staticString: "HTTP/1.1 200 Connection established\r\n\r\n"), within: limits.idleTime)
        do {
            return try await self.stream.beginTLS(context, limits: self.http2Limits, within: limits.headTime)
        } catch {
            let text = TransportErrorText.text(of: error, from: "it")
            self.record.endedBeforeTLS = true
            self.record.problem = "the client does not begin TLS, or does not trust the root of the proxy: \(text)"
            throw error
        }
    }

    private var http2Limits: HTTP2ServerLimits {
        let limits = self.proxy.configuration.limits
        return HTTP2ServerLimits(
            message: ClientReader.messageLimits(limits), requests: min(max(limits.requestsPerConnection, 1), 10_000),
            headTime: limits.headTime, idleTime: limits.idleTime, upgradedIdleTime: limits.upgradedIdleTime)
    }

    /// Reads the end of a CONNECT request. A client must not send data before the answer.
    private func readToEnd() async throws {
        _ = try await self.reader.nextContent()
        guard !self.reader.hasRest else { throw Refusal(HTTPRequestError.message(.unexpectedOctets)) }
    }

    // MARK: Refusals

    /// Sends a refusal and closes the connection after the client has had time to read it.
    private mutating func refuse(_ refusal: Refusal, _ head: RequestHead?) async {
        let refusal = refusal.spelled(by: self.proxy.configuration.spelling)
        self.record.problem = self.record.problem ?? refusal.answer.reason
        var record = ProxiedRequest(refusal, head, method: head?.method, in: self.tunnel, connection: self.number)
        let answer = HTTP1Response.octets(ProxyAnswer(refusal, to: head))
        do {
            try await self.stream.write(answer, within: self.proxy.configuration.limits.idleTime)
            record.isComplete = true
            await self.stream.drain()
        } catch {
            // The client has closed the connection and cannot receive the answer.
        }
        if !self.isReported { self.proxy.report(.request(record)) }
    }
}
