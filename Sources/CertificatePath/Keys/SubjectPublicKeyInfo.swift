//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The kind of a public key, from its AlgorithmIdentifier and its form.
///
/// Rules about the strength of keys use the kind together with ``CertificateView/publicKeyBits``.
public enum PublicKeyKind: String, Sendable, Hashable, CaseIterable {
    /// An RSA key (RFC 3279 §2.3.1), restricted to PSS or not.
    case rsa = "RSA"
    /// A key on NIST P-192.
    case p192 = "P-192"
    /// A key on NIST P-224.
    case p224 = "P-224"
    /// A key on NIST P-256.
    case p256 = "P-256"
    /// A key on NIST P-384.
    case p384 = "P-384"
    /// A key on NIST P-521.
    case p521 = "P-521"
    /// A key on another named curve.
    case otherCurve = "other curve"
    /// A key with the parameters of its curve instead of a name, which RFC 5480 §2.1.1 forbids and CVE-2020-0601 exploited.
    case explicitCurve = "explicit curve"
    /// An Ed25519 key (RFC 8410).
    case ed25519 = "Ed25519"
    /// An Ed448 key (RFC 8410).
    case ed448 = "Ed448"
    /// An ML-DSA-44 key (FIPS 204, RFC 9881), which nothing here and no Apple system verifies with.
    case mlDSA44 = "ML-DSA-44"
    /// An ML-DSA-65 key, likewise.
    case mlDSA65 = "ML-DSA-65"
    /// An ML-DSA-87 key, likewise.
    case mlDSA87 = "ML-DSA-87"
    /// A kind that no rule knows, such as DSA or X25519.
    case unknown

    /// The kind as text in messages.
    public var title: String {
        switch self {
        case .otherCurve: "EC on a curve that is not of NIST"
        case .explicitCurve: "EC on a curve that is spelled out"
        case .unknown: "of an unknown kind"
        default: self.rawValue
        }
    }

    /// `true` if the key is an elliptic-curve key for ECDSA.
    var isEllipticCurve: Bool {
        switch self {
        case .p192, .p224, .p256, .p384, .p521, .otherCurve, .explicitCurve: true
        case .rsa, .ed25519, .ed448, .mlDSA44, .mlDSA65, .mlDSA87, .unknown: false
        }
    }
}

/// The signatures that an RSA key may make, by its AlgorithmIdentifier (RFC 4055 §1.2).
enum RSARestriction: Sendable {
    case none
    case pss
    case pssWithParameters(PSSParameters)
    case unusable
}

/// The SubjectPublicKeyInfo of a certificate or trust anchor, as ranges of its buffer (RFC 5280 §4.1.2.7).
struct SubjectPublicKeyInfo: Sendable {
    /// The whole structure with its header, which a pin digests.
    let whole: ByteRange
    let kind: PublicKeyKind
    /// The size that the rules on strength use: of the modulus for RSA, of the field for curves, 0 if unknown.
    let bits: Int
    /// The content of the BIT STRING: PKCS#1, an X9.62 point, or raw octets.
    let key: ByteRange
    /// The modulus and public exponent of an RSA key, as contents of INTEGERs.
    let rsa: (modulus: ByteRange, exponent: ByteRange)
    /// The signatures that the AlgorithmIdentifier allows an RSA key to make.
    let restriction: RSARestriction

    init(_ reader: inout DERReader, in bytes: Span<UInt8>) throws(DERError) {
        let element = try reader.next(.sequence, in: bytes)
        self.whole = element.whole
        var content = DERReader(element.content, in: bytes)
        var algorithm = try content.nested(.sequence, in: bytes)
        let identifier = try algorithm.packedIdentifier(in: bytes)
        let parameters = algorithm.isAtEnd ? nil : try algorithm.next(in: bytes)
        try algorithm.finish()
        let (key, unused) = try content.bitString(in: bytes)
        try content.finish()
        guard unused == 0 else { throw DERError(.invalidPublicKey, at: key.lowerBound) }
        self.key = key
        self.kind = Self.kind(identifier, parameters, in: bytes)
        self.restriction = identifier == Self.rsaPSS ? Self.restriction(parameters, in: bytes) : .none
        if self.kind == .rsa {
            self.rsa = try Self.rsaKey(key, in: bytes)
            self.bits = Self.bitCount(self.rsa.modulus, in: bytes)
        } else {
            self.rsa = (.empty, .empty)
            self.bits = Self.bits(of: self.kind)
        }
        if self.kind == .rsa, identifier == Self.rsaEncryption, let parameters {
            guard parameters.tag == .null, parameters.content.isEmpty else {
                throw DERError(.invalidAlgorithmParameters, at: parameters.whole.lowerBound)
            }
        }
    }

    /// `true` if the key has the algorithm id-RSASSA-PSS (RFC 4055 §1.2).
    var isForPSSAlone: Bool {
        if case .none = self.restriction { return false }
        return true
    }

