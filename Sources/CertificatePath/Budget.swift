//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// All the work one evaluation may do.
///
/// The certificates of a server are chosen by its operator, so every search over them is bounded: eight hostile
/// certificates keep a validator without a budget busy for minutes. Running out is a reason of its own and never an
/// acceptance.
public struct Budget: Sendable, Hashable {
    /// Signature verifications.
    public var signatures: Int
    /// The cost of signatures that lead nowhere, counted in P-256 verifications: P-384 counts ten, RSA of 2,048 bits a third.
    ///
    /// The signatures that the answer rests on are not counted, nor are those of lists and responses that are used. Forty
    /// supplied kilobytes add one verification, and keys that an authority certified add fifteen at most, so that nothing
    /// that is supplied costs more than sixty for nothing. Thirty P-256 intermediates of one name that no key identifier
    /// tells apart are within it, three on P-384, and two on P-521.
    public var fruitlessSignatures: Int
    /// Steps from a certificate to a possible issuer while paths are searched.
    public var pathSteps: Int
    /// Certificates between an anchor and the end of a path, the leaf included.
    public var pathLength: Int
    /// Complete paths that are judged; Apple builds at most 100 (SecTrustServer.c).
    public var paths: Int
    /// Comparisons of a name with a name constraint.
    public var nameComparisons: Int
    /// Nodes of the policy graph and edges between them.
    public var policyNodes: Int

    /// A budget. The defaults leave every set of certificates inside that names its issuers' keys.
    ///
    /// - Parameters:
    ///   - signatures: Signature verifications.
    ///   - fruitlessSignatures: The cost of signatures that lead nowhere, in P-256 verifications.
    ///   - pathSteps: Steps from a certificate to a possible issuer.
    ///   - pathLength: Certificates below an anchor, the leaf included.
    ///   - paths: Complete paths that are judged.
    ///   - nameComparisons: Comparisons of a name with a name constraint.
    ///   - policyNodes: Nodes and edges of the policy graph.
    public init(
        signatures: Int = 110,
        fruitlessSignatures: Int = 30,
        pathSteps: Int = 1_000,
        pathLength: Int = 32,
        paths: Int = 100,
        nameComparisons: Int = 250_000,
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

    /// What ran out.
    public enum Resource: String, Sendable, Hashable, CaseIterable {
        /// ``Budget/signatures``.
        case signatures
        /// ``Budget/pathSteps``.
        case pathSteps = "path-steps"
        /// ``Budget/paths``.
        case paths
        /// The possible issuers of one name that are considered, which is fixed.
        case issuers
        /// ``Budget/nameComparisons``.
        case nameComparisons = "name-comparisons"
        /// ``Budget/policyNodes``.
        case policyNodes = "policy-nodes"
    }

    /// Takes one unit; `false` when nothing is left.
    @inline(__always)
    static func spend(_ remaining: inout Int) -> Bool {
        guard remaining > 0 else { return false }
        remaining &-= 1
        return true
    }
}
