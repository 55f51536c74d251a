//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A set of pinned keys and certificates, of which a path must contain one.
///
/// By default the path search respects pins. If several paths break no other rule, it chooses one with a pin. Add the
/// requirement to ``PurposeRequirement/pins``.
public struct PinRequirement: Sendable, Hashable {
    /// The part of a path that must contain a pin.
    public enum Scope: String, Sendable, Hashable, CaseIterable {
        /// The whole path, including the anchor.
        case path
        /// The leaf.
        case leaf
        /// All certificates above the leaf. If the path is a single certificate, there are none.
        case authorities
        /// The anchor, which may be the leaf itself.
        case anchor
    }

    /// The step of the evaluation that compares the pins.
    public enum Comparison: String, Sendable, Hashable, CaseIterable {
        /// The path search compares them, and prefers a path with a pin. Security compares `NSPinnedDomains` so
        /// (SecPolicyServer.c `SecPolicyCheckLeafSPKISHA256`).
        case duringSearch = "during-search"
        /// The search ignores them. The path that it chooses must then have a pin. TrustKit, Android and OkHttp compare
        /// the pins with the path that the platform has chosen.
        case afterSearch = "after-search"
    }

    let keys: Set<PinDigest>
    let certificates: Set<PinDigest>
    /// The part of a path that must contain a pin.
    public var scope: Scope
    /// The classes of anchors that need no pin on their paths.
    public var exemptAnchors: Set<AnchorClass> = []
    /// The step of the evaluation that compares the pins.
    public var comparison = Comparison.duringSearch

    /// Creates a requirement. Without any digest, it rejects every path.
    ///
    /// - Parameters:
    ///   - keyDigests: The SHA-256 digests of SubjectPublicKeyInfos. A value without 32 octets matches no key.
    ///   - certificateDigests: The SHA-256 digests of whole certificates. A value without 32 octets matches no certificate.
    ///   - scope: The part of a path that must contain a pin.
    public init(keyDigests: Set<[UInt8]>, certificateDigests: Set<[UInt8]> = [], scope: Scope = .path) {
        self.keys = Set(keyDigests.compactMap { PinDigest($0) })
        self.certificates = Set(certificateDigests.compactMap { PinDigest($0) })
        self.scope = scope
    }

    /// The SHA-256 digests of SubjectPublicKeyInfos, 32 octets each.
    public var keyDigests: Set<[UInt8]> { Set(self.keys.map(\.octets)) }
    /// The SHA-256 digests of whole certificates, 32 octets each.
    public var certificateDigests: Set<[UInt8]> { Set(self.certificates.map(\.octets)) }
}
