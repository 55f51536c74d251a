//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The requirements for a delegated responder's certificate in addition to OCSPSigning (RFC 6960 §4.2.2.2).
///
/// A ``ValidationProfile`` has a set of them. If a signer breaks one, its responses cannot clear a certificate.
public struct ResponderRules: OptionSet, Sendable, Hashable {
    /// The rules as bits.
    public let rawValue: UInt8

    /// Creates a set of rules.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The responder is no certificate authority. Otherwise it could answer for the certificates of the authority
    /// above it (SecPolicy.c `SecPolicyCreateOCSPSigner`, CA/Browser Forum BR 7.1.2.8).
    public static let notAuthority = ResponderRules(rawValue: 1 << 0)
    /// The key usage, if it is present, has digitalSignature. RFC 5280 §4.2.1.12 also allows nonRepudiation alone.
    public static let digitalSignature = ResponderRules(rawValue: 1 << 1)
    /// The only extended key usage is OCSPSigning (CA/Browser Forum BR 7.1.2.8.5), so a server's certificate is no responder.
    public static let answersOnly = ResponderRules(rawValue: 1 << 2)

    /// The rules of Apple's `SecPolicyCreateOCSPSigner`.
    public static let apple: ResponderRules = [.notAuthority, .digitalSignature]
    /// The rules of the CA/Browser Forum's baseline requirements, section 7.1.2.8.
    public static let baselineRequirements: ResponderRules = [.notAuthority, .digitalSignature, .answersOnly]
}

/// The maximum age of revocation lists and OCSP responses that clear a certificate, counted from their `thisUpdate`.
///
/// A responder that writes the year 9999 into `nextUpdate` does not promise that the issuer will never revoke the
/// certificate. Without a limit, such a response would clear it forever. Evidence that a certificate is revoked has no
/// age limit.
public struct RevocationAgeLimits: Sendable, Hashable {
    /// The limit for OCSP responses about certificates other than authorities, in seconds.
    public var response: Int64
    /// The limit for OCSP responses about authorities, in seconds.
    public var authorityResponse: Int64
    /// The limit for lists that clear certificates other than authorities, in seconds.
    public var list: Int64
    /// The limit for lists that clear authorities, in seconds.
    public var authorityList: Int64

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - response: The limit for OCSP responses about certificates other than authorities, in seconds.
    ///   - authorityResponse: The limit for OCSP responses about authorities, in seconds.
    ///   - list: The limit for lists that clear certificates other than authorities, in seconds. With `Int64.max`,
    ///     only `nextUpdate` counts.
    ///   - authorityList: The limit for lists that clear authorities, in seconds.
    public init(
        response: Int64, authorityResponse: Int64, list: Int64 = .max, authorityList: Int64 = .max
    ) {
        self.response = response
        self.authorityResponse = authorityResponse
        self.list = list
        self.authorityList = authorityList
    }

    /// The limits of CA/Browser Forum BR 4.9.10: ten days for responses about servers' certificates, twelve months for
    /// authorities'.
    ///
    /// A list is valid until its `nextUpdate` (RFC 5280 §5.1.2.5). The issuer signs it itself, and an authority that
    /// is kept offline signs lists for years. BR 4.9.7 limits how lists are issued, not how they are read.
    public static let baselineRequirements = RevocationAgeLimits(
        response: 10 * Self.day, authorityResponse: 366 * Self.day)

    /// A limit of one year for responses. No standard has a limit outside the public web.
    public static let generous = RevocationAgeLimits(response: 366 * Self.day, authorityResponse: 366 * Self.day)

    private static let day: Int64 = 86_400
}
