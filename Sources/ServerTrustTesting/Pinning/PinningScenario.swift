//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A thing that can happen to a client that pins.
///
/// The client trusts two roots in every scenario: that of the authority a ``PinnedSite`` has its certificate from, and one
/// that someone in the middle got into its store. Only pins tell them apart.
public enum PinningScenario: String, CaseIterable, Codable, Hashable, Sendable {
    // MARK: The site itself

    /// The site as it was when its pins were made.
    case genuine
    /// The site has a new certificate from the same authority for the same key.
    case renewedCertificate = "renewed-certificate"
    /// The site has a certificate from the same authority for another key: the one whose pin is its backup.
    case rotatedKey = "rotated-key"
    /// The site has a certificate for the same key from another intermediate below the same root.
    case otherIntermediate = "other-intermediate"
    /// The site sends its root before its intermediate, which TLS 1.2 forbids and servers do.
    case wrongOrder = "wrong-order"
    /// The site sends its intermediate twice, its root, and certificates that have nothing to do with it.
    case superfluousCertificates = "superfluous-certificates"

    // MARK: Someone in the middle with a root the client trusts

    /// A certificate for the name below another root the client trusts: a company's proxy, or an attacker's.
    case trustedMiddleman = "trusted-middleman"
    /// The same with the site's own certificate sent after it, which is on no path: code that searches what is sent for a
    /// pin, rather than the path, finds it.
    case appendedLeaf = "appended-leaf"
    /// The same with the site's intermediate sent after it.
    case appendedIntermediate = "appended-intermediate"
    /// The same with the site's root sent after it.
    case appendedRoot = "appended-root"
    /// The same with an intermediate that has the name of the site's, which is sent as well.
    case imitatedIntermediate = "imitated-intermediate"

    // MARK: Someone in the middle with less than that

    /// A certificate for the name below a root the client does not trust.
    case untrustedMiddleman = "untrusted-middleman"
    /// A certificate for the name that is signed with its own key.
    case selfSigned = "self-signed"
    /// A certificate for the name that another customer of the site's authority signed with the key of his own, which is
    /// no authority's.
    case leafAsIssuer = "leaf-as-issuer"
    /// A certificate of another customer of the site's authority, for another name.
    case otherCustomer = "other-customer"
}

extension PinningScenario: NamedCase {
    static let kind = "pinning scenario"

    /// Finds a scenario by its name, for tools and tests that read what they are about.
    ///
    /// - Parameter name: The raw value, such as `trusted-middleman`.
    /// - Throws: ``UnknownNameError``, which lists the names there are.
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
    /// What happens, in one line.
    public var summary: String {
        switch self {
        case .genuine: "the site as it was when its pins were made"
        case .renewedCertificate: "a new certificate for the same key"
        case .rotatedKey: "a certificate for the backup key"
        case .otherIntermediate: "the same key certified by another intermediate of the same root"
        case .wrongOrder: "the root is sent before the intermediate"
        case .superfluousCertificates: "more is sent than the path needs"
        case .trustedMiddleman: "someone in the middle with a root the client trusts"
        case .appendedLeaf: "a trusted middleman who also sends the site's certificate"
        case .appendedIntermediate: "a trusted middleman who also sends the site's intermediate"
        case .appendedRoot: "a trusted middleman who also sends the site's root"
        case .imitatedIntermediate: "a trusted middleman with an intermediate named like the site's"
        case .untrustedMiddleman: "someone in the middle with an untrusted root"
        case .selfSigned: "a certificate for the name, signed with its own key"
        case .leafAsIssuer: "a certificate for the name, issued by another customer's certificate"
        case .otherCustomer: "another customer's certificate, from the site's authority"
        }
    }
}

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
