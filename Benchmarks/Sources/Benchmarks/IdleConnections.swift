//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import ServerTrust
import ServerTrustNIO

extension Benchmarks {
    /// The memory of connections with mutual TLS on which nothing happens, the client's and the server's process each: through
    /// the gate on both sides, and with swift-nio-ssl's own verification.
    static func idleConnections(_ count: Int = 5_000) throws {
        print("\n| KiB of memory for each of \(count) idle connections | swift-nio-ssl | the gate | ratio |")
        print("|---|---|---|---|")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("idle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try IdleFiles(folder: folder).write()
        let (plain, gated) = (try Self.measure("nio-ssl", folder, count), try Self.measure("gate", folder, count))
        for (name, part) in [
            ("client", \IdleMemory.client), ("client, ten seconds later", \.clientLater), ("server", \.server),
            ("server, ten seconds later", \.serverLater),
        ] {
            let (left, right) = (plain[keyPath: part], gated[keyPath: part])
            let values = [left, right, right / left].map { String(format: "%.2f", $0) }
            print("| \(name) | \(values.joined(separator: " | ")) |")
        }
    }

    private static func measure(_ kind: String, _ folder: URL, _ count: Int) throws -> IdleMemory {
        let server = try IdleProcess("idle-server", kind, folder.path)
        let port = try server.next()
        let client = try IdleProcess("idle-client", kind, folder.path, port, "\(count)")
        let connected = try client.number() / Double(count)
        let accepted = try server.ask() / Double(count)
        Thread.sleep(forTimeInterval: 10)
        let memory = IdleMemory(
            client: connected, clientLater: try client.ask() / Double(count), server: accepted,
            serverLater: try server.ask() / Double(count))
        client.end()
        server.end()
        return memory
    }

    /// One of the two processes.
    static func idleServer(_ arguments: [String]) async throws {
        let files = IdleFiles(folder: URL(fileURLWithPath: arguments[1]))
        let add = try arguments[0] == "gate" ? files.gatedServer() : files.plainServer()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let before = IdleProcess.memory
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelInitializer { channel in channel.eventLoop.makeCompletedFuture { try add(channel) } }
            .bind(host: "127.0.0.1", port: 0).get()
        IdleProcess.say(listener.localAddress?.port ?? 0)
        IdleProcess.answer(before)
    }

    /// The other one.
    static func idleClient(_ arguments: [String]) async throws {
        let files = IdleFiles(folder: URL(fileURLWithPath: arguments[1]))
        let add = try arguments[0] == "gate" ? files.gatedClient() : files.plainClient()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        guard let port = Int(arguments[2]), let count = Int(arguments[3]) else { return }
        let before = IdleProcess.memory
        var channels: [any Channel] = []
        for _ in 0..<count {
            let done = group.next().makePromise(of: Void.self)
            channels.append(
                try await ClientBootstrap(group: group)
                    .channelInitializer { channel in
                        channel.eventLoop.makeCompletedFuture {
                            try add(channel)
                            try channel.pipeline.syncOperations.addHandler(HandshakeEnd(done))
                        }
                    }
                    .connect(host: "127.0.0.1", port: port).get())
            try await done.futureResult.get()
        }
        IdleProcess.say(IdleProcess.memory - before)
        IdleProcess.answer(before)
        _ = channels
    }
}

private struct IdleMemory {
    let client, clientLater, server, serverLater: Double
}

/// A process of this program, which says how much memory it has gained whenever it is asked.
private final class IdleProcess {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    private var lines: [String] = []

    init(_ arguments: String...) throws {
        self.process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        self.process.arguments = arguments
        (self.process.standardInput, self.process.standardOutput) = (self.input, self.output)
        try self.process.run()
    }

    func next() throws -> String {
        while self.lines.isEmpty {
            let data = self.output.fileHandleForReading.availableData
            guard !data.isEmpty else { throw CocoaError(.fileReadUnknown) }
            self.lines += String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
        }
        return self.lines.removeFirst()
    }

