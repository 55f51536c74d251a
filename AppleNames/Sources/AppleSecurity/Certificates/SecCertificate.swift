//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import ServerTrust

/// A certificate. Two certificates are equal if their encodings are equal.
///
/// ``SecCertificateCreateWithData(_:_:)`` reads one from DER. ``certificate`` gives access to all fields that the functions of
/// Security do not return.
public final class SecCertificate: Sendable, Hashable {
    /// The certificate as a value.
    public let certificate: Certificate

    /// Creates a certificate from a value.
    public init(_ certificate: Certificate) { self.certificate = certificate }

    /// Returns `true` if two certificates have the same encoding.
    public static func == (left: SecCertificate, right: SecCertificate) -> Bool {
        left === right || left.certificate == right.certificate
    }

    /// Hashes the encoding.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.certificate) }
}

extension SecCertificate: CustomStringConvertible {
    /// The subject summary and the end of the validity period.
    public var description: String { "<SecCertificate \(self.certificate)>" }
}

/// Creates a certificate from its DER encoding.
///
/// - Parameters:
///   - allocator: Ignored.
///   - data: The DER encoding of one certificate. PEM is refused.
/// - Returns: The certificate, or `nil` for any other data.
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    guard let certificate = try? Certificate(der: Array(data)) else { return nil }
    return SecCertificate(certificate)
}

/// Returns the DER encoding of a certificate.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    Data(certificate.certificate.derRepresentation)
}

/// Returns the name of a certificate for people.
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    certificate.certificate.subjectSummary
}

/// Returns a one-line description of a certificate: its subject summary.
///
/// - Parameters:
///   - allocator: Ignored.
///   - certificate: The certificate.
///   - error: Never set.
public func SecCertificateCopyShortDescription(
    _ allocator: CFAllocator?, _ certificate: SecCertificate, _ error: UnsafeMutablePointer<CFError?>?
) -> CFString? {
    certificate.certificate.subjectSummary
}

/// Returns a longer description of a certificate: its subject, issuer and validity.
///
/// - Parameters:
///   - allocator: Ignored.
///   - certificate: The certificate.
///   - error: Never set.
public func SecCertificateCopyLongDescription(
    _ allocator: CFAllocator?, _ certificate: SecCertificate, _ error: UnsafeMutablePointer<CFError?>?
) -> CFString? {
    let view = certificate.certificate.view
    return "\(view.subjectDescription), issued by \(view.issuerDescription), "
        + "valid from \(view.notBefore) until \(view.notAfter)"
}

/// Copies the last common name of the subject.
///
/// - Parameters:
///   - certificate: The certificate.
///   - commonName: Receives the name, or `nil` if there is none.
/// - Returns: `errSecSuccess`, or `errSecInternal` for a subject without a common name, as on Apple's systems.
@discardableResult
public func SecCertificateCopyCommonName(
    _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    commonName.pointee = certificate.certificate.commonName
    return commonName.pointee == nil ? errSecInternal : errSecSuccess
}

/// Copies the e-mail addresses of the subject alternative name, followed by those of the subject.
///
/// - Parameters:
///   - certificate: The certificate.
///   - emailAddresses: Receives the addresses, or an empty array if there are none.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecCertificateCopyEmailAddresses(
    _ certificate: SecCertificate, _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    emailAddresses.pointee = certificate.certificate.emailAddresses
    return errSecSuccess
}

/// Returns the content bytes of the serial number.
///
/// - Parameters:
///   - certificate: The certificate.
///   - error: Never set, because every certificate has a serial number.
public func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<CFError?>?
) -> CFData? {
    Data(certificate.certificate.serialNumber)
}

/// Returns the start of the validity period.
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
    certificate.certificate.notValidBefore
}

/// Returns the end of the validity period.
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
    certificate.certificate.notValidAfter
}

/// Returns the public key of a certificate.
///
/// - Returns: The key, or `nil` for a kind of key that Security does not support: DSA, curves other than NIST's, X25519 and
///   Ed448.
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    SecKey(ifSupported: certificate.certificate.publicKey)
}

/// Returns the public key of a certificate. This is the older name of ``SecCertificateCopyKey(_:)``.
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate) -> SecKey? { SecCertificateCopyKey(certificate) }

/// Returns the DER encoding of the subject in normal form, as it is compared.
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
    NormalizedName.sequence(certificate.certificate.view.encodedSubject).map { Data($0) }
}

/// Returns the DER encoding of the issuer in normal form, as it is compared.
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
    NormalizedName.sequence(certificate.certificate.view.encodedIssuer).map { Data($0) }
}
