//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The certificate policies that stand for extended validation, and the roots below which they do (Apple's EVRoots.json).
///
/// Pass a program to ``PathValidator/extendedValidation(of:in:intermediates:)``. It has no effect on the verdict.
public struct ExtendedValidationProgram: Sendable, Hashable {
    /// The policies of each root, by the SHA-256 fingerprint of its certificate.
    public var policies: [[UInt8]: Set<OID>]
    /// The policies of all roots. A leaf without one of them is not examined further.
    fileprivate let allPolicies: Set<OID>

    /// Creates a program.
    ///
    /// - Parameter policies: The policies of each root, by the SHA-256 fingerprint of its certificate.
    public init(policies: [[UInt8]: Set<OID>]) {
        self.policies = policies
        self.allPolicies = policies.values.reduce(into: []) { $0.formUnion($1) }
    }
}

/// The extended validation status of a certificate. It has no effect on the verdict.
public enum ExtendedValidationStatus: String, Sendable, Hashable {
    /// No program was supplied, the certificate is not trusted, or its anchor is not a certificate.
    case notChecked = "not-checked"
    /// The path does not meet the rules.
    case none
    /// The path meets the rules, but the revocation statuses are not sufficiently known.
    case revocationUnknown = "revocation-unknown"
    /// The path meets the rules, and no certificate of it is revoked.
    case proven
}

extension PathValidator {
    /// Evaluates the extended validation of an accepted path.
    ///
    /// Apple's systems require that the path meets the rules, that certificate transparency is met or cannot be
    /// evaluated, and that the status of the leaf is known. The status of each authority that has a source for it must
    /// be known too (SecPolicyServer.c `SecPolicyCheckEV`, SecTrustServer.c).
    ///
    /// - Parameters:
    ///   - verdict: The verdict with the path.
    ///   - program: The policies that stand for extended validation.
    ///   - intermediates: The certificates from which the path was built.
    /// - Returns: The status, which does not change the verdict.
    public func extendedValidation(
        of verdict: Verdict, in program: ExtendedValidationProgram, intermediates: [CertificateView]
    ) -> ExtendedValidationStatus {
        guard verdict.isAccepted, verdict.anchor?.certificate != nil, let leaf = verdict.path.first else {
            return .notChecked
        }
        guard !program.allPolicies.isDisjoint(with: leaf.policyIdentifiers), self.isLogged(verdict),
            ExtendedValidationPath(verdict.path).hasExtendedValidation(in: program)
        else { return .none }
        let policy = self.request.revocation
        let statuses = self.revocationStatuses(of: verdict, under: policy, intermediates: intermediates)
        let isKnown = zip(verdict.path, statuses).enumerated().allSatisfy { index, pair in
            let (certificate, status) = pair
            return status == .good || (index > 0 && !certificate.namesStatusSource && !status.isRevoked)
        }
        return isKnown && !statuses.isEmpty ? .proven : .revocationUnknown
    }

    /// Returns `true` if certificate transparency is met or cannot be checked. An old list of logs has no requirement,
    /// as on Apple's systems.
    private func isLogged(_ verdict: Verdict) -> Bool {
        guard let transparency = self.request.transparency else { return false }
        return verdict.transparency?.meetsPolicy == true || !transparency.isListCurrent || !transparency.isEnforced
    }
}

/// A path to a root, leaf first, and the rules for extended validation (SecPolicyServer.c `SecPolicyCheckEV`, after
/// the EV Guidelines of the CA/Browser Forum).
private struct ExtendedValidationPath {
    let certificates: [CertificateView]

    init(_ certificates: [CertificateView]) {
        self.certificates = certificates
    }

    /// The date from which roots must not sign leaves, 2016-07-01.
    private static let rootsSignNoLeafSince = Timestamp(year: 2016, month: 7, day: 1)

    func hasExtendedValidation(in program: ExtendedValidationProgram) -> Bool {
        guard let leaf = self.certificates.first, let root = self.certificates.last, self.certificates.count >= 2,
            self.certificates.count >= 3 || leaf.notBefore <= Self.rootsSignNoLeafSince
        else { return false }
        var policies = leaf.policyIdentifiers
        guard !policies.contains(PolicyGraph.anyPolicy) else { return false }
        for authority in self.certificates.dropFirst().dropLast() {
            guard authority.mayIssueExtendedValidation else { return false }
            let own = authority.policyIdentifiers
            if !own.contains(PolicyGraph.anyPolicy) { policies.formIntersection(own) }
        }
        let accepted = program.policies[root.fingerprint] ?? []
        return !accepted.isDisjoint(with: policies) && root.mayAnchorExtendedValidation
    }
}

extension CertificateView {
    fileprivate var namesStatusSource: Bool { !self.ocspURLs.isEmpty || self.has(.crlDistributionPoints) }

    private var mayIssue: Bool {
        self.isCertificateAuthority && self.fields.extensions.keyUsage.isSuperset(of: [.keyCertSign, .cRLSign])
    }

    private func hasKey(rsaBits: Int) -> Bool {
        switch self.publicKeyKind {
        case .rsa: self.publicKeyBits >= rsaBits
        case .p256, .p384, .p521: true
        default: false
        }
    }

    /// `true` if the certificate meets the rules for roots of `SecPolicyRootCACertificateIsEV`, which hold from 2006-09-01 on.
    fileprivate var mayAnchorExtendedValidation: Bool {
        let isOld = self.notBefore < Timestamp(year: 2006, month: 9, day: 1)
        return (isOld || (self.version == 3 && self.mayIssue)) && self.hasKey(rsaBits: 2_048)
    }

    /// `true` if the certificate meets the rules of `SecPolicySubordinateCACertificateCouldBeEV`.
    fileprivate var mayIssueExtendedValidation: Bool {
        guard self.has(.certificatePolicies), self.has(.crlDistributionPoints), self.mayIssue else { return false }
        let isOld =
            self.notBefore < Timestamp(year: 2011, month: 1, day: 1)
            || self.notAfter < Timestamp(year: 2014, month: 1, day: 1)
        let mayBeSHA1 = self.notBefore <= Timestamp(year: 2016, month: 1, day: 1)
        return self.hasKey(rsaBits: isOld ? 1_024 : 2_048)
            && (mayBeSHA1 || ![.md5, .sha1].contains(self.signatureAlgorithm.digest))
    }
}
