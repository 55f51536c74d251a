//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustTesting
import Synchronization
import TestSupport
import Testing
import X509

@testable import ServerTrustNIO

@Suite("Identities of clients", .limitedConcurrency, .timeLimit(.minutes(10)))
struct TLSIdentityTests {
    @Test("What is wrong with an identity is said, and what to do", arguments: faults)
    func fault(fault: IdentityFault) throws {
        let error = #expect(throws: TLSIdentityError.self) {
            try TLSIdentity(pem: try fault.chain(), key: try fault.key(), password: fault.password)
        }
        #expect(error?.code == fault.code)
        #expect(error.map { !"\($0)".contains(fault.password ?? "\u{0}") } == true)
    }

    @Test("An encrypted key is read with its password, and with no other", arguments: ["aes-256-cbc", "des3"])
    func encrypted(cipher: String) async throws {
        let client = try ClientFixture.good.get()
        let chain = client.map(\.pem).joined()
        try await PeerFolder.with { folder in
            let file = try folder.file("plain.key", try client[0].privateKey.pem)
            let key = try await PeerProcess.output(
                "openssl", ["pkcs8", "-topk8", "-in", file, "-v2", cipher, "-passout", "pass:right"], in: folder.url,
                input: "", until: "END ENCRYPTED PRIVATE KEY-----\n")
            #expect(key.contains("BEGIN ENCRYPTED PRIVATE KEY"))
            let identity = try TLSIdentity(pem: chain, key: key, password: "right")
            #expect(identity == (try TLSIdentity(pem: chain, key: try client[0].privateKey.pem)))
            let passwords: [(String?, TLSIdentityError.Code)] = [
                (nil, .passwordNeeded), ("wrong", .wrongPassword), ("", .wrongPassword),
                ("r\u{EF}ght", .passwordNotASCII),
                (String(repeating: "x", count: 5_000), .wrongPassword),
            ]
            for (password, code) in passwords {
                let error = #expect(throws: TLSIdentityError.self) {
                    try TLSIdentity(pem: chain, key: key, password: password)
                }
                #expect(error?.code == code, "\(password ?? "none")")
            }
            let broken = key.replacing("\nM", with: "\nN", maxReplacements: 1)
            #expect(throws: TLSIdentityError.self) { try TLSIdentity(pem: chain, key: broken, password: "right") }
        }
    }

    @Test("A certificate is checked for a date, at its first and last second")
    func validity() throws {
        let client = try ClientFixture.good.get()
        let identity = try TLSIdentity(pem: client[0].pem, key: try client[0].privateKey.pem)
        let certificate = try client[0].trustCertificate
        try identity.check(at: certificate.notValidBefore)
        try identity.check(at: certificate.notValidAfter)
        let dates: [(Date, TLSIdentityError.Code)] = [
            (certificate.notValidBefore - 1, .notYetValid), (certificate.notValidAfter + 1, .expired),
        ]
        for (date, code) in dates {
            let error = #expect(throws: TLSIdentityError.self) { try identity.check(at: date) }
            #expect(error?.code == code)
        }
    }

    @Test("Settings hold an identity as the configuration of TLS does, and are other settings with it")
    func settings() throws {
        let client = try ClientFixture.good.get()
        let identity = try TLSIdentity(pem: client.map(\.pem).joined(), key: try client[0].privateKey.pem)
        let settings = try ServerTrustSettingsTests.settings()
        #expect(settings.identity == nil)
        var other = settings
        other.identity = identity
        #expect(other.identity == identity && other != settings)
        #expect(other.tls.certificateChain.count == 2 && other.tls.privateKey == .privateKey(identity.privateKey))
        other.identity = nil
        #expect(other == settings && other.tls.certificateChain.isEmpty && other.tls.privateKey == nil)
    }

    @Test(
        "A server that demands a certificate gets it once it is trusted, from a key and from a signer",
        arguments: [TLSVersion.tlsv12, .tlsv13], [true, false])
    func sending(version: TLSVersion, isSigned: Bool) async throws {
        let client = try ClientFixture.good.get()
        let chain = client.map(\.pem).joined()
        let signer = try CountingSigner(client[0].privateKey.pem)
        let identity =
            isSigned
            ? try TLSIdentity(pem: chain, signer: signer)
            : try TLSIdentity(pem: chain, key: try client[0].privateKey.pem)
        try await PeerServerKind.openssl.running { port in
            for isTrusted in [true, false] {
                let before = signer.signatures.withLock { $0 }
                let gate = try StreamFixture.gate(anchors: isTrusted ? nil : TrustAnchors.none) { settings in
                    settings.identity = identity
                    (settings.tls.minimumTLSVersion, settings.tls.maximumTLSVersion) = (version, version)
                }
                try await RecordRelay.with(port) { relay in
                    guard isTrusted else {
                        await #expect(throws: ServerTrustGateError.self) {
                            try await StreamFixture.stream(relay.port, gate: gate)
                        }
                        #expect(relay.fromClients.hasOnlyHelloAndAlerts, "\(relay.fromClients)")
                        return #expect(signer.signatures.withLock { $0 } == before)
                    }
                    let stream = try await StreamFixture.stream(relay.port, gate: gate)
                    try await stream.write(ByteBuffer(string: "GET / HTTP/1.0\r\n\r\n"))
                    #expect(try await stream.read().map { String(buffer: $0) }?.hasPrefix("HTTP/1.0 200") == true)
                    #expect(signer.signatures.withLock { $0 } == before + (isSigned ? 1 : 0))
                    await stream.close()
                }
            }
        }
    }

    @Test("A server that does not ask gets no certificate, and asks no signer")
    func notAsked() async throws {
        let client = try ClientFixture.good.get()
        let signer = try CountingSigner(client[0].privateKey.pem)
        let gate = try StreamFixture.gate { $0.identity = try? TLSIdentity(pem: client[0].pem, signer: signer) }
        #expect(gate.settings.identity != nil)
        try await StreamTestServer.with(try ATSFixture.ecdsa.get(), script: SecureStreamTests.hello) { port in
            let stream = try await StreamFixture.stream(port, gate: gate)
            #expect(await StreamFixture.rest(of: stream).text == "hello")
            #expect(signer.signatures.withLock { $0 } == 0)
        }
    }
}

