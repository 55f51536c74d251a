//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The equivalent of AFNetworking's `AFSecurityPolicy`: the rules and pins for a server.
///
/// ```swift
/// let policy = try SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [certificate])
/// let decision = policy.evaluate(trust, forDomain: "api.example.com")
/// ```
///
/// A policy is an immutable value. The initializers refuse contradictory settings. Pins are matched on verified paths only.
public struct SecurityPolicy: Sendable, Hashable {
    /// The pinned part of a server's certificates: `AFSSLPinningMode`.
    public enum PinningMode: Int, Sendable, Hashable, CaseIterable {
        /// Nothing is pinned.
        case none = 0
        /// The keys of the pinned certificates, which remain the same after a renewal.
        case publicKey = 1
        /// The pinned certificates, byte for byte.
        case certificate = 2
    }

    /// The meaning of the settings.
    public enum Semantics: String, Sendable, Hashable, CaseIterable {
        /// The meaning that the names of the settings suggest, on verified paths only.
        case secure
        /// The behavior of AFNetworking 4.0.1, including its security holes, to compare decisions during a migration.
        ///
        /// - Warning: With `allowInvalidCertificates` this accepts servers without any trusted authority: see
        ///   <doc:ComingFromAFNetworking>.
        case dangerouslyLikeAFNetworking = "dangerously-like-AFNetworking"
    }

    /// The pinned part of a server's certificates.
    public let pinningMode: PinningMode

    /// The pinned certificates, or the certificates with the pinned keys.
    public let pinnedCertificates: Set<Certificate>

    /// The keys of ``pinnedCertificates``.
    public var pinnedPublicKeys: Set<PublicKey> { Set(self.pinnedCertificates.map(\.publicKey)) }

    /// `true` if a pin is enough to trust a server, without a public authority.
    ///
    /// The pinned certificates are then the only anchors. A path must lead from one of them down to the server's certificate, with
    /// every signature verified. With ``PinningMode/publicKey`` it may be expired or lack the form required of public servers.
    public let allowInvalidCertificates: Bool

    /// `true` if the certificate must match the domain.
    public let validatesDomainName: Bool

    /// The meaning of the settings.
    public let semantics: Semantics

    /// A policy with Apple's ordinary rules and without pins: `+defaultPolicy`.
    public static let `default` = SecurityPolicy(
        unchecked: .none, [], allowInvalidCertificates: false, validatesDomainName: true, semantics: .secure)

    /// Creates a policy with the certificates of the main bundle: `+policyWithPinningMode:`.
    ///
    /// These are the files of ``certificates(in:)``, loaded once, on first use.
    ///
    /// - Parameter pinningMode: The pinned part of the certificates. With ``PinningMode/none`` nothing is loaded.
    /// - Throws: ``SecurityPolicyError`` if a file cannot be read, or if the mode needs a certificate and there is none.
    public init(pinningMode: PinningMode) throws(SecurityPolicyError) {
        let certificates = pinningMode == .none ? [] : try MainBundle.certificates.get()
        try self.init(pinningMode: pinningMode, pinnedCertificates: certificates)
    }

    /// Creates a policy with the given certificates: `+policyWithPinningMode:withPinnedCertificates:`.
    ///
    /// - Parameters:
    ///   - pinningMode: The pinned part of the certificates.
    ///   - pinnedCertificates: The certificates to pin, or the certificates with the keys to pin: the server's own or an
    ///     authority's.
    ///   - allowInvalidCertificates: `true` if a pin is enough to trust a server, for example a self-signed one.
    ///   - validatesDomainName: `true` if the certificate must match the domain. With `false`, a server with any trusted
    ///     certificate passes for every domain.
    ///   - semantics: The meaning of the settings.
    /// - Throws: ``SecurityPolicyError`` if the settings contradict each other. It says how to correct them.
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

    /// The contradiction of the settings, if any. AFNetworking accepts contradictory settings and behaves unexpectedly.
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
