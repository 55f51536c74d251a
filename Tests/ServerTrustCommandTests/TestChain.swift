//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrustTesting
import X509

/// A chain to judge for `server.test`, by what is wrong with it.
enum TestChain: String, CaseIterable, Sendable {
    case good, goodWithoutIntermediate, goodShuffled, wildcard, onlyInCommonName
    case expired, notYetValid, wrongHost, wildcardTooDeep, unknownRoot, selfSigned, missingIntermediate
    case issuerIsNoAuthority, tooManyIntermediates, wrongUsage, outsideNameConstraints, weakKey, sha1
    case lifetimeOf900Days, expiredIntermediate

    /// Whether Apple's rules trust it.
    var isTrusted: Bool {
        switch self {
        case .good, .goodWithoutIntermediate, .goodShuffled, .wildcard: true
        default: false
        }
    }

    /// Where OpenSSL decides otherwise, and rightly by its own rules: only Apple limits lifetimes below private roots.
    static let differsOnPurpose: [TestChain: String] = [.lifetimeOf900Days: "Apple: 825 days below any root"]

    /// The code of the worst reason.
    var code: String? {
        switch self {
        case .good, .goodWithoutIntermediate, .goodShuffled, .wildcard: nil
        case .expired, .expiredIntermediate: "expired"
        case .notYetValid: "not-yet-valid"
        case .wrongHost, .wildcardTooDeep, .onlyInCommonName: "name-mismatch"
        case .unknownRoot, .missingIntermediate: "unknown-issuer"
        case .selfSigned: "untrusted-root"
        case .issuerIsNoAuthority: "not-a-ca"
        case .tooManyIntermediates: "path-length"
        case .wrongUsage: "eku"
        case .outsideNameConstraints: "name-constraints"
        case .weakKey: "key-too-small"
        case .sha1: "weak-signature"
        case .lifetimeOf900Days: "lifetime-too-long"
        }
    }

    static let host = "server.test"

    /// The certificates in PEM, and the root that is trusted.
    func make() throws -> (certificates: [String], rootPEM: String) {
        let authority = try TestAuthority()
        let (leaf, intermediates) = try self.certificates(of: authority)
        return (([leaf] + intermediates).map { $0.pem + "\n" }, authority.root.pem + "\n")
    }

    private func certificates(of authority: TestAuthority) throws -> (TestCertificate, [TestCertificate]) {
        let intermediate = try authority.issue(self.intermediate)
        let leaf = self.leaf
        switch self {
        case .goodWithoutIntermediate: return (try authority.issue(leaf), [])
        case .goodShuffled:
            let other = try authority.issue(.intermediate(commonName: "Other CA"))
            return (try authority.issue(leaf, by: intermediate), [authority.root, other, intermediate, intermediate])
        case .unknownRoot:
            let issuer = try TestAuthority(root: .root(commonName: "Unknown Root")).issue(.intermediate())
            return (try authority.issue(leaf, by: issuer), [issuer])
        case .selfSigned: return (try authority.selfSigned(leaf), [])
        case .missingIntermediate: return (try authority.issue(leaf, by: intermediate), [])
        case .tooManyIntermediates:
            let second = try authority.issue(.intermediate(commonName: "Second CA"), by: intermediate)
            return (try authority.issue(leaf, by: second), [second, intermediate])
        default: return (try authority.issue(leaf, by: intermediate), [intermediate])
        }
    }

    private var intermediate: CertificateDescription {
        var description = CertificateDescription.intermediate()
        let day = Duration.seconds(86_400)
        switch self {
        case .issuerIsNoAuthority: (description.isCA, description.pathLength) = (false, nil)
        case .outsideNameConstraints:
            description.nameConstraints = NameConstraints(permittedDNSDomains: ["allowed.test"])
        case .sha1, .weakKey: description.keyKind = .rsa2048
        case .expiredIntermediate: description.setValidity(from: day * -30, lasting: day * 29)
        default: break
        }
        return description
    }

    private var leaf: CertificateDescription {
        var leaf = CertificateDescription.leaf(dnsNames: [Self.host])
        let day = Duration.seconds(86_400)
        switch self {
        case .wildcard: leaf.dnsNames = ["*.test", Self.host]
        case .onlyInCommonName: (leaf.dnsNames, leaf.commonName) = (["other.test"], Self.host)
        case .expired: leaf.setValidity(from: day * -91, lasting: day * 90)
        case .notYetValid: leaf.setValidity(from: day, lasting: day * 90)
        case .wrongHost: leaf = .leaf(dnsNames: ["other.test"])
        case .wildcardTooDeep: leaf = .leaf(dnsNames: ["*.server.test"])
        case .wrongUsage: leaf.extendedKeyUsages = [.clientAuth]
        case .weakKey: leaf.keyKind = .rsa1024
        case .sha1: (leaf.keyKind, leaf.signatureHash) = (.rsa2048, .sha1)
        case .lifetimeOf900Days: leaf.setValidity(from: day * -30, lasting: day * 900)
        default: break
        }
        return leaf
    }
}
