//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A question of trust: certificates, what they are to be trusted for, and what is trusted already. What `SecTrust` is on
/// Apple's systems.
///
/// ```swift
/// var trust = try Trust(pem: chain, host: "api.example.com")        // trusted as on an iPhone
/// trust.anchors.add(ourRoot)                                        // also trust a private root
/// trust.policies = [.tlsServer(hostname: "internal.example.com")]   // evaluate for another name
/// let result = trust.evaluate()
/// ```
///
/// A value: setting something on a copy changes nothing elsewhere. Evaluating is a pure function of the properties; it
/// reads no clock when ``verifyDate`` is set, and never a network.
public struct Trust: Sendable {
    /// The certificates as the peer sent them: the leaf first, the others in any order. Never empty.
    public let certificates: [Certificate]

    /// What the leaf is to be trusted for; all of them must agree. Empty means ``TrustPolicy/basicX509``, as NULL does to
    /// `SecTrustCreateWithCertificates`.
    public var policies: [TrustPolicy]

    /// What is trusted, the rules, and what may be fetched.
    public var configuration: TrustConfiguration

    private(set) var exceptions: TrustExceptions?

    /// Possible issuers from elsewhere than the peer.
    var fetchedCertificates: [Certificate] = []

    /// How many of the revocation lists and of the requested responses were fetched, and stand behind those that were given.
    var fetchedRevocationCounts = (lists: 0, responses: 0)

    /// What was delivered for the evaluation and cannot be read, for ``TrustResult/evidence``.
    package var unreadableEvidence: [TrustEvidence.Item] = []

    /// A question of trust: `SecTrustCreateWithCertificates`.
    ///
    /// - Parameters:
    ///   - certificates: The certificates as the peer sent them, the leaf first.
    ///   - policies: What the leaf is to be trusted for.
    ///   - configuration: What is trusted, and the rules; by default as on an iPhone.
    /// - Throws: ``TrustError`` when there is no certificate (`errSecParam`).
    public init(
        certificates: [Certificate], policies: [TrustPolicy], configuration: TrustConfiguration = .apple
    ) throws(TrustError) {
        guard !certificates.isEmpty else { throw TrustError(.noCertificates) }
        self.certificates = certificates
        self.policies = policies
        self.configuration = configuration
    }

    /// A question of trust with one policy.
    ///
    /// - Parameters:
    ///   - certificates: The certificates as the peer sent them, the leaf first.
    ///   - policy: What the leaf is to be trusted for.
    ///   - configuration: What is trusted, and the rules; by default as on an iPhone.
    /// - Throws: ``TrustError`` when there is no certificate (`errSecParam`).
    public init(
        certificates: [Certificate], policy: TrustPolicy, configuration: TrustConfiguration = .apple
    ) throws(TrustError) {
        try self.init(certificates: certificates, policies: [policy], configuration: configuration)
    }

    /// A question of trust about a TLS server, whose chain is text.
    ///
    /// - Parameters:
    ///   - pem: The chain as the server sent it: certificates in PEM, the server's own first. Text between them is skipped.
    ///   - host: The name or address that the certificate must be for, as in a URL. A name in other letters than ASCII is
    ///     looked for by its A-labels.
    ///   - configuration: What is trusted, and the rules; by default as on an iPhone.
    /// - Throws: ``CertificateError`` when the text has no certificate, or one that cannot be read;
    ///   `InvalidReferenceIdentity` when `host` is neither a name nor an address.
    public init(pem: String, host: String, configuration: TrustConfiguration = .apple) throws {
        try self.init(
            certificates: try Certificate.certificates(in: pem.utf8),
            policy: .tlsServer(hostname: try Host(host).text),
            configuration: configuration)
    }

    /// The leaf's key, without evaluating anything (`SecTrustCopyKey`).
    public var key: PublicKey? { self.certificates.first?.publicKey }

    /// Evaluates: `SecTrustEvaluateWithError`.
    ///
    /// - Returns: The verdict with everything that led to it. Not a thrown error: a refusal is an answer.
    public func evaluate() -> TrustResult {
        let date = self.verifyDate ?? Date()
        guard let leaf = self.certificates.first else { return TrustResult.empty(at: date) }
        let (validator, intermediates) = (self.validator(at: date), self.intermediates)
        let verdict = validator.validate(leaf.view, intermediates: intermediates)
        var result = TrustResult(verdict, at: date, of: self)
        result.nameUnusableEvidence()
        if let extendedValidation = self.configuration.extendedValidation {
            result.extendedValidation = validator.extendedValidation(
                of: verdict, in: extendedValidation, intermediates: intermediates)
        }
        return result
    }

    /// Revocation without what was fetched for it.
    var givenRevocation: RevocationPolicy {
        var policy = self.revocation
        policy.lists.removeLast(min(policy.lists.count, self.fetchedRevocationCounts.lists))
        policy.requestedResponses.removeLast(
            min(policy.requestedResponses.count, self.fetchedRevocationCounts.responses))
        return policy
    }

    /// Everything a path may be built from besides the leaf and the anchors.
    var intermediates: [CertificateView] {
        var views = self.certificates.dropFirst().map(\.view)
        for certificate in self.fetchedCertificates { views.append(certificate.view) }
        return views
    }

    /// The engine, set up for this question.
    func validator(at date: Date) -> PathValidator {
        let request = self.request(at: date)
        return PathValidator(request, anchors: self.anchors.sets(besides: request.blockedRoots))
    }

