//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The parsers of each known extension's value, as Apple's parsers accept it and RFC 5280 §4.2 defines it.
///
/// A malformed critical extension makes the certificate unreadable. A malformed extension that is not critical makes
/// every policy reject the certificate (SecCertificate.c, `SecCertificateParse`).
extension ExtensionTable {
    /// The limit on the elements of one extension, far above real certificates. The size of the certificate and the
    /// budget bound the names of subjects and name constraints instead.
    private static let maximumElements = 4_096

    mutating func read(_ kind: ExtensionKind, _ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        switch kind {
        case .authorityKeyIdentifier: try self.readAuthorityKeyIdentifier(value, in: bytes)
        case .subjectKeyIdentifier: try self.readSubjectKeyIdentifier(value, in: bytes)
        case .keyUsage: try self.readKeyUsage(value, in: bytes)
        case .subjectAlternativeName: try self.readSubjectAlternativeName(value, in: bytes)
        case .basicConstraints: try self.readBasicConstraints(value, in: bytes)
        case .nameConstraints: try self.readNameConstraints(value, in: bytes)
        case .certificatePolicies: try self.readCertificatePolicies(value, in: bytes)
        case .policyMappings: try self.readPolicyMappings(value, in: bytes)
        case .policyConstraints: try self.readPolicyConstraints(value, in: bytes)
        case .inhibitAnyPolicy: try self.readInhibitAnyPolicy(value, in: bytes)
        case .extendedKeyUsage: try self.readExtendedKeyUsage(value, in: bytes)
        case .crlDistributionPoints: try self.readDistributionPoints(value, in: bytes)
        case .authorityInformationAccess: try self.readAuthorityInformationAccess(value, in: bytes)
        case .qualifiedCertificateStatements: try Self.checkQualifiedStatements(value, in: bytes)
        case .tlsFeature: try self.readTLSFeature(value, in: bytes)
        case .noRevocationAvailable: try Self.readNull(value, in: bytes)
        // Apple does not read these either. None of them extends the rights of a certificate.
        case .issuerAlternativeName, .subjectInformationAccess, .privateKeyUsagePeriod, .netscapeCertificateType,
            .entrustVersionInformation, .ocspNoCheck:
            break
        }
    }

    private static func readNull(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = DERReader(value, in: bytes)
        let null = try reader.next(.null, in: bytes)
        guard null.content.isEmpty else { throw DERError(.invalidNull, at: null.whole.lowerBound) }
        try reader.finish()
    }

    private mutating func readSubjectKeyIdentifier(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = DERReader(value, in: bytes)
        self.subjectKeyIdentifier = try reader.next(.octetString, in: bytes).content
        try reader.finish()
    }

    private mutating func readAuthorityKeyIdentifier(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = try DERReader.sole(.sequence, of: value, in: bytes)
        if let identifier = try reader.optional(.primitive(0), in: bytes) {
            self.authorityKeyIdentifier = identifier.content
        }
        let issuer = try reader.optional(.constructed(1), in: bytes)
        let serial = try reader.optional(.primitive(2), in: bytes)
        // Both or neither (RFC 5280 §4.2.1.1).
        guard (issuer == nil) == (serial == nil) else { throw DERError(.invalidCombination, at: value.lowerBound) }
        if let issuer { try DERReader.checkGeneralNames(issuer.content, in: bytes) }
        self.authorityNamesCertificate = issuer != nil
        try reader.finish()
    }

    private mutating func readKeyUsage(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = DERReader(value, in: bytes)
        let (bits, unused) = try reader.bitStringWithPadding(in: bytes)
        try reader.finish()
        guard bits.count == 1 || bits.count == 2 else { throw DERError(.invalidBitString, at: value.lowerBound) }
        var usage = UInt16(bytes[bits.lowerBound]).reversedBits >> 8
        if bits.count == 2 { usage |= UInt16(bytes[bits.lowerBound &+ 1]).reversedBits }
        // SecCertificate.c `SecCEPKeyUsage` masks padding bits that are set. X.690 §11.2.1 requires zeros.
        let named = UInt16(truncatingIfNeeded: (1 &<< (bits.count &* 8 &- Int(unused))) &- 1)
        // RFC 5280 §4.2.1.3 requires at least one set bit. A set last bit (§11.2.2) is not required here, because encoders differ.
        self.hasLenientEncoding = self.hasLenientEncoding || usage & ~named != 0 || usage & named == 0
        self.keyUsage = KeyUsage(rawValue: usage & named)
    }

    private mutating func readSubjectAlternativeName(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        let names = try DERReader.sole(.sequence, of: value, in: bytes)
        let content = ByteRange(names.position, names.end)
        try DERReader.checkGeneralNames(content, in: bytes)
        self.subjectAlternativeName = content
    }

    private mutating func readBasicConstraints(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = try DERReader.sole(.sequence, of: value, in: bytes)
        let isCA = try reader.booleanDefaultFalse(in: bytes)
        var pathLength: UInt32?
        if !reader.isAtEnd { pathLength = try reader.unsigned32(in: bytes) }
        try reader.finish()
        self.isCA = isCA
        self.pathLength = pathLength
    }

    private mutating func readExtendedKeyUsage(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = try DERReader.sole(.sequence, of: value, in: bytes)
        self.extendedKeyUsage = ByteRange(reader.position, reader.end)
        var count = 0
        repeat {
            self.purposes.formUnion(ExtendedKeyUsageFlags(try reader.packedIdentifier(in: bytes)))
            try Self.count(&count, at: value)
        } while !reader.isAtEnd
    }

    private mutating func readAuthorityInformationAccess(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = try DERReader.sole(.sequence, of: value, in: bytes)
        self.authorityInformationAccess = ByteRange(reader.position, reader.end)
        var count = 0
        repeat {
            var description = try reader.nested(.sequence, in: bytes)
            _ = try description.objectIdentifier(in: bytes)
            _ = try description.generalName(in: bytes)
            try description.finish()
            try Self.count(&count, at: value)
        } while !reader.isAtEnd
    }

    /// Reads `Features ::= SEQUENCE OF INTEGER` (RFC 7633 §4.1).
    private mutating func readTLSFeature(_ value: ByteRange, in bytes: Span<UInt8>) throws(DERError) {
        var reader = try DERReader.sole(.sequence, of: value, in: bytes)
        self.tlsFeature = ByteRange(reader.position, reader.end)
        var count = 0
        while !reader.isAtEnd {
            _ = try reader.unsigned32(in: bytes)
            try Self.count(&count, at: value)
        }
    }

    static func count(_ count: inout Int, at value: ByteRange) throws(DERError) {
        count &+= 1
        guard count <= Self.maximumElements else { throw DERError(.tooManyElements, at: value.lowerBound) }
    }
}

extension UInt16 {
    /// The value with the bits of each octet reversed and the octets swapped.
    fileprivate var reversedBits: UInt16 {
        var value = self
        value = (value & 0x5555) << 1 | (value >> 1) & 0x5555
        value = (value & 0x3333) << 2 | (value >> 2) & 0x3333
        value = (value & 0x0F0F) << 4 | (value >> 4) & 0x0F0F
        return value << 8 | value >> 8
    }
}
