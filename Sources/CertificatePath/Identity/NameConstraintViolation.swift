//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A violation of name constraints: a name of a certificate that an issuer above it does not allow, or the reason that
/// the constraints could not be checked.
///
/// The ``description`` is a sentence for a report. The properties have the same facts for a program.
public struct NameConstraintViolation: Sendable, Hashable {
    /// The kind of violation.
    public let kind: Kind
    /// The form of the name, or `nil` if no single name violates the constraints.
    public let form: GeneralNameForm?
    /// The name in printable form, shortened if it is long. Empty if no single name violates the constraints.
    public let name: String
    /// `true` if the name is in the subject instead of the subject alternative name.
    public let isInSubject: Bool
    /// The constraints that the name violates: those that exclude it, or all that permit names of its form, at most
    /// ``maximumConstraints``.
    public let constraints: [String]

    /// The maximum number of constraints in ``constraints``.
    public static let maximumConstraints = 10

    /// The kinds of violations.
    public enum Kind: Sendable, Hashable {
        /// The name is in an excluded subtree.
        case excluded
        /// Names of this form are permitted in some subtrees only, and the name is in none of them.
        case notPermitted
        /// The name does not have the syntax of its form, so no constraint can be compared with it.
        case malformedName
        /// An excluded subtree of the name's form is malformed and might be meant to exclude the name.
        case malformedConstraint
        /// The constraints are critical and constrain a form of name that is not supported, and the certificate has such a name.
        case unsupportedForm
        /// The extension has more subtrees than the rules allow.
        case tooManySubtrees(count: Int)
        /// The extension is malformed.
        case unreadable
        /// The check would exceed ``Budget/nameComparisons``.
        case budgetExceeded
    }

    init(
        _ kind: Kind, form: GeneralNameForm? = nil, name: String = "", isInSubject: Bool = false,
        constraints: [String] = []
    ) {
        self.kind = kind
        self.form = form
        self.name = name
        self.isInSubject = isInSubject
        self.constraints = constraints
    }
}

extension NameConstraintViolation: CustomStringConvertible {
    /// The name, the violation and the constraints, as one sentence.
    public var description: String {
        let subject = self.isInSubject ? " in the subject" : ""
        let list = self.constraints.joined(separator: ", ")
        return switch self.kind {
        case .excluded: "\"\(self.name)\"\(subject) is excluded by the issuer (\(list))"
        case .notPermitted: "\"\(self.name)\"\(subject) is not among the names the issuer may vouch for (\(list))"
        case .malformedName: "\"\(self.name)\"\(subject) is malformed, and the issuer constrains names of its form"
        case .malformedConstraint:
            "\"\(self.name)\"\(subject) cannot be compared with a malformed constraint of the issuer (\(list))"
        case .unsupportedForm where self.name.isEmpty:
            "it constrains names of a form that cannot be compared (\(list))"
        case .unsupportedForm:
            "\"\(self.name)\"\(subject) is of a form the issuer constrains and that cannot be compared"
        case .tooManySubtrees(let count): "the issuer has \(count) name constraints, more than are accepted"
        case .unreadable: "the issuer's name constraints cannot be read"
        case .budgetExceeded: "checking the issuer's name constraints would take too long"
        }
    }
}

/// The comparisons that are left for all name constraints of one evaluation.
///
/// Looking up one suffix of a name counts as one comparison, and so does visiting a name.
struct NameConstraintBudget: Sendable {
    private(set) var remaining: Int

    init(comparisons: Int) {
        self.remaining = comparisons
    }

    var isExhausted: Bool { self.remaining < 0 }

    @inline(__always)
    mutating func spend(_ comparisons: Int) {
        self.remaining &-= comparisons
        // An exhausted budget stays exhausted. The count must not wrap around to a positive number.
        if self.remaining < 0 { self.remaining = -1 }
    }
}
