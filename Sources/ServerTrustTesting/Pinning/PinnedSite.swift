//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
import ServerTrustNIO

/// A site with pinned keys, and the impostors that will pretend to be the site.
///
/// Create a site to configure a client with its ``pins`` once and run several scenarios against it. Without one,
/// `withPinningServer` creates a site itself.
public struct PinnedSite: Sendable {
    /// A key of the site that can be pinned.
    public enum Part: String, CaseIterable, Codable, Hashable, Sendable {
        /// The key of the site.
        case leaf
        /// The site's offline key, which replaces a lost one.
        case backup
        /// The key of the intermediate that issued the site's certificate.
        case intermediate
        /// The key of the root.
        case root
    }

    /// The DNS name or IP address of the site.
    public let host: String

    /// The site's certificate, from which its pins were computed.
    public let leaf: TestCertificate

    /// The certificate that issued the site's.
    public let intermediate: TestCertificate

    /// The site's root, which clients trust.
    public let root: TestCertificate

    /// The offline key, which has no certificate yet.
    public let backupKey: TestPrivateKey

    /// The pins of the site.
    public let pins: Pins

    /// The anchors of the clients: the site's root and the middleman's root.
    ///
    /// The middleman's root is of the class `user`, as if it had been added to the machine's store. A test can then check the
    /// exemption of such roots from pinning (`PinSet.exemptAnchors`).
    public var anchors: TrustAnchors { self.configuration.anchors }

    /// The configuration of the clients, with ``anchors`` and Apple's rules.
    public let configuration: TrustConfiguration

    /// The root that an attacker has added to the stores of clients.
    public var middlemanRoot: TestCertificate {
        self.middleman.root
    }

    let authority: TestAuthority
    let middleman: TestAuthority

    /// Creates the keys and certificates of a site.
    ///
    /// - Parameter host: The DNS name or IP address of the site. It is never resolved, so it may belong to a real site.
    /// - Throws: `TLSEndpointError` if the host is neither, or an error if a certificate cannot be created.
    public init(host: String = "pinned.test") throws {
        self.host = try TLSEndpoint(host: host).host.text
        self.authority = try TestAuthority()
        self.middleman = try TestAuthority(root: .root(commonName: "Middleman Root CA"))
        self.root = self.authority.root
        self.intermediate = try self.authority.issue(.intermediate())
        self.backupKey = try TestPrivateKey(.p256)
        var description = try CertificateDescription.leaf(host: host)
        // Old enough for a renewal.
        description.setValidity(from: .seconds(-60 * 86_400), lasting: .seconds(90 * 86_400))
        self.leaf = try self.authority.issue(description, by: self.intermediate)
        self.pins = Pins(
            leaf: try self.leaf.pin,
            backup: try self.backupKey.pin,
            intermediate: try self.intermediate.pin,
            root: try self.root.pin
        )
        var anchors = try self.authority.anchors
        anchors.add(try self.middleman.root.trustCertificate, as: .user)
        self.configuration = TrustConfiguration(anchors: anchors)
    }
}

extension PinnedSite {
    /// The pins of the keys of a site.
    ///
    /// Configure a client with some of them. ``PinningScenario/isTrusted(pinning:)`` states the correct verdict of a client with
    /// these pins.
    public struct Pins: Hashable, Sendable {
        /// The pin of the site's key.
        public let leaf: Pin
        /// The pin of the offline key.
        public let backup: Pin
        /// The pin of the intermediate's key.
        public let intermediate: Pin
        /// The pin of the root's key.
        public let root: Pin

        /// Returns the pin of one part of the site.
        ///
        /// - Parameter part: The part.
        public subscript(part: Part) -> Pin {
            switch part {
            case .leaf: self.leaf
            case .backup: self.backup
            case .intermediate: self.intermediate
            case .root: self.root
            }
        }
    }
}

extension CertificateDescription {
    /// Returns a server certificate for a host, which may be a DNS name or an IP address.
    ///
    /// - Parameter host: A DNS name or IP address.
    /// - Returns: The description.
    /// - Throws: `TLSEndpointError` if the host is neither.
    static func leaf(host: String) throws -> Self {
        try TLSEndpoint(host: host).host.isAddress
            ? .leaf(dnsNames: [], ipAddresses: [host]) : .leaf(dnsNames: [host])
    }
}

extension PinnedSite {
    /// The certificates that the server of a scenario sends.
    struct Chain {
        let leaf: TestCertificate
        let others: [TestCertificate]
    }

