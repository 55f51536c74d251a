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

    let keys: Set<PinDigest>
    let certificates: Set<PinDigest>
    /// The part of a path that is looked at.
    public var scope: Scope
    /// The classes of anchors whose paths need no pin.
    public var exemptAnchors: Set<AnchorClass> = []

    /// A requirement. Without any digest every path is refused.
    ///
    /// - Parameters:
    ///   - keyDigests: SHA-256 digests of SubjectPublicKeyInfos. What has not 32 octets matches nothing.
    ///   - certificateDigests: SHA-256 digests of whole certificates. What has not 32 octets matches nothing.
    ///   - scope: The part of a path that is looked at.
    public init(keyDigests: Set<[UInt8]>, certificateDigests: Set<[UInt8]> = [], scope: Scope = .path) {
        self.keys = Set(keyDigests.compactMap { PinDigest($0) })
        self.certificates = Set(certificateDigests.compactMap { PinDigest($0) })
        self.scope = scope
    }

    /// SHA-256 digests of SubjectPublicKeyInfos, 32 octets each.
    public var keyDigests: Set<[UInt8]> { Set(self.keys.map(\.octets)) }
    /// SHA-256 digests of whole certificates, 32 octets each.
    public var certificateDigests: Set<[UInt8]> { Set(self.certificates.map(\.octets)) }
}
