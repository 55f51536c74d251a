//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The result of an evaluation.
///
/// Only ``proceed`` and ``unspecified`` mean that the certificate is trusted.
public enum SecTrustResultType: UInt32, Sendable, Hashable {
    /// The object has not been evaluated.
    case invalid = 0
    /// The certificate is trusted by a decision: exceptions, or an anchor that an administrator added.
    case proceed = 1
    /// Apple no longer uses this result, and this package never returns it.
    case confirm = 2
    /// The user decided not to trust the certificate. There are no such settings here.
    case deny = 3
    /// The certificate is trusted by the ordinary rules. This is the usual success.
    case unspecified = 4
    /// The certificate is not trusted. Another date, anchor, policy or exception may change the result.
    case recoverableTrustFailure = 5
    /// The certificate is not trusted, and nothing can change the result.
    case fatalTrustFailure = 6
    /// The certificate is not trusted, because the evaluation failed.
    case otherError = 7
}

/// The options of `SecTrustSetOptions`.
public struct SecTrustOptionFlags: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt32

    /// Creates options from their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Ignores that certificates are not valid at the date of the evaluation.
    public static let allowExpired = SecTrustOptionFlags(rawValue: 1)
    /// Has no effect, as on current Apple systems.
    public static let leafIsCA = SecTrustOptionFlags(rawValue: 2)
    /// Has no effect, as on current Apple systems. Use `SecTrustSetNetworkFetchAllowed`.
    public static let fetchIssuerFromNet = SecTrustOptionFlags(rawValue: 4)
    /// Ignores that a root is not valid at the date of the evaluation.
    public static let allowExpiredRoot = SecTrustOptionFlags(rawValue: 8)
    /// Requires for each certificate a response that it is not revoked. Current Apple systems ignore this option.
    public static let requireRevPerCert = SecTrustOptionFlags(rawValue: 16)
    /// Has no effect, because there are no user settings.
    public static let useTrustSettings = SecTrustOptionFlags(rawValue: 32)
    /// Accepts a self-signed certificate at the end of the path, for which no authority vouches.
    ///
    /// - Warning: An attacker can create such a certificate.
    public static let implicitAnchors = SecTrustOptionFlags(rawValue: 64)
}

/// The callback of `SecTrustEvaluateAsync`.
public typealias SecTrustCallback = @Sendable (SecTrust, SecTrustResultType) -> Void
/// The callback of `SecTrustEvaluateAsyncWithError`.
public typealias SecTrustWithErrorCallback = @Sendable (SecTrust, Bool, CFError?) -> Void

// The keys of `SecTrustCopyResult`.

/// The key for the date of the evaluation.
public let kSecTrustEvaluationDate: CFString = "TrustEvaluationDate"
/// The key for `true` if the certificate has extended validation.
public let kSecTrustExtendedValidation: CFString = "TrustExtendedValidation"
/// The key for the organization of a certificate with extended validation.
public let kSecTrustOrganizationName: CFString = "Organization"
/// The key for the number of the result type.
public let kSecTrustResultValue: CFString = "TrustResultValue"
/// The key for `true` if every certificate below the anchor is known not to be revoked.
public let kSecTrustRevocationChecked: CFString = "TrustRevocationChecked"
/// The key for the date on which the first of the revocation responses is no longer current.
public let kSecTrustRevocationValidUntilDate: CFString = "TrustExpirationDate"
/// The key for the number of the revocation reason.
public let kSecTrustRevocationReason: CFString = "TrustRevocationReason"
/// The key for `true` if enough logs have signed timestamps.
public let kSecTrustCertificateTransparency: CFString = "TrustCertificateTransparency"
/// A key that is never present, as on current Apple systems.
public let kSecTrustCertificateTransparencyWhiteList: CFString = "TrustCertificateTransparencyWhiteList"
/// The key for the failed checks of each certificate.
public let kSecTrustResultDetails: CFString = "TrustResultDetails"
/// A key that is never present, because statements of qualified certificates are not read.
public let kSecTrustQCStatements: CFString = "TrustQCStatements"
/// A key that is never present, because qualified website certificates are not distinguished from others.
public let kSecTrustQWACValidation: CFString = "TrustQWACValidation"

// The keys and types of `SecTrustCopyProperties`.

/// The key for the type of a property.
public let kSecPropertyKeyType: CFString = "type"
/// The key for the label of a property.
public let kSecPropertyKeyLabel: CFString = "label"
/// The key for the label of a property in the user's language.
public let kSecPropertyKeyLocalizedLabel: CFString = "localized label"
/// The key for the value of a property.
public let kSecPropertyKeyValue: CFString = "value"
/// The type of a title.
public let kSecPropertyTypeTitle: CFString = "title"
/// The type of a reason against the certificate.
public let kSecPropertyTypeError: CFString = "error"
/// The type of a warning.
public let kSecPropertyTypeWarning: CFString = "warning"
/// The type of a success.
public let kSecPropertyTypeSuccess: CFString = "success"
/// The type of a list of properties.
public let kSecPropertyTypeSection: CFString = "section"
/// The type of data.
public let kSecPropertyTypeData: CFString = "data"
/// The type of a string.
public let kSecPropertyTypeString: CFString = "string"
/// The type of a URL.
public let kSecPropertyTypeURL: CFString = "url"
/// The type of a date.
public let kSecPropertyTypeDate: CFString = "date"
/// The type of an array.
public let kSecPropertyTypeArray: CFString = "array"
/// The type of a number.
public let kSecPropertyTypeNumber: CFString = "number"
