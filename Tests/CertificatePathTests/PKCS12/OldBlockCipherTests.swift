//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("Ciphers of old PKCS#12 files")
struct OldBlockCipherTests {
    @Test("RC2 decrypts the vectors of RFC 2268 §5", arguments: rc2Vectors)
    func rc2(vector: (key: String, bits: Int, plain: UInt64, encrypted: UInt64)) throws {
        let key = try #require([UInt8](hexadecimal: vector.key.utf8))
        let cipher = try #require(RC2(key: key, effectiveBits: vector.bits))
        #expect(cipher.decrypt(vector.encrypted) == vector.plain)
    }

    @Test("RC2 has no key that RFC 2268 does not allow", arguments: [(0, 40), (129, 40), (5, 0), (5, 1_025)])
    func rc2Keys(count: Int, bits: Int) {
        #expect(RC2(key: [UInt8](repeating: 1, count: count), effectiveBits: bits) == nil)
    }

    @Test(
        "DES three times decrypts the vectors of NIST SP 800-67 appendix B, and those of DES with one key three times")
    func tripleDES() throws {
        let keys = "0123456789ABCDEF23456789ABCDEF01456789ABCDEF0123"
        let key = try #require([UInt8](hexadecimal: keys.utf8))
        let cipher = try #require(TripleDES(key: key))
        let blocks: [(plain: UInt64, encrypted: UInt64)] = [
            (0x5468_6520_7175_6663, 0xA826_FD8C_E53B_855F), (0x6B20_6272_6F77_6E20, 0xCCE2_1C81_1225_6FE6),
            (0x666F_7820_6A75_6D70, 0x68D5_C05D_D9B6_B900),
        ]
        for block in blocks { #expect(cipher.decrypt(block.encrypted) == block.plain) }
        let single = try #require([UInt8](hexadecimal: "0123456789ABCDEF".utf8))
        for key in [single + single + single, single + single] {
            #expect(TripleDES(key: key)?.decrypt(0x3FA4_0E8A_984D_4815) == 0x4E6F_7720_6973_2074)
        }
        #expect(TripleDES(key: single) == nil && TripleDES(key: []) == nil)
    }

    @Test("Padding that is not as RFC 8018 has it decrypts to nothing")
    func padding() {
        // Blocks are as they are, so that the padding can be written down.
        struct Identity: OldBlockCipher { func decrypt(_ block: UInt64) -> UInt64 { block } }
        let zero = [UInt8](repeating: 0, count: 8)
        let wrong: [[UInt8]] = [
            [], [1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 0], [1, 2, 3, 4, 5, 6, 7, 9], [1, 2, 3, 4, 5, 6, 1, 2],
        ]
        for octets in wrong { #expect(Identity().decrypt(octets, initializationVector: zero) == nil) }
        #expect(Identity().decrypt([1, 2, 3, 4, 5, 6, 7, 1], initializationVector: [0]) == nil)
        #expect(Identity().decrypt([1, 2, 3, 4, 5, 6, 2, 2], initializationVector: zero) == [1, 2, 3, 4, 5, 6])
        #expect(Identity().decrypt([UInt8](repeating: 8, count: 8), initializationVector: zero) == [])
    }

    @Test("Keys are derived as in the examples that implementers of RFC 7292 share")
    func derivation() throws {
        let password = try #require(PKCS12Password.candidates("smeg").first?.bmpString)
        let salt: [UInt8] = [0x0A, 0x58, 0xCF, 0x64, 0x53, 0x0D, 0x82, 0x3F]
        let key = DerivationDigest.sha1.derive(.key, from: password, salt: salt, iterations: 1, count: 24)
        #expect(key == [UInt8](hexadecimal: "8AAAE6297B6CB04642AB5B077851284EB7128F1A2A7FBCA3".utf8))
        let vector = DerivationDigest.sha1.derive(
            .initializationVector, from: password, salt: salt, iterations: 1, count: 8)
        #expect(vector == [UInt8](hexadecimal: "79993DFE048D3B76".utf8))
    }
}

private let rc2Vectors: [(key: String, bits: Int, plain: UInt64, encrypted: UInt64)] = [
    ("0000000000000000", 63, 0, 0xEBB7_73F9_9327_8EFF),
    ("FFFFFFFFFFFFFFFF", 64, 0xFFFF_FFFF_FFFF_FFFF, 0x278B_27E4_2E2F_0D49),
    ("3000000000000000", 64, 0x1000_0000_0000_0001, 0x3064_9EDF_9BE7_D2C2),
    ("88", 64, 0, 0x61A8_A244_ADAC_CCF0),
    ("88BCA90E90875A", 64, 0, 0x6CCF_4308_974C_267F),
    ("88BCA90E90875A7F0F79C384627BAFB2", 64, 0, 0x1A80_7D27_2BBE_5DB1),
    ("88BCA90E90875A7F0F79C384627BAFB2", 128, 0, 0x2269_552A_B0F8_5CA6),
    (
        "88BCA90E90875A7F0F79C384627BAFB216F80A6F85920584C42FCEB0BE255DAF1E", 129, 0, 0x5B78_D3A4_3DFF_F1F1
    ),
]
