//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The digest of a signature algorithm.
public enum SignatureDigest: String, Sendable, Hashable, CaseIterable {
    /// MD2, broken.
    case md2 = "MD2"
    /// MD4, broken.
    case md4 = "MD4"
    /// MD5, broken.
    case md5 = "MD5"
    /// SHA-1, broken for signatures.
    case sha1 = "SHA-1"
    /// SHA-224.
    case sha224 = "SHA-224"
    /// SHA-256.
    case sha256 = "SHA-256"
    /// SHA-384.
    case sha384 = "SHA-384"
    /// SHA-512.
    case sha512 = "SHA-512"
    /// The digest is part of the scheme itself, as in Ed25519.
    case intrinsic

    /// `true` if a signature over this digest can be forged for a few dollars. No rule may accept it.
    var isBroken: Bool { self == .md2 || self == .md4 || self == .md5 }
}

/// A signature algorithm, read from an AlgorithmIdentifier.
///
/// An algorithm that this package cannot verify is still read, so that reports can name it.
public struct SignatureAlgorithm: Sendable, Hashable {
    /// The family of the signature.
    public enum Scheme: String, Sendable, Hashable {
        /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2).
        case rsaPKCS1 = "RSA PKCS#1 v1.5"
        /// RSASSA-PSS with MGF1 over the same digest and a salt of its length (RFC 4055 §3.1).
        case rsaPSS = "RSA-PSS"
        /// ECDSA (RFC 5758 §3.2).
        case ecdsa = "ECDSA"
        /// Ed25519 (RFC 8410).
        case ed25519 = "Ed25519"
        /// Ed448 (RFC 8410), which nothing here can verify.
        case ed448 = "Ed448"
        /// ML-DSA-44 (FIPS 204, RFC 9881), which nothing here can verify.
        case mlDSA44 = "ML-DSA-44"
        /// ML-DSA-65, likewise.
        case mlDSA65 = "ML-DSA-65"
        /// ML-DSA-87, likewise.
        case mlDSA87 = "ML-DSA-87"
        /// Recognised, but nothing here can verify it: DSA, and PSS with unusual parameters.
        case unsupported
        /// An unknown algorithm.
        case unknown
    }

    /// The family of the signature.
    public let scheme: Scheme
    /// The digest that the signature is made over.
    public let digest: SignatureDigest

    init(_ scheme: Scheme, _ digest: SignatureDigest) {
        self.scheme = scheme
        self.digest = digest
    }

    package static let unknown = SignatureAlgorithm(.unknown, .intrinsic)
}

extension SignatureAlgorithm {
    /// Reads the content of an AlgorithmIdentifier.
    ///
    /// Parameters that contradict their algorithm are an error where Apple makes them one (RSA allows only NULL or
    /// none). Unusual PSS parameters are a scheme that cannot be verified.
    init(_ content: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = DERReader(content, in: bytes)
        let identifier = try reader.packedIdentifier(in: bytes)
        let parameters = reader.isAtEnd ? nil : try reader.next(in: bytes)
        try reader.finish()
        if identifier == Self.pssIdentifier {
            let pss = PSSParameters(parameters, in: bytes)
            let isUsual = pss?.usualDigest != nil
            self = SignatureAlgorithm(isUsual ? .rsaPSS : .unsupported, pss?.digest ?? .intrinsic)
            return
        }
        let algorithm = Self.common(identifier) ?? Self.known[identifier] ?? .unknown
        if algorithm.scheme != .unknown { try Self.check(parameters, of: algorithm) }
        self = algorithm
    }

    /// Returns one of the algorithms that sign nearly everything, without a look-up in the table.
    @inline(__always)
    private static func common(_ identifier: PackedOID) -> SignatureAlgorithm? {
        let isPKCS1 = identifier.arc == PackedOID(high: 0x0900_0000_0000_002A, low: 0x8648_86F7_0D01_0100)
        let isECDSA = identifier.arc == PackedOID(high: 0x0800_0000_0000_0000, low: 0x2A86_48CE_3D04_0300)
        switch identifier.lastOctet {
        case 2 where isECDSA: return SignatureAlgorithm(.ecdsa, .sha256)
        case 3 where isECDSA: return SignatureAlgorithm(.ecdsa, .sha384)
        case 4 where isECDSA: return SignatureAlgorithm(.ecdsa, .sha512)
        case 11 where isPKCS1: return SignatureAlgorithm(.rsaPKCS1, .sha256)
        case 12 where isPKCS1: return SignatureAlgorithm(.rsaPKCS1, .sha384)
        case 13 where isPKCS1: return SignatureAlgorithm(.rsaPKCS1, .sha512)
        default: return nil
        }
    }

