//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension CipherSuite {
    /// The protection of application data by a suite.
    public enum Protection: Hashable, Sendable {
        /// AES in Galois/Counter Mode.
        case aesGCM
        /// AES in counter mode with CBC-MAC. Its tag has eight bytes only if the suite's name says so.
        case aesCCM
        /// AES in cipher block chaining mode, with an HMAC.
        case aesCBC
        /// ChaCha20 with Poly1305.
        case chaCha20Poly1305
        /// AEGIS, which uses the round function of AES.
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
        /// RC4, DES, no encryption, and other ciphers that no longer protect.
        case broken
    }

    /// The protection of application data, or `nil` for an unknown suite.
    public var protection: Protection? { self.traits?.protection }

    /// `true` if data are sent without encryption.
    public var isNull: Bool { self.traits?.isNull ?? false }

    /// `true` if the cipher both encrypts and authenticates, as in all suites of TLS 1.3 and the better half of TLS 1.2's.
    public var isAuthenticatedEncryption: Bool { self.traits?.isAuthenticatedEncryption ?? false }
}

extension CipherSuiteParts {
    /// The protection of data, or `nil` if the name has unknown parts.
    var protection: CipherSuite.Protection? {
        // Export keys can be searched quickly, whatever the cipher.
        self.export != nil || self.isNull ? .broken : Self.protections[self.family]
    }

    /// `true` for NULL ciphers, and for RFC 9150's integrity-only suites, which have only digests in their names.
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
        // Blocks of 64 bits, keys of 56 bits or less, or a key stream with detectable biases.
        "RC4": .broken, "RC2_CBC": .broken, "IDEA_CBC": .broken, "FORTEZZA_CBC": .broken,
        "DES_CBC": .broken, "DES40_CBC": .broken, "3DES_EDE_CBC": .broken,
    ]
}
