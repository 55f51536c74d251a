//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The collection of the evidence of a violation. No verdict depends on it.
extension NameConstraints {
    func violation(
        _ kind: NameConstraintViolation.Kind, _ name: GeneralName, in bytes: Span<UInt8>, isInSubject: Bool
    ) -> NameConstraintViolation {
        guard kind != .budgetExceeded else { return NameConstraintViolation(kind) }
        return NameConstraintViolation(
            kind, form: name.form, name: GeneralNameText.text(of: name, in: bytes), isInSubject: isInSubject,
            constraints: self.constraints(behind: kind, name, in: bytes)
        )
    }

    /// The violation by an authority that constrains names of forms that cannot be compared, with its constraints.
    var violationOfUnsupportedForms: NameConstraintViolation {
        var texts: [String] = []
        let own = self.bytes
        // The subtrees were read before, so an error here does not change the verdict.
        try? Self.forEachSubtree(in: self.content, own.span) { subtree, _ in
            guard NameSubtrees.isUnsupported(subtree.form), texts.count < NameConstraintViolation.maximumConstraints
            else { return }
            let text = GeneralNameText.text(ofSubtree: subtree, in: own.span)
            if !texts.contains(text) { texts.append(text) }
        }
        return NameConstraintViolation(.unsupportedForm, constraints: texts)
    }

    private func constraints(
        behind kind: NameConstraintViolation.Kind, _ name: GeneralName, in bytes: Span<UInt8>
    ) -> [String] {
        var texts: [String] = []
        // Collecting evidence may cost no more than reading the constraints once more.
        var budget = NameConstraintBudget(comparisons: Self.maximumEvidence)
        let own = self.bytes
        do {
            try Self.forEachSubtree(in: self.content, own.span) { subtree, isExcluded in
                guard subtree.form == name.form, texts.count < NameConstraintViolation.maximumConstraints,
                    Self.isBehind(kind, subtree, isExcluded, name, in: bytes, own.span, &budget)
                else { return }
                texts.append(GeneralNameText.text(ofSubtree: subtree, in: own.span))
            }
        } catch {
            // The constraints were read twice already. The evidence found so far is returned.
            return texts
        }
        return texts
    }

    private static func isBehind(
        _ kind: NameConstraintViolation.Kind, _ subtree: GeneralName, _ isExcluded: Bool,
        _ name: GeneralName, in bytes: Span<UInt8>, _ subtreeBytes: Span<UInt8>, _ budget: inout NameConstraintBudget
    ) -> Bool {
        switch kind {
        case .notPermitted: return !isExcluded
        case .excluded, .malformedConstraint:
            budget.spend(1)
            guard isExcluded, !budget.isExhausted else { return false }
            var alone = NameSubtrees(acceptsLeadingDot: true)
            alone.insert(subtree, in: subtreeBytes)
            alone.finish()
            guard kind == .excluded else { return alone.isMalformed(subtree.form) }
            guard let name = ConstrainedName(name, in: bytes) else { return false }
            return alone.covers(name, .any, in: bytes, &budget)
        default: return true
        }
    }

    private static let maximumEvidence = 8_192
}
