//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The rules between an issuer and its certificates: the right to issue them, the path length, and the names.
extension PathChecks {
    /// Checks the issuers (RFC 5280 §6.1.4 (k) to (n)). Apple applies the same rules to an anchor that is a certificate.
    mutating func checkIssuers() {
        var intermediatesBelow = 0
        for index in self.certificates.indices.dropFirst() {
            let issuer = self.certificates[index]
            self.checkMayIssue(issuer, at: index)
            self.checkKeyIdentifiers(child: index - 1, issuer: index)
            if let limit = issuer.fields.extensions.pathLength, issuer.isCertificateAuthority,
                intermediatesBelow > Int(limit)
            {
                self.reject(.pathLengthExceeded(limit: Int(limit), actual: intermediatesBelow), at: index)
            }
            if !issuer.isSelfIssued { intermediatesBelow += 1 }
        }
    }

    private mutating func checkMayIssue(_ issuer: CertificateView, at index: Int) {
        let extensions = issuer.fields.extensions
        if issuer.version < 3 {
            if !self.toleratesOldVersion(at: index) {
                self.reject(.oldVersionIssuer(version: issuer.version), at: index)
            }
        } else if !extensions.has(.basicConstraints) {
            self.reject(.basicConstraintsMissing, at: index)
        } else if !extensions.isCA {
            self.reject(.notCertificateAuthority, at: index)
        }
        if extensions.has(.keyUsage), !extensions.keyUsage.contains(.keyCertSign) {
            self.reject(.keyUsage(missing: .keyCertSign), at: index)
        }
    }

    /// Returns `true` if an issuer may have version 1 or 2. Such a certificate cannot be marked as an authority, but
    /// the user or program that trusts it as an anchor has decided that. An untrusted root is rejected for that reason
    /// alone. Apple also checks only the certificates below the last one.
    private func toleratesOldVersion(at index: Int) -> Bool {
        let isTop = index == self.certificates.count - 1
        guard !isTop || !(self.path.endsWithAnchorCertificate || self.path.deadEnd == .untrustedRoot) else {
            return true
        }
        guard self.profile.dangerouslyAcceptsOldIntermediatesBelowOldAnchors, let top = self.certificates.last else {
            return false
        }
        return self.path.endsWithAnchorCertificate && top.version < 3
    }

    private mutating func checkKeyIdentifiers(child: Int, issuer: Int) {
        guard self.profile.requiresKeyIdentifierLinkage else { return }
        if self.certificates[child].keyIdentifierMatches(issuer: self.certificates[issuer]) == false {
            self.reject(.keyIdentifierMismatch, at: child)
        }
    }

    /// Checks all name constraints (RFC 5280 §6.1.3 (b), (c)). Every certificate below an issuer, except self-issued
    /// intermediates, must satisfy its constraints, including those of the anchor. Comparing each name with each
    /// constraint gives the intersection of permitted and the union of excluded subtrees without computing either.
    mutating func checkNameConstraints(budget: inout Int) {
        var comparisons = NameConstraintBudget(comparisons: budget)
        for issuerIndex in self.certificates.indices.dropFirst()
        where self.certificates[issuerIndex].has(.nameConstraints) {
            guard comparisons.remaining > 0 else {
                self.reject(.budgetExceeded(.nameComparisons), at: issuerIndex)
                break
            }
            // Reading the subtrees is work too, and is repeated for every path. If there are more than the budget allows, they
            // are only counted.
            let readingCost = NameConstraints.readingCost(of: self.certificates[issuerIndex])
            guard readingCost <= comparisons.remaining else {
                self.reject(.budgetExceeded(.nameComparisons), at: 0)
                break
            }
            guard let constraints = self.nameConstraints(of: self.certificates[issuerIndex]) else { continue }
            comparisons.spend(readingCost)
            if constraints.mentionsUnsupportedForm, self.refusesUnknownForms(of: self.certificates[issuerIndex]) {
                self.reject(.nameConstraints(constraints.violationOfUnsupportedForms), at: issuerIndex)
            }
            for index in 0..<issuerIndex where index == 0 || !self.certificates[index].isSelfIssued {
                guard let violation = constraints.check(self.certificates[index], budget: &comparisons) else {
                    continue
                }
                self.reject(Self.reason(violation), at: index)
            }
        }
        budget = max(0, comparisons.remaining)
    }

    private func nameConstraints(of issuer: CertificateView) -> NameConstraints? {
        let isCritical = issuer.fields.extensions.isCritical(.nameConstraints)
        var constraints = NameConstraints(
            of: issuer,
            isCritical: isCritical || self.profile.unknownNameConstraintForms == .refusedWhereNamesHaveThem,
            acceptsLeadingDot: self.profile.acceptsLeadingDotInDNSConstraints,
            maximumSubtrees: self.profile.maximumNameConstraintSubtrees)
        constraints?.alwaysConstrainsSubjectMailboxes = self.profile.alwaysConstrainsSubjectMailboxes
        return constraints
    }

    private func refusesUnknownForms(of issuer: CertificateView) -> Bool {
        self.profile.unknownNameConstraintForms == .refusedIfCritical
            && issuer.fields.extensions.isCritical(.nameConstraints)
    }

    private static func reason(_ violation: NameConstraintViolation) -> RejectionReason {
        violation.kind == .budgetExceeded ? .budgetExceeded(.nameComparisons) : .nameConstraints(violation)
    }
}
