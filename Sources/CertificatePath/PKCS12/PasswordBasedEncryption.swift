//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import Crypto
import CryptoExtras

/// The encryption of a part of a PKCS#12 file: PBES2 (RFC 8018 §6.2), or one of the older schemes of RFC 7292 appendix C.
enum PasswordBasedEncryption {
    case pbes2(PBKDF2Parameters, PBES2Cipher, initializationVector: [UInt8])
    case old(OldCipher, salt: [UInt8], iterations: UInt32)

    /// A cipher of RFC 7292 appendix C.
    enum OldCipher {
        case tripleDES(keyCount: Int)
        case rc2(keyCount: Int)
    }

    /// A cipher for PBES2 (RFC 8018 §B.2).
    enum PBES2Cipher {
        case aes(keyCount: Int)
        case tripleDES
    }

    /// Decrypts octets. Throws if the padding shows that the password is wrong.
    func decrypt(_ octets: [UInt8], _ password: PKCS12Password, work: inout DerivationWork) throws -> [UInt8] {
        let plain: [UInt8]?
        switch self {
        case .old(let cipher, let salt, let iterations):
            plain = try Self.decrypt(octets, cipher, password, (salt, iterations), work: &work)
        case .pbes2(let derivation, let cipher, let vector):
            let key = try derivation.key(from: password, count: cipher.keyCount, work: &work)
            switch cipher {
            case .aes:
                guard vector.count == 16 else { throw DERError(.invalidAlgorithmParameters, at: 0) }
                let vector = try AES._CBC.IV(ivBytes: vector)
                plain = try? Array(AES._CBC.decrypt(octets, using: SymmetricKey(data: key), iv: vector))
            case .tripleDES: plain = TripleDES(key: key)?.decrypt(octets, initializationVector: vector)
            }
        }
        guard let plain else { throw PKCS12Error.wrongPassword }
        return plain
    }

    private static func decrypt(
        _ octets: [UInt8], _ cipher: OldCipher, _ password: PKCS12Password,
        _ parameters: (salt: [UInt8], iterations: UInt32), work: inout DerivationWork
    ) throws(PKCS12Error) -> [UInt8]? {
        let (salt, iterations) = parameters
        try work.spend(iterations, blocks: 3, salt: salt)
        let octetsFor = { (purpose: DerivationDigest.Purpose, count: Int) in
            DerivationDigest.sha1.derive(
                purpose, from: password.bmpString, salt: salt, iterations: iterations, count: count)
        }
        let vector = octetsFor(.initializationVector, 8)
        return switch cipher {
        case .tripleDES(let count):
            TripleDES(key: octetsFor(.key, count))?.decrypt(octets, initializationVector: vector)
        case .rc2(let count):
            RC2(key: octetsFor(.key, count), effectiveBits: 8 * count)?.decrypt(octets, initializationVector: vector)
        }
    }
}

extension PasswordBasedEncryption.PBES2Cipher {
    var keyCount: Int {
        switch self {
        case .aes(let count): count
        case .tripleDES: 24
        }
    }
}

// MARK: - Reading

extension PasswordBasedEncryption {
    /// Reads an AlgorithmIdentifier.
    init(from reader: inout DERReader, in bytes: Span<UInt8>) throws {
        var algorithm = try reader.nested(.sequence, in: bytes)
        let (range, identifier) = try algorithm.identifier(in: bytes)
        if let cipher = Self.oldCiphers[identifier] {
            var parameters = try algorithm.nested(.sequence, in: bytes)
            let salt = try parameters.octets(in: bytes)
            self = .old(cipher, salt: salt, iterations: try parameters.unsigned32(in: bytes))
            try parameters.finish()
        } else if identifier == Self.pbes2 {
            var parameters = try algorithm.nested(.sequence, in: bytes)
            let derivation = try PBKDF2Parameters(from: &parameters, in: bytes)
            var encryption = try parameters.nested(.sequence, in: bytes)
            let (range, identifier) = try encryption.identifier(in: bytes)
            guard let cipher = Self.ciphers[identifier] else {
                throw PKCS12Error.unsupportedAlgorithm(OID(range, of: bytes))
            }
            self = .pbes2(derivation, cipher, initializationVector: try encryption.octets(in: bytes))
            try encryption.finish()
            try parameters.finish()
        } else {
            throw PKCS12Error.unsupportedAlgorithm(OID(range, of: bytes))
        }
        try algorithm.finish()
    }

    /// id-PBES2, 1.2.840.113549.1.5.13.
    private static let pbes2 = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D])

    /// The identifiers of NIST for AES, and des-EDE3-CBC.
    private static let ciphers: [PackedOID: PBES2Cipher] = [
        PackedOID([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x02]): .aes(keyCount: 16),
        PackedOID([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x16]): .aes(keyCount: 24),
        PackedOID([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x2A]): .aes(keyCount: 32),
        PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x03, 0x07]): .tripleDES,
    ]

    /// The identifiers 1.2.840.113549.1.12.1.3 to 1.2.840.113549.1.12.1.6. RC4, of numbers 1 and 2, is not supported.
    private static let oldCiphers: [PackedOID: OldCipher] = [
        PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x01, 0x03]): .tripleDES(keyCount: 24),
        PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x01, 0x04]): .tripleDES(keyCount: 16),
        PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x01, 0x05]): .rc2(keyCount: 16),
        PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x01, 0x06]): .rc2(keyCount: 5),
    ]
}
