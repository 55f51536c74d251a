//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The ranges of the known extensions, the decoded values of small ones, and the errors found in them.
///
/// A plain value without references: copying it copies offsets.
struct ExtensionTable: Sendable {
    private(set) var present: UInt32 = 0
    private(set) var critical: UInt32 = 0
    private(set) var malformed: UInt32 = 0

    /// The identifier of the first unknown critical extension.
    var unknownCritical = ByteRange.empty
    /// The identifier of the first critical extension that Apple counts as known and this package does not read.
    var vendorCritical = ByteRange.empty
    /// The identifier of the first extension that occurs twice.
    var duplicate = ByteRange.empty

    var subjectAlternativeName = ByteRange.empty
    var nameConstraints = ByteRange.empty
    var certificatePolicies = ByteRange.empty
    var policyMappings = ByteRange.empty
    var extendedKeyUsage = ByteRange.empty
    var crlDistributionPoints = ByteRange.empty
    var authorityInformationAccess = ByteRange.empty
    var tlsFeature = ByteRange.empty
    /// The content of the subject key identifier, or empty if it is absent.
    var subjectKeyIdentifier = ByteRange.empty
    var authorityKeyIdentifier = ByteRange.empty

    var keyUsage = KeyUsage()
    var purposes = ExtendedKeyUsageFlags()
    var isCA = false
    var pathLength: UInt32?
    var requireExplicitPolicy: UInt32?
    var inhibitPolicyMapping: UInt32?
    var inhibitAnyPolicy: UInt32?
    /// `true` if the authority key identifier names a certificate by issuer and serial number.
    var authorityNamesCertificate = false
    /// `true` if a value has an encoding that Apple reads and X.690 forbids.
    var hasLenientEncoding = false

    @inline(__always)
    func has(_ kind: ExtensionKind) -> Bool { self.present & kind.bit != 0 }
    @inline(__always)
    func isCritical(_ kind: ExtensionKind) -> Bool { self.critical & kind.bit != 0 }

    /// The first known extension with a malformed value.
    var firstMalformed: ExtensionKind? {
        ExtensionKind(rawValue: UInt8(truncatingIfNeeded: self.malformed.trailingZeroBitCount))
    }

    /// The first critical extension of a known kind that path validation does not process.
    var firstUnprocessedCritical: ExtensionKind? {
        let unprocessed = self.critical & Self.unprocessed
        return ExtensionKind(rawValue: UInt8(truncatingIfNeeded: unprocessed.trailingZeroBitCount))
    }

    private static let unprocessed: UInt32 = [
        ExtensionKind.issuerAlternativeName, .subjectInformationAccess, .privateKeyUsagePeriod,
        .netscapeCertificateType, .entrustVersionInformation, .ocspNoCheck, .qualifiedCertificateStatements,
    ].reduce(0) { $0 | $1.bit }

    @inline(__always)
    mutating func record(_ kind: ExtensionKind, critical: Bool) {
        self.present |= kind.bit
        if critical { self.critical |= kind.bit }
    }

    mutating func recordMalformed(_ kind: ExtensionKind) {
        self.malformed |= kind.bit
    }
}

extension ExtensionKind {
    @inline(__always)
    fileprivate var bit: UInt32 { 1 << UInt32(self.rawValue) }
}

/// The bits of the key usage extension (RFC 5280 §4.2.1.3), the first named bit lowest.
///
/// ``CertificateView/keyUsage`` holds the uses that the issuer allows a key.
public struct KeyUsage: OptionSet, Sendable, Hashable {
    /// Bit `n` is the named bit `n` of the BIT STRING.
    public let rawValue: UInt16

    /// Creates a set of named bits.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Verifying signatures other than those on certificates and revocation lists.
    public static let digitalSignature = KeyUsage(rawValue: 1 << 0)
    /// Non-repudiation.
    public static let contentCommitment = KeyUsage(rawValue: 1 << 1)
    /// Enciphering keys.
    public static let keyEncipherment = KeyUsage(rawValue: 1 << 2)
    /// Enciphering user data directly.
    public static let dataEncipherment = KeyUsage(rawValue: 1 << 3)
    /// Key agreement.
    public static let keyAgreement = KeyUsage(rawValue: 1 << 4)
    /// Verifying signatures on certificates. Only an authority's key may have it.
    public static let keyCertSign = KeyUsage(rawValue: 1 << 5)
    /// Verifying signatures on revocation lists.
    public static let cRLSign = KeyUsage(rawValue: 1 << 6)
    /// Enciphering only, during key agreement.
    public static let encipherOnly = KeyUsage(rawValue: 1 << 7)
    /// Deciphering only, during key agreement.
    public static let decipherOnly = KeyUsage(rawValue: 1 << 8)
}

/// The extended key usages that the rules distinguish.
struct ExtendedKeyUsageFlags: OptionSet, Sendable {
    let rawValue: UInt8

    static let serverAuth = Self(rawValue: 1 << 0)
    static let clientAuth = Self(rawValue: 1 << 1)
    static let any = Self(rawValue: 1 << 2)
    static let microsoftServerGatedCrypto = Self(rawValue: 1 << 3)
    static let netscapeServerGatedCrypto = Self(rawValue: 1 << 4)
    static let ocspSigning = Self(rawValue: 1 << 5)
    static let other = Self(rawValue: 1 << 6)

    @inline(__always)
    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ identifier: PackedOID) {
        // id-kp contains the common usages, so they need one comparison.
        if identifier.arc == PackedOID(high: 0x0800_0000_0000_0000, low: 0x2B06_0105_0507_0300) {
            switch identifier.lastOctet {
            case 1: self = .serverAuth
            case 2: self = .clientAuth
            case 9: self = .ocspSigning
            default: self = .other
            }
            return
        }
        switch identifier {
        case PackedOID(high: 0x0400_0000_0000_0000, low: 0x0000_0000_551D_2500): self = .any
        case PackedOID(high: 0x0A00_0000_0000_2B06, low: 0x0104_0182_370A_0303): self = .microsoftServerGatedCrypto
        case PackedOID(high: 0x0900_0000_0000_0060, low: 0x8648_0186_F842_0401): self = .netscapeServerGatedCrypto
        default: self = .other
        }
    }
}
