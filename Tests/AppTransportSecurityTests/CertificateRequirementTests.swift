//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import ServerTrustTesting
import TLSWire
import Testing

@Suite("Certificates under App Transport Security")
struct CertificateRequirementTests {
    private static let defaults = ATSPolicy(ATSDictionary()).requirements(for: ATSDestination(host: "a.test"))

    private func codes(_ chain: TestChain, _ requirements: ATSRequirements = Self.defaults) throws -> [String] {
        let trust = try chain.trust(requirements)
        let suite = CipherSuite(rawValue: 0x1301)
        return requirements.verdict(on: ATSConnection(version: .tls13, cipherSuite: suite, trust: trust)).violations
            .map { "\($0.code) \($0.osStatus?.rawValue ?? 0)" }
    }

    @Test("A key of 1024 bits is refused by trust and by size")
    func smallKey() throws {
        #expect(try self.codes(TestChain(.rsa1024)) == ["untrusted -9807", "key-too-small -9883"])
        #expect(try self.codes(TestChain(.rsa2048)) == [])
    }

    @Test("SHA-1 is refused on the server's certificate and on those above it")
    func digests() throws {
        #expect(try self.codes(TestChain(.rsa2048, hash: .sha1)) == ["untrusted -9807", "leaf-digest -9884"])
        #expect(try self.codes(TestChain(.rsa2048, issuerHash: .sha1)) == ["untrusted -9807", "issuer-digest -9885"])
        #expect(try self.codes(TestChain(.rsa2048, hash: .sha384)) == [])
    }

    @Test("FCP_v2.1 wants a signature that was offered")
    func offeredSignatures() throws {
        var requirements = Self.defaults
        requirements.niapPackage = .fcp21
        for (hash, isOffered) in [(TestSignatureHash.sha1, false), (.sha256, true), (.sha384, true)] {
            let codes = try self.codes(TestChain(.rsa2048, hash: hash), requirements)
            #expect(codes.contains("signature-algorithm-not-offered -9880") == !isOffered)
        }
    }

    @Test("Leaf and authority must both be pinned where both are pinned")
    func pins() throws {
        let chain = try #require(TestChain.good)
        let (leaf, authority) = (chain.certificates[0].publicKey.sha256, chain.certificates[1].publicKey.sha256)
        let root = chain.certificates[2].publicKey.sha256
        let other = [UInt8](repeating: 7, count: 32)
        for (pins, expected) in [
            (ATSPins(leaf: [leaf], authorities: nil), []), (ATSPins(leaf: nil, authorities: [authority]), []),
            (ATSPins(leaf: nil, authorities: [other, root]), []),
            (ATSPins(leaf: [other, leaf], authorities: [root]), []),
            (ATSPins(leaf: [authority], authorities: nil), ["leaf-not-pinned -9886"]),
            (ATSPins(leaf: nil, authorities: [leaf]), ["authority-not-pinned -9886"]),
            (ATSPins(leaf: [], authorities: nil), ["leaf-not-pinned -9886"]),
            (ATSPins(leaf: nil, authorities: []), ["authority-not-pinned -9886"]),
            (ATSPins(leaf: [leaf], authorities: []), ["authority-not-pinned -9886"]),
            (ATSPins(leaf: [other], authorities: [other]), ["leaf-not-pinned -9886", "authority-not-pinned -9886"]),
        ] as [(ATSPins, [String])] {
            var requirements = Self.defaults
            requirements.pins = pins
            #expect(try self.codes(chain, requirements) == expected)
            // However trust was evaluated.
            let trust = try chain.trust(Self.defaults)
            let suite = CipherSuite(rawValue: 0x1301)
            let verdict = requirements.verdict(on: ATSConnection(version: .tls13, cipherSuite: suite, trust: trust))
            #expect(verdict.isAllowed == expected.isEmpty)
        }
    }

    @Test("An exception does not overrule missing pins that another policy asks for")
    func foreignPins() throws {
        let chain = try #require(TestChain.good)
        var asked = ATSRequirements()
        asked.pins = ATSPins(leaf: [[UInt8](repeating: 7, count: 32)], authorities: nil)
        let trust = try chain.trust(asked)
        for pins in [nil, ATSPins(leaf: [chain.certificates[0].publicKey.sha256], authorities: nil)] {
            var requirements = ATSRequirements()
            requirements.pins = pins
            let suite = CipherSuite(rawValue: 0x1301)
            let verdict = requirements.verdict(on: ATSConnection(version: .tls13, cipherSuite: suite, trust: trust))
            #expect(!verdict.isAllowed)
            #expect(pins == nil || !verdict.isOverridable)
        }
    }

    @Test("Pins are no matter of App Transport Security: they hold where it leaves a connection alone")
    func pinsAlone() throws {
        let chain = try #require(TestChain.good)
        var requirements = ATSRequirements()
        requirements.pins = ATSPins(leaf: [[1, 2, 3]], authorities: nil)
        #expect(try self.codes(chain, requirements) == ["leaf-not-pinned -9886"])
    }
}

@Suite("Codes and their meanings")
struct CodeTests {
    @Test("Every code of TLS has its name, a meaning and a remedy")
    func streamCodes() {
        for status in OSStatusCode.allCases where (-9900 ... -9800).contains(status.rawValue) {
            #expect(status.name.hasPrefix("errSSL"))
            #expect(status.transportMeaning?.meaning.hasSuffix(".") == true, "\(status)")
            #expect(status.transportMeaning?.remedy.hasSuffix(".") == true, "\(status)")
        }
        #expect(OSStatusCode(rawValue: -9882)?.name == "errSSLATSCiphersuiteViolation")
        #expect(OSStatusCode(rawValue: -9884)?.name == "errSSLATSLeafCertificateHashAlgorithmViolation")
        #expect(OSStatusCode(rawValue: -9807)?.name == "errSSLXCertChainInvalid")
        #expect(OSStatusCode.createChainFailed.transportMeaning == nil)
    }

    @Test("Every code of NSURLErrorDomain has its name, a meaning and a remedy")
    func urlCodes() {
        for code in URLErrorCode.allCases {
            #expect(code.name.hasPrefix("NSURLError") && code.meaning.hasSuffix(".") && code.remedy.hasSuffix("."))
        }
        #expect(URLErrorCode(rawValue: -1022)?.name == "NSURLErrorAppTransportSecurityRequiresSecureConnection")
        #expect(URLErrorCode(rawValue: -1200)?.name == "NSURLErrorSecureConnectionFailed")
    }
}