    /// Creates the trust object for the chain of a scenario without starting a server. Use it to test many configurations, or
    /// where even the loopback network is unavailable.
    ///
    /// - Parameter scenario: The scenario.
    /// - Returns: A trust object with ``anchors``, ready to be evaluated or handed to a `ServerTrustManager`.
    /// - Throws: An error if a certificate cannot be created.
    public func trust(for scenario: PinningScenario) throws -> Trust {
        let chain = try self.chain(for: scenario)
        return try Trust(
            certificates: ([chain.leaf] + chain.others).map { try $0.trustCertificate },
            policy: .tlsServer(hostname: self.host),
            configuration: TrustConfiguration(anchors: self.anchors))
    }

    /// Returns the certificates that the server of a scenario sends.
    ///
    /// - Parameter scenario: The scenario.
    /// - Returns: The certificates, with the private key of the first one.
    /// - Throws: An error if a certificate cannot be created.
    func chain(for scenario: PinningScenario) throws -> Chain {
        switch scenario {
        case .genuine: Chain(leaf: self.leaf, others: [self.intermediate])
        case .renewedCertificate: try self.certified(self.leaf.privateKey, by: self.intermediate)
        case .rotatedKey: try self.certified(self.backupKey, by: self.intermediate)
        case .otherIntermediate: try self.certified(self.leaf.privateKey, by: self.makeSecondIntermediate())
        case .wrongOrder: Chain(leaf: self.leaf, others: [self.root, self.intermediate])
        case .superfluousCertificates: try self.makeSuperfluous()
        case .trustedMiddleman: try self.forged(by: self.middleman)
        case .appendedLeaf: try self.forged(by: self.middleman, appending: [self.leaf])
        case .appendedIntermediate: try self.forged(by: self.middleman, appending: [self.intermediate])
        case .appendedRoot: try self.forged(by: self.middleman, appending: [self.root])
        case .imitatedIntermediate:
            try self.forged(by: self.middleman, as: .intermediate(), appending: [self.intermediate])
        case .untrustedMiddleman: try self.forged(by: TestAuthority(root: .root(commonName: "Unknown Root CA")))
        case .selfSigned: Chain(leaf: try self.authority.selfSigned(.leaf(host: self.host)), others: [])
        case .leafAsIssuer: try self.makeIssuedByLeaf()
        case .otherCustomer: Chain(leaf: try self.makeOtherCustomer(), others: [self.intermediate])
        }
    }
}

// MARK: - The site

extension PinnedSite {
    /// Issues a new certificate for the site.
    private func certified(_ key: TestPrivateKey, by issuer: TestCertificate) throws -> Chain {
        var description = try CertificateDescription.leaf(host: self.host)
        description.key = key
        return Chain(leaf: try self.authority.issue(description, by: issuer), others: [issuer])
    }

    private func makeSecondIntermediate() throws -> TestCertificate {
        try self.authority.issue(.intermediate(commonName: "Throw-away Second Intermediate CA"))
    }

    private func makeSuperfluous() throws -> Chain {
        let stranger = try TestAuthority(root: .root(commonName: "Unrelated Root CA"))
        let unrelated = try stranger.issue(.intermediate(commonName: "Unrelated Intermediate CA"))
        return Chain(
            leaf: self.leaf,
            others: [unrelated, self.intermediate, stranger.root, self.intermediate, self.root]
        )
    }
}

// MARK: - Everyone else

extension PinnedSite {
    /// Issues a certificate for the site's name from another authority than the site's.
    private func forged(
        by authority: TestAuthority,
        as intermediate: CertificateDescription = .intermediate(commonName: "Middleman Intermediate CA"),
        appending appended: [TestCertificate] = []
    ) throws -> Chain {
        let issuer = try authority.issue(intermediate)
        let leaf = try authority.issue(.leaf(host: self.host), by: issuer)
        return Chain(leaf: leaf, others: [issuer] + appended)
    }

    private func makeOtherCustomer() throws -> TestCertificate {
        try self.authority.issue(.leaf(dnsNames: ["other-customer.invalid"]), by: self.intermediate)
    }

    private func makeIssuedByLeaf() throws -> Chain {
        let customer = try self.makeOtherCustomer()
        let leaf = try self.authority.issue(.leaf(host: self.host), by: customer)
        return Chain(leaf: leaf, others: [customer, self.intermediate])
    }
}
