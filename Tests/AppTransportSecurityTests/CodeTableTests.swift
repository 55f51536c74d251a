//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import ServerTrustTesting
import TLSWire
import Testing

/// The codes of streams and their names in SecBase.h.
private let streamCodes: [(Int32, String)] = [
    (-9800, "Protocol"), (-9801, "Negotiation"), (-9802, "FatalAlert"), (-9805, "ClosedGraceful"),
    (-9806, "ClosedAbort"),
    (-9807, "XCertChainInvalid"), (-9808, "BadCert"), (-9812, "UnknownRootCert"), (-9813, "NoRootCert"),
    (-9814, "CertExpired"), (-9815, "CertNotYetValid"), (-9816, "ClosedNoNotify"), (-9820, "PeerBadRecordMac"),
    (-9824, "PeerHandshakeFail"), (-9836, "PeerProtocolVersion"), (-9837, "PeerInsufficientSecurity"),
    (-9838, "PeerInternalError"), (-9843, "HostNameMismatch"), (-9844, "ConnectionRefused"),
    (-9850, "WeakPeerEphemeralDHKey"), (-9860, "InappropriateFallback"), (-9861, "MissingExtension"),
    (-9863, "CertificateRequired"), (-9865, "UnrecognizedName"), (-9880, "ATSViolation"),
    (-9881, "ATSMinimumVersionViolation"), (-9882, "ATSCiphersuiteViolation"), (-9883, "ATSMinimumKeySizeViolation"),
    (-9884, "ATSLeafCertificateHashAlgorithmViolation"), (-9885, "ATSCertificateHashAlgorithmViolation"),
    (-9886, "ATSCertificateTrustViolation"),
]

private let urlCodes: [(Int, String)] = [
    (-1022, "AppTransportSecurityRequiresSecureConnection"), (-1200, "SecureConnectionFailed"),
    (-1201, "ServerCertificateHasBadDate"), (-1202, "ServerCertificateUntrusted"),
    (-1203, "ServerCertificateHasUnknownRoot"), (-1204, "ServerCertificateNotYetValid"),
    (-1205, "ClientCertificateRejected"), (-1206, "ClientCertificateRequired"), (-3002, "CannotOpenFile"),
    (-3003, "CannotWriteToFile"),
]

/// What becomes of a connection that ends before there is a chain, and the codes of it.
private let causes: [(ConnectionFailure, Int, Int32?)] = [
    (.notTLS(beginning: ""), -1200, -9800), (.startTLS(StartTLSRefusal(.smtp, .notOffered)), -1200, -9800),
    (.malformed(.tooManyCertificates), -1200, -9800), (.malformed(.emptyRecord), -1200, -9800),
    (.violation(.badSignature), -1200, -9800), (.handshake("", .brokenRule), -1200, -9800),
    (.handshake("", .tooMuch), -1200, -9800), (.handshake("", .nothingInCommon), -1200, -9801),
    (.handshake("why"), -1200, -9801), (.handshake("", .otherError), -1200, -9816), (.closed, -1200, -9816),
    (.reset, -1200, -9816), (.noCertificate, -1200, -9800),
    (.alert(TLSAlertDescription(rawValue: 20)), -1200, -9820),
    (.alert(TLSAlertDescription(rawValue: 40)), -1200, -9824),
    (.alert(TLSAlertDescription(rawValue: 70)), -1200, -9836),
    (.alert(TLSAlertDescription(rawValue: 71)), -1200, -9837),
    (.alert(TLSAlertDescription(rawValue: 80)), -1200, -9838),
    (.alert(TLSAlertDescription(rawValue: 86)), -1200, -9860),
    (.alert(TLSAlertDescription(rawValue: 109)), -1200, -9861),
    (.alert(TLSAlertDescription(rawValue: 112)), -1200, -9865),
    (.alert(TLSAlertDescription(rawValue: 116)), -1200, -9863),
    (.alert(TLSAlertDescription(rawValue: 1)), -1200, -9802),
    (.handshake("", .keyUsage(nil)), -1200, -9800),
    (.clientCertificate(TLSAlertDescription(rawValue: 40)), -1206, -9824),
    (.clientCertificate(TLSAlertDescription(rawValue: 48)), -1205, -9831),
    (.hostNotFound, -1003, nil), (.lookupFailed, -1003, nil), (.connectionRefused, -1004, nil),
    (.unreachable("no route"), -1004, nil), (.forbiddenAddress, -1004, nil), (.starved, -1004, nil),
    (.preamble("SMTP: no STARTTLS"), -1004, nil),
    (.startTLS(StartTLSRefusal(.smtp, .rejected(reply: "454 later"))), -1004, nil),
    (.proxy(ProxyRefusal(Proxy(.http, at: "p.test", port: 1), .needsAuthentication)), -1004, nil),
    (.timedOut(.resolving), -1001, nil), (.timedOut(.underWay), -1001, nil), (.exhausted, -1001, nil),
    (.cancelled, -1001, nil),
]

/// What servers complete, and the code of the stream where TLS 1.0 is the least and forward secrecy is demanded.
private let handshakes: [([(TLSProtocolVersion, UInt16)], Int32?)] = [
    ([(.tls12, 0xC027), (.tls11, 0xC013)], -9824), ([(.tls11, 0xC013), (.tls12, 0x009D)], -9824),
    ([(.tls13, 0x1304), (.tls12, 0xC02B)], -9824), ([(.tls10, 0xC013)], nil),
    ([(.tls10, 0x002F), (.tls10, 0xC013)], nil),
]

