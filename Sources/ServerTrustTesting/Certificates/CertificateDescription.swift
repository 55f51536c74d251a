//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import X509

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The contents of a throw-away certificate and the way it is signed.
///
/// Start with ``root(commonName:)``, ``intermediate(commonName:)`` or ``leaf(dnsNames:ipAddresses:)``, which describe
/// flawless certificates, and change the property under test.
public struct CertificateDescription: Sendable {
    /// The common name in the subject, or `nil` for an empty subject.
    public var commonName: String?

    /// The DNS names in the subject alternative name extension.
    ///
    /// The extension is left out if it has no names of any kind.
    public var dnsNames: [String] = []

    /// The IP addresses, as text, in the subject alternative name extension.
    public var ipAddresses: [String] = []

    /// The e-mail addresses in the subject alternative name extension.
    public var emailAddresses: [String] = []

    /// The URIs in the subject alternative name extension, such as a SPIFFE ID.
    public var uniformResourceIdentifiers: [String] = []

    /// The first moment at which the certificate is valid. The default is an hour ago.
    public var notBefore = Date.now.addingTimeInterval(-3600)

    /// The last moment at which the certificate is valid. The default is 90 days after an hour ago.
    public var notAfter = Date.now.addingTimeInterval(90 * 86_400 - 3600)

    /// `true` if the basic constraints mark the certificate as a certificate authority.
    public var isCA = false

    /// The number of intermediates that may follow below this authority, or `nil` for any number.
    public var pathLength: Int?

    /// The key usages, or `nil` to leave the extension out.
    public var keyUsage: KeyUsage?

    /// The extended key usages, or `nil` to leave the extension out.
    public var extendedKeyUsages: [ExtendedKeyUsage.Usage]?

    /// The names that this authority may certify, or `nil` to leave the extension out.
    public var nameConstraints: NameConstraints?

    /// `true` to include the subject key identifier extension.
    public var includesSubjectKeyIdentifier = true

    /// `true` to include the authority key identifier extension. A self-signed certificate never has one.
    public var includesAuthorityKeyIdentifier = true

    /// More extensions, as OID, criticality and DER, after the ones above.
    public var extraExtensions: [Certificate.Extension] = []

    /// The serial number, or `nil` for a random one.
    public var serialNumber: Certificate.SerialNumber?

    /// The kind of key to generate for the certificate.
    public var keyKind = TestKeyKind.p256

    /// The key to certify, or `nil` to generate one of ``keyKind``.
    public var key: TestPrivateKey?

    /// The hash function of the issuer's signature, or `nil` for the default of its key.
    public var signatureHash: TestSignatureHash?

    /// Creates a description of a certificate with a key, a lifetime of 90 days, basic constraints and key identifiers.
    ///
    /// - Parameter commonName: The common name in the subject, or `nil` for an empty subject.
    public init(commonName: String?) {
        self.commonName = commonName
    }
}

extension CertificateDescription {
    /// Returns a root certificate that is valid from a day ago for ten years.
    ///
    /// - Parameter commonName: The common name in the subject.
    /// - Returns: The description.
    public static func root(commonName: String = "Throw-away Root CA") -> Self {
        var description = Self(commonName: commonName)
        description.isCA = true
        description.keyUsage = KeyUsage(keyCertSign: true, cRLSign: true)
        description.setValidity(from: .seconds(-86_400), lasting: .seconds(3650 * 86_400))
        return description
    }

    /// Returns an intermediate certificate that may issue only leaves, and is valid from a day ago for a year.
    ///
    /// - Parameter commonName: The common name in the subject.
    /// - Returns: The description.
    public static func intermediate(commonName: String = "Throw-away Intermediate CA") -> Self {
        var description = Self(commonName: commonName)
        description.isCA = true
        description.pathLength = 0
        description.keyUsage = KeyUsage(digitalSignature: true, keyCertSign: true, cRLSign: true)
        description.extendedKeyUsages = [.serverAuth, .clientAuth]
        description.setValidity(from: .seconds(-86_400), lasting: .seconds(365 * 86_400))
        return description
    }

    /// Returns a server certificate that is valid from an hour ago for 90 days.
    ///
    /// - Parameters:
    ///   - dnsNames: The DNS names of the server. The first one is also the common name.
    ///   - ipAddresses: The IP addresses of the server, as text.
    /// - Returns: The description.
    public static func leaf(dnsNames: [String], ipAddresses: [String] = []) -> Self {
        var description = Self(commonName: dnsNames.first ?? ipAddresses.first)
        description.dnsNames = dnsNames
        description.ipAddresses = ipAddresses
        description.keyUsage = KeyUsage(digitalSignature: true)
        description.extendedKeyUsages = [.serverAuth]
        return description
    }

    /// Returns a client certificate that is valid from an hour ago for 90 days.
    ///
    /// - Parameters:
    ///   - commonName: The common name in the subject.
    ///   - emailAddresses: The client's e-mail addresses.
    ///   - uniformResourceIdentifiers: The client's URIs, such as a SPIFFE ID.
    /// - Returns: The description.
    public static func client(
        commonName: String, emailAddresses: [String] = [], uniformResourceIdentifiers: [String] = []
    ) -> Self {
        var description = Self(commonName: commonName)
        description.emailAddresses = emailAddresses
        description.uniformResourceIdentifiers = uniformResourceIdentifiers
        description.keyUsage = KeyUsage(digitalSignature: true)
        description.extendedKeyUsages = [.clientAuth]
        return description
    }

    /// Sets both ends of the validity period, relative to now.
    ///
    /// - Parameters:
    ///   - start: The start of the period relative to now, negative for the past.
    ///   - length: The length of the period.
    public mutating func setValidity(from start: Duration, lasting length: Duration) {
        self.notBefore = Date.now.addingTimeInterval(TimeInterval(start.components.seconds))
        self.notAfter = self.notBefore.addingTimeInterval(TimeInterval(length.components.seconds))
    }
}
