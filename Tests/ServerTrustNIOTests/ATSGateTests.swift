//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustTesting
import TLSWire
import TestSupport
import Testing

@testable import ServerTrustNIO

@Suite("App Transport Security before servers that misbehave", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ATSGateTests {
    @Test("Whatever a server does, the program hears one error, in Apple's codes", arguments: behaviours)
    func misbehaviour(behaviour: RawServer.Behaviour, url: URLErrorCode, stream: Int?) async throws {
        let timeout: Duration = url == .timedOut ? .milliseconds(500) : .seconds(60)
        let enforcement = try ATSFixture.enforcement { $0.handshakeTimeout = timeout }
        let outcome = try await RawServer.with(behaviour) { server in
            try await ATSTestClient.run(enforcement, port: server.port)
        }
        #expect(outcome.events.filter { $0 != .inactive } == [.notWritten, .error], "\(outcome)")
        #expect(outcome.error?.verdict.urlError == url, "\(outcome)")
        #expect(outcome.stream == stream, "\(outcome)")
        #expect(throws: ServerTrustGateError.self) { try outcome.verdict?.get() }
    }

    @Test("It does not matter how what a server sends is cut", arguments: 2...3)
    func fragments(version: Int) async throws {
        let enforcement = try ATSFixture.enforcement()
        try await ATSTestServer.with(.init(versions: version...version), try ATSFixture.ecdsa.get()) { server in
            let destination = ATSDestination(host: ATSTestClient.host, port: server.port)
            let outcome = try await ATSTestClient.run(port: server.port) { channel, verdict in
                try channel.pipeline.syncOperations.addHandler(Splitter())
                try channel.pipeline.syncOperations.addServerTrustHandlers(
                    enforcement, for: destination, outcome: verdict)
            }
            #expect(outcome.isAllowed, "\(outcome)")
        }
    }

    @Test("What a server says at once is heard after the verdict, and what was written before is sent after it")
    func order() async throws {
        let enforcement = try ATSFixture.enforcement()
        try await ATSTestServer.with(.init(greeting: "hello "), try ATSFixture.ecdsa.get()) { server in
            let outcome = try await ATSTestClient.run(enforcement, port: server.port)
            #expect(outcome.events.first == .handshake, "\(outcome)")
            #expect(outcome.events.contains(.wrote))
            #expect(server.seen.received == Array("ping".utf8))
        }
    }

    @Test("Without the server's choice everything is refused, and where TLS has another one", arguments: [true, false])
    func unknownChoice(isMistaken: Bool) async throws {
        let enforcement = try ATSFixture.enforcement()
        try await ATSTestServer.with(.init(greeting: "hello"), try ATSFixture.ecdsa.get()) { server in
            let outcome = try await ATSTestClient.run(port: server.port) { channel, verdict in
                let destination = ATSDestination(host: ATSTestClient.host)
                let preparation = try enforcement.generation.preparation(for: destination)
                let handshake = GateHandshake(preparation, deciding: nil, looking: .none, outcome: verdict)
                if isMistaken { handshake.choice = ServerHello.tls12.map(ServerChoice.init) }
                let tls = try NIOSSLClientHandler(
                    context: NIOSSLContext(configuration: enforcement.tlsConfiguration(for: destination)),
                    serverHostname: destination.host,
                    customVerificationCallback: { handshake.receive($0, $1) })
                handshake.tls = tls
                let gate = GateHandler(handshake)
                try channel.pipeline.syncOperations.addHandlers([tls, gate])
            }
            #expect(outcome.code == "malformed", "\(outcome)")
            #expect(outcome.events.filter { $0 != .inactive } == [.notWritten, .error])
            #expect(server.seen.received.isEmpty)
        }
    }

    @Test("A program that closes the connection itself hears of no error of ours")
    func closedByProgram() async throws {
        let enforcement = try ATSFixture.enforcement()
        let outcome = try await RawServer.with(.silent) { server in
            let destination = ATSDestination(host: ATSTestClient.host, port: server.port)
            return try await ATSTestClient.run(port: server.port) { channel, verdict in
                try channel.pipeline.syncOperations.addServerTrustHandlers(
                    enforcement, for: destination, outcome: verdict)
                try channel.pipeline.syncOperations.addHandler(Closer())
            }
        }
        #expect(outcome.errors.allSatisfy { !($0 is ServerTrustGateError) }, "\(outcome)")
        #expect(throws: ChannelError.self) { try outcome.verdict?.get() }
        #expect(outcome.events.contains(.notWritten))
    }

    @Test("What is held leaves in its order, and tells where it was flushed")
    func pendingWrites() {
        var writes = PendingWrites(limit: 2)
        #expect(writes.popFirst() == nil)
        for text in ["a", "b"] {
            let isHeld = writes.append(ByteBuffer(string: text), nil)
            #expect(isHeld)
        }
        let isHeldBeyond = writes.append(ByteBuffer(string: "c"), nil)
        #expect(!isHeldBeyond)
        writes.flush()
        writes.append(.closeOutput(nil))
        #expect(writes.popFirst()?.isFlushed == false)
        #expect(writes.popFirst()?.isFlushed == true)
        #expect(writes.popFirst()?.isFlushed == false)
        #expect(writes.popFirst() == nil)
    }
}

/// Cuts what comes into single bytes.
private final class Splitter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = self.unwrapInboundIn(data)
        while let byte = bytes.readSlice(length: 1) { context.fireChannelRead(self.wrapInboundOut(byte)) }
    }
}

