//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import NIOCertificateReloading
import NIOCore
import NIOPosix
import NIOSSL
import ServerIntegrations
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Testing

@Suite("Identities that follow files", .timeLimit(.minutes(2)))
struct ReloadingTests {
    @Test("Both peers present new certificates on new connections, and the open one is not lost")
    func reload() async throws {
        try await withFolder { folder in
            let (server, client) = (try Identity(folder, "server"), try Identity(folder, "client"))
            let clients = try ClientTrustGate(try server.settings(trusting: client))
            let listener = try await Self.listen(clients)
            defer { listener.channel.close(promise: nil) }
            let gate = ServerTrustGate(try client.settings(trusting: server))
            let first = try await listener.connect(gate)
            #expect(first.names == ["server 1", "client 1"])
            try server.renew()
            try client.renew()
            let second = try await listener.connect(gate)
            #expect(second.names == ["server 2", "client 2"])
            #expect(try await first.echo("still here") == "still here")
            #expect(try await second.echo("new") == "new")
            try Data("junk".utf8).write(to: server.certificate)
            #expect(throws: (any Error).self) { try server.reloader.reload() }
            #expect(try await listener.connect(gate).names == ["server 2", "client 2"])
        }
    }

    @Test("An identity that is set later takes the place of the reloader, and the other way round")
    func replaced() async throws {
        try await withFolder { folder in
            let client = try Identity(folder, "client")
            var settings = ServerTrustSettings(trust: TrustConfiguration(anchors: .none))
            settings.tls.certificateChain = [.certificate(try NIOSSLCertificate(bytes: client.der, format: .der))]
            settings.setIdentity(client.reloader)
            #expect(settings.tls.certificateChain.isEmpty && settings.tls.sslContextCallback != nil)
            settings.identity = nil
            #expect(settings.tls.sslContextCallback == nil)
        }
    }

    private static func listen(_ gate: ClientTrustGate) async throws -> Listener {
        let clients = AsyncStream.makeStream(of: String.self)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let outcome = channel.eventLoop.makePromise(of: GatedClient.self)
                    outcome.futureResult.whenComplete { result in
                        let client = try? result.get()
                        clients.continuation.yield(client?.identity?.result.path.first?.commonName ?? "refused")
                    }
                    try channel.pipeline.syncOperations.addClientTrustHandlers(gate, outcome: outcome)
                    try channel.pipeline.syncOperations.addHandler(Echo())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return Listener(channel: channel, clients: clients.stream)
    }
}

/// A peer with certificates in files.
private final class Identity {
    let name: String
    let authority: TestAuthority
    let certificate: URL
    let reloader: TimedCertificateReloader
    private(set) var der: [UInt8] = []
    private let key: URL
    private var number = 0

    init(_ folder: URL, _ name: String) throws {
        self.name = name
        self.authority = try TestAuthority(root: .root(commonName: "\(name)s"))
        self.certificate = folder.appendingPathComponent("\(name).pem")
        self.key = folder.appendingPathComponent("\(name).key")
        self.reloader = TimedCertificateReloader(
            refreshInterval: .seconds(86_400),
            certificateSource: .init(location: .file(path: self.certificate.path), format: .pem),
            privateKeySource: .init(location: .file(path: self.key.path), format: .pem))
        try self.renew()
    }

    func renew() throws {
        self.number += 1
        var description: CertificateDescription =
            self.name == "server" ? .leaf(dnsNames: ["server.test"]) : .client(commonName: "client")
        description.commonName = "\(self.name) \(self.number)"
        let issued = try self.authority.issue(description)
        self.der = issued.der
        try Data(issued.pem.utf8).write(to: self.certificate)
        try Data(issued.privateKey.pem.utf8).write(to: self.key)
        try self.reloader.reload()
    }

    func settings(trusting peer: Identity) throws -> ClientTrustSettings {
        let tls = try TLSConfiguration.makeServerConfiguration(certificateReloader: self.reloader)
        var settings = ClientTrustSettings(trust: TrustConfiguration(anchors: try peer.authority.anchors), tls: tls)
        settings.setIdentity(self.reloader)
        return settings
    }

    func settings(trusting peer: Identity) throws -> ServerTrustSettings {
        var settings = ServerTrustSettings(trust: TrustConfiguration(anchors: try peer.authority.anchors))
        // A look shows no identity, and the server would count it as a refused client.
        settings.looksAtDeliveredEvidence = false
        settings.setIdentity(self.reloader)
        return settings
    }
}

/// A server with a gate for clients.
private struct Listener {
    let channel: any Channel
    let clients: AsyncStream<String>

    func connect(_ gate: ServerTrustGate) async throws -> Connection {
        let echoes = AsyncStream.makeStream(of: String.self)
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let outcome = eventLoop.makePromise(of: GatedConnection.self)
        let channel = try await ClientBootstrap(group: eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addServerTrustHandlers(
                        gate, for: ATSDestination(host: "server.test"), outcome: outcome)
                    try channel.pipeline.syncOperations.addHandler(Reader(echoes.continuation))
                }
            }
            .connect(to: try #require(self.channel.localAddress)).get()
        let server = try await outcome.futureResult.get().result?.path.first?.commonName ?? "none"
        var clients = self.clients.makeAsyncIterator()
        return Connection(
            channel: channel, names: [server, await clients.next() ?? "none"], echoes: echoes.stream)
    }
}

private struct Connection {
    let channel: any Channel
    /// The names in the certificates of the server and the client.
    let names: [String]
    let echoes: AsyncStream<String>

    func echo(_ text: String) async throws -> String? {
        try await self.channel.writeAndFlush(ByteBuffer(string: text))
        var echoes = self.echoes.makeAsyncIterator()
        return await echoes.next()
    }
}

private final class Echo: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.writeAndFlush(data, promise: nil) }
}

private final class Reader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let echoes: AsyncStream<String>.Continuation

    init(_ echoes: AsyncStream<String>.Continuation) { self.echoes = echoes }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.echoes.yield(String(buffer: self.unwrapInboundIn(data)))
    }

    func channelInactive(context: ChannelHandlerContext) { self.echoes.finish() }
}
