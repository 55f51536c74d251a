//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import ServerTrustTesting

/// A server's chain for `a.test`, made once and judged as it is asked for.
struct TestChain: Sendable {
    let certificates: [Certificate]
    let anchors: TrustAnchors

    /// RSA all the way up, so that signatures can be over SHA-1.
    init(
        _ keyKind: TestKeyKind = .p256, hash: TestSignatureHash? = nil, issuerHash: TestSignatureHash? = nil,
        change: (inout CertificateDescription) -> Void = { _ in }
    ) throws {
        var root = CertificateDescription.root()
        root.keyKind = .rsa2048
        let authority = try TestAuthority(root: root)
        var intermediate = CertificateDescription.intermediate()
        intermediate.keyKind = .rsa2048
        intermediate.signatureHash = issuerHash
        let issuer = try authority.issue(intermediate)
        var leaf = CertificateDescription.leaf(dnsNames: ["a.test"])
        leaf.keyKind = keyKind
        leaf.signatureHash = hash
        change(&leaf)
        self.certificates = try [authority.issue(leaf, by: issuer), issuer, authority.root].map {
            try $0.trustCertificate
        }
        self.anchors = try authority.anchors
    }

    /// What the chain is worth for what is required.
    func trust(
        _ requirements: ATSRequirements, host: String = "a.test", anchors: TrustAnchors? = nil
    ) throws -> TrustResult {
        try Trust(
            certificates: Array(self.certificates.dropLast()), policy: requirements.trustPolicy(hostname: host),
            configuration: TrustConfiguration(anchors: anchors ?? self.anchors)
        ).evaluate()
    }

    static let good = try? TestChain()
}
