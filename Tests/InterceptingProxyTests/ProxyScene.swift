//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPSession
import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import TLSWire
import TestSupport
import Testing

@testable import InterceptingProxy

/// A proxy, and clients of it.
struct ProxyScene {
    static let authority = Result { try TestAuthority() }
    static let root = Result { try LocalRoot(permitting: [], at: Date()) }

    let proxy: InterceptingProxy
    let log: EventLog

    /// The certificates of a server with the name `server.test`.
    static func chain(_ change: (inout CertificateDescription) -> Void = { _ in }) throws -> [TestCertificate] {
        var description = CertificateDescription.leaf(
            dnsNames: ["server.test", "other.test"], ipAddresses: ["192.0.2.7"])
        change(&description)
        return [try Self.authority.get().issue(description)]
    }

    /// Runs a proxy that leads every host to a port of 127.0.0.1, for as long as the body does.
    static func with<R>(
        server port: Int, _ change: (inout InterceptingProxyConfiguration) throws -> Void = { _ in },
        _ body: (ProxyScene) async throws -> R
    ) async throws -> R {
        let log = EventLog()
        var configuration = InterceptingProxyConfiguration(
            root: try Self.root.get(),
            trust: ServerTrustSettings(trust: TrustConfiguration(anchors: try Self.authority.get().anchors)))
        configuration.routes.add(ConnectionRoute(host: try Host("127.0.0.1"), port: port))
        configuration.dangerouslyAllowsLocalAddresses = true
        configuration.limits.stopTime = .seconds(1)
        // The tests count connections and octets; OneAnswerTests look.
        configuration.trust.looksAtDeliveredEvidence = false
        configuration.observer = log
        try change(&configuration)
        let proxy = try await InterceptingProxy.start(configuration)
        let outcome: Result<R, any Error>
        do {
            outcome = .success(try await body(ProxyScene(proxy: proxy, log: log)))
        } catch {
            outcome = .failure(error)
        }
        await proxy.stop()
        #expect(proxy.connectionCount == 0)
        return try outcome.get()
    }

    /// The settings of a client that trusts the root of the proxy and nothing else.
    static func clientSettings(protocols: [String] = ["http/1.1"]) throws -> ServerTrustSettings {
        let root = try Certificate.certificates(in: try Self.root.get().pem.utf8)
        var settings = ServerTrustSettings(trust: .only(root), transportSecurity: .withoutAppTransportSecurity)
        settings.tls.applicationProtocols = protocols
        settings.looksAtDeliveredEvidence = false
        return settings
    }

    /// A client of the proxy, over HTTP/2 where a test does not say otherwise.
    func session(overHTTP2: Bool = true) throws -> HTTPSession {
        var configuration = HTTPSessionConfiguration(trust: try Self.clientSettings())
        configuration.proxies = ProxyPolicy(Proxy(.http, host: try Host("127.0.0.1"), port: self.proxy.port))
        configuration.dangerouslyAllowsPlainHTTP = true
        configuration.decodesContent = false
        configuration.offersHTTP2 = overHTTP2
        return HTTPSession(configuration)
    }

    /// A connection to the proxy, on which a test writes octet by octet.
    func connect() async throws -> PlainStream {
        try await PlainStream.connect(to: "127.0.0.1", port: self.proxy.port)
    }

    /// A tunnel to a server, with the proxy as the server.
    func tunnel(
        to host: String = "server.test", port: Int = 443, protocols: [String] = ["http/1.1"]
    ) async throws -> SecureStream {
        let plain = try await PlainStream.connect(to: "127.0.0.1", port: self.proxy.port, peerName: host)
        try await plain.write(ByteBuffer(string: "CONNECT \(host):\(port) HTTP/1.1\r\nHost: \(host):\(port)\r\n\r\n"))
        #expect(try await plain.readLine() == "HTTP/1.1 200 Connection established\r\n")
        #expect(try await plain.readLine() == "\r\n")
        return try await plain.upgrade(gate: ServerTrustGate(try Self.clientSettings(protocols: protocols)))
    }

    /// What the proxy says to octets, until it ends the connection.
    func answer(to text: String) async throws -> String {
        let plain = try await self.connect()
        try await plain.write(ByteBuffer(string: text))
        return try await Self.rest { try await plain.read() }
    }

    /// What the proxy says within a tunnel, until it ends the connection.
    func answer(inTunnel text: String) async throws -> String {
        let stream = try await self.tunnel()
        try await stream.write(ByteBuffer(string: text))
        return try await Self.rest { try await stream.read() }
    }

    static func rest(_ read: () async throws -> ByteBuffer?) async throws -> String {
        var text = ""
        while let octets = try await read() { text += String(buffer: octets) }
        return text
    }
}

/// Keeps what a proxy tells.
final class EventLog: InterceptingProxyObserver {
    private let events = Mutex<[InterceptingProxyEvent]>([])

    func proxy(_ event: InterceptingProxyEvent) { self.events.withLock { $0.append(event) } }

    /// The requests, once so many are noted: a client may have its answer before.
    func requests(_ count: Int) async throws -> [ProxiedRequest] {
        for _ in 0..<3_000 where self.requests.count < count { try await Task.sleep(for: .milliseconds(10)) }
        return self.requests
    }

    var requests: [ProxiedRequest] {
        self.events.withLock { $0 }.compactMap { if case .request(let request) = $0 { request } else { nil } }
    }

    var connections: [ProxiedConnection] {
        self.events.withLock { $0 }.compactMap { if case .connection(let connection) = $0 { connection } else { nil } }
    }
}
