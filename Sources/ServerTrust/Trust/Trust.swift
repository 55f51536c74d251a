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

/// A trust evaluation: the certificates of a peer, the policies to evaluate them for, and the configuration. The equivalent of
/// Apple's `SecTrust`.
///
/// ```swift
/// var trust = try Trust(pem: chain, host: "api.example.com")        // trusted as on an iPhone
/// trust.anchors.add(ourRoot)                                        // also trust a private root
/// trust.policies = [.tlsServer(hostname: "internal.example.com")]   // evaluate for another name
/// let result = trust.evaluate()
/// ```
///
/// `Trust` is a value: a change to a copy affects no other copy. Evaluation is a pure function of the properties. It reads no clock
/// if ``verifyDate`` is set, and ``evaluate()`` never uses the network.
public struct Trust: Sendable {
    /// The certificates as the peer sent them: the leaf first, the others in any order. Never empty.
    public let certificates: [Certificate]

    /// The policies that the leaf must satisfy, all of them. Empty means ``TrustPolicy/basicX509``, as NULL does for
    /// `SecTrustCreateWithCertificates`.
    public var policies: [TrustPolicy]

    /// The anchors, the rules, and the limits on fetching.
    public var configuration: TrustConfiguration

    private(set) var exceptions: TrustExceptions?

    /// Possible issuers from sources other than the peer.
    var fetchedCertificates: [Certificate] = []

    /// The numbers of fetched revocation lists and requested responses, which follow the given ones in ``revocation``.
    var fetchedRevocationCounts = (lists: 0, responses: 0)

    /// Delivered evidence that cannot be read, for ``TrustResult/evidence``.
    package var unreadableEvidence: [TrustEvidence.Item] = []

    /// Creates an evaluation: `SecTrustCreateWithCertificates`.
    ///
    /// - Parameters:
    ///   - certificates: The certificates as the peer sent them, the leaf first.
    ///   - policies: The policies that the leaf must satisfy.
    ///   - configuration: The anchors and the rules, by default those of an iPhone.
    /// - Throws: ``TrustError`` if there is no certificate (`errSecParam`).
    public init(
        certificates: [Certificate], policies: [TrustPolicy], configuration: TrustConfiguration = .apple
    ) throws(TrustError) {
        guard !certificates.isEmpty else { throw TrustError(.noCertificates) }
        self.certificates = certificates
        self.policies = policies
        self.configuration = configuration
    }

    /// Creates an evaluation with one policy.
    ///
    /// - Parameters:
    ///   - certificates: The certificates as the peer sent them, the leaf first.
    ///   - policy: The policy that the leaf must satisfy.
    ///   - configuration: The anchors and the rules, by default those of an iPhone.
    /// - Throws: ``TrustError`` if there is no certificate (`errSecParam`).
    public init(
        certificates: [Certificate], policy: TrustPolicy, configuration: TrustConfiguration = .apple
    ) throws(TrustError) {
        try self.init(certificates: certificates, policies: [policy], configuration: configuration)
    }

    /// Creates an evaluation of a TLS server from its chain in PEM.
    ///
    /// - Parameters:
    ///   - pem: The chain as the server sent it: certificates in PEM, the server's own first. Text between them is skipped.
    ///   - host: The name or address that the certificate must match, as in a URL. An internationalized name is converted to its
    ///     A-labels.
    ///   - configuration: The anchors and the rules, by default those of an iPhone.
    /// - Throws: ``CertificateError`` if the text has no certificate, or one that cannot be read. `InvalidReferenceIdentity` if
    ///   `host` is neither a name nor an address.
    public init(pem: String, host: String, configuration: TrustConfiguration = .apple) throws {
        try self.init(
            certificates: try Certificate.certificates(in: pem.utf8),
            policy: .tlsServer(hostname: try Host(host).text),
            configuration: configuration)
    }

    /// The public key of the leaf, without an evaluation (`SecTrustCopyKey`).
    public var key: PublicKey? { self.certificates.first?.publicKey }

    /// Evaluates the certificates with the available data: `SecTrustEvaluateWithError`.
    ///
    /// - Returns: The verdict with the path and every reason. A refusal is a result, not a thrown error.
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

    /// The revocation policy without fetched evidence.
    var givenRevocation: RevocationPolicy {
        var policy = self.revocation
        policy.lists.removeLast(min(policy.lists.count, self.fetchedRevocationCounts.lists))
        policy.requestedResponses.removeLast(
            min(policy.requestedResponses.count, self.fetchedRevocationCounts.responses))
        return policy
    }

