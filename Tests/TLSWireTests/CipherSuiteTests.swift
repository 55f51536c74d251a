//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire
import Testing

private struct Expectation: Sendable, CustomTestStringConvertible {
    let suite: String
    let exchange: CipherSuite.KeyExchange
    let authentication: CipherSuite.Authentication
    let protection: CipherSuite.Protection
    let versions: ClosedRange<TLSProtocolVersion>
    let isSecretForward: Bool

    var testDescription: String { self.suite }

    init(
        _ suite: String, _ exchange: CipherSuite.KeyExchange, _ authentication: CipherSuite.Authentication,
        _ protection: CipherSuite.Protection, _ versions: ClosedRange<TLSProtocolVersion>, _ isSecretForward: Bool
    ) {
        self.suite = suite
        self.exchange = exchange
        self.authentication = authentication
        self.protection = protection
        self.versions = versions
        self.isSecretForward = isSecretForward
    }
}

private let expectations: [Expectation] = [
    .init("TLS_NULL_WITH_NULL_NULL", .null, .anonymous, .broken, .ssl30 ... .tls12, false),
    .init("TLS_RSA_WITH_NULL_SHA256", .rsa, .rsa, .broken, .tls12 ... .tls12, false),
    .init("TLS_RSA_EXPORT_WITH_RC4_40_MD5", .rsa, .rsa, .broken, .ssl30 ... .tls10, false),
    .init("TLS_DHE_RSA_EXPORT_WITH_DES40_CBC_SHA", .dhe, .rsa, .broken, .ssl30 ... .tls10, true),
    .init("TLS_RSA_EXPORT1024_WITH_DES_CBC_SHA", .rsa, .rsa, .broken, .ssl30 ... .tls10, false),
    .init("TLS_RSA_WITH_IDEA_CBC_SHA", .rsa, .rsa, .broken, .ssl30 ... .tls11, false),
    .init("TLS_RSA_WITH_DES_CBC_SHA", .rsa, .rsa, .broken, .ssl30 ... .tls11, false),
    .init("SSL_RSA_FIPS_WITH_3DES_EDE_CBC_SHA", .rsa, .rsa, .broken, .ssl30 ... .tls12, false),
    .init("SSL_FORTEZZA_KEA_WITH_FORTEZZA_CBC_SHA", .fortezza, .fortezza, .broken, .ssl30 ... .ssl30, false),
    .init("TLS_DH_DSS_WITH_AES_128_CBC_SHA", .dh, .dh, .aesCBC, .ssl30 ... .tls12, false),
    .init("TLS_DHE_DSS_WITH_AES_256_GCM_SHA384", .dhe, .dss, .aesGCM, .tls12 ... .tls12, true),
    .init("TLS_DH_anon_WITH_AES_128_GCM_SHA256", .dhe, .anonymous, .aesGCM, .tls12 ... .tls12, true),
    .init("TLS_ECDH_anon_WITH_RC4_128_SHA", .ecdhe, .anonymous, .broken, .tls10 ... .tls12, true),
    .init("TLS_KRB5_EXPORT_WITH_RC4_40_SHA", .kerberos, .kerberos, .broken, .tls10 ... .tls10, false),
    .init("TLS_ECDH_RSA_WITH_AES_128_CBC_SHA256", .ecdh, .ecdsa, .aesCBC, .tls12 ... .tls12, false),
    .init("TLS_ECDHE_ECDSA_WITH_NULL_SHA", .ecdhe, .ecdsa, .broken, .tls10 ... .tls12, false),
    .init("TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8", .ecdhe, .ecdsa, .aesCCM, .tls12 ... .tls12, true),
    .init("TLS_PSK_WITH_AES_128_CBC_SHA256", .psk, .psk, .aesCBC, .tls10 ... .tls12, false),
    .init("TLS_PSK_DHE_WITH_AES_128_CCM_8", .dhePSK, .psk, .aesCCM, .tls12 ... .tls12, true),
    .init("TLS_RSA_PSK_WITH_ARIA_128_CBC_SHA256", .rsaPSK, .rsa, .ariaCBC, .tls12 ... .tls12, false),
    .init("TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256", .ecdhePSK, .psk, .chaCha20Poly1305, .tls12 ... .tls12, true),
    .init("TLS_SRP_SHA_DSS_WITH_AES_256_CBC_SHA", .srp, .dss, .aesCBC, .ssl30 ... .tls12, true),
    .init("TLS_ECCPWD_WITH_AES_256_CCM_SHA384", .eccpwd, .password, .aesCCM, .tls12 ... .tls12, true),
    .init("TLS_RSA_WITH_CAMELLIA_256_GCM_SHA384", .rsa, .rsa, .camelliaGCM, .tls12 ... .tls12, false),
    .init("TLS_RSA_WITH_CAMELLIA_128_CBC_SHA", .rsa, .rsa, .camelliaCBC, .ssl30 ... .tls12, false),
    .init("TLS_DHE_RSA_WITH_SEED_CBC_SHA", .dhe, .rsa, .seedCBC, .ssl30 ... .tls12, true),
    .init("TLS_GOSTR341001_WITH_28147_CNT_IMIT", .gost, .gost, .gost, .tls10 ... .tls12, false),
    .init("TLS_GOSTR341112_256_WITH_MAGMA_CTR_OMAC", .gost, .gost, .gost, .tls12 ... .tls12, false),
    .init("TLS_GOSTR341112_256_WITH_KUZNYECHIK_MGM_L", .any, .any, .gost, .tls13 ... .tls13, true),
    .init("TLS_SM4_GCM_SM3", .any, .any, .sm4, .tls13 ... .tls13, true),
    .init("TLS_AES_128_CCM_8_SHA256", .any, .any, .aesCCM, .tls13 ... .tls13, true),
    .init("TLS_AEGIS_128L_SHA256", .any, .any, .aegis, .tls13 ... .tls13, true),
    .init("TLS_SHA384_SHA384", .any, .any, .broken, .tls13 ... .tls13, false),
    .init(
        "OLD_TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", .ecdhe, .rsa, .chaCha20Poly1305, .tls12 ... .tls12, true),
]

