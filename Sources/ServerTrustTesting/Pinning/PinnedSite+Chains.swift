//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

extension PinnedSite {
    /// What a server of a scenario sends.
    struct Chain {
        let leaf: TestCertificate
        let others: [TestCertificate]
    }

    /// Asks whether what a server of a scenario sends is to be trusted, without any server: for tests of many
    /// configurations, and where there is no network, not even a loopback one.
    ///
    /// - Parameter scenario: What happens.
    /// - Returns: The question, with ``anchors``, ready to be evaluated or handed to a `ServerTrustManager`.
    /// - Throws: An error of a certificate that cannot be made.
    public func trust(for scenario: PinningScenario) throws -> Trust {
        let chain = try self.chain(for: scenario)
        return try Trust(
            certificates: ([chain.leaf] + chain.others).map { try $0.trustCertificate },
            policy: .tlsServer(hostname: self.host),
            anchors: self.anchors
        )
    }

    /// The certificates a server of a scenario sends.
    ///
    /// - Parameter scenario: What happens.
    /// - Returns: The certificates, and among them the key of the first.
    /// - Throws: An error of a certificate that cannot be made.
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
    /// A new certificate of the site.
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
    /// A certificate for the site's name from an authority that is not the site's.
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