    private func request(at date: Date) -> ValidationRequest {
        let policies = self.policies.isEmpty ? [TrustPolicy.basicX509] : self.policies
        var request = ValidationRequest(
            time: Timestamp(date), purposes: policies.map(\.requirement), profile: self.profile,
            policies: self.certificatePolicies, maximumIntermediates: self.maximumIntermediates,
            anchorClasses: self.anchorClasses, publicSuffixes: self.publicSuffixes, revocation: self.revocation,
            additionalRevocation: policies.compactMap { $0.revocationOptions?.policy(with: self.revocation) },
            transparency: self.transparency, signatureCache: self.signatureCache, budget: self.budget)
        request.blockedRoots = self.anchors.blockedRoots
        return request
    }
}

// The properties of ``configuration``, as `SecTrustSet…` sets them.
extension Trust {
    /// What is trusted. A self-signed certificate among ``certificates`` is not, by being there.
    public var anchors: TrustAnchors {
        get { self.configuration.anchors }
        set { self.configuration.anchors = newValue }
    }

    /// The classes of anchors that count: ``TrustConfiguration/anchorClasses``.
    public var anchorClasses: Set<AnchorClass> {
        get { self.configuration.anchorClasses }
        set { self.configuration.anchorClasses = newValue }
    }

    /// The moment to evaluate at (`SecTrustSetVerifyDate`); `nil` is the moment of the evaluation.
    public var verifyDate: Date? {
        get { self.configuration.verifyDate }
        set { self.configuration.verifyDate = newValue }
    }

    /// The rules: ``TrustConfiguration/profile``.
    public var profile: ValidationProfile {
        get { self.configuration.profile }
        set { self.configuration.profile = newValue }
    }

    /// Public suffixes, which wildcards must not cover: ``TrustConfiguration/publicSuffixes``.
    public var publicSuffixes: PublicSuffixList? {
        get { self.configuration.publicSuffixes }
        set { self.configuration.publicSuffixes = newValue }
    }

    /// The inputs to certificate policy processing: ``TrustConfiguration/certificatePolicies``.
    public var certificatePolicies: PolicyInputs {
        get { self.configuration.certificatePolicies }
        set { self.configuration.certificatePolicies = newValue }
    }

    /// The most intermediates that are not self-issued: ``TrustConfiguration/maximumIntermediates``.
    public var maximumIntermediates: Int? {
        get { self.configuration.maximumIntermediates }
        set { self.configuration.maximumIntermediates = newValue }
    }

    /// Whether and how revocation is checked: ``TrustConfiguration/revocation``.
    public var revocation: RevocationPolicy {
        get { self.configuration.revocation }
        set { self.configuration.revocation = newValue }
    }

    /// Whether and how certificate transparency is asked for: ``TrustConfiguration/transparency``.
    public var transparency: TransparencyRequest? {
        get { self.configuration.transparency }
        set { self.configuration.transparency = newValue }
    }

    /// The policies that mean extended validation: ``TrustConfiguration/extendedValidation``.
    public var extendedValidation: ExtendedValidationProgram? {
        get { self.configuration.extendedValidation }
        set { self.configuration.extendedValidation = newValue }
    }

    /// Remembers authorities' signatures: ``TrustConfiguration/signatureCache``.
    public var signatureCache: SignatureCache? {
        get { self.configuration.signatureCache }
        set { self.configuration.signatureCache = newValue }
    }

    /// The work one evaluation may do: ``TrustConfiguration/budget``.
    public var budget: Budget {
        get { self.configuration.budget }
        set { self.configuration.budget = newValue }
    }
}

extension Trust {
    /// Everything that fails now and may be excepted, to be saved and set again (`SecTrustCopyExceptions`).
    ///
    /// - Warning: A person should have seen the failures before they are made exceptions.
    public func currentExceptions() -> TrustExceptions {
        var plain = self
        plain.exceptions = nil
        return TrustExceptions(plain.evaluate())
    }

    /// Lets later evaluations pass over failures that were recorded (`SecTrustSetExceptions`).
    ///
    /// Exceptions lift recoverable failures only, and only the recorded ones, on the recorded certificates at their
    /// recorded places. As on Apple's systems they do not remember the host name they were recorded for.
    ///
    /// - Parameter exceptions: Exceptions recorded for the same leaf; `nil` removes those in force.
    /// - Returns: Whether they were set. Exceptions for another leaf are not, and those in force are removed.
    @discardableResult
    public mutating func setExceptions(_ exceptions: TrustExceptions?) -> Bool {
        let isForLeaf = exceptions?.leafDigest == self.certificates.first?.sha256Fingerprint
        let hadExceptions = self.exceptions != nil
        self.exceptions = isForLeaf ? exceptions : nil
        return exceptions == nil ? !hadExceptions : isForLeaf
    }
}

/// A question that cannot be evaluated, and what to do about it.
public struct TrustError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Why.
    public enum Code: Sendable, Hashable {
        /// There is no certificate to judge.
        case noCertificates
    }

    /// Why.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }

    /// There is no certificate to judge.
    package static let noCertificates = TrustError(.noCertificates)

    /// What is wrong and what to do, for a person.
    public var description: String {
        switch self.code {
        case .noCertificates: "there is no certificate to evaluate: give the peer's chain, leaf first"
        }
    }
}
