//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension PinningScenario {
    /// Whether a client that follows the rules of Apple's systems trusts the server.
    ///
    /// ```swift
    /// #expect(decision.isTrusted == server.scenario.isTrusted(pinning: [.leaf, .backup]))
    /// ```
    ///
    /// - Parameter parts: What the client pins; one of them must be on the path. None for a client without pins.
    public func isTrusted(pinning parts: Set<PinnedSite.Part> = []) -> Bool {
        self.isTrustedWithoutPins && (parts.isEmpty || !parts.isDisjoint(with: self.partsOnPath))
    }

    /// What can be pinned and is on the path of what the server sends, whether the path is trusted or not.
    public var partsOnPath: Set<PinnedSite.Part> {
        switch self {
        case .genuine, .renewedCertificate, .wrongOrder, .superfluousCertificates: [.leaf, .intermediate, .root]
        case .rotatedKey: [.backup, .intermediate, .root]
        case .otherIntermediate: [.leaf, .root]
        // What such a server has the genuine authority vouch for is not the name that was asked for.
        case .leafAsIssuer, .otherCustomer: [.intermediate, .root]
        case .trustedMiddleman, .appendedLeaf, .appendedIntermediate, .appendedRoot, .imitatedIntermediate,
            .untrustedMiddleman, .selfSigned:
            []
        }
    }

    private var isTrustedWithoutPins: Bool {
        switch self {
        case .genuine, .renewedCertificate, .rotatedKey, .otherIntermediate, .wrongOrder, .superfluousCertificates:
            true
        case .trustedMiddleman, .appendedLeaf, .appendedIntermediate, .appendedRoot, .imitatedIntermediate: true
        case .untrustedMiddleman, .selfSigned, .leafAsIssuer, .otherCustomer: false
        }
    }
}
