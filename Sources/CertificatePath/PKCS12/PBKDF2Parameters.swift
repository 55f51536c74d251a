//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The parameters of a PBKDF2 derivation (RFC 8018 §A.2).
struct PBKDF2Parameters {
    private let salt: [UInt8]
    private let iterations: UInt32
    /// The length of the key in octets, or `nil` if the parameters do not have it.
    let keyLength: UInt32?
    private let digest: DerivationDigest

    /// The limit in octets, longer than the key of any supported cipher and HMAC.
    private static let maximumKeyLength = 128

    /// Reads an AlgorithmIdentifier.
    init(from reader: inout DERReader, in bytes: Span<UInt8>) throws {
        var algorithm = try reader.nested(.sequence, in: bytes)
        let (range, identifier) = try algorithm.identifier(in: bytes)
        guard identifier == Self.pbkdf2 else { throw PKCS12Error.unsupportedAlgorithm(OID(range, of: bytes)) }
        var parameters = try algorithm.nested(.sequence, in: bytes)
        try algorithm.finish()
        self.salt = try parameters.octets(in: bytes)
        self.iterations = try parameters.unsigned32(in: bytes)
        self.keyLength = parameters.peekTag(in: bytes) == .integer ? try parameters.unsigned32(in: bytes) : nil
        guard !parameters.isAtEnd else {
            self.digest = .sha1
            return
        }
        self.digest = try DerivationDigest.hmac(from: &parameters, in: bytes)
        try parameters.finish()
    }

    /// Derives the key of a password.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - count: The octets that the cipher needs.
    ///   - work: The remaining work for derivations.
    func key(from password: PKCS12Password, count: Int, work: inout DerivationWork) throws -> [UInt8] {
        guard self.keyLength.map({ $0 == count }) ?? true, (1...Self.maximumKeyLength).contains(count) else {
            throw DERError(.invalidAlgorithmParameters, at: 0)
        }
        // A round of HMAC is two rounds of the hash function.
        let blocks = 2 * ((count + self.digest.count - 1) / self.digest.count)
        try work.spend(self.iterations, blocks: blocks, salt: self.salt)
        return try self.digest.pbkdf2(password.utf8, self.salt, iterations: self.iterations, count: count)
    }

    /// id-PBKDF2, 1.2.840.113549.1.5.12.
    private static let pbkdf2 = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0C])
}

extension DerivationDigest {
    /// Reads an AlgorithmIdentifier of an HMAC.
    static func hmac(from reader: inout DERReader, in bytes: Span<UInt8>) throws -> DerivationDigest {
        var algorithm = try reader.nested(.sequence, in: bytes)
        let (range, identifier) = try algorithm.identifier(in: bytes)
        _ = try algorithm.optional(.null, in: bytes)
        try algorithm.finish()
        guard let digest = DerivationDigest(ofHMAC: identifier) else {
            throw PKCS12Error.unsupportedAlgorithm(OID(range, of: bytes))
        }
        return digest
    }
}

extension DERReader {
    mutating func octets(in bytes: Span<UInt8>) throws(DERError) -> [UInt8] {
        Array(try self.next(.octetString, in: bytes).content, of: bytes)
    }
}

extension OID {
    init(_ range: ByteRange, of bytes: Span<UInt8>) {
        self.init(contents: Array(range, of: bytes))
    }
}

extension [UInt8] {
    /// Copies the octets of a range. The array is empty if the range does not belong to the buffer.
    init(_ range: ByteRange, of bytes: Span<UInt8>) {
        guard range.upperBound <= bytes.count else {
            self = []
            return
        }
        self = (range.lowerBound..<range.upperBound).map { bytes[$0] }
    }
}
