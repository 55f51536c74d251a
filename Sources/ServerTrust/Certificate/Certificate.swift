//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An X.509 certificate: the equivalent of Apple's `SecCertificate`.
///
/// ```swift
/// let chain = try Certificate.certificates(in: contents)   // PEM or DER
/// print(chain[0].subjectSummary, chain[0].notValidAfter)
/// ```
///
/// The initializers parse a certificate strictly and completely, so every instance can be evaluated. A copy is cheap. Two
/// certificates are equal if their DER encodings are equal.
public struct Certificate: Sendable, Hashable {
    /// The engine's view of the certificate.
    public let view: CertificateView

    /// Creates a certificate from the engine's view of it.
    public init(_ view: CertificateView) {
        self.view = view
    }

    /// Parses a certificate: `SecCertificateCreateWithData`.
    ///
    /// - Parameter der: The DER encoding of one certificate, at most 4 MiB, with nothing after it.
    /// - Throws: ``CertificateError`` with the broken rule and its byte offset, or with the information that the bytes are PEM.
    public init(der: some Collection<UInt8>) throws(CertificateError) {
        try self.init(der: Array(der))
    }

    /// Parses a certificate and keeps the bytes without a copy.
    ///
    /// - Parameter bytes: The DER encoding of one certificate, at most 4 MiB, with nothing after it.
    /// - Throws: ``CertificateError`` with the broken rule and its byte offset, or with the information that the bytes are PEM.
    public init(der bytes: [UInt8]) throws(CertificateError) {
        do {
            self.view = try CertificateView(der: bytes)
        } catch {
            throw CertificateError(error, looksLikePEM: PEMReader.looksLikePEM(bytes))
        }
    }

    /// Parses the first certificate of a PEM text.
    ///
    /// - Parameter pem: Text with at least one `BEGIN CERTIFICATE` block.
    /// - Throws: ``CertificateError`` if there is no certificate, or one of the text cannot be read.
    public init(pem: String) throws(CertificateError) {
        guard let first = try Certificate.certificates(inPEM: Array(pem.utf8)).first else {
            throw CertificateError(.noCertificate)
        }
        self = first
    }

    /// Parses every certificate of a PEM text, or a single certificate in DER.
    ///
    /// - Parameter contents: The contents of a file: one certificate in DER, or PEM with any number of certificates. PEM may have
    ///   text, keys and requests between the certificates.
    /// - Throws: ``CertificateError`` if there is no certificate, if one of them cannot be read, or if a line may have been meant
    ///   as part of one. No certificate is skipped because of its spelling.
    public static func certificates(in contents: some Collection<UInt8>) throws(CertificateError) -> [Certificate] {
        let bytes = Array(contents)
        guard PEMReader.looksLikePEM(bytes) else { return [try Certificate(der: bytes)] }
        let certificates = try Self.certificates(inPEM: bytes)
        guard !certificates.isEmpty else { throw CertificateError(.noCertificate) }
        return certificates
    }

    private static func certificates(inPEM bytes: [UInt8]) throws(CertificateError) -> [Certificate] {
        var reader = PEMReader(bytes)
        var certificates: [Certificate] = []
        while let der = try Self.nextBlock(&reader) {
            certificates.append(try Certificate(der: der))
        }
        return certificates
    }

    private static func nextBlock(_ reader: inout PEMReader) throws(CertificateError) -> [UInt8]? {
        do {
            return try reader.nextBlock()
        } catch {
            throw CertificateError(.pem(error))
        }
    }
}

extension Certificate {
    /// The DER encoding: `SecCertificateCopyData`.
    public var derRepresentation: [UInt8] { self.view.bytes }

    /// The PEM encoding, with lines of 64 characters and a final newline.
    public var pemRepresentation: String { PEMText.block(self.view.bytes, label: "CERTIFICATE") }

    /// The SHA-256 digest of the DER encoding, 32 octets.
    public var sha256Fingerprint: [UInt8] { self.view.fingerprint }

    /// The name of the certificate for people (`SecCertificateCopySubjectSummary`): its common names, the last one first, with its
    /// description in parentheses. Without a common name, its first e-mail address or DNS name, or its organizational units or
    /// organizations.
    public var subjectSummary: String { self.view.subjectSummary }

    /// The subject in the order of its encoding, as `CN=example.com, O=Example`. Empty if the certificate has none.
    public var subject: String { self.view.subjectDescription }

    /// The issuer, in the format of ``subject``.
    public var issuer: String { self.view.issuerDescription }

    /// The last common name of the subject, or `nil` if it has none. Never used to match host names.
    public var commonName: String? { self.view.commonName }

    /// The first organization of the subject, or `nil` if it has none.
    public var organization: String? { self.view.organization }

    /// The start of the validity period, inclusive.
    public var notValidBefore: Date { Date(self.view.notBefore) }

    /// The end of the validity period, inclusive.
    public var notValidAfter: Date { Date(self.view.notAfter) }

    /// The content octets of the serial number (`SecCertificateCopySerialNumberData`).
    public var serialNumber: [UInt8] { self.view.serialNumber }

    /// The dNSName entries of the subject alternative name, in order.
    public var dnsNames: [String] { self.view.dnsNames }

    /// The iPAddress entries of the subject alternative name, in order.
    public var ipAddresses: [IPAddress] { self.view.ipAddresses }

    /// The uniformResourceIdentifier entries of the subject alternative name, in order.
    public var uniformResourceIdentifiers: [String] { self.view.uniformResourceIdentifiers }

    /// The rfc822Name entries of the subject alternative name and then the e-mail addresses of the subject, in order
    /// (`SecCertificateCopyEmailAddresses`).
    public var emailAddresses: [String] { self.view.emailAddresses }

    /// The public key.
    public var publicKey: PublicKey { PublicKey(self.view) }

    /// `true` if the key is an RSA key restricted to RSASSA-PSS (RFC 4055 §1.2), for which TLS has its own schemes (RFC 8446
    /// §4.2.3).
    package var hasRSAPSSKey: Bool { self.view.hasRSAPSSKey }

    /// The signature algorithm, as `RSA PKCS#1 v1.5 with SHA-256`.
    public var signatureAlgorithm: String { "\(self.view.signatureAlgorithm)" }

    /// `true` if the basic constraints mark the subject as a certificate authority.
    public var isCertificateAuthority: Bool { self.view.isCertificateAuthority }

    /// `true` if issuer and subject are the same name. The signature is not verified: see ``isSelfSigned``.
    public var isSelfIssued: Bool { self.view.isSelfIssued }
    /// `true` if the certificate is signed with its own key. Verifies a signature on each call.
    public var isSelfSigned: Bool { self.view.isSelfSigned }
}

extension Certificate: CustomStringConvertible {
    /// The subject summary and the end of the validity period.
    public var description: String { "\(self.subjectSummary) (until \(self.view.notAfter))" }
}

extension Date {
    package init(_ timestamp: Timestamp) {
        self.init(timeIntervalSince1970: TimeInterval(timestamp.secondsSinceEpoch))
    }
}

extension Timestamp {
    /// Creates the last whole second not after a date. A date that no certificate can hold becomes the nearest end of the range.
    package init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        self.init(secondsSinceEpoch: seconds.isNaN ? .max : Int64(max(-1e15, min(1e15, seconds))))
    }
}
