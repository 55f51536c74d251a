//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Keys and certificates of which a path must have one.
///
/// Paths are searched for it: of several that break no other rule one with a pin is chosen.
public struct PinRequirement: Sendable, Hashable {
    /// The part of a path that is looked at.
    public enum Scope: String, Sendable, Hashable, CaseIterable {
        /// All of it.
        case path
        /// The leaf.
        case leaf
        /// Everything above the leaf; of a path that is one certificate, nothing.
        case authorities
        /// The anchor, which may be the leaf itself.
        case anchor
    }

    /// SHA-256 digests of SubjectPublicKeyInfos, 32 octets each.
    public var keyDigests: Set<[UInt8]>
    /// SHA-256 digests of whole certificates, 32 octets each.
    public var certificateDigests: Set<[UInt8]>
    /// The part of a path that is looked at.
    public var scope: Scope
    /// The classes of anchors whose paths need no pin.
    public var exemptAnchors: Set<AnchorClass> = []

    /// A requirement. Without any digest every path is refused.
    ///
    /// - Parameters:
    ///   - keyDigests: SHA-256 digests of SubjectPublicKeyInfos.
    ///   - certificateDigests: SHA-256 digests of whole certificates.
    ///   - scope: The part of a path that is looked at.
    public init(keyDigests: Set<[UInt8]>, certificateDigests: Set<[UInt8]> = [], scope: Scope = .path) {
        self.keyDigests = keyDigests
        self.certificateDigests = certificateDigests
        self.scope = scope
    }
}