    /// The candidates for a path other than the leaf and the anchors.
    var intermediates: [CertificateView] {
        var views = self.certificates.dropFirst().map(\.view)
        for certificate in self.fetchedCertificates { views.append(certificate.view) }
        return views
    }

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

// The properties of ``configuration``, in the manner of `SecTrustSet…`.
extension Trust {
    /// The trust anchors. A self-signed certificate among ``certificates`` does not become one by being sent.
    public var anchors: TrustAnchors {
        get { self.configuration.anchors }
        set { self.configuration.anchors = newValue }
    }

    /// The classes of anchors that count: ``TrustConfiguration/anchorClasses``.
    public var anchorClasses: Set<AnchorClass> {
        get { self.configuration.anchorClasses }
        set { self.configuration.anchorClasses = newValue }
    }

    /// The date of the evaluation (`SecTrustSetVerifyDate`), or `nil` for the current date.
    public var verifyDate: Date? {
        get { self.configuration.verifyDate }
        set { self.configuration.verifyDate = newValue }
    }

    /// The rules of validation: ``TrustConfiguration/profile``.
    public var profile: ValidationProfile {
        get { self.configuration.profile }
        set { self.configuration.profile = newValue }
    }

    /// The public suffixes, which wildcards must not cover: ``TrustConfiguration/publicSuffixes``.
    public var publicSuffixes: PublicSuffixList? {
        get { self.configuration.publicSuffixes }
        set { self.configuration.publicSuffixes = newValue }
    }

    /// The inputs to certificate policy processing: ``TrustConfiguration/certificatePolicies``.
    public var certificatePolicies: PolicyInputs {
        get { self.configuration.certificatePolicies }
        set { self.configuration.certificatePolicies = newValue }
    }

    /// The maximum number of intermediates that are not self-issued: ``TrustConfiguration/maximumIntermediates``.
    public var maximumIntermediates: Int? {
        get { self.configuration.maximumIntermediates }
        set { self.configuration.maximumIntermediates = newValue }
    }

    /// The revocation checks and their evidence: ``TrustConfiguration/revocation``.
    public var revocation: RevocationPolicy {
        get { self.configuration.revocation }
        set { self.configuration.revocation = newValue }
    }

    /// The requirements of certificate transparency, if any: ``TrustConfiguration/transparency``.
    public var transparency: TransparencyRequest? {
        get { self.configuration.transparency }
        set { self.configuration.transparency = newValue }
    }

    /// The certificate policies of extended validation: ``TrustConfiguration/extendedValidation``.
    public var extendedValidation: ExtendedValidationProgram? {
        get { self.configuration.extendedValidation }
        set { self.configuration.extendedValidation = newValue }
    }

    /// The cache of verified signatures of authorities: ``TrustConfiguration/signatureCache``.
    public var signatureCache: SignatureCache? {
        get { self.configuration.signatureCache }
        set { self.configuration.signatureCache = newValue }
    }

    /// The work limit of one evaluation: ``TrustConfiguration/budget``.
    public var budget: Budget {
        get { self.configuration.budget }
        set { self.configuration.budget = newValue }
    }
}

extension Trust {
    /// Evaluates without exceptions and returns every recoverable failure as an exception, to save and set later
    /// (`SecTrustCopyExceptions`).
    ///
    /// - Warning: Show the failures to a person before you make them exceptions.
    public func currentExceptions() -> TrustExceptions {
        var plain = self
        plain.exceptions = nil
        return TrustExceptions(plain.evaluate())
    }

    /// Sets recorded failures that later evaluations ignore (`SecTrustSetExceptions`).
    ///
    /// Exceptions lift recoverable failures only, and only the recorded ones, on the recorded certificates at their recorded
    /// places. As on Apple's systems they do not include the host name for which they were recorded.
    ///
    /// - Parameter exceptions: Exceptions recorded for the same leaf, or `nil` to remove the current ones.
    /// - Returns: `true` if the exceptions were set. Exceptions for another leaf are not set, and the current ones are removed. For
    ///   `nil`, `true` if there were no exceptions before.
    @discardableResult
    public mutating func setExceptions(_ exceptions: TrustExceptions?) -> Bool {
        let isForLeaf = exceptions?.leafDigest == self.certificates.first?.sha256Fingerprint
        let hadExceptions = self.exceptions != nil
        self.exceptions = isForLeaf ? exceptions : nil
        return exceptions == nil ? !hadExceptions : isForLeaf
    }
}

/// An evaluation that cannot be created or run.
///
/// The description says how to correct the input.
public struct TrustError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of errors.
    public enum Code: Sendable, Hashable {
        /// The input has no certificate.
        case noCertificates
    }

    /// The kind of error.
    public let code: Code

    init(_ code: Code) {
        self.code = code
    }

    package static let noCertificates = TrustError(.noCertificates)

    /// The error and its remedy, in a sentence.
    public var description: String {
        switch self.code {
        case .noCertificates: "there is no certificate to evaluate: give the peer's chain, leaf first"
        }
    }
}