/// A key that signs by itself, as an agent would.
private final class CountingSigner: NIOSSLCustomPrivateKey, Hashable {
    let signatures = Mutex(0)
    let signatureAlgorithms: [NIOSSL.SignatureAlgorithm] = [.ecdsaSecp256R1Sha256]

    private let key: X509.Certificate.PrivateKey

    init(_ pem: String) throws {
        self.key = try X509.Certificate.PrivateKey(pemEncoded: pem)
    }

    func sign(
        channel: any Channel, algorithm: NIOSSL.SignatureAlgorithm, data: ByteBuffer
    ) -> EventLoopFuture<ByteBuffer> {
        self.signatures.withLock { $0 += 1 }
        return channel.eventLoop.makeCompletedFuture {
            let signature = try self.key.sign(
                bytes: Array(data.readableBytesView), signatureAlgorithm: .ecdsaWithSHA256)
            return ByteBuffer(bytes: signature.rawRepresentation)
        }
    }

    func decrypt(channel: any Channel, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
    }

    static func == (left: CountingSigner, right: CountingSigner) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

struct IdentityFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: TLSIdentityError.Code
    var password: String?
    var chain: @Sendable () throws -> String = { try ClientFixture.good.get()[0].pem }
    var key: @Sendable () throws -> String = { try ClientFixture.good.get()[0].privateKey.pem }
}

private let faults: [IdentityFault] = [
    IdentityFault(testDescription: "no certificate", code: .unreadableCertificate, chain: { "" }),
    IdentityFault(testDescription: "no PEM", code: .unreadableCertificate, chain: { "certificate" }),
    IdentityFault(
        testDescription: "a key as the certificate", code: .unreadableCertificate,
        chain: { try ClientFixture.good.get()[0].privateKey.pem }),
    IdentityFault(
        testDescription: "a damaged certificate", code: .unreadableCertificate,
        chain: { try ClientFixture.good.get()[0].pem.replacing("A", with: "") }),
    IdentityFault(
        testDescription: "too much", code: .unreadableCertificate,
        chain: { try ClientFixture.good.get()[0].pem + String(repeating: "\n", count: 1 << 20) }),
    IdentityFault(testDescription: "no key", code: .unreadableKey, key: { "" }),
    IdentityFault(
        testDescription: "a certificate as the key", code: .unreadableKey, key: { try ClientFixture.good.get()[0].pem }),
    IdentityFault(
        testDescription: "another key", code: .keyOfAnotherCertificate,
        key: { try ATSFixture.ecdsa.get()[0].privateKey.pem }),
    IdentityFault(
        testDescription: "another kind of key", code: .keyOfAnotherCertificate,
        key: { try ATSFixture.rsa.get()[0].privateKey.pem }),
    IdentityFault(
        testDescription: "the authority's certificate first", code: .keyOfAnotherCertificate,
        chain: { try ClientFixture.good.get().reversed().map(\.pem).joined() }),
    IdentityFault(
        testDescription: "a password for a key that is not encrypted", code: .passwordNotNeeded, password: "secret"),
]