/// Closes a connection soon after it is there.
private final class Closer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        context.eventLoop.scheduleTask(in: .milliseconds(100)) { channel.close(promise: nil) }
        context.fireChannelActive()
    }
}

extension ServerHello {
    fileprivate static var tls12: ServerHello? {
        var search = ServerHelloSearch()
        guard case .serverHello(let found)? = search.read(ByteBuffer(bytes: hello(0x0303))) else { return nil }
        return found
    }
}

private func helloBody(_ version: UInt16, suite: UInt16 = 0xC02F) -> [UInt8] {
    [UInt8(version >> 8), UInt8(version & 0xFF)] + [UInt8](repeating: 7, count: 32)
        + [0, UInt8(suite >> 8), UInt8(suite & 0xFF), 0]
}

/// A ServerHello that chooses, and nothing after it.
private func hello(_ version: UInt16, suite: UInt16 = 0xC02F) -> [UInt8] {
    let body = helloBody(version, suite: suite)
    return [22, 3, 3, 0, UInt8(body.count + 4), 2, 0, 0, UInt8(body.count)] + body
}

private func alert(_ number: UInt8) -> [UInt8] { [21, 3, 3, 0, 2, 2, number] }

private let behaviours: [(RawServer.Behaviour, URLErrorCode, Int?)] = [
    (.silent, .timedOut, nil),
    (.answer([22, 3, 3]), .timedOut, nil),
    (.slow(alert(40) + hello(0x0303), every: .milliseconds(200)), .timedOut, nil),
    (.close, .secureConnectionFailed, -9816),
    (.answerAndClose([22, 3, 3]), .secureConnectionFailed, -9816),
    (.answer(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)), .secureConnectionFailed, -9800),
    (.answer(Array("x".utf8)), .secureConnectionFailed, -9800),
    (.answer([22, 3, 3, 0, 4, 1, 0, 0, 0]), .secureConnectionFailed, -9800),
    (.endless([22, 3, 3, 0x40, 0] + [UInt8](repeating: 0, count: 1 << 14)), .secureConnectionFailed, -9800),
    (.endless([23, 3, 3, 0, 0]), .secureConnectionFailed, -9800),
    (.answer(alert(40)), .secureConnectionFailed, -9824),
    (.answer(alert(70)), .secureConnectionFailed, -9836),
    (.answer(alert(71)), .secureConnectionFailed, -9837),
    (.answer(alert(80)), .secureConnectionFailed, -9838),
    (.answer(alert(112)), .secureConnectionFailed, -9865),
    (.answer(alert(200)), .secureConnectionFailed, -9802),
    (.answer(hello(0x0301)), .secureConnectionFailed, -9881),
    (.answer(hello(0x0300)), .secureConnectionFailed, -9881),
    (.answer(hello(0x0303, suite: 0x009C)), .secureConnectionFailed, -9882),
    (.answer(hello(0x0303, suite: 0x0005)), .secureConnectionFailed, -9882),
]
