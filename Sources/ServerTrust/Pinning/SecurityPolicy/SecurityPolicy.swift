//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// AFNetworking's `AFSecurityPolicy`: how a server is judged, and what of it is pinned.
///
/// ```swift
/// let policy = try SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [certificate])
/// let decision = policy.evaluate(trust, forDomain: "api.example.com")
/// ```
///
/// A value: once made it does not change, and settings that contradict each other cannot be made. Pins are looked for on
/// verified paths only.
public struct SecurityPolicy: Sendable, Hashable {
    /// What of a server is pinned: `AFSSLPinningMode`.
    public enum PinningMode: Int, Sendable, Hashable, CaseIterable {
        /// Nothing.
        case none = 0
        /// The keys of the pinned certificates, which outlive renewals.
        case publicKey = 1
        /// The pinned certificates, to the letter.
        case certificate = 2
    }

    /// What the settings mean.
    public enum Semantics: String, Sendable, Hashable, CaseIterable {
        /// What they say, as its users understood them.
        case secure
        /// What AFNetworking 4.0.1 makes of them, holes included, so that a migration can be compared.
        ///
        /// - Warning: With `allowInvalidCertificates` this accepts servers that no authority vouches for: see
        ///   <doc:ComingFromAFNetworking>.
        case dangerouslyLikeAFNetworking = "dangerously-like-AFNetworking"
    }

    /// What of a server is pinned.
    public let pinningMode: PinningMode

    /// What is pinned, itself or by its key.
    public let pinnedCertificates: Set<Certificate>

    /// The keys of ``pinnedCertificates``.
    public var pinnedPublicKeys: Set<PublicKey> { Set(self.pinnedCertificates.map(\.publicKey)) }

    /// Whether a server passes that only its pin speaks for.
    ///
    /// The pinned certificates are then all that is trusted. A path must lead from one of them down to the server's, every
    /// signature verified; with ``PinningMode/publicKey`` it may be expired and need not have the form the web demands.
    public let allowInvalidCertificates: Bool

    /// Whether the certificate must be for the domain.
    public let validatesDomainName: Bool

    /// What the settings mean.
    public let semantics: Semantics

    /// Apple's ordinary rules and nothing pinned: `+defaultPolicy`.
    public static let `default` = SecurityPolicy(
        unchecked: .none, [], allowInvalidCertificates: false, validatesDomainName: true, semantics: .secure)

    /// A policy with the certificates of the main bundle: `+policyWithPinningMode:`.
    ///
    /// They are the files of ``certificates(in:)``, loaded when they are first needed, and once.
    ///
    /// - Parameter pinningMode: What is pinned. With ``PinningMode/none`` nothing is loaded.
    /// - Throws: ``SecurityPolicyError`` when one of them cannot be read, or is missing where the mode needs one.
    public init(pinningMode: PinningMode) throws(SecurityPolicyError) {
        let certificates = pinningMode == .none ? [] : try MainBundle.certificates.get()
        try self.init(pinningMode: pinningMode, pinnedCertificates: certificates)
    }

    /// A policy with certificates of your own: `+policyWithPinningMode:withPinnedCertificates:`.
    ///
    /// - Parameters:
    ///   - pinningMode: What is pinned.
    ///   - pinnedCertificates: What is pinned, itself or by its key: the server's certificate or an authority's.
    ///   - allowInvalidCertificates: Whether a server passes that only its pin speaks for, such as a self-signed one.
    ///   - validatesDomainName: Whether the certificate must be for the domain. Without, a server that holds a certificate that
    ///     is trusted passes for every domain.
    ///   - semantics: What the settings mean.
    /// - Throws: ``SecurityPolicyError`` when the settings contradict each other, with what to write instead.
    public init(
        pinningMode: PinningMode, pinnedCertificates: some Sequence<Certificate>,
        allowInvalidCertificates: Bool = false, validatesDomainName: Bool = true, semantics: Semantics = .secure
    ) throws(SecurityPolicyError) {
        self.init(
            unchecked: pinningMode, Set(pinnedCertificates), allowInvalidCertificates: allowInvalidCertificates,
            validatesDomainName: validatesDomainName, semantics: semantics)
        if let contradiction = self.contradiction { throw SecurityPolicyError(contradiction) }
    }

    private init(
        unchecked pinningMode: PinningMode, _ pinnedCertificates: Set<Certificate>, allowInvalidCertificates: Bool,
        validatesDomainName: Bool, semantics: Semantics
    ) {
        self.pinningMode = pinningMode
        self.pinnedCertificates = pinnedCertificates
        self.allowInvalidCertificates = allowInvalidCertificates
        self.validatesDomainName = validatesDomainName
        self.semantics = semantics
    }

    /// What of the settings cannot be meant together. AFNetworking takes all of them, and means something else.
    private var contradiction: SecurityPolicyError.Code? {
        guard self.semantics == .secure else { return nil }
        switch (self.pinningMode, self.pinnedCertificates.isEmpty) {
        case (.none, false): return .pinsWithoutMode
        case (.none, true): return self.allowInvalidCertificates ? .anythingAllowed : nil
        case (.publicKey, true), (.certificate, true): return .modeWithoutPins
        case (.publicKey, false), (.certificate, false): return nil
        }
    }
}
