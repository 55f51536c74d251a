//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOSSL
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import TLSWire
import TestSupport
import Testing

@Suite(
    "App Transport Security on live connections: versions and cipher suites", .limitedConcurrency,
    .timeLimit(.minutes(10)))
struct ATSTransportTests {
    @Test("Servers are refused unless the exception they need is there", arguments: transports)
    func server(transport: Transport) async throws {
        for (dictionary, expected) in transport.policies {
            let enforcement = try ATSFixture.enforcement(dictionary)
            let chain = try (transport.isECDSA ? ATSFixture.ecdsa : ATSFixture.rsa).get()
            try await ATSTestServer.with(transport.speech, chain) { server in
                let outcome = try await ATSTestClient.run(enforcement, port: server.port)
                let comment: Comment = "\(transport) under \(dictionary): \(outcome)"
                if let expected {
                    #expect(outcome.stream == expected, comment)
                    #expect(outcome.events.filter { $0 != .inactive } == [.notWritten, .error], comment)
                    #expect(server.seen.received.isEmpty, comment)
                    #expect(throws: ServerTrustGateError.self) { try outcome.verdict?.get() }
                } else {
                    #expect(outcome.isAllowed, comment)
                    #expect(try outcome.verdict?.get().verdict.isAllowed == true)
                    #expect(server.seen.received == Array("ping".utf8), comment)
                }
            }
        }
    }

    @Test(
        "A server that signs in a way that Apple's systems do not offer is refused",
        arguments: [TestKeyKind.p521, .ed25519, .p384])
    func unofferedSignature(kind: TestKeyKind) async throws {
        let chain = try ATSFixture.chain(kind)
        for dictionary in ["{}", noPFS, insecure, fcp, everything] {
            // TLS 1.3 ties the digest to the curve, so that a key on P-521 signs over SHA-512 and nothing else.
            try await ATSTestServer.with(.init(versions: 3...3), chain) { server in
                let outcome = try await ATSTestClient.run(try ATSFixture.enforcement(dictionary), port: server.port)
                #expect(outcome.isAllowed == (kind == .p384), "\(kind) under \(dictionary): \(outcome)")
                #expect(kind == .p384 || outcome.stream == -9824, "\(kind) under \(dictionary): \(outcome)")
            }
        }
    }

    @Test("The program's own choice of groups is kept, as far as Apple's systems offer them")
    func groups() throws {
        let destination = ATSDestination(host: ATSTestClient.host)
        let all = try ATSFixture.enforcement(system: .newest).tlsConfiguration(for: destination)
        #expect(all.curves == [.x25519_MLKEM768, .x25519, .secp256r1, .secp384r1, .secp521r1])
        let old = try ATSFixture.enforcement(system: ATSSystem(.iOS, 18)).tlsConfiguration(for: destination)
        #expect(old.curves == [.x25519, .secp256r1, .secp384r1, .secp521r1])
        let own = try ATSFixture.enforcement { $0.tls.curves = [.secp384r1, .x448, .x25519] }
        #expect(try own.tlsConfiguration(for: destination).curves == [.secp384r1, .x25519])
        let none = try ATSFixture.enforcement { $0.tls.curves = [.x448] }
        let error = #expect(throws: ServerTrustGateError.self) { try none.tlsConfiguration(for: destination) }
        #expect(error?.description.contains("No group is left") == true)
    }

    @Test("An exception for old versions is of no use since iOS 26")
    func newSystem() async throws {
        let enforcement = try ATSFixture.enforcement(anyVersion, system: .newest)
        try await ATSTestServer.with(.init(versions: 0...1), try ATSFixture.rsa.get()) { server in
            let outcome = try await ATSTestClient.run(enforcement, port: server.port)
            #expect(outcome.stream == -9836)
        }
    }

    @Test("TLS 1.3's ChaCha20, which no offer can leave out, is refused once chosen where it is not allowed")
    func uninvitedSuite() throws {
        let requirements = try ATSFixture.enforcement(strictness: .documentation)
            .requirements(for: ATSDestination(host: ATSTestClient.host))
        let connection = ATSConnection(version: .tls13, cipherSuite: CipherSuite(rawValue: 0x1303), trust: nil)
        #expect(requirements.violations(ofTransport: connection).map(\.code) == ["cipher-suite"])
    }

    @Test("A DTLS minimum, which no version of TLS meets, is an error before a connection")
    func datagrams() throws {
        let enforcement = try ATSFixture.enforcement(
            ATSFixture.exception(#""NSExceptionMinimumTLSVersion": "DTLSv1.2""#))
        let error = #expect(throws: ServerTrustGateError.self) {
            try enforcement.check(ATSDestination(host: ATSTestClient.host))
        }
        #expect(error?.verdict.primary?.code == "tls-version-too-old")
        #expect(error?.description.contains("https://server.test:443: ") == true)
    }

    @Test("A newest version that is older than required is an error before a connection, and no crash")
    func impossibleConfiguration() throws {
        let enforcement = try ATSFixture.enforcement { $0.tls.maximumTLSVersion = .tlsv11 }
        let error = #expect(throws: ServerTrustGateError.self) {
            try enforcement.tlsConfiguration(for: ATSDestination(host: ATSTestClient.host))
        }
        #expect(error?.verdict.streamError?.rawValue == -9801)
        #expect(error?.description.contains("No version of TLS") == true)
    }

