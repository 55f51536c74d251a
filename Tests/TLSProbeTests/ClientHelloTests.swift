//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import TLSProbe
import TLSWire
import Testing

private let gcm = CipherSuite(rawValue: 0xC02F)
private let aes128 = CipherSuite(rawValue: 0x1301)
private let signal = CipherSuite(rawValue: 0x00FF)
private let allVersions: [TLSProtocolVersion] = [.tls13, .tls12, .tls11, .tls10]

private func encoded(_ offer: ProbeOffer) -> [UInt8] {
    var chance = SystemRandomNumberGenerator()
    return offer.clientHello(using: &chance).encoded()
}

private func sent(_ offer: ProbeOffer) throws -> SentHello { try #require(SentHello(encoded(offer))) }

@Suite("Client hellos")
struct ClientHelloTests {
    @Test("No hello is of the 256 to 511 octets that some servers never answer (RFC 7685)")
    func padding() throws {
        for nameLength in 1...250 {
            for suites in [1, 20, 100] {
                var offer = ProbeOffer([.tls12], [CipherSuite](repeating: gcm, count: suites))
                offer.groups = [.x25519]
                offer.serverName = String(repeating: "a", count: nameLength)
                let length = try sent(offer).length
                #expect(!(256..<512).contains(length), "\(length)")
            }
        }
    }

    @Test("Padding is nothing but zeroes, and there only where it has to be")
    func paddingContent() throws {
        var offer = ProbeOffer([.tls12], [gcm])
        offer.signatureSchemes = [SignatureScheme(rawValue: 0x0401)]
        offer.groups = [.x25519]
        #expect(try !sent(offer).has(21))
        offer.serverName = String(repeating: "a", count: 200)
        let padding = try #require(try sent(offer).content(21))
        #expect(padding.allSatisfy { $0 == 0 } && !padding.isEmpty)
        #expect(try sent(offer).length == 512)
    }

    @Test("A hello of more than 2^14 octets goes into two records, and its length is right")
    func twoRecords() throws {
        let offer = ProbeOffer([.tls12], [CipherSuite](repeating: gcm, count: 10_000))
        #expect(try sent(offer).recordCount == 2)
        #expect(try sent(offer).suites.count == 10_001)
        var longest = ProbeOffer([.tls12], [CipherSuite](repeating: gcm, count: 32_766))
        longest.serverName = String(repeating: "a", count: 60_000)
        #expect(try sent(longest).length > 1 << 16)
        #expect(try sent(longest).recordCount == 8)
    }

    @Test("SSL 3.0 has no extensions, and says so in the record too")
    func ssl30() throws {
        let hello = try sent(ProbeOffer([.ssl30], [CipherSuite(rawValue: 5)]))
        #expect(hello.extensions == nil && hello.recordVersion == 0x0300 && hello.legacyVersion == .ssl30)
        #expect(hello.suites == [CipherSuite(rawValue: 5), signal])
    }

    @Test("Records say TLS 1.0 and hellos TLS 1.2, whatever is newer (RFC 8446 §5.1 and §4.1.2)")
    func versions() throws {
        for version in [TLSProtocolVersion.tls10, .tls11, .tls12, .tls13] {
            let hello = try sent(ProbeOffer([version], [gcm]))
            #expect(hello.recordVersion == 0x0301 && hello.legacyVersion == min(version, .tls12))
            #expect(hello.versions == (version == .tls13 ? [.tls13] : nil))
        }
        #expect(try sent(ProbeOffer([.tls10, .tls13, .tls12], [gcm])).versions == [.tls13, .tls12, .tls10])
        var offer = ProbeOffer([.tls12], [gcm])
        offer.legacyVersion = TLSProtocolVersion(rawValue: 0x0399)
        #expect(try sent(offer).legacyVersion.rawValue == 0x0399)
    }

    @Test("The signal for renegotiation is in every offer of an old version, and in none of TLS 1.3 alone")
    func signals() throws {
        #expect(try sent(ProbeOffer([.tls12], [gcm])).suites == [gcm, signal])
        #expect(try sent(ProbeOffer(allVersions, [gcm])).suites == [gcm, signal])
        #expect(try sent(ProbeOffer([.tls13], [aes128])).suites == [aes128])
        var offer = ProbeOffer([.tls11], [gcm])
        offer.isFallback = true
        #expect(try sent(offer).suites == [gcm, signal, CipherSuite(rawValue: 0x5600)])
    }

    @Test("Without a key at hand the list of keys is empty, and there (RFC 8446 §4.2.8)")
    func emptyKeyShare() throws {
        let hello = try sent(ProbeOffer([.tls13], [aes128]))
        #expect(hello.content(51) == [0, 0])
        #expect(hello.sessionID.count == 32)
        #expect(try !sent(ProbeOffer([.tls12], [gcm])).has(51))
        #expect(try sent(ProbeOffer([.tls12], [gcm])).sessionID.isEmpty)
    }

    @Test("Extensions are laid out as their standards say")
    func layout() throws {
        var offer = ProbeOffer([.tls12], [gcm])
        offer.serverName = "ab.test"
        offer.applicationProtocols = ["h2", "x"]
        offer.groups = [.x25519, .secp256r1]
        offer.signatureSchemes = [SignatureScheme(rawValue: 0x0804)]
        let hello = try sent(offer)
        // RFC 6066 §3, RFC 7301 §3.1, RFC 8422 §5.1.1 and §5.1.2, RFC 5246 §7.4.1.4.1, RFC 6066 §8, RFC 6520 §2.
        #expect(hello.content(0) == [0, 10, 0, 0, 7] + Array("ab.test".utf8))
        #expect(hello.content(16) == [0, 5, 2, 0x68, 0x32, 1, 0x78])
        #expect(hello.content(10) == [0, 4, 0, 29, 0, 23])
        #expect(hello.content(11) == [1, 0])
        #expect(hello.content(13) == [0, 2, 8, 4])
        #expect(hello.content(5) == [1, 0, 0, 0, 0])
        #expect(hello.content(15) == [1])
        for type in [18, 22, 23, 35] as [UInt16] { #expect(hello.content(type) == []) }
        #expect(hello.compressionMethods == [0])
        let types = hello.extensions?.map(\.type) ?? []
        #expect(Set(types).count == types.count)
    }

    @Test("What an offer leaves out is not in the hello")
    func leftOut() throws {
        var offer = ProbeOffer([.tls12], [gcm])
        offer.offersFeatures = false
        offer.offersExtendedMasterSecret = false
        offer.groups = []
        offer.offersCompression = true
        #expect(try sent(offer).extensions?.map(\.type) == [13])
        #expect(try sent(offer).compressionMethods == [1, 0])
        offer.hasExtensions = false
        #expect(try sent(offer).extensions == nil)
        let alone = try sent(ProbeOffer([.tls13], [aes128]))
        for type in [11, 15, 22, 23, 35] as [UInt16] { #expect(!alone.has(type)) }
    }

    @Test("Reserved values without a meaning are in every list they can be in (RFC 8701)")
    func grease() throws {
        var offer = ProbeOffer(allVersions, [gcm])
        offer.hasGREASE = true
        let hello = try sent(offer)
        #expect(hello.suites.first?.isGREASE == true && hello.groups?.first?.isGREASE == true)
        #expect(hello.versions?.first.map { $0.rawValue & 0x0F0F == 0x0A0A } == true)
        #expect(hello.extensions?.first?.type == 0x3A3A)
    }

    @Test("The keys that stand for others are points of their curves")
    func sampleKeys() throws {
        var offer = ProbeOffer([.tls13], [aes128])
        offer.keyShares = NamedGroup.known
        let shares = try #require(try sent(offer).keyShares)
        let keys = Dictionary(shares.map { ($0.group, $0.key) }) { first, _ in first }
        #expect(keys.count == 8)
        let p256 = try #require(keys[.secp256r1])
        #expect(throws: Never.self) { try P256.KeyAgreement.PublicKey(x963Representation: p256) }
        #expect(throws: Never.self) { try P384.KeyAgreement.PublicKey(x963Representation: keys[.secp384r1] ?? []) }
        #expect(throws: Never.self) { try P521.KeyAgreement.PublicKey(x963Representation: keys[.secp521r1] ?? []) }
        let x25519 = try #require(keys[.x25519])
        let theirs = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: x25519)
        #expect(throws: Never.self) {
            try Curve25519.KeyAgreement.PrivateKey().sharedSecretFromKeyAgreement(with: theirs)
        }
        #expect(keys[.x448]?.count == 56)
        // FIPS 203 §7.2: the check of the modulus is all there is.
        let mlkem = try #require(keys[.mlkem768])
        #expect(throws: Never.self) { try MLKEM768.PublicKey(rawRepresentation: mlkem).encapsulate() }
        #expect(keys[.x25519MLKEM768] == mlkem + x25519)
        #expect(keys[.secp256r1MLKEM768] == p256 + mlkem)
    }
}
