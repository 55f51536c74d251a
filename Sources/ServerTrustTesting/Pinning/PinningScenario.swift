//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A situation that a pinning client must handle.
///
/// In every scenario the client trusts two roots: the root of the authority that issued the certificate of a ``PinnedSite``, and
/// a root that an attacker has added to the client's store. Only pins distinguish the two.
public enum PinningScenario: String, CaseIterable, Codable, Hashable, Sendable {
    // MARK: The site itself

    /// The site has not changed since its pins were computed.
    case genuine
    /// The site has a new certificate from the same authority for the same key.
    case renewedCertificate = "renewed-certificate"
    /// The site has a certificate from the same authority for another key, the one with the backup pin.
    case rotatedKey = "rotated-key"
    /// The site has a certificate for the same key from another intermediate below the same root.
    case otherIntermediate = "other-intermediate"
    /// The site sends its root before its intermediate. TLS 1.2 forbids this, but some servers do it.
    case wrongOrder = "wrong-order"
    /// The site sends its intermediate twice, its root, and unrelated certificates.
    case superfluousCertificates = "superfluous-certificates"

    // MARK: Someone in the middle with a root the client trusts

    /// The server has a certificate for the name below another trusted root, such as the root of a company's proxy or of an
    /// attacker.
    case trustedMiddleman = "trusted-middleman"
    /// The trusted middleman also sends the site's own certificate, which is on no path. A client that searches for pins in the
    /// sent certificates instead of the path accepts it wrongly.
    case appendedLeaf = "appended-leaf"
    /// The trusted middleman also sends the site's intermediate.
    case appendedIntermediate = "appended-intermediate"
    /// The trusted middleman also sends the site's root.
    case appendedRoot = "appended-root"
    /// The trusted middleman's intermediate has the name of the site's intermediate, and the server sends both.
    case imitatedIntermediate = "imitated-intermediate"

    // MARK: Someone in the middle with less than that

    /// The server has a certificate for the name below a root that the client does not trust.
    case untrustedMiddleman = "untrusted-middleman"
    /// The server has a certificate for the name that is signed with its own key.
    case selfSigned = "self-signed"
    /// The server has a certificate for the name that another customer of the site's authority signed with the key of a leaf
    /// certificate.
    case leafAsIssuer = "leaf-as-issuer"
    /// The server has another customer's certificate from the site's authority, for another name.
    case otherCustomer = "other-customer"
}

extension PinningScenario: NamedCase {
    static let kind = "pinning scenario"

    /// Finds a scenario by its name, for tools and tests that read the name from their input.
    ///
    /// - Parameter name: The raw value, such as `trusted-middleman`.
    /// - Throws: ``UnknownNameError``, which lists the known names.
    public init(named name: String) throws(UnknownNameError) {
        self = try Self.find(name)
    }
}

extension PinningScenario: CustomStringConvertible {
    /// The name of the scenario, such as `trusted-middleman`.
    public var description: String {
        self.rawValue
    }
}

extension PinningScenario {
    /// The scenario in one line.
    public var summary: String {
        switch self {
        case .genuine: "the site as it was when its pins were made"
        case .renewedCertificate: "a new certificate for the same key"
        case .rotatedKey: "a certificate for the backup key"
        case .otherIntermediate: "the same key certified by another intermediate of the same root"
        case .wrongOrder: "the root is sent before the intermediate"
        case .superfluousCertificates: "more is sent than the path needs"
        case .trustedMiddleman: "a machine in the middle with a root that the client trusts"
        case .appendedLeaf: "a trusted middleman that also sends the site's certificate"
        case .appendedIntermediate: "a trusted middleman that also sends the site's intermediate"
        case .appendedRoot: "a trusted middleman that also sends the site's root"
        case .imitatedIntermediate: "a trusted middleman with an intermediate named like the site's"
        case .untrustedMiddleman: "a machine in the middle with an untrusted root"
        case .selfSigned: "a certificate for the name, signed with its own key"
        case .leafAsIssuer: "a certificate for the name, issued by another customer's certificate"
        case .otherCustomer: "another customer's certificate, from the site's authority"
        }
    }
}

extension PinningScenario {
    /// Returns `true` if a client that follows the rules of Apple's systems trusts the server.
    ///
    /// ```swift
    /// #expect(decision.isTrusted == server.scenario.isTrusted(pinning: [.leaf, .backup]))
    /// ```
    ///
    /// - Parameter parts: The pinned parts. One of them must be on the path. Empty for a client without pins.
    public func isTrusted(pinning parts: Set<PinnedSite.Part> = []) -> Bool {
        self.isTrustedWithoutPins && (parts.isEmpty || !parts.isDisjoint(with: self.partsOnPath))
    }

    /// The parts of the site with keys on the path that the server sends, trusted or not.
    public var partsOnPath: Set<PinnedSite.Part> {
        switch self {
        case .genuine, .renewedCertificate, .wrongOrder, .superfluousCertificates: [.leaf, .intermediate, .root]
        case .rotatedKey: [.backup, .intermediate, .root]
        case .otherIntermediate: [.leaf, .root]
        // The genuine authority certified these servers for another name.
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
