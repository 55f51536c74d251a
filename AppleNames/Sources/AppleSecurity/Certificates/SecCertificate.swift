//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import ServerTrust

/// A certificate. Two are equal when their encodings are.
public final class SecCertificate: Sendable, Hashable {
    /// The certificate as a value.
    public let certificate: Certificate

    /// The certificate of a value.
    public init(_ certificate: Certificate) { self.certificate = certificate }

    /// True if two certificates are the same octets.
    public static func == (left: SecCertificate, right: SecCertificate) -> Bool {
        left === right || left.certificate == right.certificate
    }

    /// Feeds the octets.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.certificate) }
}

extension SecCertificate: CustomStringConvertible {
    /// The subject summary, and the last day of validity.
    public var description: String { "<SecCertificate \(self.certificate)>" }
}

/// Reads a certificate.
///
/// - Parameters:
///   - allocator: Ignored.
///   - data: The DER encoding of one certificate. PEM is refused.
/// - Returns: The certificate; `nil` for anything else.
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
    guard let certificate = try? Certificate(der: Array(data)) else { return nil }
    return SecCertificate(certificate)
}

/// The DER encoding of a certificate.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    Data(certificate.certificate.derRepresentation)
}

/// Returns the name of a certificate that people know it by.
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
    certificate.certificate.subjectSummary
}

/// A line about a certificate: its subject summary.
///
/// - Parameters:
///   - allocator: Ignored.
///   - certificate: The certificate.
///   - error: Nothing is put there.
public func SecCertificateCopyShortDescription(
    _ allocator: CFAllocator?, _ certificate: SecCertificate, _ error: UnsafeMutablePointer<CFError?>?
) -> CFString? {
    certificate.certificate.subjectSummary
}

/// A line about a certificate: its subject, issuer and validity.
///
/// - Parameters:
///   - allocator: Ignored.
///   - certificate: The certificate.
///   - error: Nothing is put there.
public func SecCertificateCopyLongDescription(
    _ allocator: CFAllocator?, _ certificate: SecCertificate, _ error: UnsafeMutablePointer<CFError?>?
) -> CFString? {
    let view = certificate.certificate.view
    return "\(view.subjectDescription), issued by \(view.issuerDescription), "
        + "valid from \(view.notBefore) until \(view.notAfter)"
}

/// The last common name of the subject.
///
/// - Parameters:
///   - certificate: The certificate.
///   - commonName: Where the name goes; `nil` without one.
/// - Returns: `errSecSuccess`, or `errSecInternal` for a subject without a common name, as on Apple's systems.
@discardableResult
public func SecCertificateCopyCommonName(
    _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    commonName.pointee = certificate.certificate.commonName
    return commonName.pointee == nil ? errSecInternal : errSecSuccess
}

/// The addresses of e-mail in the subject alternative name, and then those in the subject.
///
/// - Parameters:
///   - certificate: The certificate.
///   - emailAddresses: Where the addresses go; an empty array without one.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecCertificateCopyEmailAddresses(
    _ certificate: SecCertificate, _ emailAddresses: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    emailAddresses.pointee = certificate.certificate.emailAddresses
    return errSecSuccess
}

/// The content octets of the serial number.
///
/// - Parameters:
///   - certificate: The certificate.
///   - error: Nothing is put there: a certificate that exists has a number.
public func SecCertificateCopySerialNumberData(
    _ certificate: SecCertificate, _ error: UnsafeMutablePointer<CFError?>?
) -> CFData? {
    Data(certificate.certificate.serialNumber)
}

/// The first moment of validity.
public func SecCertificateCopyNotValidBeforeDate(_ certificate: SecCertificate) -> CFDate? {
    certificate.certificate.notValidBefore
}

/// The last moment of validity.
public func SecCertificateCopyNotValidAfterDate(_ certificate: SecCertificate) -> CFDate? {
    certificate.certificate.notValidAfter
}

/// The public key in a certificate.
///
/// - Returns: `nil` for a kind of key that Security has no keys of: DSA, curves that are not NIST's, X25519, Ed448.
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
    SecKey(ifSupported: certificate.certificate.publicKey)
}

/// The public key in a certificate, by the older name of the function.
public func SecCertificateCopyPublicKey(_ certificate: SecCertificate) -> SecKey? { SecCertificateCopyKey(certificate) }

/// The DER encoding of the subject, with its texts as they are compared.
public func SecCertificateCopyNormalizedSubjectSequence(_ certificate: SecCertificate) -> CFData? {
    NormalizedName.sequence(certificate.certificate.view.encodedSubject).map { Data($0) }
}

/// The DER encoding of the issuer, with its texts as they are compared.
public func SecCertificateCopyNormalizedIssuerSequence(_ certificate: SecCertificate) -> CFData? {
    NormalizedName.sequence(certificate.certificate.view.encodedIssuer).map { Data($0) }
}
