//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import CertificatePath

/// A name with a key: an authority that issues certificates, or someone they are issued to.
package struct CraftedAuthority: Sendable {
    package typealias Change = (inout CraftedCertificate) -> Void

    package var name: [UInt8]
    package var key: TestKey

    package init(_ commonName: String, _ key: TestKey) {
        self.init(name: TestDER.name([[.o("Test")], [.cn(commonName)]]), key)
    }

    package init(name: [UInt8], _ key: TestKey) {
        self.name = name
        self.key = key
    }

    /// A certificate for another authority, or for itself.
    package func authority(_ subject: CraftedAuthority? = nil, _ change: Change = { _ in }) throws -> CertificateView {
        let subject = subject ?? self
        var certificate = self.certificate(for: subject.name, subject.key)
        certificate.notBefore = DER.utcTime("200101000000Z")
        certificate.notAfter = DER.utcTime("350101000000Z")
        certificate.extensions = [
            .basicConstraints(true), .keyUsage(5, 6), .subjectKeyIdentifier(subject.key.identifier),
            .authorityKeyIdentifier(self.key.identifier),
        ]
        change(&certificate)
        return try certificate.view()
    }

    /// A certificate for the server www.example.com.
    package func leaf(_ key: TestKey = .p256(100), _ change: Change = { _ in }) throws -> CertificateView {
        try self.leafTemplate(key, change).view()
    }

    package func leafTemplate(_ key: TestKey = .p256(100), _ change: Change = { _ in }) -> CraftedCertificate {
        var certificate = self.certificate(for: TestDER.name([[.cn("www.example.com")]]), key)
        certificate.extensions = [
            .keyUsage(0), .extendedKeyUsage("1.3.6.1.5.5.7.3.1"), .alternativeNames([.dns("www.example.com")]),
            .authorityKeyIdentifier(self.key.identifier),
        ]
        change(&certificate)
        return certificate
    }

    private func certificate(for subject: [UInt8], _ key: TestKey) -> CraftedCertificate {
        CraftedCertificate(
            issuer: self.name, subject: subject, key: key.info, signer: self.key, algorithm: self.key.algorithm)
    }
}

/// A root, two levels of intermediates and a leaf, of which each can be changed before it is signed.
package struct TestChain: Sendable {
    package static let root = CraftedAuthority("Root", .p256(1))
    package static let first = CraftedAuthority("First", .p256(2))
    package static let second = CraftedAuthority("Second", .p256(3))

    package var root: CertificateView
    /// Issued by the root.
    package var first: CertificateView
    /// Issued by the first; it issued the leaf.
    package var second: CertificateView
    package var leaf: CertificateView

    package init(
        root: CraftedAuthority.Change = { _ in }, first: CraftedAuthority.Change = { _ in },
        second: CraftedAuthority.Change = { _ in }, leaf: CraftedAuthority.Change = { _ in }
    ) throws {
        self.root = try Self.root.authority(nil, root)
        self.first = try Self.root.authority(Self.first, first)
        self.second = try Self.first.authority(Self.second, second)
        self.leaf = try Self.second.leaf(.p256(100), leaf)
    }

    package func judge(
        anchorClass: AnchorClass = .application, _ change: (inout ValidationRequest) -> Void = { _ in }
    ) -> Verdict {
        judgment(
            self.leaf, [self.first, self.second], anchors: [TrustAnchor(self.root, anchorClass: anchorClass)], change)
    }
}

/// 2026-06-01T00:00:00Z, at which everything of the test PKI is valid unless a test changes it.
package let testTime = Timestamp(secondsSinceEpoch: 1_780_272_000)

/// Judges a leaf as the server www.example.com by RFC 5280's rules, unless the request is changed.
package func judgment(
    _ leaf: CertificateView, _ intermediates: [CertificateView] = [], anchors: [TrustAnchor],
    _ change: (inout ValidationRequest) -> Void = { _ in }
) -> Verdict {
    let server = PurposeRequirement(.server, identities: [IdentityRequirement(host: "www.example.com")])
    var request = ValidationRequest(time: testTime, purposes: [server], profile: .rfc5280)
    change(&request)
    return PathValidator(request, anchors: [TrustAnchorSet(anchors)]).validate(leaf, intermediates: intermediates)
}

extension Verdict {
    /// `accepted`, or every reason with the certificate it is about: `0:expired 2:path-length`.
    package var summary: String {
        if self.isAccepted { return "accepted" }
        let reasons = self.rejections.map { "\($0.certificateIndex):\($0.reason.code)" }
        return reasons.isEmpty ? "refused without a reason" : reasons.joined(separator: " ")
    }

    package func has(_ reason: RejectionReason, at index: Int = 0) -> Bool {
        self.rejections.contains { $0.certificateIndex == index && $0.reason == reason }
    }

    /// The common names of the path, the leaf first.
    package var names: [String] { self.path.map(\.subjectSummary) }
}

extension [TrustAnchor] {
    /// Anchors of a program's own.
    package static func certificates(_ certificates: CertificateView...) -> [TrustAnchor] {
        certificates.map { TrustAnchor($0) }
    }
}
