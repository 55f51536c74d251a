//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A public key as a certificate carries it: what `SecKey` is to pinning.
///
/// Two keys are equal when their SubjectPublicKeyInfos are the same bytes.
public struct PublicKey: Sendable, Hashable {
    private let view: CertificateView

    init(_ view: CertificateView) {
        self.view = view
    }

    /// The kind of the key.
    public var kind: PublicKeyKind { self.view.publicKeyKind }

    /// The size in bits: of the modulus for RSA, of the field for curves; 0 when it is not known.
    public var sizeInBits: Int { self.view.publicKeyBits }

    /// The DER encoding of the SubjectPublicKeyInfo (RFC 5280 §4.1.2.7).
    public var subjectPublicKeyInfo: [UInt8] { self.view.subjectPublicKeyInfo }

    /// The SHA-256 digest of the SubjectPublicKeyInfo, 32 octets: what RFC 7469, Android, OkHttp and `NSPinnedDomains`
    /// pin.
    public var sha256: [UInt8] { self.view.subjectPublicKeyInfoDigest }

    /// ``sha256`` in Base64, as pins are written.
    public var pin: String { Data(self.sha256).base64EncodedString() }

    /// The key without its algorithm: PKCS#1 for RSA, an X9.63 point for curves
    /// (`SecKeyCopyExternalRepresentation`).
    public var externalRepresentation: [UInt8] { self.view.publicKeyBytes }

    /// Whether two keys are the same bytes.
    public static func == (left: PublicKey, right: PublicKey) -> Bool {
        left.subjectPublicKeyInfo == right.subjectPublicKeyInfo
    }

    /// Feeds the key's bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.subjectPublicKeyInfo) }
}

extension PublicKey: CustomStringConvertible {
    /// The kind and size, as `RSA 2048 bits` or `P-256`.
    public var description: String {
        self.kind == .rsa ? "RSA \(self.sizeInBits) bits" : self.kind.rawValue
    }
}
