//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The result of an evaluation.
public enum SecTrustResultType: UInt32, Sendable, Hashable {
    /// Nothing was evaluated.
    case invalid = 0
    /// Trusted because someone decided so: exceptions, or an anchor that an administrator added.
    case proceed = 1
    /// No longer used by Apple, and never here.
    case confirm = 2
    /// Not trusted because the user decided so. There are no such settings here.
    case deny = 3
    /// Trusted by the ordinary rules: the usual success.
    case unspecified = 4
    /// Not trusted. Another date, anchor, policy or exception may change it.
    case recoverableTrustFailure = 5
    /// Not trusted, and nothing may change it.
    case fatalTrustFailure = 6
    /// Not trusted, as the evaluation failed.
    case otherError = 7
}

/// The options of `SecTrustSetOptions`.
public struct SecTrustOptionFlags: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt32

    /// Options.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Certificates that are not valid at the moment are passed over.
    public static let allowExpired = SecTrustOptionFlags(rawValue: 1)
    /// Nothing, as on Apple's systems of today.
    public static let leafIsCA = SecTrustOptionFlags(rawValue: 2)
    /// Nothing, as on Apple's systems of today: see `SecTrustSetNetworkFetchAllowed`.
    public static let fetchIssuerFromNet = SecTrustOptionFlags(rawValue: 4)
    /// A root that is not valid at the moment is passed over.
    public static let allowExpiredRoot = SecTrustOptionFlags(rawValue: 8)
    /// Each certificate needs an answer that it is not revoked. Apple's systems of today ignore it.
    public static let requireRevPerCert = SecTrustOptionFlags(rawValue: 16)
    /// Nothing: there are no settings of users.
    public static let useTrustSettings = SecTrustOptionFlags(rawValue: 32)
    /// A self-signed certificate at the end of the path is passed over, and no one vouches for it.
    ///
    /// - Warning: Anyone can make one.
    public static let implicitAnchors = SecTrustOptionFlags(rawValue: 64)
}

/// Takes the answer of `SecTrustEvaluateAsync`.
public typealias SecTrustCallback = @Sendable (SecTrust, SecTrustResultType) -> Void
/// Takes the answer of `SecTrustEvaluateAsyncWithError`.
public typealias SecTrustWithErrorCallback = @Sendable (SecTrust, Bool, CFError?) -> Void

// The keys of `SecTrustCopyResult`.

/// The moment that was judged.
public let kSecTrustEvaluationDate: CFString = "TrustEvaluationDate"
/// True for a certificate with extended validation.
public let kSecTrustExtendedValidation: CFString = "TrustExtendedValidation"
/// The organization of a certificate with extended validation.
public let kSecTrustOrganizationName: CFString = "Organization"
/// The number of the result's type.
public let kSecTrustResultValue: CFString = "TrustResultValue"
/// True when every certificate below the anchor is known not to be revoked.
public let kSecTrustRevocationChecked: CFString = "TrustRevocationChecked"
/// The first moment at which something that told so is no longer current.
public let kSecTrustRevocationValidUntilDate: CFString = "TrustExpirationDate"
/// The number of the reason of a revocation.
public let kSecTrustRevocationReason: CFString = "TrustRevocationReason"
/// True when enough logs have signed.
public let kSecTrustCertificateTransparency: CFString = "TrustCertificateTransparency"
/// Never there, as on Apple's systems of today.
public let kSecTrustCertificateTransparencyWhiteList: CFString = "TrustCertificateTransparencyWhiteList"
/// The failed checks of each certificate.
public let kSecTrustResultDetails: CFString = "TrustResultDetails"
/// Never there: statements of qualified certificates are not read.
public let kSecTrustQCStatements: CFString = "TrustQCStatements"
/// Never there: qualified certificates for websites are not told from others.
public let kSecTrustQWACValidation: CFString = "TrustQWACValidation"

// The keys and types of `SecTrustCopyProperties`.

/// The type of a property.
public let kSecPropertyKeyType: CFString = "type"
/// The label of a property.
public let kSecPropertyKeyLabel: CFString = "label"
/// The label of a property in the user's language.
public let kSecPropertyKeyLocalizedLabel: CFString = "localized label"
/// The value of a property.
public let kSecPropertyKeyValue: CFString = "value"
/// A title.
public let kSecPropertyTypeTitle: CFString = "title"
/// A reason against the certificate.
public let kSecPropertyTypeError: CFString = "error"
/// A warning.
public let kSecPropertyTypeWarning: CFString = "warning"
/// A success.
public let kSecPropertyTypeSuccess: CFString = "success"
/// A list of properties.
public let kSecPropertyTypeSection: CFString = "section"
/// Octets.
public let kSecPropertyTypeData: CFString = "data"
/// A text.
public let kSecPropertyTypeString: CFString = "string"
/// A URL.
public let kSecPropertyTypeURL: CFString = "url"
/// A moment.
public let kSecPropertyTypeDate: CFString = "date"
/// A list.
public let kSecPropertyTypeArray: CFString = "array"
/// A number.
public let kSecPropertyTypeNumber: CFString = "number"
