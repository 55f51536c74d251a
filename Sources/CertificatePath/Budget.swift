//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits on the work of one evaluation.
///
/// The operator of a server chooses its certificates, so every search over them is bounded. Eight hostile certificates
/// can keep a validator without a budget busy for minutes. An exceeded limit is a reason for rejection of its own,
/// ``RejectionReason/budgetExceeded(_:)``, and never an acceptance.
public struct Budget: Sendable, Hashable {
    /// The maximum number of signature verifications.
    public var signatures: Int
    /// The maximum cost of signatures that lead nowhere, counted in P-256 verifications. P-384 counts ten, RSA of
    /// 2,048 bits a third.
    ///
    /// The signatures that the verdict rests on are not counted, nor are those of lists and responses that are used.
    /// Each forty kilobytes of input add one verification, and keys that an authority certified add fifteen at most,
    /// so that no input costs more than sixty for nothing. Thirty P-256 intermediates of one name that no key
    /// identifier distinguishes are within the limit, and so are three on P-384 and two on P-521.
    public var fruitlessSignatures: Int
    /// The maximum number of steps from a certificate to a possible issuer during the path search.
    public var pathSteps: Int
    /// The maximum number of certificates below an anchor, the leaf included.
    public var pathLength: Int
    /// The maximum number of complete paths that are evaluated. Apple builds at most 100 (SecTrustServer.c).
    public var paths: Int
    /// The maximum number of comparisons of a name with a name constraint, on all paths. Reading a constraint counts as one,
    /// and each eight octets of a directory name as one more.
    public var nameComparisons: Int
    /// The maximum number of nodes and edges of the policy graph.
    public var policyNodes: Int

    /// Creates a budget. The defaults are enough for every set of certificates that names the keys of its issuers.
    ///
    /// - Parameters:
    ///   - signatures: The maximum number of signature verifications.
    ///   - fruitlessSignatures: The maximum cost of signatures that lead nowhere, in P-256 verifications.
    ///   - pathSteps: The maximum number of steps from a certificate to a possible issuer.
    ///   - pathLength: The maximum number of certificates below an anchor, the leaf included.
    ///   - paths: The maximum number of complete paths that are evaluated.
    ///   - nameComparisons: The maximum number of comparisons of a name with a name constraint.
    ///   - policyNodes: The maximum number of nodes and edges of the policy graph.
    public init(
        signatures: Int = 110,
        fruitlessSignatures: Int = 30,
        pathSteps: Int = 1_000,
        pathLength: Int = 32,
        paths: Int = 100,
        nameComparisons: Int = 50_000,
        policyNodes: Int = 50_000
    ) {
        self.signatures = signatures
        self.fruitlessSignatures = fruitlessSignatures
        self.pathSteps = pathSteps
        self.pathLength = pathLength
        self.paths = paths
        self.nameComparisons = nameComparisons
        self.policyNodes = policyNodes
    }

    /// The limit that an evaluation exceeded.
    public enum Resource: String, Sendable, Hashable, CaseIterable {
        /// The signature checks exceeded ``Budget/signatures`` or ``Budget/fruitlessSignatures``.
        case signatures
        /// The path search exceeded ``Budget/pathSteps``.
        case pathSteps = "path-steps"
        /// The path search exceeded ``Budget/paths``.
        case paths
        /// More certificates have the name of an issuer than are considered. The limit is fixed.
        case issuers
        /// The name constraints exceeded ``Budget/nameComparisons``.
        case nameComparisons = "name-comparisons"
        /// The policy graph exceeded ``Budget/policyNodes``.
        case policyNodes = "policy-nodes"
    }

    /// Takes one unit, and returns `false` if no unit is left.
    @inline(__always)
    static func spend(_ remaining: inout Int) -> Bool {
        guard remaining > 0 else { return false }
        remaining &-= 1
        return true
    }
}
