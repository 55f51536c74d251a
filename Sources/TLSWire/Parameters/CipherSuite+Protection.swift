//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension CipherSuite {
    /// How data is protected.
    public enum Protection: Hashable, Sendable {
        /// AES in Galois/Counter Mode.
        case aesGCM
        /// AES in counter mode with a CBC-MAC, of eight bytes only where the name says so.
        case aesCCM
        /// AES in cipher block chaining mode, with an HMAC.
        case aesCBC
        /// ChaCha20 with Poly1305.
        case chaCha20Poly1305
        /// AEGIS, which is built from AES's rounds.
        case aegis
        /// Camellia in Galois/Counter Mode.
        case camelliaGCM
        /// Camellia in cipher block chaining mode, with an HMAC.
        case camelliaCBC
        /// ARIA in Galois/Counter Mode.
        case ariaGCM
        /// ARIA in cipher block chaining mode, with an HMAC.
        case ariaCBC
        /// SEED in cipher block chaining mode, with an HMAC.
        case seedCBC
        /// SM4 in an authenticated mode (RFC 8998).
        case sm4
        /// A cipher of the GOST standards.
        case gost
        /// RC4, DES, nothing, and others that no longer protect.
        case broken
    }

    /// How data is protected; `nil` for an unknown suite.
    public var protection: Protection? { self.traits?.protection }

    /// Whether data is sent in the clear.
    public var isNull: Bool { self.traits?.isNull ?? false }

    /// Whether one algorithm both encrypts and authenticates, as all of TLS 1.3 and the better half of TLS 1.2 do.
    public var isAuthenticatedEncryption: Bool { self.traits?.isAuthenticatedEncryption ?? false }
}

extension CipherSuiteParts {
    /// How data is protected; `nil` where the name has parts that are not known.
    var protection: CipherSuite.Protection? {
        // Whatever its cipher, forty bits of a key are tried through in no time.
        self.export != nil || self.isNull ? .broken : Self.protections[self.family]
    }

    /// RFC 9150's suites for integrity only are called after digests alone.
    var isNull: Bool { self.cipher.hasPrefix("NULL") || self.cipher.hasPrefix("SHA") }

    var isAuthenticatedEncryption: Bool {
        let words = self.family.split(separator: "_")
        return words.contains { ["GCM", "CCM", "POLY1305", "MGM", "AEGIS"].contains($0) }
    }

    private static let protections: [String: CipherSuite.Protection] = [
        "AES_GCM": .aesGCM, "AES_CCM": .aesCCM, "AES_CBC": .aesCBC,
        "CHACHA20_POLY1305": .chaCha20Poly1305, "AEGIS": .aegis, "AEGIS_128L": .aegis,
        "CAMELLIA_GCM": .camelliaGCM, "CAMELLIA_CBC": .camelliaCBC,
        "ARIA_GCM": .ariaGCM, "ARIA_CBC": .ariaCBC, "SEED_CBC": .seedCBC,
        "SM4_GCM": .sm4, "SM4_CCM": .sm4,
        "KUZNYECHIK_CTR": .gost, "KUZNYECHIK_MGM_L": .gost, "KUZNYECHIK_MGM_S": .gost,
        "MAGMA_CTR": .gost, "MAGMA_MGM_L": .gost, "MAGMA_MGM_S": .gost, "28147_CNT": .gost,
        // Blocks of 64 bits, keys of 56 or less, or a key stream that shows.
        "RC4": .broken, "RC2_CBC": .broken, "IDEA_CBC": .broken, "FORTEZZA_CBC": .broken,
        "DES_CBC": .broken, "DES40_CBC": .broken, "3DES_EDE_CBC": .broken,
    ]
}
