//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import CertificatePath
import ServerTrust
import ServerTrustTesting

/// A chain for `a.test`, made once, and what it is worth.
struct TestChain: Sendable {
    let certificates: [[UInt8]]
    let trust: TrustResult
    let key: TestPrivateKey

    /// RSA above the leaf, so that signatures can be over SHA-1.
    init(
        _ keyKind: TestKeyKind = .rsa2048, hash: TestSignatureHash? = nil, isAnchored: Bool = true,
        sendsIssuer: Bool = true, needsLogs: Bool = false, names: [String] = ["a.test"],
        changeRoot: (inout CertificateDescription) -> Void = { _ in },
        changeIssuer: (inout CertificateDescription) -> Void = { _ in },
        change: (inout CertificateDescription) -> Void = { _ in }
    ) throws {
        var root = CertificateDescription.root()
        root.keyKind = .rsa2048
        changeRoot(&root)
        let authority = try TestAuthority(root: root)
        var intermediate = CertificateDescription.intermediate()
        intermediate.keyKind = .rsa2048
        changeIssuer(&intermediate)
        let issuer = try authority.issue(intermediate)
        var leaf = CertificateDescription.leaf(dnsNames: names)
        leaf.keyKind = keyKind
        leaf.signatureHash = hash
        change(&leaf)
        let certificate = try authority.issue(leaf, by: issuer)
        let sent = [certificate] + (sendsIssuer ? [issuer] : [])
        self.key = certificate.privateKey
        self.certificates = sent.map(\.der)
        var trust = try Trust(
            certificates: sent.map { try $0.trustCertificate },
            policy: ATSRequirements().trustPolicy(hostname: "a.test"),
            configuration: TrustConfiguration(anchors: isAnchored ? authority.anchors : .none))
        if needsLogs {
            trust.transparency = TransparencyRequest(logs: TransparencyLogs())
            trust.transparency?.publicRoots = .fingerprints([try authority.root.trustCertificate.sha256Fingerprint])
        }
        self.trust = trust.evaluate()
    }
}

/// The chains of the tests, by what is wrong with them.
enum TestChains: String, Sendable, CaseIterable {
    case rsa
    case curve
    case small
    case edwards
    case sha1
    case untrusted
    case incomplete
    case unlogged
    case otherName
    case expired
    case early
    case smallIssuer
    case sha1Issuer
    case expiredIssuer
    case expiredRoot

    func chain() throws -> TestChain { try Self.made[self]?.get() ?? TestChain() }

    private static let made: [TestChains: Result<TestChain, any Error>] = Dictionary(
        uniqueKeysWithValues: Self.allCases.map { kind in (kind, Result { try kind.make() }) })

    private func make() throws -> TestChain {
        switch self {
        case .rsa: try TestChain()
        case .curve: try TestChain(.p256)
        case .small: try TestChain(.rsa1024)
        case .edwards: try TestChain(.ed25519)
        case .sha1: try TestChain(hash: .sha1)
        case .untrusted: try TestChain(isAnchored: false)
        case .incomplete: try TestChain(sendsIssuer: false)
        case .unlogged: try TestChain(needsLogs: true)
        case .otherName: try TestChain(names: ["b.test", "$(reboot).test", "*.c.test"])
        case .expired: try TestChain(change: Self.expire)
        case .early: try TestChain { $0.setValidity(from: .seconds(86_400), lasting: .seconds(86_400 * 30)) }
        case .smallIssuer: try TestChain(changeIssuer: { $0.keyKind = .rsa1024 })
        case .sha1Issuer: try TestChain(changeIssuer: { $0.signatureHash = .sha1 })
        case .expiredIssuer: try TestChain(changeIssuer: Self.expire)
        case .expiredRoot: try TestChain(changeRoot: Self.expire)
        }
    }

    private static func expire(_ description: inout CertificateDescription) {
        description.setValidity(from: .seconds(-86_400 * 40), lasting: .seconds(86_400 * 30))
    }
}