    /// Returns `true` if modulus and exponent can belong to an RSA key: both are odd, and the exponent is at least 3
    /// (RFC 8017 §3.1).
    func hasOddNumbers(in bytes: Span<UInt8>) -> Bool {
        let (modulus, exponent) = self.rsa
        guard !modulus.isEmpty, !exponent.isEmpty, bytes[modulus.upperBound &- 1] & 1 == 1 else { return false }
        let last = bytes[exponent.upperBound &- 1]
        return last & 1 == 1 && (last > 1 || exponent.count > 1)
    }

    /// Returns the restriction of a PSS key (RFC 4055 §1.2). Without parameters it allows any PSS signature. Malformed
    /// parameters allow none.
    private static func restriction(_ parameters: DERElement?, in bytes: Span<UInt8>) -> RSARestriction {
        guard parameters != nil else { return .pss }
        return PSSParameters(parameters, in: bytes).map { .pssWithParameters($0) } ?? .unusable
    }

    /// Reads `RSAPublicKey ::= SEQUENCE { modulus INTEGER, publicExponent INTEGER }`, both positive (RFC 8017 §A.1.1).
    private static func rsaKey(
        _ key: ByteRange, in bytes: Span<UInt8>
    ) throws(DERError) -> (modulus: ByteRange, exponent: ByteRange) {
        var reader = try DERReader.sole(.sequence, of: key, in: bytes)
        let modulus = try reader.integer(in: bytes)
        let exponent = try reader.integer(in: bytes)
        try reader.finish()
        guard bytes[modulus.lowerBound] < 0x80, bytes[exponent.lowerBound] < 0x80 else {
            throw DERError(.invalidPublicKey, at: key.lowerBound)
        }
        return (modulus, exponent)
    }

    private static func bitCount(_ integer: ByteRange, in bytes: Span<UInt8>) -> Int {
        let padded = bytes[integer.lowerBound] == 0
        let first = integer.lowerBound + (padded ? 1 : 0)
        guard first < integer.upperBound else { return 0 }
        return (integer.upperBound - first) * 8 - bytes[first].leadingZeroBitCount
    }

    private static func kind(
        _ identifier: PackedOID, _ parameters: DERElement?, in bytes: Span<UInt8>
    ) -> PublicKeyKind {
        if identifier == Self.rsaEncryption || identifier == Self.rsaPSS { return .rsa }
        if identifier == Self.ecPublicKey {
            guard let parameters else { return .unknown }
            guard parameters.tag == .objectIdentifier else { return .explicitCurve }
            return Self.curve(PackedOID(parameters.content, in: bytes))
        }
        if identifier == Self.ed25519, parameters == nil { return .ed25519 }
        if identifier == Self.ed448, parameters == nil { return .ed448 }
        return parameters == nil ? Self.postQuantum[identifier] ?? .unknown : .unknown
    }

    private static func bits(of kind: PublicKeyKind) -> Int {
        switch kind {
        case .p192: 192
        case .p224: 224
        case .p256, .ed25519: 256
        case .p384: 384
        case .ed448: 448
        case .p521: 521
        case .rsa, .otherCurve, .explicitCurve, .mlDSA44, .mlDSA65, .mlDSA87, .unknown: 0
        }
    }

    @inline(__always)
    private static var rsaEncryption: PackedOID { PackedOID(high: 0x0900_0000_0000_002A, low: 0x8648_86F7_0D01_0101) }
    @inline(__always)
    private static var rsaPSS: PackedOID { PackedOID(high: 0x0900_0000_0000_002A, low: 0x8648_86F7_0D01_010A) }
    @inline(__always)
    private static var ecPublicKey: PackedOID { PackedOID(high: 0x0700_0000_0000_0000, low: 0x002A_8648_CE3D_0201) }
    @inline(__always)
    private static var ed25519: PackedOID { PackedOID(high: 0x0300_0000_0000_0000, low: 0x0000_0000_002B_6570) }
    @inline(__always)
    private static var ed448: PackedOID { PackedOID(high: 0x0300_0000_0000_0000, low: 0x0000_0000_002B_6571) }

    /// The kinds of RFC 9881 §2. Few keys are, so that the look-up costs the others nothing.
    private static let postQuantum: [PackedOID: PublicKeyKind] = [
        PackedOID([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x11]): .mlDSA44,
        PackedOID([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x12]): .mlDSA65,
        PackedOID([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x13]): .mlDSA87,
    ]

    private static func curve(_ identifier: PackedOID) -> PublicKeyKind {
        switch identifier {
        case PackedOID(high: 0x0800_0000_0000_0000, low: 0x2A86_48CE_3D03_0107): .p256
        case PackedOID(high: 0x0500_0000_0000_0000, low: 0x0000_002B_8104_0022): .p384
        case PackedOID(high: 0x0500_0000_0000_0000, low: 0x0000_002B_8104_0023): .p521
        case PackedOID(high: 0x0500_0000_0000_0000, low: 0x0000_002B_8104_0021): .p224
        case PackedOID(high: 0x0800_0000_0000_0000, low: 0x2A86_48CE_3D03_0101): .p192
        default: .otherCurve
        }
    }
}
