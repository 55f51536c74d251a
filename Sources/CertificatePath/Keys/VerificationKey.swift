//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import CryptoExtras

/// A public key in the form that the cryptographic library uses to verify signatures.
enum VerificationKey: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)
    /// The library has no keys of this kind or size.
    case unsupported
    /// The octets are not a key of the kind they claim to be.
    case malformed

    init(_ info: SubjectPublicKeyInfo, in bytes: [UInt8]) {
        do {
            switch info.kind {
            case .rsa: self = try Self.rsa(info, in: bytes)
            case .p256, .p384, .p521: self = try Self.curve(info.kind, bytes.slice(info.key))
            case .ed25519: self = .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: bytes.slice(info.key)))
            case .p192, .p224, .otherCurve, .explicitCurve, .ed448, .mlDSA44, .mlDSA65, .mlDSA87, .unknown:
                self = .unsupported
            }
        } catch {
            self = info.kind == .rsa ? .unsupported : .malformed
        }
    }

    /// The limit in bits. No authority issues longer keys, and a verification costs the square of the length. A server
    /// must not choose how long a verification takes.
    private static let maximumRSABits = 8_192

    /// Reads an RSA key. The library rejects keys below 1,024 bits, which every profile rejects as weak anyway.
    private static func rsa(_ info: SubjectPublicKeyInfo, in bytes: [UInt8]) throws -> VerificationKey {
        guard info.bits <= Self.maximumRSABits else { return .unsupported }
        guard info.bits < 2_048 else {
            return .rsa(
                try _RSA.Signing.PublicKey(n: bytes.slice(info.rsa.modulus), e: bytes.slice(info.rsa.exponent)))
        }
        return .rsa(try _RSA.Signing.PublicKey(unsafeDERRepresentation: bytes.slice(info.key)))
    }

    /// Reads a point (SEC 1 §2.3.3). It begins with 0x04, or with 0x02 or 0x03 if it is compressed.
    private static func curve(_ kind: PublicKeyKind, _ point: ArraySlice<UInt8>) throws -> VerificationKey {
        switch (kind, point.first == 0x04) {
        case (.p256, true): .p256(try P256.Signing.PublicKey(x963Representation: point))
        case (.p256, false): .p256(try P256.Signing.PublicKey(compressedRepresentation: point))
        case (.p384, true): .p384(try P384.Signing.PublicKey(x963Representation: point))
        case (.p384, false): .p384(try P384.Signing.PublicKey(compressedRepresentation: point))
        case (.p521, true): .p521(try P521.Signing.PublicKey(x963Representation: point))
        case (.p521, false): .p521(try P521.Signing.PublicKey(compressedRepresentation: point))
        default: .unsupported
        }
    }
}
