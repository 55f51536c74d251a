//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

@testable import TLSProbe
@testable import TLSWire

/// The trace "Simple 1-RTT Handshake" of RFC 8448 §3.
enum RFC8448 {
    static var key: HandshakeKey {
        get throws {
            let octets = [UInt8](hex: "49af42ba7f7994852d713ef2784bcbcaa7911de26adc5642cb634540e7ea5005")
            return HandshakeKey(x25519: try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: octets))
        }
    }

    /// A reader of the answer, which takes every signature for right.
    static var reader: HandshakeReader {
        get throws { HandshakeReader(try self.hello, keys: [try self.key], verifiedBy: CredulousVerifier()) }
    }

    private static var hello: ClientHello {
        get throws {
            let groups: [NamedGroup] = [29, 23, 24, 25, 256, 257, 258, 259, 260].map(NamedGroup.init)
            let schemes: [SignatureScheme] = [
                0x0403, 0x0503, 0x0603, 0x0203, 0x0804, 0x0805, 0x0806, 0x0401, 0x0501, 0x0601, 0x0201, 0x0402, 0x0502,
                0x0602, 0x0202,
            ].map(SignatureScheme.init)
            return ClientHello(
                recordVersion: .tls10, legacyVersion: .tls12,
                random: [UInt8](hex: "cb34ecb1e78163ba1c38c6dacb196a6dffa21a8d9912ec18a2ef6283024dece7"), sessionID: [],
                cipherSuites: [0x1301, 0x1303, 0x1302].map(CipherSuite.init), compressionMethods: [0],
                extensions: [
                    .serverName("server"), HelloExtension(.renegotiationInfo, [0]), .supportedGroups(groups),
                    HelloExtension(.sessionTicket), .keyShare([(.x25519, try self.key.share)]),
                    .supportedVersions([.tls13]), .signatureAlgorithms(schemes),
                    HelloExtension(.pskExchangeModes, [1, 1]), HelloExtension(.init(rawValue: 28), [0x40, 0x01]),
                ])
        }
    }

    static let clientHello = [UInt8](
        hex: """
            010000c00303cb34ecb1e78163ba1c38c6dacb196a6dffa21a8d9912ec18a2ef
            6283024dece7000006130113031302010000910000000b000900000673657276
            6572ff01000100000a00140012001d0017001800190100010101020103010400
            230000003300260024001d002099381de560e4bd43d23d8e435a7dbafeb3c06e
            51c13cae4d5413691e529aaf2c002b0003020304000d0020001e040305030603
            020308040805080604010501060102010402050206020202002d00020101001c
            00024001
            """)
    static let serverHello = [UInt8](
        hex: """
            020000560303a6af06a4121860dc5e6e60249cd34c95930c8ac5cb1434dac155
            772ed3e2692800130100002e00330024001d0020c9828876112095fe66762bdb
            f7c672e156d6cc253b833df1dd69b1b04e751f0f002b00020304
            """)
    /// What the server encrypts: EncryptedExtensions, Certificate, CertificateVerify and Finished.
    static let flight = [UInt8](
        hex: """
            080000240022000a00140012001d00170018001901000101010201030104001c
            00024001000000000b0001b9000001b50001b0308201ac30820115a003020102
            020102300d06092a864886f70d01010b0500300e310c300a0603550403130372
            7361301e170d3136303733303031323335395a170d3236303733303031323335
            395a300e310c300a0603550403130372736130819f300d06092a864886f70d01
            0101050003818d0030818902818100b4bb498f8279303d980836399b36c6988c
            0c68de55e1bdb826d3901a2461eafd2de49a91d015abbc9a95137ace6c1af19e
            aa6af98c7ced43120998e187a80ee0ccb0524b1b018c3e0b63264d449a6d38e2
            2a5fda430846748030530ef0461c8ca9d9efbfae8ea6d1d03e2bd193eff0ab9a
            8002c47428a6d35a8d88d79f7f1e3f0203010001a31a301830090603551d1304
            023000300b0603551d0f0404030205a0300d06092a864886f70d01010b050003
            81810085aad2a0e5b9276b908c65f73a7267170618a54c5f8a7b337d2df7a594
            365417f2eae8f8a58c8f8172f9319cf36b7fd6c55b80f21a03015156726096fd
            335e5e67f2dbf102702e608ccae6bec1fc63a42a99be5c3eb7107c3c54e9b9eb
            2bd5203b1c3b84e0a8b2f759409ba3eac9d91d402dcc0cc8f8961229ac9187b4
            2b4de100000f000084080400805a747c5d88fa9bd2e55ab085a61015b7211f82
            4cd484145ab3ff52f1fda8477b0b7abc90db78e2d33a5c141a078653fa6bef78
            0c5ea248eeaaa785c4f394cab6d30bbe8d4859ee511f602957b15411ac027671
            459e46445c9ea58c181e818e95b8c3fb0bf3278409d3be152a3da5043e063dda
            65cdf5aea20d53dfacd42f74f3140000209b9b141d906337fbd2cbdce71df4de
            da4ab42c309572cb7fffee5454b78f0718
            """)
    /// The two records that the server sends.
    static let records: [UInt8] =
        [0x16, 3, 3, 0, 0x5A] + Self.serverHello
        + [UInt8](
            hex: """
                17030302a2d1ff334a56f5bff6594a07cc87b580233f500f45e489e7f33af35e
                df7869fcf40aa40aa2b8ea73f848a7ca07612ef9f945cb960b4068905123ea78
                b111b429ba9191cd05d2a389280f526134aadc7fc78c4b729df828b5ecf7b13b
                d9aefb0e57f271585b8ea9bb355c7c79020716cfb9b1183ef3ab20e37d57a6b9
                d7477609aee6e122a4cf51427325250c7d0e509289444c9b3a648f1d71035d2e
                d65b0e3cdd0cbae8bf2d0b227812cbb360987255cc744110c453baa4fcd61092
                8d809810e4b7ed1a8fd991f06aa6248204797e36a6a73b70a2559c09ead68694
                5ba246ab66e5edd8044b4c6de3fcf2a89441ac66272fd8fb330ef8190579b368
                4596c960bd596eea520a56a8d650f563aad27409960dca63d3e688611ea5e22f
                4415cf9538d51a200c27034272968a264ed6540c84838d89f72c24461aad6d26
                f59ecaba9acbbb317b66d902f4f292a36ac1b639c637ce343117b65962224531
                7b49eeda0c6258f100d7d961ffb138647e92ea330faeea6dfa31c7a84dc3bd7e
                1b7a6c7178af36879018e3f252107f243d243dc7339d5684c8b0378bf30244da
                8c87c843f5e56eb4c5e8280a2b48052cf93b16499a66db7cca71e4599426f7d4
                61e66f99882bd89fc50800becca62d6c74116dbd2972fda1fa80f85df881edbe
                5a37668936b335583b599186dc5c6918a396fa48a181d6b6fa4f9d62d513afbb
                992f2b992f67f8afe67f76913fa388cb5630c8ca01e0c65d11c66a1e2ac4c859
                77b7c7a6999bbf10dc35ae69f5515614636c0b9b68c19ed2e31c0b3b66763038
                ebba42f3b38edc0399f3a9f23faa63978c317fc9fa66a73f60f0504de93b5b84
                5e275592c12335ee340bbc4fddd502784016e4b3be7ef04dda49f4b440a30cb5
                d2af939828fd4ae3794e44f94df5a631ede42c1719bfdabf0253fe5175be898e
                750edc53370d2b
                """)
}

/// Takes every signature for right, where a test is about something else.
struct CredulousVerifier: HandshakeSignatureVerifier {
    func verifies(
        _ signature: [UInt8], over content: [UInt8], by scheme: SignatureScheme, in version: TLSProtocolVersion,
        keyOf certificate: [UInt8]
    ) -> Bool { true }
}

extension [UInt8] {
    /// Octets from hexadecimal digits, of which lines are separate.
    init(hex text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