@Suite("What the name of a cipher suite says")
struct CipherSuiteTests {
    @Test("Nothing is claimed of a suite that is not known", arguments: [0x00FE, 0x1A1A, 0xC0FF, 0xFFFF] as [UInt16])
    func unknown(number: UInt16) {
        let suite = CipherSuite(rawValue: number)
        #expect(suite.keyExchange == nil && suite.authentication == nil && suite.protection == nil)
        #expect(!suite.hasForwardSecrecy && !suite.isTLS13 && !suite.isExport && !suite.isNull && !suite.isAnonymous)
        #expect(suite.earliestVersion == nil && suite.latestVersion == nil && suite.openSSLName == nil)
        #expect(!suite.isRegistered && !suite.isSignaling && !suite.isAuthenticatedEncryption)
    }

    @Test("Signals have a name, and nothing of a suite", arguments: [0x00FF, 0x5600] as [UInt16])
    func signals(number: UInt16) {
        let suite = CipherSuite(rawValue: number)
        #expect(suite.isSignaling && suite.isRegistered && "\(suite)".hasSuffix("_SCSV"))
        #expect(suite.keyExchange == nil && suite.protection == nil && suite.earliestVersion == nil)
        #expect(suite.openSSLName == nil && !suite.hasForwardSecrecy)
    }

    @Test("Its parts are those of the RFC", arguments: expectations)
    private func parts(expectation: Expectation) throws {
        let suite = try #require(CipherSuite(name: expectation.suite))
        #expect(suite.keyExchange == expectation.exchange)
        #expect(suite.authentication == expectation.authentication)
        #expect(suite.protection == expectation.protection)
        #expect(suite.earliestVersion == expectation.versions.lowerBound)
        #expect(suite.latestVersion == expectation.versions.upperBound)
        #expect(suite.hasForwardSecrecy == expectation.isSecretForward)
    }

    @Test("Every known suite that is no signal is understood in all its parts")
    func complete() {
        for suite in CipherSuite.known where !suite.isSignaling {
            #expect(suite.keyExchange != nil && suite.authentication != nil, "\(suite)")
            #expect(suite.protection != nil, "\(suite)")
            #expect(suite.earliestVersion != nil && suite.latestVersion != nil, "\(suite)")
            #expect(suite.isTLS13 == (suite.earliestVersion == .tls13), "\(suite)")
            #expect(suite.isAuthenticatedEncryption || suite.isNull || !suite.isTLS13, "\(suite)")
            #expect(suite.protection == .broken || !suite.isNull && !suite.isExport, "\(suite)")
        }
        #expect(CipherSuite.known.filter(\.isExport).count == 21)
        #expect(CipherSuite.known.filter(\.isNull).count == 27)
    }
}
