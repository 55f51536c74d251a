//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a delegated responder's certificate must be beyond having OCSPSigning (RFC 6960 §4.2.2.2).
public struct ResponderRules: OptionSet, Sendable, Hashable {
    /// One bit for each rule.
    public let rawValue: UInt8

    /// A set of rules.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// No certificate authority: one that may answer could answer about the certificates of the authority above it
    /// (SecPolicy.c `SecPolicyCreateOCSPSigner`, CA/Browser Forum BR 7.1.2.8).
    public static let notAuthority = ResponderRules(rawValue: 1 << 0)
    /// digitalSignature, if there is a key usage. RFC 5280 §4.2.1.12 is content with nonRepudiation alone.
    public static let digitalSignature = ResponderRules(rawValue: 1 << 1)
    /// No extended key usage but OCSPSigning (CA/Browser Forum BR 7.1.2.8.5): a server's certificate answers nothing.
    public static let answersOnly = ResponderRules(rawValue: 1 << 2)

    /// `SecPolicyCreateOCSPSigner`.
    public static let apple: ResponderRules = [.notAuthority, .digitalSignature]
    /// The CA/Browser Forum's baseline requirements, section 7.1.2.8.
    public static let baselineRequirements: ResponderRules = [.notAuthority, .digitalSignature, .answersOnly]
}

/// How old a revocation list or an OCSP response may be, counted from its `thisUpdate`, and still clear a certificate.
///
/// A responder that writes the year 9999 into `nextUpdate` does not say that the issuer will never revoke: what it signed
/// once would clear the certificate for ever. What says that a certificate is revoked is never too old.
public struct RevocationAgeLimits: Sendable, Hashable {
    /// OCSP responses about certificates that are no authorities, in seconds.
    public var response: Int64
    /// OCSP responses about authorities, in seconds.
    public var authorityResponse: Int64
    /// Lists that clear certificates that are no authorities, in seconds.
    public var list: Int64
    /// Lists that clear authorities, in seconds.
    public var authorityList: Int64

    /// Limits.
    ///
    /// - Parameters:
    ///   - response: OCSP responses about certificates that are no authorities, in seconds.
    ///   - authorityResponse: OCSP responses about authorities, in seconds.
    ///   - list: Lists that clear certificates that are no authorities, in seconds; `Int64.max` leaves it to `nextUpdate`.
    ///   - authorityList: Lists that clear authorities, in seconds.
    public init(
        response: Int64, authorityResponse: Int64, list: Int64 = .max, authorityList: Int64 = .max
    ) {
        self.response = response
        self.authorityResponse = authorityResponse
        self.list = list
        self.authorityList = authorityList
    }

    /// CA/Browser Forum BR 4.9.10: ten days for responses about servers' certificates, twelve months for authorities'.
    ///
    /// A list is good until its `nextUpdate` (RFC 5280 §5.1.2.5): the issuer signs it itself, and authorities that are kept
    /// switched off sign lists for years. BR 4.9.7 limits how they are issued, not how they are read.
    public static let baselineRequirements = RevocationAgeLimits(
        response: 10 * Self.day, authorityResponse: 366 * Self.day)

    /// A year for responses. No standard sets a limit outside the public web.
    public static let generous = RevocationAgeLimits(response: 366 * Self.day, authorityResponse: 366 * Self.day)

    private static let day: Int64 = 86_400
}