    func number() throws -> Double { Double(try self.next()) ?? .nan }

    func ask() throws -> Double {
        self.input.fileHandleForWriting.write(Data("?\n".utf8))
        return try self.number()
    }

    func end() {
        kill(self.process.processIdentifier, SIGKILL)
        self.process.waitUntilExit()
    }

    static func say(_ number: Int) {
        FileHandle.standardOutput.write(Data("\(number)\n".utf8))
    }

    /// Answers until the input ends.
    static func answer(_ before: Int) {
        while readLine() != nil { Self.say(Self.memory - before) }
    }

    /// The resident memory, in KiB.
    static var memory: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}

/// The certificates of both sides, in a folder that both processes read.
private struct IdleFiles {
    typealias Adding = @Sendable (any Channel) throws -> Void

    let folder: URL

    func write() throws {
        let chain = try Chain(root: .p384, intermediate: .p256, leaf: .p256)
        let files = [
            ("root.der", Data(chain.root.der)), ("intermediate.der", Data(chain.intermediate.der)),
            ("leaf.der", Data(chain.leaf.der)),
            ("key.pem", Data(try chain.leafKey.serializeAsPEM().pemString.utf8)),
        ]
        for (name, content) in files { try content.write(to: self.folder.appendingPathComponent(name)) }
    }

    func plainServer() throws -> Adding {
        var tls = try self.serverTLS()
        tls.certificateVerification = .noHostnameVerification
        tls.trustRoots = .certificates([try self.certificate("root.der")])
        let context = try NIOSSLContext(configuration: tls)
        return { try $0.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context)) }
    }

    func gatedServer() throws -> Adding {
        let gate = try ClientTrustGate(
            ClientTrustSettings(trust: TrustConfiguration(anchors: try self.anchors()), tls: try self.serverTLS()))
        return { try $0.pipeline.syncOperations.addClientTrustHandlers(gate) }
    }

    func plainClient() throws -> Adding {
        var tls = try self.clientTLS()
        tls.trustRoots = .certificates([try self.certificate("root.der")])
        let context = try NIOSSLContext(configuration: tls)
        return { channel in
            let handler = try NIOSSLClientHandler(context: context, serverHostname: Chain.host)
            try channel.pipeline.syncOperations.addHandler(handler)
        }
    }

    func gatedClient() throws -> Adding {
        var settings = ServerTrustSettings(trust: TrustConfiguration(anchors: try self.anchors()))
        settings.tls = try self.clientTLS()
        let gate = ServerTrustGate(settings)
        let destination = ATSDestination(host: Chain.host)
        return { try $0.pipeline.syncOperations.addServerTrustHandlers(gate, for: destination) }
    }

    private func anchors() throws -> TrustAnchors {
        .only([try ServerTrust.Certificate(der: Array(try self.data("root.der")))])
    }

    private func serverTLS() throws -> TLSConfiguration {
        TLSConfiguration.makeServerConfiguration(certificateChain: try self.chain(), privateKey: try self.key())
    }

    private func clientTLS() throws -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.certificateChain = try self.chain()
        tls.privateKey = try self.key()
        return tls
    }

    private func chain() throws -> [NIOSSLCertificateSource] {
        try ["leaf.der", "intermediate.der"].map { .certificate(try self.certificate($0)) }
    }

    private func key() throws -> NIOSSLPrivateKeySource {
        .privateKey(try NIOSSLPrivateKey(bytes: Array(try self.data("key.pem")), format: .pem))
    }

    private func certificate(_ name: String) throws -> NIOSSLCertificate {
        try NIOSSLCertificate(bytes: Array(try self.data(name)), format: .der)
    }

    private func data(_ name: String) throws -> Data {
        try Data(contentsOf: self.folder.appendingPathComponent(name))
    }
}