@Suite("Each code, and its cause")
struct CodeTableTests {
    private let requirements = ATSPolicy(ATSDictionary()).requirements(for: ATSDestination(host: "a.test"))

    @Test("A code of a stream has its number and its name", arguments: streamCodes)
    func stream(number: Int32, name: String) {
        #expect(OSStatusCode(rawValue: number)?.name == "errSSL\(name)")
        #expect(OSStatusCode(rawValue: number)?.transportMeaning != nil)
    }

    @Test("A code of a load has its number and its name", arguments: urlCodes)
    func load(number: Int, name: String) {
        #expect(URLErrorCode(rawValue: number)?.name == "NSURLError\(name)")
    }

    @Test("A connection that did not come about has the codes of why", arguments: causes)
    private func failures(failure: ConnectionFailure, load: Int, stream: Int32?) {
        let verdict = self.requirements.verdict(on: .failed(failure))
        #expect(verdict.urlError?.rawValue == load && verdict.streamError?.rawValue == stream)
        #expect(verdict.primary?.code == failure.code && verdict.primary?.message == failure.message)
        #expect(verdict.primary?.remedy == failure.remedy)
    }

    @Test("Plain HTTP is -1022, and so is a redirect to it")
    func plain() throws {
        #expect(self.requirements.verdict(on: .plain).urlError?.rawValue == -1022)
        let trust = try #require(TestChain.good).trust(self.requirements)
        var facts = ATSServerFacts(handshakes: [.init(.tls13, CipherSuite(rawValue: 0x1301), trust: trust)])
        let policy = ATSPolicy(ATSDictionary())
        #expect(policy.verdict(on: facts, at: ATSDestination(host: "a.test")).isAllowed)
        facts.redirects = [ATSDestination(host: "b.test", scheme: .http)]
        #expect(policy.verdict(on: facts, at: ATSDestination(host: "a.test")).urlError?.rawValue == -1022)
    }

    @Test("A redirect to http is refused also where the load itself may be http")
    func redirectFromPlain() throws {
        let policy = try PolicyCase.policy(
            #"{"NSExceptionDomains": {"a.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#)
        let destination = ATSDestination(host: "a.test", scheme: .http)
        var facts = ATSServerFacts(handshakes: [])
        for (redirects, code) in [([], nil), (["a.test"], nil), (["b.test"], -1022), (["a.test", "b.test"], -1022)]
            as [([String], Int?)]
        {
            facts.redirects = redirects.map { ATSDestination(host: $0, scheme: .http) }
            #expect(policy.verdict(on: facts, at: destination).urlError?.rawValue == code)
        }
    }

    @Test(
        "A server that has no suite in common in its newest version does not fall back to an older one",
        arguments: handshakes)
    func versionFirst(handshakes: [(TLSProtocolVersion, UInt16)], status: Int32?) throws {
        let policy = try PolicyCase.policy(
            #"{"NSExceptionDomains": {"a.test": {"NSExceptionMinimumTLSVersion": "TLSv1.0"}}}"#, ATSSystem(.iOS, 18))
        let trust = try #require(TestChain.good).trust(self.requirements)
        let facts = ATSServerFacts(
            handshakes: handshakes.map { .init($0.0, CipherSuite(rawValue: $0.1), trust: trust) })
        let verdict = policy.verdict(on: facts, at: ATSDestination(host: "a.test"))
        #expect(verdict.streamError?.rawValue == status && verdict.isAllowed == (status == nil))
    }

    @Test("A key that is neither of RSA nor on a curve of NIST is refused, whatever trust makes of it")
    func keyKind() throws {
        let chain = try TestChain(.ed25519)
        for profile in [ValidationProfile.apple, .rfc5280] {
            var trust = try Trust(
                certificates: Array(chain.certificates.dropLast()),
                policy: self.requirements.trustPolicy(hostname: "a.test"),
                configuration: TrustConfiguration(anchors: chain.anchors))
            trust.profile = profile
            let verdict = self.requirements.verdict(
                on: ATSConnection(
                    version: .tls13, cipherSuite: CipherSuite(rawValue: 0x1301), trust: trust.evaluate()))
            let violation = try #require(verdict.violations.first { $0.code == "key-kind" })
            #expect(violation.osStatus?.rawValue == -9883 && violation.message.contains("Ed25519"))
        }
    }

    @Test("What App Transport Security refuses by name is -1200, or -1202 where it is trust")
    func violations() throws {
        let pinned = ATSPins(leaf: [], authorities: nil)
        let cases: [(Int32, Int, TestChain, TLSProtocolVersion, UInt16, ATSPins?)] = [
            (-9881, -1200, try TestChain(), .tls11, 0xC013, nil), (-9882, -1200, try TestChain(), .tls12, 0x009C, nil),
            (-9883, -1200, try TestChain(.rsa1024), .tls13, 0x1301, nil),
            (-9884, -1200, try TestChain(.rsa2048, hash: .sha1), .tls13, 0x1301, nil),
            (-9885, -1200, try TestChain(.rsa2048, issuerHash: .sha1), .tls13, 0x1301, nil),
            (-9886, -1202, try TestChain(), .tls13, 0x1301, pinned),
        ]
        for (stream, load, chain, version, suite, pins) in cases {
            var requirements = self.requirements
            requirements.pins = pins
            let violations = requirements.verdict(
                on: ATSConnection(
                    version: version, cipherSuite: CipherSuite(rawValue: suite), trust: try chain.trust(requirements))
            ).violations
            let found = violations.first { $0.osStatus?.rawValue == stream }
            let violation = try #require(found, "\(stream)")
            #expect(violation.urlError.rawValue == load && !violation.isOverridable)
        }
    }
}
