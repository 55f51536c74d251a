//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import CryptoExtras

/// The digest from which a PKCS#12 file derives its keys and authentication code, by RFC 7292 and RFC 8018.
struct DerivationDigest: Sendable {
    private let digest: SignatureDigest

    /// HMAC with SHA-1 (RFC 8018 §B.1.1).
    static let sha1 = DerivationDigest(digest: .sha1)

    private init(digest: SignatureDigest) { self.digest = digest }

    /// Creates the digest that an identifier names by itself. `nil` if it is not supported.
    init?(named identifier: PackedOID) {
        guard let digest = PSSParameters.digests[identifier] else { return nil }
        self.digest = digest
    }

    /// Creates the digest of the HMAC that an identifier names (RFC 8018 §B.1.1, §B.1.2). `nil` if it is not supported.
    init?(ofHMAC identifier: PackedOID) {
        guard let digest = Self.authenticators[identifier] else { return nil }
        self.digest = digest
    }

    /// The length of the digest in octets.
    var count: Int { Int(PSSParameters.length(of: self.digest)) }

    /// Returns `true` if a code authenticates octets under a key. The comparison takes constant time.
    func isAuthenticated(_ octets: ArraySlice<UInt8>, by code: [UInt8], key: [UInt8]) -> Bool {
        let key = SymmetricKey(data: key)
        return switch self.digest {
        case .sha1: HMAC<Insecure.SHA1>.isValidAuthenticationCode(code, authenticating: octets, using: key)
        case .sha256: HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: octets, using: key)
        case .sha384: HMAC<SHA384>.isValidAuthenticationCode(code, authenticating: octets, using: key)
        case .sha512: HMAC<SHA512>.isValidAuthenticationCode(code, authenticating: octets, using: key)
        case .md2, .md4, .md5, .sha224, .intrinsic: false
        }
    }

    /// Derives a key by PBKDF2 (RFC 8018 §5.2).
    func pbkdf2(_ password: [UInt8], _ salt: [UInt8], iterations: UInt32, count: Int) throws -> [UInt8] {
        let function: KDF.Insecure.PBKDF2.HashFunction =
            switch self.digest {
            case .sha384: .sha384
            case .sha512: .sha512
            case .sha256: .sha256
            default: .insecureSHA1
            }
        let key = try KDF.Insecure.PBKDF2.deriveKey(
            from: password, salt: salt, using: function, outputByteCount: count,
            unsafeUncheckedRounds: Int(iterations))
        return unsafe key.withUnsafeBytes { unsafe Array($0) }
    }

    /// The purpose of derived octets (RFC 7292 §B.3).
    enum Purpose: UInt8 {
        case key = 1
        case initializationVector = 2
        case authentication = 3
    }

    /// Derives octets by RFC 7292 §B.2.
    func derive(
        _ purpose: Purpose, from password: [UInt8], salt: [UInt8], iterations: UInt32, count: Int
    ) -> [UInt8] {
        switch self.digest {
        case .sha256: PKCS12Derivation<SHA256>(password, salt, iterations: iterations).octets(purpose, count: count)
        case .sha384: PKCS12Derivation<SHA384>(password, salt, iterations: iterations).octets(purpose, count: count)
        case .sha512: PKCS12Derivation<SHA512>(password, salt, iterations: iterations).octets(purpose, count: count)
        default: PKCS12Derivation<Insecure.SHA1>(password, salt, iterations: iterations).octets(purpose, count: count)
        }
    }

    private static let authenticators: [PackedOID: SignatureDigest] = [
        PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x07]): .sha1,
        PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x09]): .sha256,
        PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x0A]): .sha384,
        PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x0B]): .sha512,
    ]
}

/// The derivation of RFC 7292 §B.2.
private struct PKCS12Derivation<Digest: HashFunction> {
    private let input: [UInt8]
    private let iterations: UInt32

    private static var block: Int { Digest.blockByteCount }

    init(_ password: [UInt8], _ salt: [UInt8], iterations: UInt32) {
        self.input = Self.filled(salt) + Self.filled(password)
        self.iterations = iterations
    }

    func octets(_ purpose: DerivationDigest.Purpose, count: Int) -> [UInt8] {
        let diversifier = [UInt8](repeating: purpose.rawValue, count: Self.block)
        var input = self.input
        var output: [UInt8] = []
        while output.count < count {
            var hash = Digest.hash(data: diversifier + input)
            for _ in 1..<max(1, self.iterations) { hash = Digest.hash(data: Array(hash)) }
            output += hash
            Self.add(Self.filled(Array(hash), to: Self.block), to: &input)
        }
        return Array(output.prefix(count))
    }

    /// Returns octets repeated until they fill whole blocks.
    private static func filled(_ octets: [UInt8]) -> [UInt8] {
        self.filled(octets, to: (octets.count + self.block - 1) / self.block * self.block)
    }

    private static func filled(_ octets: [UInt8], to count: Int) -> [UInt8] {
        guard !octets.isEmpty else { return [] }
        return (0..<count).map { octets[$0 % octets.count] }
    }

    /// Adds a number and one to each block and drops the overflow. All numbers have the highest octet first.
    private static func add(_ number: [UInt8], to blocks: inout [UInt8]) {
        for start in stride(from: 0, to: blocks.count, by: self.block) {
            var carry: UInt16 = 1
            for index in (0..<self.block).reversed() {
                let sum = UInt16(blocks[start + index]) + UInt16(number[index]) + carry
                blocks[start + index] = UInt8(truncatingIfNeeded: sum)
                carry = sum >> 8
            }
        }
    }
}
