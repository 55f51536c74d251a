//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import X509

/// The certificates of the servers in a range. All except the faulty ones are below one root.
struct FaultCertificates: Sendable {
    let authority: TestAuthority
    private let intermediate: TestCertificate
    private let rsaIntermediate: TestCertificate
    private let constrainedIntermediate: TestCertificate
    private let unknownIntermediate: TestCertificate

    /// Creates the root and the intermediates.
    ///
    /// - Parameter faults: The faults that need certificates.
    /// - Throws: An error if a certificate cannot be created.
    init(for faults: [TLSFault]) async throws {
        let authority = try TestAuthority()
        // The three RSA keys take the most time. Each is generated in a task of its own, and only if it is needed.
        async let rsaIntermediate = faults.contains(where: \.hasRSAIssuer) ? Self.makeRSAIntermediate(authority) : nil
        async let rsaLeaf = faults.contains(where: \.hasRSAIssuer) ? authority.issue(Self.leaf(.goodRSA)) : nil
        async let weakLeaf = faults.contains(.weakRSA) ? authority.issue(Self.leaf(.weakRSA)) : nil
        self.authority = authority
        self.intermediate = try authority.issue(.intermediate())
        self.constrainedIntermediate = try Self.makeConstrainedIntermediate(authority)
        self.unknownIntermediate = try TestAuthority(root: .root(commonName: "Unknown Root CA"))
            .issue(.intermediate(commonName: "Unknown Intermediate CA"))
        self.rsaIntermediate = try await rsaIntermediate ?? self.intermediate
        // Both keys are now in the authority's pool, where the real leaves find them.
        _ = try await (rsaLeaf, weakLeaf)
    }

    /// Returns the certificates that a server sends, its own first.
    ///
    /// - Parameter fault: The fault of the server.
    /// - Returns: At least one certificate.
    /// - Throws: An error if a certificate cannot be created.
    func chain(for fault: TLSFault) throws -> (leaf: TestCertificate, intermediates: [TestCertificate]) {
        let description = Self.leaf(fault)
        switch fault {
        case .selfSigned:
            return (try self.authority.selfSigned(description), [])
        case .missingIntermediate:
            return (try self.authority.issue(description, by: self.intermediate), [])
        case .unknownRoot:
            return try self.issue(description, by: self.unknownIntermediate)
        case .nameConstraintViolation:
            return try self.issue(description, by: self.constrainedIntermediate)
        case _ where fault.hasRSAIssuer:
            return try self.issue(description, by: self.rsaIntermediate)
        default:
            return try self.issue(description, by: self.intermediate)
        }
    }

    private func issue(
        _ description: CertificateDescription,
        by issuer: TestCertificate
    ) throws -> (leaf: TestCertificate, intermediates: [TestCertificate]) {
        (try self.authority.issue(description, by: issuer), [issuer])
    }

    /// Returns the description of a server's leaf, which is flawless apart from the fault.
    private static func leaf(_ fault: TLSFault) -> CertificateDescription {
        var leaf = CertificateDescription.leaf(dnsNames: [fault.referenceIdentity])
        let day = Duration.seconds(86_400)
        switch fault {
        case .goodRSA, .sha1Signature, .tls10Only:
            leaf.keyKind = .rsa2048
            // In an RSA key exchange, which TLS 1.0 servers use, the key encrypts: RFC 5246, section 7.4.2.
            leaf.keyUsage = KeyUsage(digitalSignature: true, keyEncipherment: true)
            leaf.signatureHash = fault == .sha1Signature ? .sha1 : .sha256
        case .weakRSA: leaf.keyKind = .rsa1024
        case .expired: leaf.setValidity(from: day * -91, lasting: day * 90)
        case .notYetValid: leaf.setValidity(from: day, lasting: day * 90)
        case .lifetimeOverLimit: leaf.setValidity(from: day * -30, lasting: day * 900)
        case .wrongHost: leaf = .leaf(dnsNames: ["other.range.test"])
        case .wrongEKU: leaf.extendedKeyUsages = [.clientAuth]
        case .ipAddressSAN: leaf = .leaf(dnsNames: [], ipAddresses: [fault.referenceIdentity])
        case .wildcardMatch, .wildcardMismatch: leaf = .leaf(dnsNames: ["*.wild.test"])
        case .goodECDSA, .selfSigned, .unknownRoot, .missingIntermediate, .nameConstraintViolation: break
        }
        return leaf
    }

    private static func makeRSAIntermediate(_ authority: TestAuthority) throws -> TestCertificate {
        var description = CertificateDescription.intermediate(commonName: "Throw-away RSA Intermediate CA")
        description.keyKind = .rsa2048
        return try authority.issue(description)
    }

    private static func makeConstrainedIntermediate(_ authority: TestAuthority) throws -> TestCertificate {
        var description = CertificateDescription.intermediate(commonName: "Throw-away Constrained CA")
        // Without a leading dot: RFC 5280, section 4.2.1.10 permits the dot for URIs only.
        description.nameConstraints = NameConstraints(permittedDNSDomains: ["allowed.test"])
        return try authority.issue(description)
    }
}

extension TLSFault {
    /// `true` if the issuer of the leaf has an RSA key.
    fileprivate var hasRSAIssuer: Bool {
        switch self {
        case .goodRSA, .sha1Signature, .tls10Only: true
        default: false
        }
    }
}
