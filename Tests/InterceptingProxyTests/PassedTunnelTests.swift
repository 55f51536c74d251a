//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPSession
import HTTPTypes
import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TLSWire
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("Tunnels in which the TLS of programs passes", .limitedConcurrency, .timeLimit(.minutes(10)))
struct PassedTunnelTests {
    private static let head = "CONNECT server.test:443 HTTP/1.1\r\nHost: server.test:443\r\n\r\n"

    /// A hello with a name, in a record.
    static func hello(
        _ name: String? = "server.test", _ extensions: [HelloExtension] = [.supportedVersions([.tls13, .tls12])]
    ) -> [UInt8] {
        ClientHello(
            recordVersion: .tls10, legacyVersion: .tls12, random: [UInt8](repeating: 1, count: 32), sessionID: [],
            cipherSuites: [CipherSuite(rawValue: 0x1301)], compressionMethods: [0],
            extensions: (name.map { [.serverName($0)] } ?? []) + extensions
        ).encoded()
    }

    /// A tunnel on which a test writes octet by octet.
    static func open(_ scene: ProxyScene) async throws -> PlainStream {
        let plain = try await scene.connect()
        try await plain.write(ByteBuffer(string: Self.head))
        #expect(try await plain.readLine() == "HTTP/1.1 200 Connection established\r\n")
        #expect(try await plain.readLine() == "\r\n")
        return plain
    }

    /// A tunnel in which a hello was sent.
    static func greet(_ scene: ProxyScene) async throws -> PlainStream {
        let plain = try await Self.open(scene)
        try await plain.write(ByteBuffer(bytes: Self.hello()))
        return plain
    }

    /// Octets up to the end, however it comes.
    static func rest(_ plain: PlainStream) async -> [UInt8] {
        var octets: [UInt8] = []
        while let more = try? await plain.read() { octets += more.readableBytesView }
        return octets
    }

    // MARK: Servers

