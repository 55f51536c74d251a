//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOSSL
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import TLSWire
import TestSupport
import Testing

@Suite("Connecting to a TLS server", .limitedConcurrency, .timeLimit(.minutes(10)))
struct TLSConnectionTests {
    @Test("Every server of a range presents its chain, whatever is wrong with it")
    func chainsOfARange() async throws {
        let range = try await TestTLSServerRange.start()
        for target in range.targets {
            let endpoint = try TLSEndpoint(
                host: target.referenceIdentity,
                port: target.port,
                connectAddress: "127.0.0.1"
            )
            let chain = try await TLSConnection.presentedChain(of: endpoint)
            #expect(chain.certificates == target.certificates, "\(target.fault)")
            #expect(chain.handshake == .completed, "\(target.fault)")
            #expect(chain.protocolVersion == (target.fault == .tls10Only ? .tls10 : .tls13), "\(target.fault)")
            #expect(chain.applicationProtocol == "http/1.1")
            #expect(chain.remoteAddress == "127.0.0.1:\(target.port)")
        }
        try await range.shutdown()
    }

    @Test(
        "A refused chain is returned with the version and the cipher suite",
        arguments: [
            (TLSVersion.tlsv1, TLSProtocolVersion.tls10),
            (.tlsv11, .tls11),
            (.tlsv12, .tls12),
            (.tlsv13, .tls13),
        ]
    )
    func refusedChain(serverVersion: TLSVersion, expected: TLSProtocolVersion) async throws {
        try await withServer(version: serverVersion) { endpoint, certificates in
            let seen = Mutex<[[UInt8]]>([])
            let chain = try await TLSConnection.presentedChain(of: endpoint) { certificates in
                seen.withLock { $0 = certificates }
                return false
            }
            #expect(chain.certificates == certificates)
            #expect(seen.withLock { $0 } == certificates)
            #expect(chain.handshake == .refused)
            #expect(chain.protocolVersion == expected)
            #expect(chain.cipherSuite != nil)
            #expect((chain.cipherSuite?.isTLS13 == true) == (expected == .tls13))
            #expect(chain.applicationProtocol == nil)
        }
    }

    @Test("Keys of every kind can be seen", arguments: [TestKeyKind.p256, .p384, .p521, .ed25519, .rsa1024, .rsa2048])
    func keyKinds(kind: TestKeyKind) async throws {
        try await withServer(keyKind: kind) { endpoint, certificates in
            let chain = try await TLSConnection.presentedChain(of: endpoint)
            #expect(chain.certificates == certificates)
            #expect(chain.handshake == .completed)
        }
    }

    @Test("A server that wants a client certificate still shows its own", arguments: [TLSVersion.tlsv12, .tlsv13])
    func clientCertificateWanted(version: TLSVersion) async throws {
        try await withServer(version: version, requiresClientCertificate: true) { endpoint, certificates in
            let chain = try await TLSConnection.presentedChain(of: endpoint)
            #expect(chain.certificates == certificates)
            if version == .tlsv12 {
                guard case .failed(let error) = chain.handshake else {
                    Issue.record("\(chain.handshake)")
                    return
                }
                #expect(error.failure == .clientCertificate(.handshakeFailure))
            } else {
                // In TLS 1.3 the client is done before the server has looked at its certificate.
                #expect(chain.handshake == .completed)
            }
        }
    }

    @Test("A server that speaks only older versions than asked for ends the handshake with an alert")
    func versionMismatch() async throws {
        try await withServer(version: .tlsv1) { endpoint, _ in
            var configuration = TLSConnection.Configuration()
            configuration.minimumVersion = .tls12
            let error = await #expect(throws: TLSConnectionError.self) {
                try await TLSConnection.presentedChain(of: endpoint, configuration: configuration)
            }
            #expect(error?.code == "tls-version-too-old")
            #expect(error?.alert == .protocolVersion)
        }
    }

    @Test("A chain beyond the limits is not returned")
    func limits() async throws {
        try await withServer { endpoint, certificates in
            var fewer = TLSConnection.Configuration()
            fewer.maximumCertificateCount = certificates.count - 1
            var smaller = TLSConnection.Configuration()
            smaller.maximumChainSize = certificates[0].count
            for configuration in [fewer, smaller] {
                let error = await #expect(throws: TLSConnectionError.self) {
                    try await TLSConnection.presentedChain(of: endpoint, configuration: configuration) { _ in
                        Issue.record("must not be asked")
                        return true
                    }
                }
                #expect(error?.code == "limit-exceeded")
            }
        }
    }

    @Test("The largest limits that a caller can give do not trap", arguments: [Int.max, .max / 2, .max / 2 + 1])
    func largestLimits(limit: Int) async throws {
        try await withServer { endpoint, certificates in
            var configuration = TLSConnection.Configuration()
            (configuration.maximumCertificateCount, configuration.maximumChainSize) = (limit, limit)
            let chain = try await TLSConnection.presentedChain(of: endpoint, configuration: configuration)
            #expect(chain.certificates == certificates)
        }
    }

    @Test("A chain beyond what BoringSSL takes is reported as such")
    func enormousChain() async throws {
        try await withServer(repeatingIntermediate: 400) { endpoint, _ in
            let error = await #expect(throws: TLSConnectionError.self) {
                try await TLSConnection.presentedChain(of: endpoint)
            }
            #expect(error?.code == "limit-exceeded")
        }
    }

    @Test("An IP address is connected to without a name")
    func ipAddress() async throws {
        try await withServer { endpoint, certificates in
            let chain = try await TLSConnection.presentedChain(of: TLSEndpoint(host: "127.0.0.1", port: endpoint.port))
            #expect(chain.certificates == certificates)
        }
    }

    @Test("A name is resolved and connected to")
    func localhost() async throws {
        try await withServer { endpoint, certificates in
            let chain = try await TLSConnection.presentedChain(of: TLSEndpoint(host: "localhost", port: endpoint.port))
            #expect(chain.certificates == certificates)
        }
    }

    @Test("Many connections at once each get their chain")
    func manyAtOnce() async throws {
        try await withServer { endpoint, certificates in
            let count = try await withThrowingTaskGroup(of: PresentedChain.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await TLSConnection.presentedChain(of: endpoint) }
                }
                return try await group.reduce(0) { $0 + ($1.certificates == certificates ? 1 : 0) }
            }
            #expect(count == 100)
        }
    }
}

/// Runs `body` with a server that presents a good chain.
private func withServer(
    version: TLSVersion? = nil,
    keyKind: TestKeyKind = .p256,
    requiresClientCertificate: Bool = false,
    repeatingIntermediate count: Int = 1,
    _ body: (TLSEndpoint, [[UInt8]]) async throws -> Void
) async throws {
    let authority = try TestAuthority()
    let intermediate = try authority.issue(.intermediate())
    var description = CertificateDescription.leaf(dnsNames: ["server.test"])
    description.keyKind = keyKind
    let leaf = try authority.issue(description, by: intermediate)
    let chain = [leaf.der] + Array(repeating: intermediate.der, count: count)
    var configuration = TestTLSServer.Configuration(certificates: chain, privateKey: leaf.privateKey)
    configuration.maximumTLSVersion = version
    configuration.requiresClientCertificate = requiresClientCertificate
    let server = try await TestTLSServer.start(configuration)
    do {
        let endpoint = try TLSEndpoint(host: "server.test", port: server.port, connectAddress: "127.0.0.1")
        try await body(endpoint, chain)
        try await server.shutdown()
    } catch {
        try await server.shutdown()
        throw error
    }
}