    private static func check(_ parameters: DERElement?, of algorithm: SignatureAlgorithm) throws(DERError) {
        guard let parameters else { return }
        let allowsNull = algorithm.scheme == .rsaPKCS1 || algorithm.scheme == .ecdsa
        guard algorithm.scheme.hasAnyParameters || (allowsNull && parameters.tag == .null && parameters.content.isEmpty)
        else { throw DERError(.invalidAlgorithmParameters, at: parameters.whole.lowerBound) }
    }

    @inline(__always)
    private static var pssIdentifier: PackedOID { PackedOID(high: 0x0900_0000_0000_002A, low: 0x8648_86F7_0D01_010A) }

    private static let known: [PackedOID: SignatureAlgorithm] = {
        let pkcs1: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01]
        let ansiX962: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04]
        var table: [PackedOID: SignatureAlgorithm] = [:]
        for (arc, digest) in [
            (2, SignatureDigest.md2), (3, .md4), (4, .md5), (5, .sha1), (14, .sha224), (11, .sha256), (12, .sha384),
            (13, .sha512),
        ] as [(UInt8, SignatureDigest)] {
            table[PackedOID(pkcs1 + [arc])] = SignatureAlgorithm(.rsaPKCS1, digest)
        }
        table[PackedOID(ansiX962 + [0x01])] = SignatureAlgorithm(.ecdsa, .sha1)
        for (arc, digest) in [(1, .sha224), (2, .sha256), (3, .sha384), (4, .sha512)] as [(UInt8, SignatureDigest)] {
            table[PackedOID(ansiX962 + [0x03, arc])] = SignatureAlgorithm(.ecdsa, digest)
        }
        table[PackedOID([0x2B, 0x65, 0x70])] = SignatureAlgorithm(.ed25519, .intrinsic)
        table[PackedOID([0x2B, 0x65, 0x71])] = SignatureAlgorithm(.ed448, .intrinsic)
        // OIW's sha1WithRSASignature, and DSA with SHA-1, SHA-224 and SHA-256.
        table[PackedOID([0x2B, 0x0E, 0x03, 0x02, 0x1D])] = SignatureAlgorithm(.rsaPKCS1, .sha1)
        table[PackedOID([0x2A, 0x86, 0x48, 0xCE, 0x38, 0x04, 0x03])] = SignatureAlgorithm(.unsupported, .sha1)
        let nistDSA: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03]
        table[PackedOID(nistDSA + [0x01])] = SignatureAlgorithm(.unsupported, .sha224)
        table[PackedOID(nistDSA + [0x02])] = SignatureAlgorithm(.unsupported, .sha256)
        table[PackedOID(nistDSA + [0x11])] = SignatureAlgorithm(.mlDSA44, .intrinsic)
        table[PackedOID(nistDSA + [0x12])] = SignatureAlgorithm(.mlDSA65, .intrinsic)
        table[PackedOID(nistDSA + [0x13])] = SignatureAlgorithm(.mlDSA87, .intrinsic)
        return table
    }()
}

extension SignatureAlgorithm.Scheme {
    /// `true` for an algorithm that is never verified. Its parameters are then ignored.
    fileprivate var hasAnyParameters: Bool {
        switch self {
        case .ed448, .mlDSA44, .mlDSA65, .mlDSA87, .unsupported: true
        case .rsaPKCS1, .rsaPSS, .ecdsa, .ed25519, .unknown: false
        }
    }
}

extension SignatureAlgorithm: CustomStringConvertible {
    /// The family and the digest, such as `ECDSA with SHA-384`.
    public var description: String {
        if self.scheme == .unsupported { return "an algorithm, or RSA-PSS parameters, that are not supported" }
        if self.scheme == .unknown { return "an unknown algorithm" }
        return self.digest == .intrinsic ? self.scheme.rawValue : "\(self.scheme.rawValue) with \(self.digest.rawValue)"
    }
}