    @Test(
        "A server that is refused is told of in the answer to CONNECT, and receives a hello and an alert",
        arguments: RefusedServerTests.Fault.allCases)
    func refused(fault: RefusedServerTests.Fault) async throws {
        try await TestHTTPServer.with(tls: try fault.chain(), Answers { _ in TestHTTPServer.response("secret") }) {
            bad in
            try await RecordRelay.with(bad.port) { relay in
                try await ProxyScene.with(server: relay.port) {
                    $0.tunnels = .passed
                    try fault.configure(&$0)
                } _: { scene in
                    let answer = try await scene.answer(to: Self.head)
                    #expect(answer.hasPrefix("HTTP/1.1 403 Forbidden\r\n"), "\(answer)")
                    #expect(answer.contains("reason: ") && answer.contains("Apple's code: "), "\(answer)")
                    let request = try #require(try await scene.log.requests(1).first)
                    #expect(request.verdict == .refused && request.rule != nil && request.method == .connect)
                }
                #expect(
                    relay.fromClients.hasOnlyHelloAndAlerts
                        || relay.fromClients.records.allSatisfy { $0.type != 23 || $0.length <= 19 })
            }
            #expect(bad.seen.connections == 1 && bad.seen.requests.isEmpty)
        }
    }

    @Test("A server that is not there, or is no server of TLS, is told of in the answer to CONNECT")
    func failed() async throws {
        let port = try await TestHTTPServer.with(Answers { _ in .reset }) { $0.port }
        try await ProxyScene.with(server: port) {
            $0.tunnels = .passed
        } _: { scene in
            let answer = try await scene.answer(to: Self.head)
            #expect(answer.hasPrefix("HTTP/1.1 502 "), "\(answer)")
            #expect(try await scene.log.requests(1).first?.verdict == .failed)
        }
    }

    @Test("The program's own TLS reaches a good server", arguments: [TLSVersion.tlsv12, .tlsv13])
    func passes(version: TLSVersion) async throws {
        var configuration = TestTLSServer.Configuration(try ProxyScene.chain()[0])
        configuration.maximumTLSVersion = version
        try await withTestServer(configuration) { server in
            try await ProxyScene.with(server: server.port) {
                $0.tunnels = .passed
            } _: { scene in
                // The second tunnel goes by the verdict for the first.
                for _ in 0..<2 {
                    let plain = try await PlainStream.connect(
                        to: "127.0.0.1", port: scene.proxy.port, peerName: "server.test")
                    try await plain.write(ByteBuffer(string: Self.head))
                    #expect(try await plain.readLine() == "HTTP/1.1 200 Connection established\r\n")
                    #expect(try await plain.readLine() == "\r\n")
                    let trust = ServerTrustSettings(anchors: try ProxyScene.authority.get().anchors)
                    let stream = try await plain.upgrade(gate: ServerTrustGate(trust))
                    try await stream.write(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: server.test\r\n\r\n"))
                    #expect(try await ProxyScene.rest { try await stream.read() }.contains("hello"))
                    await stream.close()
                }
                let requests = try await scene.log.requests(2)
                #expect(requests.map(\.verdict) == [.trusted, .trusted] && requests.allSatisfy(\.isComplete))
                #expect(requests.allSatisfy { $0.requestSize > 100 && $0.responseSize > 100 && $0.status == 200 })
            }
        }
    }

    @Test("A server that wants another hello gets one")
    func retryRequest() async throws {
        var configuration = TestTLSServer.Configuration(try ProxyScene.chain()[0])
        configuration.groups = [.secp384r1]
        try await withTestServer(configuration) { server in
            try await RecordRelay.with(server.port) { relay in
                try await ProxyScene.with(server: relay.port) {
                    $0.tunnels = .passed
                } _: { scene in
                    let plain = try await PlainStream.connect(
                        to: "127.0.0.1", port: scene.proxy.port, peerName: "server.test")
                    try await plain.write(ByteBuffer(string: Self.head))
                    _ = try await plain.readLine()
                    _ = try await plain.readLine()
                    let trust = ServerTrustSettings(anchors: try ProxyScene.authority.get().anchors)
                    let stream = try await plain.upgrade(gate: ServerTrustGate(trust))
                    try await stream.write(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: server.test\r\n\r\n"))
                    #expect(try await ProxyScene.rest { try await stream.read() }.contains("hello"))
                }
                // Each side of the proxy has sent two hellos.
                #expect(relay.fromClients.records.filter { $0.type == 22 }.count == 4)
            }
        }
    }

    // MARK: Hellos

    static let badHellos: [(octets: [UInt8], code: String, alert: UInt8?)] = [
        (Self.hello("other.test"), "server-name", 112), (Self.hello(nil), "server-name", 112),
        (Self.hello("server.test."), "server-name", 112), (Self.hello("192.0.2.7"), "server-name", 112),
        (Self.hello("server.test", [HelloExtension(.encryptedClientHello, [0, 0, 1])]), "hidden-name", 49),
        (Self.hello("server.test", [.serverName("other.test")]), "malformed-hello", 47),
        (Array("GET / HTTP/1.1\r\n\r\n".utf8), "not-tls", nil), ([22, 3, 1, 0xFF, 0xFF], "malformed-hello", 47),
    ]

    @Test("A hello for another server, or that hides its server, is sent to no server", arguments: Self.badHellos)
    func hellos(octets: [UInt8], code: String, alert: UInt8?) async throws {
        try await SecondConnectionServer.with(.echo) { server in
            try await ProxyScene.with(server: server.port) {
                $0.tunnels = .passed
            } _: { scene in
                let plain = try await Self.open(scene)
                try await plain.write(ByteBuffer(bytes: octets))
                #expect(await Self.rest(plain) == alert.map { [21, 3, 3, 0, 2, 2, $0] } ?? [])
                let request = try #require(try await scene.log.requests(1).first)
                #expect(request.rule == code && request.verdict == .failed && request.requestSize == 0)
                #expect(server.received.isEmpty && server.connections == 2)
            }
        }
    }

    @Test("To an address no name is sent")
    func address() async throws {
        try await SecondConnectionServer.with(.echo) { server in
            try await ProxyScene.with(server: server.port) {
                $0.tunnels = .passed
            } _: { scene in
                let plain = try await scene.connect()
                try await plain.write(
                    ByteBuffer(string: "CONNECT 192.0.2.7:443 HTTP/1.1\r\nHost: 192.0.2.7:443\r\n\r\n"))
                #expect(try await plain.readLine()?.contains(" 200 ") == true)
                _ = try await plain.readLine()
                try await plain.write(ByteBuffer(bytes: Self.hello("192.0.2.7")))
                #expect(await Self.rest(plain) == [21, 3, 3, 0, 2, 2, 112])
                #expect(server.received.isEmpty)
            }
        }
    }

    // MARK: Answers

    private static let suite = CipherSuite(rawValue: 0xC02F)

    /// The first flight of a server of TLS 1.2 with a certificate.
    private static func flight(_ certificate: [UInt8], suite: CipherSuite = Self.suite) -> [UInt8] {
        let scheme = SignatureScheme(rawValue: 0x0403)
        let key = suite == Self.suite ? ScriptedServer.keyExchange(.secp256r1, signedWith: scheme) : []
        return ScriptedServer.record(
            ScriptedServer.hello(.tls12, suite) + ScriptedServer.certificate([certificate]) + key + ScriptedServer.done)
    }

    private static let finished =
        ScriptedServer.record([1], type: 20) + ScriptedServer.record(Array(repeating: 9, count: 40))

    private static let tls13Suite = CipherSuite(rawValue: 0x1301)

    /// A hello of TLS 1.2 that pretends to be a HelloRetryRequest, and a certificate that was not judged.
    private static let pretendedRetry = ScriptedServer.record(
        ScriptedServer.hello(.tls12, Self.suite, random: ScriptedServer.retryRandom)
            + ScriptedServer.certificate([[0x30, 0]]) + ScriptedServer.done)

    /// A hello that chooses a version that the program has not offered, and a certificate behind it.
    private static func unoffered(_ version: [UInt8]) -> [UInt8] {
        ScriptedServer.record(
            ScriptedServer.hello(.tls12, Self.tls13Suite, extensions: [ScriptedServer.serverExtension(43, version)]))
            + ScriptedServer.record(ScriptedServer.certificate([[0x30, 0]]) + ScriptedServer.done)
    }

    /// What a server says on the second connection, and what is made of it.
    private static let badAnswers: [(octets: [UInt8], code: String, alert: UInt8, verdict: ProxiedRequest.Verdict)] = [
        (Array("HTTP/1.1 200 OK\r\n\r\n".utf8), "server-not-tls", 40, .failed),
        (
            ScriptedServer.record(ScriptedServer.hello(.tls12, Self.suite)) + Self.finished, "resumed-session", 49,
            .failed
        ),
        (
            ScriptedServer.record(ScriptedServer.hello(.tls12, Self.suite) + ScriptedServer.done), "no-certificate", 49,
            .refused
        ),
        (Self.flight([0x30, 0]), "another-certificate", 49, .refused),
        (Self.flight([0x30, 0], suite: CipherSuite(rawValue: 0x002F)), "cipher-suite", 49, .refused),
        (
            ScriptedServer.record(ScriptedServer.hello(.tls11, CipherSuite(rawValue: 0xC013)) + ScriptedServer.done),
            "tls-version-too-old", 49, .refused
        ),
        (
            ScriptedServer.record(ScriptedServer.retryRequest(CipherSuite(rawValue: 0x1301), .secp384r1) + [2, 0, 0]),
            "malformed-answer", 40, .failed
        ),
        (ScriptedServer.record([1], type: 20), "malformed-answer", 40, .failed),
        (Self.pretendedRetry, "malformed-answer", 40, .failed),
        (Self.unoffered([0x7F, 28]), "malformed-answer", 40, .failed),
        (Self.unoffered([3, 5]), "malformed-answer", 40, .failed),
        // TLS 1.3 in the field of old, where no program takes it.
        (
            ScriptedServer.record(ScriptedServer.hello(.tls13, Self.tls13Suite) + ScriptedServer.done),
            "malformed-answer", 40, .failed
        ),
        (
            ScriptedServer.record(ScriptedServer.hello13(Self.tls13Suite, .x25519) + [11, 0, 0]), "malformed-answer",
            40,
            .failed
        ),
    ]

    @Test("What a server shows the program, and not the proxy, does not reach the program", arguments: Self.badAnswers)
    func answers(octets: [UInt8], code: String, alert: UInt8, verdict: ProxiedRequest.Verdict) async throws {
        try await SecondConnectionServer.with(.send(octets)) { server in
            try await ProxyScene.with(server: server.port) {
                $0.tunnels = .passed
            } _: { scene in
                let plain = try await Self.greet(scene)
                #expect(await Self.rest(plain) == [21, 3, 3, 0, 2, 2, alert])
                let request = try #require(try await scene.log.requests(1).first)
                #expect(request.rule == code && request.verdict == verdict && request.responseSize == 0, "\(request)")
                #expect(server.received == Self.hello())
            }
        }
    }

    @Test("A second HelloRetryRequest, and a second hello for another server, are refused")
    func secondRetry() async throws {
        let retry = ScriptedServer.record(ScriptedServer.retryRequest(CipherSuite(rawValue: 0x1301), .secp384r1))
        try await SecondConnectionServer.with(.send(retry)) { server in
            try await ProxyScene.with(server: server.port) {
                $0.tunnels = .passed
            } _: { scene in
                let plain = try await Self.greet(scene)
                var octets = try #require(try await plain.read())
                #expect(octets.readBytes(length: octets.readableBytes) == retry)
                try await plain.write(ByteBuffer(bytes: Self.hello("other.test")))
                #expect(await Self.rest(plain) == [21, 3, 3, 0, 2, 2, 112])
                #expect(server.received == Self.hello())
            }
        }
    }

    @Test("A server that chooses TLS 1.3 where the program has not offered it is refused")
    func versionNotOffered() async throws {
        let offers = HelloExtension.supportedVersions([.tls12])
        for (extensions, isPassed) in [([], false), ([offers], false), ([.supportedVersions([.tls13])], true)] {
            try await SecondConnectionServer.with(.send(Self.unoffered([3, 4]))) { server in
                try await ProxyScene.with(server: server.port) {
                    $0.tunnels = .passed
                } _: { scene in
                    let plain = try await Self.open(scene)
                    try await plain.write(ByteBuffer(bytes: Self.hello("server.test", extensions)))
                    var octets = try await plain.read()
                    let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 40]
                    #expect((octets?.readBytes(length: 7) == alert) != isPassed)
                    await plain.close()
                }
            }
        }
    }

    @Test("An alert of the server reaches the program, and nothing behind it")
    func alert() async throws {
        let alert = ScriptedServer.alert(70)
        try await SecondConnectionServer.with(.send(alert + Array("more".utf8))) { server in
            try await ProxyScene.with(server: server.port) {
                $0.tunnels = .passed
            } _: { scene in
                let plain = try await Self.greet(scene)
                #expect(await Self.rest(plain) == alert)
                let request = try #require(try await scene.log.requests(1).first)
                #expect(request.verdict == .failed && request.rule == "alert", "\(request)")
                #expect(request.reason?.contains("protocol_version") == true, "\(request)")
            }
            #expect(try await server.hasNoConnection())
        }
    }

    @Test("What a program sends behind its hello waits for the server's")
    func early() async throws {
        let early: [UInt8] = [23, 3, 3, 0, 1, 9]
        try await SecondConnectionServer.with(.silence) { server in
            try await ProxyScene.with(server: server.port) {
                $0.tunnels = .passed
                $0.limits.headTime = .seconds(3)
            } _: { scene in
                let plain = try await Self.open(scene)
                try await plain.write(ByteBuffer(bytes: Self.hello() + early))
                #expect(await Self.rest(plain).isEmpty)
                #expect(server.received == Self.hello())
                #expect(try await scene.log.requests(1).first?.verdict == .failed)
            }
        }
        let hello = ScriptedServer.record(ScriptedServer.hello13(CipherSuite(rawValue: 0x1301), .x25519))
        try await SecondConnectionServer.with(.send(hello)) { server in
            try await ProxyScene.with(server: server.port) {
                $0.tunnels = .passed
            } _: { scene in
                let plain = try await Self.open(scene)
                try await plain.write(ByteBuffer(bytes: Self.hello() + early))
                _ = try await plain.read()
                for _ in 0..<3_000 where server.received.count < (Self.hello() + early).count {
                    try await Task.sleep(for: .milliseconds(10))
                }
                #expect(server.received == Self.hello() + early)
                await plain.close()
            }
        }
    }

    @Test("Another certificate than the one that was judged is refused, and judged for the next tunnel")
    func anotherCertificate() async throws {
        var configuration = TestTLSServer.Configuration(try ProxyScene.chain()[0])
        configuration.maximumTLSVersion = .tlsv12
        let first = try await TestTLSServer.start(configuration)
        try await ProxyScene.with(server: first.port) {
            $0.tunnels = .passed
        } _: { scene in
            try await Self.open(scene).close()
            try await first.shutdown()
            var other = TestTLSServer.Configuration(try ProxyScene.chain()[0])
            (other.maximumTLSVersion, other.port) = (.tlsv12, first.port)
            try await withTestServer(other) { _ in
                let trust = ServerTrustSettings(anchors: try ProxyScene.authority.get().anchors)
                for isTrusted in [false, true] {
                    let plain = try await PlainStream.connect(
                        to: "127.0.0.1", port: scene.proxy.port, peerName: "server.test")
                    try await plain.write(ByteBuffer(string: Self.head))
                    #expect(try await plain.readLine()?.contains(" 200 ") == true)
                    _ = try await plain.readLine()
                    let stream = try? await plain.upgrade(gate: ServerTrustGate(trust))
                    #expect((stream != nil) == isTrusted)
                }
                let rules = try await scene.log.requests(2).compactMap(\.rule)
                #expect(rules == ["another-certificate"])
            }
        }
    }

    @Test("An upstream proxy, behind which no address is known, cannot be combined with it")
    func upstream() async throws {
        await #expect(throws: InterceptingProxyError.self) {
            try await ProxyScene.with(server: 1) {
                $0.tunnels = .passed
                $0.proxies = ProxyPolicy(try HTTPProxy("http://127.0.0.1:1"))
            } _: { _ in
            }
        }
    }
}
