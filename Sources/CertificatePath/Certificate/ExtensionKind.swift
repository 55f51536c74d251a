//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The extensions that this package reads, numbered by their presence bits.
///
/// The list is Apple's (SecCertificate.c, `SecCertificateInitializeExtensionParsers`) with RFC 7633's. A critical
/// extension of these kinds is not rejected as unknown.
public enum ExtensionKind: UInt8, Sendable, CaseIterable {
    /// The authority key identifier (RFC 5280 §4.2.1.1).
    case authorityKeyIdentifier
    /// The subject key identifier (RFC 5280 §4.2.1.2).
    case subjectKeyIdentifier
    /// The key usage (RFC 5280 §4.2.1.3).
    case keyUsage
    /// The certificate policies (RFC 5280 §4.2.1.4).
    case certificatePolicies
    /// The policy mappings (RFC 5280 §4.2.1.5).
    case policyMappings
    /// The subject alternative name (RFC 5280 §4.2.1.6).
    case subjectAlternativeName
    /// The issuer alternative name (RFC 5280 §4.2.1.7).
    case issuerAlternativeName
    /// The basic constraints (RFC 5280 §4.2.1.9).
    case basicConstraints
    /// The name constraints (RFC 5280 §4.2.1.10).
    case nameConstraints
    /// The policy constraints (RFC 5280 §4.2.1.11).
    case policyConstraints
    /// The extended key usage (RFC 5280 §4.2.1.12).
    case extendedKeyUsage
    /// The CRL distribution points (RFC 5280 §4.2.1.13).
    case crlDistributionPoints
    /// The inhibition of anyPolicy (RFC 5280 §4.2.1.14).
    case inhibitAnyPolicy
    /// The authority information access (RFC 5280 §4.2.2.1).
    case authorityInformationAccess
    /// The subject information access (RFC 5280 §4.2.2.2).
    case subjectInformationAccess
    /// The private key usage period (RFC 3280 §4.2.1.4).
    case privateKeyUsagePeriod
    /// Netscape's certificate type.
    case netscapeCertificateType
    /// Entrust's version information.
    case entrustVersionInformation
    /// The OCSP no-check extension of a responder's certificate (RFC 6960 §4.2.2.2.1).
    case ocspNoCheck
    /// The statement that no revocation information is available (RFC 9608 §2).
    case noRevocationAvailable
    /// The qualified certificate statements (RFC 3739 §3.2.6).
    case qualifiedCertificateStatements
    /// The TLS features, such as must-staple (RFC 7633 §4).
    case tlsFeature

    /// The identifier of the extension.
    public var objectIdentifier: OID { OID(contents: self.octets) }

    fileprivate init?(_ identifier: PackedOID) {
        switch identifier {
        case PackedOID(high: 0x0800_0000_0000_0000, low: 0x2B06_0105_0507_0101): self = .authorityInformationAccess
        case PackedOID(high: 0x0800_0000_0000_0000, low: 0x2B06_0105_0507_0103): self = .qualifiedCertificateStatements
        case PackedOID(high: 0x0800_0000_0000_0000, low: 0x2B06_0105_0507_010B): self = .subjectInformationAccess
        case PackedOID(high: 0x0800_0000_0000_0000, low: 0x2B06_0105_0507_0118): self = .tlsFeature
        case PackedOID(high: 0x0900_0000_0000_002B, low: 0x0601_0505_0730_0105): self = .ocspNoCheck
        case PackedOID(high: 0x0900_0000_0000_0060, low: 0x8648_0186_F842_0101): self = .netscapeCertificateType
        case PackedOID(high: 0x0900_0000_0000_002A, low: 0x8648_86F6_7D07_4100): self = .entrustVersionInformation
        default: return nil
        }
    }

