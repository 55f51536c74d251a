//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust
import ServerTrustTesting
import Synchronization
import TLSProbe
import TLSWire
import TestSupport
import Testing

@Suite("Servers that fail at the hello of Apple's systems", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HelloFaultTests {
    private let authority: TestAuthority
    private let leaf: TestCertificate

    init() throws {
        self.authority = try TestAuthority()
        self.leaf = try self.authority.issue(.leaf(dnsNames: ["a.test"]))
    }

    /// Diagnoses a server that stands behind a gate.
    private func diagnose(
        _ plan: ProbePlan, on system: ATSSystem = .newest, groups: [NamedGroup]? = nil,
        loads: Bool = false,
        behind judge: @escaping @Sendable ([UInt8]) -> HelloGate.Verdict
    ) async throws -> DiagnosedServer {
        var configuration = ServerDiagnoser.Configuration()
        (configuration.plan, configuration.rules.system) = (plan, system)
        configuration.followsRedirects = loads
        configuration.connections.timeout = .seconds(4)
        let anchors = TrustAnchors.store(try TrustStore([self.authority.root.trustCertificate]))
        let diagnoser = ServerDiagnoser(trust: TrustConfiguration(anchors: anchors), configuration: configuration)
        var server = TestTLSServer.Configuration(certificates: [self.leaf.der], privateKey: self.leaf.privateKey)
        server.groups = groups
        return try await withTestServer(server) { server in
            try await HelloGate.with(before: server.port, judge) { gate in
                try await diagnoser.diagnose("a.test:\(gate.port)", connectAddress: "127.0.0.1")
            }
        }
    }

    @Test(
        "A box that resets hellos of two segments fails a server, with advice of its own",
        arguments: [ProbePlan.ats, .standard])
    func reset(plan: ProbePlan) async throws {
        let judge: @Sendable ([UInt8]) -> HelloGate.Verdict = { $0.count > 1_400 ? .reset : .pass }
        let server = try await self.diagnose(plan, behind: judge)
        #expect(server.diagnosis[.ats]?.outcome == .failed && server.verdict == .failed)
        #expect(server.diagnosis.advice.map(\.kind) == [.largeHello])
        #expect(server.reasons.first?.cause?.kind == .largeHello, "\(server.reasons)")
        #expect(server.facts.anomalies.contains { $0.code == "intolerant-of-large-hellos" })
        // What came before the hybrid group sends a short hello.
        let older = try await self.diagnose(plan, on: ATSSystem(.iOS, 18), behind: judge)
        #expect(older.verdict == .passed, "\(older.reasons)")
    }

    @Test(
        "A box that refuses hellos of two segments with an alert is told from a server without a suite in common",
        arguments: [ProbePlan.ats, .standard],
        [TLSAlertDescription.handshakeFailure, .illegalParameter, .internalError])
    func alert(plan: ProbePlan, alert: TLSAlertDescription) async throws {
        let judge: @Sendable ([UInt8]) -> HelloGate.Verdict = { hello in
            hello.count > 1_400 ? .answer([21, 3, 3, 0, 2, 2, alert.rawValue]) : .pass
        }
        let server = try await self.diagnose(plan, behind: judge)
        #expect(server.diagnosis[.ats]?.outcome == .failed && server.verdict == .failed, "\(server.reasons)")
        #expect(server.diagnosis.advice.map(\.kind) == [.largeHello], "\(server.diagnosis.advice)")
        let message = try #require(server.reasons.first?.message)
        #expect(message.contains("shorter ones do not") && message.contains("\(alert)"), "\(message)")
        let older = try await self.diagnose(plan, on: ATSSystem(.iOS, 18), behind: judge)
        #expect(older.verdict == .passed, "\(older.reasons)")
    }

    @Test(
        "A box that drops hellos of two segments leaves it open whether they arrive",
        arguments: [ProbePlan.ats, .standard])
    func drop(plan: ProbePlan) async throws {
        let server = try await self.diagnose(plan) { $0.count > 1_400 ? .drop : .pass }
        #expect(server.diagnosis[.ats]?.outcome == .unknown && server.verdict == .unknown)
        #expect(server.diagnosis.doubts == [.largeHello(.timedOut(.silent))], "\(server.diagnosis.doubts)")
    }

    @Test(
        "A server that fails at hellos with TLS 1.3 fails, also where it speaks TLS 1.2",
        arguments: [ProbePlan.ats, .standard])
    func newVersions(plan: ProbePlan) async throws {
        let server = try await self.diagnose(plan) { hello in Self.offersTLS13(hello) ? .reset : .pass }
        #expect(server.facts.anomalies.contains(.intolerantOfNewVersions), "\(server.facts.anomalies)")
        #expect(server.diagnosis[.ats]?.outcome == .failed && server.verdict == .failed, "\(server.reasons)")
        #expect(server.diagnosis.advice.map(\.kind) == [.newVersions])
        #expect(server.reasons.first?.cause?.kind == .newVersions)
    }

    @Test(
        "A server of the hybrid group alone passes since the releases of 2025", arguments: [ProbePlan.ats, .standard])
    func hybrid(plan: ProbePlan) async throws {
        let server = try await self.diagnose(plan, groups: [.x25519MLKEM768]) { _ in .pass }
        #expect(server.verdict == .passed, "\(server.reasons)")
        let older = try await self.diagnose(plan, on: ATSSystem(.iOS, 18), groups: [.x25519MLKEM768]) { _ in .pass }
        #expect(older.verdict == .failed, "\(older.reasons)")
        #expect(older.reasons.first?.cause?.kind == .groups, "\(older.reasons)")
        #expect(older.reasons.first?.message.contains("X25519MLKEM768 only") == true)
    }

    @Test("A key or suites that Apple's systems do not have are named as such", .enabled(if: OpenSSLServer.path != nil))
    func unusable() async throws {
        let servers: [(TestKeyKind, [String], ServerAdvice.Kind, String)] = [
            (.p521, ["-tls1_3"], .keyKind, "its key is on P-521"),
            (.ed25519, ["-tls1_3"], .keyKind, "its key is Ed25519"),
            (.ed25519, [], .keyKind, "its key is Ed25519"),
            (.p256, ["-tls1_3", "-ciphersuites", "TLS_AES_128_CCM_SHA256"], .newSuites, "takes none that"),
            (.rsa2048, ["-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256"], .cipherSuites, "It takes DHE alone"),
        ]
        let anchors = TrustAnchors.store(try TrustStore([self.authority.root.trustCertificate]))
        var configuration = ServerDiagnoser.Configuration()
        configuration.followsRedirects = false
        for (key, options, kind, words) in servers {
            var leaf = CertificateDescription.leaf(dnsNames: ["a.test"])
            leaf.keyKind = key
            let chain = [try self.authority.issue(leaf), self.authority.root]
            let diagnoser = ServerDiagnoser(trust: TrustConfiguration(anchors: anchors), configuration: configuration)
            let server = try await OpenSSLServer.with(options, chain) { port in
                try await diagnoser.diagnose("a.test:\(port)", connectAddress: "127.0.0.1")
            }
            #expect(server.diagnosis[.ats]?.outcome == .failed, "\(key)")
            #expect(server.advice.map(\.kind).contains(kind), "\(key): \(server.advice)")
            #expect(server.reasons.first?.message.contains(words) == true, "\(key): \(server.reasons)")
        }
    }

    @Test("A load that fails in its handshake is never beside a PASS")
    func load() async throws {
        // What reads handshakes has values of RFC 8701 in a long hello, and the TLS library of the page has none.
        let judge: @Sendable ([UInt8]) -> HelloGate.Verdict = { hello in
            hello.count > 1_200 && hello[78] & 0x0F != 0x0A ? .reset : .pass
        }
        let server = try await self.diagnose(.standard, loads: true, behind: judge)
        #expect(server.redirects?.handshakeFailure != nil)
        #expect(server.diagnosis[.ats]?.outcome == .unknown && server.verdict == .unknown)
        #expect(server.diagnosis.rows.allSatisfy { !$0.isPassed } && server.diagnosis[.trust]?.outcome == .passed)
        #expect(server.diagnosis.doubts.map(\.code) == ["unknown-load"])
        let good = try await self.diagnose(.standard, loads: true) { _ in .pass }
        #expect(good.verdict == .passed && good.redirects?.handshakeFailure == nil)
    }

    @Test(
        "A server that fails at an extension of the hello of Apple's systems fails, and the extension is named",
        arguments: [ProbePlan.ats, .standard],
        [HelloPart.statusRequest, .certificateTimestamps, .applicationProtocols])
    func extensions(plan: ProbePlan, part: HelloPart) async throws {
        let type: UInt8 = [.statusRequest: 5, .certificateTimestamps: 18, .applicationProtocols: 16][part] ?? 0
        for verdict in [HelloGate.Verdict.reset, .answer([21, 3, 3, 0, 2, 2, 80])] {
            let server = try await self.diagnose(plan) { Self.extensionTypes($0).contains(type) ? verdict : .pass }
            #expect(server.facts.helloFailure?.part == part, "\(server.facts.anomalies)")
            #expect(server.diagnosis[.ats]?.outcome == .failed && server.verdict == .failed, "\(server.reasons)")
            #expect(server.diagnosis.advice.map(\.kind) == [.hello], "\(server.diagnosis.advice)")
            #expect(server.reasons.first?.message.contains(part.rawValue) == true, "\(server.reasons)")
        }
    }

    @Test("A server that answers groups which Apple's systems lack with an alert without a cause fails")
    func otherGroups() async throws {
        // Java answers so where it is limited to ffdhe2048.
        let server = try await self.diagnose(.ats) { hello in
            Self.offers(hello, NamedGroup(rawValue: 0x0100)) ? .pass : .answer([21, 3, 3, 0, 2, 2, 10])
        }
        #expect(server.diagnosis[.ats]?.outcome == .failed && server.verdict == .failed, "\(server.reasons)")
        #expect(server.facts.helloFailure == nil, "\(server.facts.anomalies)")
    }

    @Test(
        "A server that answers no hello is unknown, and no part of a hello is blamed",
        arguments: [ProbePlan.ats, .standard])
    func noAnswer(plan: ProbePlan) async throws {
        let server = try await self.diagnose(plan) { _ in .reset }
        #expect(server.verdict == .unknown && server.facts.helloFailure == nil, "\(server.facts.anomalies)")
        #expect(server.facts.effort.connections <= 16, "\(server.facts.effort)")
    }

    @Test("Connections that are lost by chance are no fault of the hello", arguments: [ProbePlan.ats, .standard])
    func chance(plan: ProbePlan) async throws {
        let count = LostCount()
        let server = try await self.diagnose(plan) { hello in hello.count > 1_400 && count.next() == 1 ? .reset : .pass
        }
        #expect(server.diagnosis[.ats]?.outcome == .passed, "\(server.reasons)")
        #expect(server.facts.largeHelloFailure == nil)
    }

    /// The low octets of the numbers of the extensions in a hello, each of which is preceded by a zero.
    private static func extensionTypes(_ hello: [UInt8]) -> Set<UInt8> {
        var rest = hello.dropFirst(5 + 4 + 2 + 32)
        func take(_ count: Int) -> ArraySlice<UInt8> {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        func length(_ octets: Int) -> Int { take(octets).reduce(0) { $0 << 8 | Int($1) } }
        _ = take(length(1))
        _ = take(length(2))
        _ = take(length(1))
        _ = length(2)
        var types: Set<UInt8> = []
        while rest.count >= 4 {
            let type = length(2)
            if type < 256 { types.insert(UInt8(type)) }
            _ = take(length(2))
        }
        return types
    }

    private static func offers(_ hello: [UInt8], _ group: NamedGroup) -> Bool {
        let octets = [UInt8(group.rawValue >> 8), UInt8(group.rawValue & 0xFF)]
        // The list of groups follows its extension's number and two lengths.
        guard
            let place = hello.indices.dropLast(8).first(where: { place in
                hello[place...].starts(with: [0, 10]) && Int(hello[place + 3]) == Int(hello[place + 5]) + 2
            })
        else { return false }
        let list = Array(hello[(place + 6)...].prefix(Int(hello[place + 5])))
        return stride(from: 0, to: list.count - 1, by: 2).contains { Array(list[$0...($0 + 1)]) == octets }
    }

    /// Whether the extension for versions names TLS 1.3.
    private static func offersTLS13(_ hello: [UInt8]) -> Bool {
        // The length of the list stands behind that of the extension.
        let isExtension = { (place: Int) in
            hello[place...].starts(with: [0, 0x2B, 0]) && hello[place + 4] == hello[place + 3] &- 1
        }
        guard let place = hello.indices.dropLast(6).first(where: isExtension) else { return false }
        let list = hello[(place + 5)...].prefix(Int(hello[place + 4]))
        return zip(list, list.dropFirst()).contains { $0 == 3 && $1 == 4 }
    }
}

private final class LostCount: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        self.count.withLock { count in
            count += 1
            return count
        }
    }
}
