//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOPosix
import NIOSSL
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import TestSupport
import Testing

@Suite(
    "App Transport Security and plain HTTP, redirects, and connecting", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ATSDestinationTests {
    @Test("Plain HTTP fails before a byte is sent, unless an exception allows it", arguments: plainPolicies)
    func plain(dictionary: String, isAllowed: Bool) async throws {
        let enforcement = try ATSFixture.enforcement(dictionary)
        try await ATSTestServer.withPlain { server in
            let destination = ATSDestination(host: ATSTestClient.host, scheme: .http, port: server.port)
            if isAllowed {
                let channel = try await enforcement.connect(to: destination, connectAddress: "127.0.0.1").channel
                try await channel.writeAndFlush(ByteBuffer(string: "ping"))
                let seen = try await server.seenAfterAWhile(.seconds(60))
                #expect(seen.received == Array("ping".utf8))
                try await channel.close()
            } else {
                let error = await #expect(throws: ServerTrustGateError.self) {
                    try await enforcement.connect(to: destination, connectAddress: "127.0.0.1")
                }
                #expect(error?.verdict.urlError?.rawValue == -1022)
                #expect(error?.description.contains("http://server.test:\(server.port): ") == true)
                let seen = try await server.seenAfterAWhile(.milliseconds(100))
                #expect(seen.connections == 0)
            }
        }
    }

    @Test("Nothing is added to a pipeline for plain HTTP, refused or allowed", arguments: plainPolicies)
    func plainPipeline(dictionary: String, isAllowed: Bool) async throws {
        let enforcement = try ATSFixture.enforcement(dictionary)
        let verdicts = Mutex<Result<GatedConnection, any Error>?>(nil)
        try await ATSTestServer.withPlain { server in
            let destination = ATSDestination(host: ATSTestClient.host, scheme: .http, port: server.port)
            let connected = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { channel in
                    let verdict = channel.eventLoop.makePromise(of: GatedConnection.self)
                    verdict.futureResult.whenComplete { result in verdicts.withLock { $0 = result } }
                    return channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addServerTrustHandlers(
                            enforcement, for: destination, outcome: verdict)
                        #expect(throws: ChannelPipelineError.self) {
                            try channel.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
                        }
                    }
                }
                .connect(host: "127.0.0.1", port: server.port)
            if isAllowed {
                try await connected.get().close()
                #expect(try verdicts.withLock { $0 }?.get().verdict.isAllowed == true)
            } else {
                // In which NIO wraps what an initializer throws.
                await #expect(throws: NIOConnectionError.self) { try await connected.get() }
                #expect(throws: ServerTrustGateError.self) { try verdicts.withLock { $0 }?.get() }
            }
        }
    }

    @Test("A redirect from https to http is not followed: -1022, and nothing listens in vain")
    func redirect() async throws {
        let enforcement = try ATSFixture.enforcement()
        try await ATSTestServer.withPlain { plain in
            var speech = ATSTestServer.Speech()
            speech.answer =
                "HTTP/1.1 301 Moved Permanently\r\nLocation: http://\(ATSTestClient.host):\(plain.port)/\r\n"
                + "Content-Length: 0\r\n\r\n"
            try await ATSTestServer.with(speech, try ATSFixture.ecdsa.get()) { secure in
                let start = "https://\(ATSTestClient.host):\(secure.port)/"
                let error = await #expect(throws: ServerTrustGateError.self) { try await enforcement.load(start) }
                #expect(error?.verdict.urlError?.rawValue == -1022)
                #expect(error?.destination.scheme == .http)
                #expect(secure.seen.received.starts(with: Array("GET / ".utf8)))
                let seen = try await plain.seenAfterAWhile(.milliseconds(100))
                #expect(seen.connections == 0)
            }
        }
    }

    @Test("Connecting comes back with a connection that was let through, or with the reason", arguments: [true, false])
    func connecting(isGenuine: Bool) async throws {
        let enforcement = try ATSFixture.enforcement()
        try await ATSTestServer.with(.init(), try ATSFixture.ecdsa.get()) { server in
            let destination = ATSDestination(host: isGenuine ? ATSTestClient.host : "other.test", port: server.port)
            if isGenuine {
                let channel = try await enforcement.connect(to: destination, connectAddress: "127.0.0.1").channel
                #expect(channel.isActive)
                try await channel.close()
            } else {
                let error = await #expect(throws: ServerTrustGateError.self) {
                    try await enforcement.connect(to: destination, connectAddress: "127.0.0.1")
                }
                #expect(error?.verdict.streamError?.rawValue == -9843)
            }
        }
    }

    @Test("Where nothing listens there is no connection, and where there is no such name no address")
    func unreachable() async throws {
        let enforcement = try ATSFixture.enforcement()
        let port = try await RawServer.with(.silent) { $0.port }
        let refused = await #expect(throws: ServerTrustGateError.self) {
            try await enforcement.connect(
                to: ATSDestination(host: ATSTestClient.host, port: port), connectAddress: "127.0.0.1")
        }
        #expect(refused?.verdict.urlError == .cannotConnectToHost)
        let unknown = await #expect(throws: ServerTrustGateError.self) {
            try await enforcement.connect(to: ATSDestination(host: "no-such-name.invalid", port: port))
        }
        #expect(unknown?.verdict.urlError == .cannotFindHost)
        await #expect(throws: TLSEndpointError.self) {
            try await enforcement.connect(to: ATSDestination(host: "no name"))
        }
    }

    @Test("A cancelled attempt ends, and so does its connection")
    func cancellation() async throws {
        let enforcement = try ATSFixture.enforcement()
        try await RawServer.with(.silent) { server in
            let destination = ATSDestination(host: ATSTestClient.host, port: server.port)
            let attempt = Task { try await enforcement.connect(to: destination, connectAddress: "127.0.0.1") }
            let isConnected = try await server.isConnected()
            #expect(isConnected)
            attempt.cancel()
            await #expect(throws: CancellationError.self) { try await attempt.value }
            let isIdle = try await server.isIdle()
            #expect(isIdle)
        }
    }
}