    /// Returns the extension of the arc id-ce with the given number.
    @inline(__always)
    static func standard(arc: UInt8) -> ExtensionKind? {
        switch arc {
        case 14: .subjectKeyIdentifier
        case 15: .keyUsage
        case 16: .privateKeyUsagePeriod
        case 17: .subjectAlternativeName
        case 18: .issuerAlternativeName
        case 19: .basicConstraints
        case 30: .nameConstraints
        case 31: .crlDistributionPoints
        case 32: .certificatePolicies
        case 33: .policyMappings
        case 35: .authorityKeyIdentifier
        case 36: .policyConstraints
        case 37: .extendedKeyUsage
        case 54: .inhibitAnyPolicy
        case 56: .noRevocationAvailable
        default: nil
        }
    }

    private var octets: [UInt8] {
        switch self {
        case .authorityKeyIdentifier: [0x55, 0x1D, 35]
        case .subjectKeyIdentifier: [0x55, 0x1D, 14]
        case .keyUsage: [0x55, 0x1D, 15]
        case .certificatePolicies: [0x55, 0x1D, 32]
        case .policyMappings: [0x55, 0x1D, 33]
        case .subjectAlternativeName: [0x55, 0x1D, 17]
        case .issuerAlternativeName: [0x55, 0x1D, 18]
        case .basicConstraints: [0x55, 0x1D, 19]
        case .nameConstraints: [0x55, 0x1D, 30]
        case .policyConstraints: [0x55, 0x1D, 36]
        case .extendedKeyUsage: [0x55, 0x1D, 37]
        case .crlDistributionPoints: [0x55, 0x1D, 31]
        case .inhibitAnyPolicy: [0x55, 0x1D, 54]
        case .privateKeyUsagePeriod: [0x55, 0x1D, 16]
        case .authorityInformationAccess: [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x01]
        case .qualifiedCertificateStatements: [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x03]
        case .subjectInformationAccess: [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x0B]
        case .tlsFeature: [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x18]
        case .noRevocationAvailable: [0x55, 0x1D, 56]
        case .ocspNoCheck: [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01, 0x05]
        case .netscapeCertificateType: [0x60, 0x86, 0x48, 0x01, 0x86, 0xF8, 0x42, 0x01, 0x01]
        case .entrustVersionInformation: [0x2A, 0x86, 0x48, 0x86, 0xF6, 0x7D, 0x07, 0x41, 0x00]
        }
    }
}

extension DERReader {
    @inline(__always)
    mutating func extensionIdentifier(
        in bytes: Span<UInt8>
    ) throws(DERError) -> (range: ByteRange, kind: ExtensionKind?) {
        let (range, packed) = try self.identifier(in: bytes)
        guard packed.arc == PackedOID(high: 0x0300_0000_0000_0000, low: 0x0000_0000_0055_1D00) else {
            return (range, ExtensionKind(packed))
        }
        return (range, ExtensionKind.standard(arc: packed.lastOctet))
    }
}

/// The critical extensions that Apple's engine counts as known without reading them (SecCertificate.c,
/// `isAppleExtensionOID`, `isCCCExtensionOID`). They restrict uses of Apple and of the Car Connectivity Consortium,
/// never those of a TLS server.
enum VendorExtension {
    private static let appleArc: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64]
    private static let appleExtensionArcs: Set<UInt8> = [0x06, 0x0B, 0x0C, 0x0D, 0x0F]
    private static let carConnectivityArc: [UInt8] = [0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0xC4, 0x69, 0x05]
    private static let carConnectivityExtensions: Set<UInt8> = [0x01, 0x08, 0x09]

    static func isKnown(_ identifier: ByteRange, in bytes: Span<UInt8>) -> Bool {
        if Self.starts(identifier, with: Self.appleArc, in: bytes), identifier.count > Self.appleArc.count + 1 {
            return Self.appleExtensionArcs.contains(bytes[identifier.lowerBound + Self.appleArc.count])
        }
        if Self.starts(identifier, with: Self.carConnectivityArc, in: bytes) {
            return identifier.count == Self.carConnectivityArc.count + 1
                && Self.carConnectivityExtensions.contains(bytes[identifier.upperBound - 1])
        }
        return false
    }

    private static func starts(_ range: ByteRange, with prefix: [UInt8], in bytes: Span<UInt8>) -> Bool {
        guard range.count >= prefix.count else { return false }
        return prefix.indices.allSatisfy { bytes[range.lowerBound + $0] == prefix[$0] }
    }
}
