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

/// One connection of a client, from its first request to its end. One task runs it.
struct ClientConnection {
    private let proxy: ProxyCore
    private let stream: ClientStream
    private let reader: ClientReader
    private let number: Int
    private var record: ProxiedConnection
    /// The server of the tunnel; `nil` before there is one.
    private var tunnel: HTTPURL.Origin?

    init(_ stream: ClientStream, number: Int, of proxy: ProxyCore) {
        (self.proxy, self.stream, self.number) = (proxy, stream, number)
        self.reader = ClientReader(stream, limits: proxy.configuration.limits)
        self.record = ProxiedConnection(number: number, start: Date())
    }

    /// Serves the client until it, or the proxy, ends the connection.
    mutating func run() async {
        do {
            while try await self.serveNext() {}
        } catch let error as HTTPRequestError {
            await self.refuse(Refusal(error), nil)
        } catch {
            self.record.problem = self.record.problem ?? TransportErrorText.text(of: error)
        }
        self.stream.close()
        self.proxy.clients.remove(self.number)
        self.proxy.report(.connection(self.record))
    }

    /// - Returns: Whether another request may follow.
    private mutating func serveNext() async throws -> Bool {
        self.proxy.clients.setBusy(false, self.number)
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
        switch try ProxyTarget(head, in: self.tunnel) {
        case .tunnel(let host, let port):
            try await self.openTunnel(to: host, port: port)
            return true
        case .request(let url):
            // Whether content follows is not told from chunks (RFC 9112 §6.1), so that a client of HTTP/1.0 could not tell a
            // response that is cut from one that ends.
            guard head.minorVersion > 0 else { throw Refusal(HTTPRequestError.version) }
            try self.proxy.check(url.host, port: url.port)
            self.record.requestCount += 1
            let exchange = ProxyExchange(
                proxy: self.proxy, stream: self.stream, reader: self.reader, connection: self.number, head: head,
                framing: framing, url: url, upgrade: ProxyUpgrade(head, framing))
            return try await exchange.run()
        }
    }

    // MARK: Tunnels

    /// Says 200, and becomes the server that was asked for.
    private mutating func openTunnel(to host: Host, port: Int) async throws {
        (self.record.host, self.record.port) = (host, port)
        try self.proxy.check(host, port: port)
        guard self.proxy.configuration.root.covers(host) else {
            throw Refusal(
                403, "name-not-permitted", reason: "The root of the proxy does not certify \(host).",
                remedy: "Make a root that does, in another folder.")
        }
        _ = try await self.reader.nextContent()
        guard !self.reader.hasRest else {
            throw Refusal(HTTPRequestError.message(.unexpectedOctets))
        }
        let limits = self.proxy.configuration.limits
        let context = try self.proxy.leaves.context(for: host, at: Date())
        try await self.stream.write(
            ByteBuffer(staticString: "HTTP/1.1 200 Connection established\r\n\r\n"), within: limits.idleTime)
        do {
            try await self.stream.beginTLS(context, within: limits.headTime)
        } catch {
            let text = TransportErrorText.text(of: error)
            self.record.problem = "the client does not begin TLS, or does not trust the root of the proxy: \(text)"
            throw error
        }
        self.tunnel = HTTPURL.Origin(scheme: .https, host: host, port: port)
    }

    // MARK: Refusals

    /// Says why, and ends the connection once the client has had time to read it.
    private mutating func refuse(_ refusal: Refusal, _ head: RequestHead?) async {
        self.record.problem = self.record.problem ?? refusal.answer.reason
        let answer = ProxyAnswer(refusal, to: head, keepsConnection: false)
        do {
            try await self.stream.write(answer.octets, within: self.proxy.configuration.limits.idleTime)
            await self.stream.drain()
        } catch {
            // The client has gone, and is not owed an answer.
        }
    }
}
