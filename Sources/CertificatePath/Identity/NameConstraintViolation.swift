//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A name of a certificate that the name constraints above it do not allow, or the reason they could not be checked.
public struct NameConstraintViolation: Sendable, Hashable {
    /// What the constraints say.
    public let kind: Kind
    /// The form of the name; `nil` when no single name is to blame.
    public let form: GeneralNameForm?
    /// The name, printable and cut when it is long; empty when no single name is to blame.
    public let name: String
    /// Whether the name stands in the subject instead of the subject alternative name.
    public let isInSubject: Bool
    /// The constraints that speak about the name: those that exclude it, or all that permit names of its form, at most
    /// ``maximumConstraints``.
    public let constraints: [String]

    /// The most constraints that are quoted.
    public static let maximumConstraints = 10

    /// The ways in which constraints are violated.
    public enum Kind: Sendable, Hashable {
        /// An excluded subtree holds the name.
        case excluded
        /// Names of the form are permitted in some subtrees, and none of them holds the name.
        case notPermitted
        /// The name is not what its form says, so that no constraint can be compared with it.
        case malformedName
        /// An excluded subtree of the name's form means nothing, and may mean to exclude the name.
        case malformedConstraint
        /// The constraints are critical and speak about a form of name that is not supported, and there is such a name.
        case unsupportedForm
        /// The extension has more subtrees than the rules allow.
        case tooManySubtrees(count: Int)
        /// The extension could not be read.
        case unreadable
        /// Checking would have taken more comparisons than were left.
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
    /// The name, what is wrong with it, and the constraints, as one sentence.
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

/// The comparisons that may still be made, over all the name constraints of one evaluation.
///
/// A look-up of one suffix of a name counts as one; so does a name that is only looked at.
struct NameConstraintBudget: Sendable {
    private(set) var remaining: Int

    init(comparisons: Int) {
        self.remaining = comparisons
    }

    var isExhausted: Bool { self.remaining < 0 }

    @inline(__always)
    mutating func spend(_ comparisons: Int) {
        self.remaining &-= comparisons
        // Once exhausted, forever: nothing may count its way round to positive numbers.
        if self.remaining < 0 { self.remaining = -1 }
    }
}