    @Test("What is offered is of the requirements, and verification is always the callback's", arguments: offers)
    func offer(dictionary: String, strictness: ATSStrictness, suites: [UInt16], minimum: TLSVersion, sha1: Bool) throws
    {
        let enforcement = try ATSFixture.enforcement(dictionary, strictness: strictness) {
            $0.tls.certificateVerification = .none
            $0.tls.renegotiationSupport = .always
            $0.tls.cipherSuites = "ALL"
        }
        let offer = try enforcement.tlsConfiguration(for: ATSDestination(host: ATSTestClient.host))
        #expect(Set(offer.cipherSuiteValues.map(\.rawValue).filter { $0 >> 8 != 0x13 }) == Set(suites))
        #expect(offer.minimumTLSVersion == minimum)
        #expect(offer.certificateVerification == .noHostnameVerification)
        #expect(offer.renegotiationSupport == .none)
        #expect(offer.trustRoots == .certificates([]))
        #expect((offer.verifySignatureAlgorithms?.contains(.rsaPkcs1Sha1) == true) == sha1)
        #expect(offer.verifySignatureAlgorithms?.contains(.ecdsaSecp521R1Sha512) == false)
        #expect(offer.verifySignatureAlgorithms?.contains(.ed25519) == false)
    }
}

/// A server, and the code of the stream under policies; `nil` where it is let through.
struct Transport: Sendable, CustomTestStringConvertible {
    let name: String
    let speech: ATSTestServer.Speech
    let isECDSA: Bool
    let policies: [(String, Int?)]

    init(
        _ name: String, _ versions: ClosedRange<Int>, _ suites: [UInt16] = [], isECDSA: Bool = false,
        policies: [(String, Int?)]
    ) {
        self.name = name
        self.speech = ATSTestServer.Speech(versions: versions, suites: suites)
        self.isECDSA = isECDSA
        self.policies = policies
    }

    var testDescription: String { self.name }
}

private let anyVersion = ATSFixture.exception(#""NSExceptionMinimumTLSVersion": "TLSv1.0""#)
private let tls11 = ATSFixture.exception(#""NSExceptionMinimumTLSVersion": "TLSv1.1""#)
private let tls13 = ATSFixture.exception(#""NSExceptionMinimumTLSVersion": "TLSv1.3""#)
private let noPFS = ATSFixture.exception(#""NSExceptionRequiresForwardSecrecy": false"#)
private let oldWithoutPFS = ATSFixture.exception(
    #""NSExceptionRequiresForwardSecrecy": false, "NSExceptionMinimumTLSVersion": "TLSv1.0""#)
private let insecure = ATSFixture.exception(#""NSExceptionAllowsInsecureHTTPLoads": true"#)
private let fcp = #"{"NSRequiresNIAPTLSPackageVersion": "FCP_v2.1"}"#
private let everything = #"{"NSAllowsArbitraryLoads": true}"#

private let transports: [Transport] = [
    Transport(
        "TLS 1.0 only", 0...0,
        policies: [
            ("{}", -9836), (tls11, -9836), (noPFS, -9836), (insecure, -9836), (tls13, -9836), (anyVersion, nil),
            (everything, nil),
        ]),
    Transport(
        "TLS 1.1 only", 1...1,
        policies: [("{}", -9836), (noPFS, -9836), (tls11, nil), (anyVersion, nil), (everything, nil)]),
    Transport("TLS 1.2 only", 2...2, policies: [(tls13, -9836), ("{}", nil), (anyVersion, nil), (everything, nil)]),
    Transport(
        "TLS 1.3 only", 3...3, policies: [("{}", nil), (tls13, nil), (fcp, nil), (noPFS, nil), (everything, nil)]),
    Transport(
        "static RSA only", 2...2, [0x009C, 0x002F],
        policies: [
            ("{}", -9824), (anyVersion, -9824), (insecure, -9824), (fcp, -9824), (noPFS, nil), (everything, nil),
        ]),
    Transport(
        "static RSA and TLS 1.0 only", 0...0, [0x002F],
        policies: [("{}", -9836), (noPFS, -9836), (anyVersion, -9824), (oldWithoutPFS, nil), (everything, nil)]),
    Transport("CBC only", 2...2, [0xC013, 0xC014], policies: [("{}", nil), (noPFS, nil), (everything, nil)]),
    Transport(
        "CBC over SHA-256 only", 2...2, [0xC027], policies: [("{}", -9824), (noPFS, -9824), (everything, -9824)]),
    Transport("ChaCha20 only", 2...2, [0xCCA8], policies: [("{}", nil), (noPFS, nil)]),
    Transport("AES-GCM with ECDSA only", 2...2, [0xC02B], isECDSA: true, policies: [("{}", nil), (tls13, -9836)]),
    Transport("ChaCha20 with ECDSA only", 2...2, [0xCCA9], isECDSA: true, policies: [("{}", nil)]),
]

private let offers: [(String, ATSStrictness, [UInt16], TLSVersion, Bool)] = [
    (
        "{}", .engine, [0xC02C, 0xC02B, 0xCCA9, 0xC00A, 0xC009, 0xC030, 0xC02F, 0xCCA8, 0xC014, 0xC013], .tlsv12, false
    ),
    (
        // Without C024 and C028, which BoringSSL does not know.
        "{}", .documentation, [0xC02C, 0xC02B, 0xC00A, 0xC023, 0xC009, 0xC030, 0xC02F, 0xC027, 0xC013], .tlsv12, false
    ),
    (
        noPFS, .documentation,
        [0xC02C, 0xC02B, 0xC00A, 0xC023, 0xC009, 0xC030, 0xC02F, 0xC027, 0xC013, 0x009D, 0x009C, 0x0035, 0x002F],
        .tlsv12, false
    ),
    (
        everything, .engine,
        [
            0xC02C, 0xC02B, 0xCCA9, 0xC00A, 0xC009, 0xC030, 0xC02F, 0xCCA8, 0xC014, 0xC013, 0x009D, 0x009C, 0x0035,
            0x002F,
        ], .tlsv1, true
    ),
]
