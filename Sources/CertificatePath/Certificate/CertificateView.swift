//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import Synchronization

/// A parsed X.509 certificate: its DER bytes, and a table of the offsets of its fields.
///
/// Create one from DER, and pass it to an evaluation as a leaf, an intermediate or an anchor. The properties show the
/// fields without any verdict on them. A certificate is immutable and shared by reference. Two certificates are equal
/// if their bytes are equal.
///
/// ```swift
/// let certificate = try CertificateView(der: bytes)
/// print(certificate.subjectSummary, certificate.dnsNames, certificate.notAfter)
/// ```
public final class CertificateView: Sendable {
    /// The DER encoding.
    public let bytes: [UInt8]
    let fields: CertificateFields
    private let derived = Mutex(Derived())

    /// The values that are computed from the bytes on first use. A root serves every evaluation, and servers present
    /// the same certificates again.
    private struct Derived {
        var verificationKey: VerificationKey?
        var isPointOnP256: Bool?
        var signedDigest: MessageDigest?
    }

    /// Parses a certificate.
    ///
    /// - Parameter der: The DER encoding of one certificate, at most 4 MiB, without trailing bytes.
    /// - Throws: ``DERError`` with the broken rule and the byte offset.
    public init(der: [UInt8]) throws(DERError) {
        self.fields = try CertificateFields(parsing: der.span)
        self.bytes = der
    }

    var verificationKey: VerificationKey {
        self.derived.withLock { derived in
            if let key = derived.verificationKey { return key }
            let key = VerificationKey(self.fields.subjectPublicKeyInfo, in: self.bytes)
            derived.verificationKey = key
            return key
        }
    }

    /// The digest of the signed part, by the certificate's own signature algorithm. `nil` if the digest is never
    /// verified or is part of the algorithm.
    var signedDigest: MessageDigest? {
        self.derived.withLock { derived in
            if let digest = derived.signedDigest { return digest }
            let fields = self.fields
            let digest = MessageDigest(of: self.bytes.slice(fields.tbsCertificate), fields.signatureAlgorithm.digest)
            derived.signedDigest = digest
            return digest
        }
    }

    /// `true` if a point is not on its curve, an Edwards key has the wrong length, or RSA's numbers are impossible.
    ///
    /// The library cannot make such a key, and Apple counts it as weak. For a leaf with a valid point on P-256, the
    /// library's key is not made for this check.
    package var hasMalformedKey: Bool {
        if self.publicKeyKind == .rsa {
            let bytes = self.bytes
            return !self.fields.subjectPublicKeyInfo.hasOddNumbers(in: bytes.span)
        }
        guard self.publicKeyKind.isEllipticCurve || self.publicKeyKind == .ed25519, !self.isPointOnP256 else {
            return false
        }
        guard case .malformed = self.verificationKey else { return false }
        return true
    }

    private var isPointOnP256: Bool {
        guard self.publicKeyKind == .p256 else { return false }
        return self.derived.withLock { derived in
            guard derived.verificationKey == nil else { return false }
            if let isOnCurve = derived.isPointOnP256 { return isOnCurve }
            let bytes = self.bytes
            let isOnCurve = P256Point(self.fields.subjectPublicKeyInfo.key, in: bytes.span)?.isOnCurve == true
            derived.isPointOnP256 = isOnCurve
            return isOnCurve
        }
    }

    /// The X.509 version: 1, 2 or 3.
    public var version: Int { Int(self.fields.version) }
    /// The content octets of the serial number, a two's complement integer.
    public var serialNumber: [UInt8] { self.bytes[self.fields.serialNumber] }
    /// The first moment of validity, inclusive.
    public var notBefore: Timestamp { self.fields.notBefore }
    /// The last moment of validity, inclusive.
    public var notAfter: Timestamp { self.fields.notAfter }
    /// The algorithm of the signature on the certificate.
    public var signatureAlgorithm: SignatureAlgorithm { self.fields.signatureAlgorithm }
    /// The DER encoding of the SubjectPublicKeyInfo, which a pin digests.
    public var subjectPublicKeyInfo: [UInt8] { self.bytes[self.fields.subjectPublicKeyInfo.whole] }
    /// The SHA-256 digest of the SubjectPublicKeyInfo, 32 octets. This is the value of a pin.
    public var subjectPublicKeyInfoDigest: [UInt8] {
        Array(SHA256.hash(data: self.bytes.slice(self.fields.subjectPublicKeyInfo.whole)))
    }
    /// The SHA-256 digest of the whole certificate, 32 octets: its fingerprint.
    public var fingerprint: [UInt8] { Array(SHA256.hash(data: self.bytes)) }
    /// The content of the SubjectPublicKeyInfo's BIT STRING: PKCS#1 for RSA, an X9.62 point for curves.
    public var publicKeyBytes: [UInt8] { self.bytes[self.fields.subjectPublicKeyInfo.key] }
    /// The kind of the public key.
    public var publicKeyKind: PublicKeyKind { self.fields.subjectPublicKeyInfo.kind }
    /// The size of the public key in bits: of the modulus for RSA, of the field for curves, 0 if it is unknown.
    public var publicKeyBits: Int { self.fields.subjectPublicKeyInfo.bits }
    /// `true` if the key is RSA and restricted to RSASSA-PSS (RFC 4055 §1.2). TLS has separate signature schemes for
    /// it (RFC 8446 §4.2.3).
    package var hasRSAPSSKey: Bool { self.fields.subjectPublicKeyInfo.isForPSSAlone }