private let plainPolicies: [(String, Bool)] = [
    ("{}", false), (ATSFixture.exception(#""NSExceptionMinimumTLSVersion": "TLSv1.0""#), false),
    (ATSFixture.exception(#""NSExceptionAllowsInsecureHTTPLoads": true"#), true),
    (#"{"NSAllowsArbitraryLoads": true}"#, true),
]

extension ServerTrustGate {
    /// A client no larger than it must be to follow redirects: every URL goes through `connect`, which checks it.
    fileprivate func load(_ start: String) async throws -> String {
        var url = start
        for _ in 0..<5 {
            let answer = Answer()
            let channel = try await self.connect(
                to: try ATSDestination(url: url), connectAddress: "127.0.0.1",
                initializer: { try $0.pipeline.syncOperations.addHandler(AnswerReader(answer)) }
            ).channel
            try await channel.writeAndFlush(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: \(ATSTestClient.host)\r\n\r\n"))
            let text = try await answer.text(on: channel)
            guard let location = text.split(separator: "Location: ").dropFirst().first else { return text }
            url = String(location.prefix { $0 != "\r\n" })
        }
        return ""
    }
}

private final class Answer: Sendable {
    private let received = Mutex("")

    func add(_ text: String) {
        self.received.withLock { $0 += text }
    }

    func text(on channel: any Channel) async throws -> String {
        while channel.isActive, !self.received.withLock({ $0.contains("\r\n\r\n") }) {
            try await Task.sleep(for: .milliseconds(5))
        }
        try? await channel.close()
        return self.received.withLock { $0 }
    }
}

private final class AnswerReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let answer: Answer

    init(_ answer: Answer) {
        self.answer = answer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.answer.add(String(buffer: self.unwrapInboundIn(data)))
    }
}
