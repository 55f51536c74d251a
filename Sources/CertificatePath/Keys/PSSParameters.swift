//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// `RSASSA-PSS-params` (RFC 4055 §3.1), in which every field has a default that is no longer safe.
struct PSSParameters: Sendable {
    private(set) var digest = SignatureDigest.sha1
    private(set) var maskDigest = SignatureDigest.sha1
    private(set) var saltLength: UInt32 = 20
    private(set) var trailer: UInt32 = 1

    /// Reads the parameters. `nil` if they are malformed, or name a digest or mask that is not supported.
    init?(_ parameters: DERElement?, in bytes: Span<UInt8>) {
        guard let parameters, parameters.tag == .sequence else { return nil }
        do {
            try self.read(parameters.content, in: bytes)
        } catch {
            return nil
        }
    }

    /// The digest, if the mask uses the same digest and the salt has its length (CA/Browser Forum BR 7.1.3.2.1).
    /// Otherwise `nil`, and the signature is not verified.
    var usualDigest: SignatureDigest? {
        self.maskDigest == self.digest && self.trailer == 1 && self.saltLength == Self.length(of: self.digest)
            ? self.digest : nil
    }

    /// Returns `true` if a key with these parameters makes signatures over a digest (RFC 4055 §3.3): the digests
    /// agree, and the signature's salt is at least as long as the key's.
    func allowsSignatures(over digest: SignatureDigest) -> Bool {
        self.digest == digest && self.maskDigest == digest && self.trailer == 1
            && self.saltLength <= Self.length(of: digest)
    }

    private mutating func read(_ content: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = DERReader(content, in: bytes)
        if let field = try reader.optional(.constructed(0), in: bytes) {
            self.digest = try Self.digest(field.content, in: bytes)
        }
        if let field = try reader.optional(.constructed(1), in: bytes) {
            var algorithm = try DERReader.sole(.sequence, of: field.content, in: bytes)
            guard try algorithm.packedIdentifier(in: bytes) == Self.mgf1 else {
                throw DERError(.invalidAlgorithmParameters, at: field.content.lowerBound)
            }
            self.maskDigest = try Self.digest(ByteRange(algorithm.position, algorithm.end), in: bytes)
        }
        if let field = try reader.optional(.constructed(2), in: bytes) {
            self.saltLength = try Self.integer(field.content, in: bytes)
        }
        if let field = try reader.optional(.constructed(3), in: bytes) {
            self.trailer = try Self.integer(field.content, in: bytes)
        }
        try reader.finish()
    }

    private static func integer(_ content: ByteRange, in bytes: Span<UInt8>) throws(DERError) -> UInt32 {
        var reader = DERReader(content, in: bytes)
        let value = try reader.unsigned32(in: bytes)
        try reader.finish()
        return value
    }

    private static func digest(_ content: ByteRange, in bytes: Span<UInt8>) throws(DERError) -> SignatureDigest {
        var reader = try DERReader.sole(.sequence, of: content, in: bytes)
        let identifier = try reader.packedIdentifier(in: bytes)
        if let parameters = try reader.optional(.null, in: bytes), !parameters.content.isEmpty {
            throw DERError(.invalidNull, at: parameters.whole.lowerBound)
        }
        try reader.finish()
        guard let digest = Self.digests[identifier] else {
            throw DERError(.invalidAlgorithmParameters, at: content.lowerBound)
        }
        return digest
    }

    /// Returns the number of octets of a digest, or 0 if it is not supported.
    static func length(of digest: SignatureDigest) -> UInt32 {
        switch digest {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        default: 0
        }
    }

    private static let mgf1 = PackedOID([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x08])

    /// The identifiers of the supported digests (RFC 4055 §2.1).
    static let digests: [PackedOID: SignatureDigest] = [
        PackedOID([0x2B, 0x0E, 0x03, 0x02, 0x1A]): .sha1,
        PackedOID([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]): .sha256,
        PackedOID([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02]): .sha384,
        PackedOID([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03]): .sha512,
    ]
}