    /// `true` if basic constraints make the subject a certificate authority.
    public var isCertificateAuthority: Bool { self.fields.extensions.isCA }
    /// The path length of basic constraints: the number of intermediates that may follow, or `nil` if it is not limited.
    public var pathLengthConstraint: Int? { self.fields.extensions.pathLength.map(Int.init) }
    /// The key usages, or `nil` if the extension is absent.
    public var keyUsage: KeyUsage? { self.has(.keyUsage) ? self.fields.extensions.keyUsage : nil }
    /// The first extension that occurs twice. Empty if there is none.
    package var duplicateExtensions: [OID] {
        let range = self.fields.extensions.duplicate
        return range.isEmpty ? [] : [OID(range, in: self.bytes)]
    }

    /// `true` if the certificate has name constraints, well-formed or not.
    public var hasNameConstraints: Bool { self.has(.nameConstraints) }
    /// The subject key identifier, or `nil` if it is absent.
    public var subjectKeyIdentifier: [UInt8]? {
        self.has(.subjectKeyIdentifier) ? self.bytes[self.fields.extensions.subjectKeyIdentifier] : nil
    }
    /// The key identifier in the authority key identifier, or `nil` if it is absent.
    public var authorityKeyIdentifier: [UInt8]? {
        let range = self.fields.extensions.authorityKeyIdentifier
        return range.isEmpty ? nil : self.bytes[range]
    }
    /// Returns `true` if the issuer's name is the subject of another certificate. The signature is not checked.
    package func isIssued(byNameOf issuer: CertificateView) -> Bool {
        DistinguishedName.areEqual(self.fields.issuer, of: self.bytes, issuer.fields.subject, of: issuer.bytes)
    }
    /// Returns `true` if the issuer has the given name. Returns `false` if the octets are not the DER encoding of a name.
    package func isIssued(byName der: [UInt8]) -> Bool {
        let whole = ByteRange(0, der.count)
        guard let name = try? DERReader.sole(.sequence, of: whole, in: der.span) else { return false }
        return DistinguishedName.areEqual(
            self.fields.issuer, of: self.bytes, ByteRange(name.position, name.end), of: der)
    }
    /// `true` if issuer and subject are the same name (RFC 5280 §6.1). The keys may differ.
    public var isSelfIssued: Bool { self.fields.isSelfIssued }

    /// Returns `true` if the authority key identifier equals an issuer's subject key identifier, or `nil` if either is absent.
    func keyIdentifierMatches(issuer: CertificateView) -> Bool? {
        let authority = self.fields.extensions.authorityKeyIdentifier
        let subject = issuer.fields.extensions.subjectKeyIdentifier
        guard !authority.isEmpty, !subject.isEmpty else { return nil }
        return equalBytes(authority, in: self.bytes, subject, in: issuer.bytes)
    }

    /// Returns `true` if the certificate has an extension of a known kind.
    public func has(_ kind: ExtensionKind) -> Bool { self.fields.extensions.has(kind) }
}

extension CertificateView: Hashable {
    /// Returns `true` if two certificates have the same bytes.
    public static func == (left: CertificateView, right: CertificateView) -> Bool {
        left === right || left.hasBytes(right.bytes)
    }

    /// Returns `true` if these are the certificate's bytes. Comparing arrays element by element takes longer than parsing.
    package func hasBytes(_ other: [UInt8]) -> Bool {
        self.bytes.last == other.last
            && equalBytes(ByteRange(0, self.bytes.count), in: self.bytes, ByteRange(0, other.count), in: other)
    }

    /// Feeds every octet, so that made-up certificates cannot be given chosen places in a table.
    ///
    /// Feeds them in one call. An array feeds its elements one by one, which takes most of the time of opening a trust store.
    public func hash(into hasher: inout Hasher) {
        unsafe self.bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    /// Eight octets of the signature after its DER header. Equal certificates have equal ones.
    var signaturePrefix: UInt64 {
        var prefix: UInt64 = 0
        for octet in self.bytes.slice(self.fields.signature).dropFirst(8).prefix(8) {
            prefix = prefix << 8 | UInt64(octet)
        }
        return prefix
    }
}
