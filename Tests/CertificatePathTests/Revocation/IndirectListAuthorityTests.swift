//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import TestSupport
import Testing

/// Someone who signs a list that the leaf's distribution point names another issuer for.
struct IndirectSigner: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let worth: Worth
    let certificates: @Sendable () throws -> [CertificateView]
    let trustsOtherRoot: Bool

    init(
        _ name: String, _ worth: Worth, trustsOtherRoot: Bool = false,
        _ certificates: @escaping @Sendable () throws -> [CertificateView]
    ) {
        self.testDescription = name
        self.worth = worth
        self.certificates = certificates
        self.trustsOtherRoot = trustsOtherRoot
    }
}

@Suite("Who may sign an indirect list that a certificate's distribution point names")
struct IndirectListAuthorityTests {
    private static let lister = CraftedAuthority("List issuer", .p256(30))

    private static func constrained(_ change: @escaping CraftedAuthority.Change) throws -> [CertificateView] {
        let sibling = try ListPKI.root.authority(ListPKI.sibling) { certificate in
            certificate.serialNumber = DER.number(50)
            change(&certificate)
        }
        return [sibling, try ListPKI.signer(ListPKI.sibling, for: self.lister) { $0.remove("2.5.29.31") }]
    }

    private static func signer(
        _ authority: CraftedAuthority, _ change: @escaping CraftedAuthority.Change = { _ in }
    ) throws -> [CertificateView] {
        [
            try ListPKI.signer(authority, for: self.lister) { certificate in
                certificate.remove("2.5.29.31")
                change(&certificate)
            }
        ]
    }

    static let signers: [IndirectSigner] = [
        IndirectSigner("certified by the root", .clears) { try signer(ListPKI.root) },
        IndirectSigner("an authority below the root", .clears) {
            [try ListPKI.root.authority(lister) { $0.serialNumber = ListPKI.signerSerial }]
        },
        IndirectSigner("below a sibling of the issuer", .clears) { try constrained { _ in } },
        IndirectSigner("below a sibling for servers", .clears) {
            try constrained { $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.1")) }
        },
        IndirectSigner("below a sibling that may issue for the leaf's name", .clears) {
            try constrained { $0.set(.nameConstraints(permitted: [.dns("example.com")])) }
        },
        IndirectSigner("below an authority for mail", .nothing) {
            try constrained { $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.4")) }
        },
        IndirectSigner("below an authority that may not issue for the leaf's name", .nothing) {
            try constrained { $0.set(.nameConstraints(permitted: [.dns("attacker.org")])) }
        },
        IndirectSigner("below an authority that excludes the leaf's name", .nothing) {
            try constrained { $0.set(.nameConstraints(excluded: [.dns("example.com")])) }
        },
        IndirectSigner("an authority that may not issue for the leaf's name", .nothing) {
            [
                try ListPKI.root.authority(lister) { certificate in
                    certificate.serialNumber = ListPKI.signerSerial
                    certificate.set(.nameConstraints(permitted: [.dns("attacker.org")]))
                }
            ]
        },
        IndirectSigner("an authority for mail", .nothing) {
            [
                try ListPKI.root.authority(lister) { certificate in
                    certificate.serialNumber = ListPKI.signerSerial
                    certificate.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.4"))
                }
            ]
        },
        IndirectSigner("below an end entity", .nothing) { try constrained { $0.set(.basicConstraints(false)) } },
        IndirectSigner("below another trusted root", .revokes, trustsOtherRoot: true) { try signer(ListPKI.otherRoot) },
        IndirectSigner("below a stranger", .nothing) { try signer(ListPKI.stranger) },
        IndirectSigner("without cRLSign", .nothing) { try signer(ListPKI.root) { $0.set(.keyUsage(0)) } },
        IndirectSigner("expired", .revokes) {
            try signer(ListPKI.root) { $0.notAfter = DER.utcTime("260531000000Z") }
        },
        IndirectSigner("an end entity for servers only", .nothing) {
            try signer(ListPKI.root) { $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.1")) }
        },
    ]

    private func judge(
        _ signer: IndirectSigner, _ mode: RevocationPolicy.Mode, _ profile: ValidationProfile,
        _ lists: [CertificateList]
    ) throws -> String {
        let anchors = signer.trustsOtherRoot ? [TrustAnchor(try ListPKI.otherRoot.authority())] : []
        return try ListPKI.judge(
            lists, mode, profile, supplied: try signer.certificates(), anchors: anchors,
            leaf: { $0.set(.distributionPoints([Point.issuer(Self.lister.name)])) })
    }

    private func list(_ entries: [TestRevocationList.Entry]) throws -> CertificateList {
        try ListPKI.list(by: Self.lister.key, of: Self.lister.name) { list in
            list.set(.listScope(Point.indirect))
            list.entries = entries
        }
    }

    @Test("It clears and revokes as its whole path allows", arguments: signers, ValidationProfile.standard)
    func authority(signer: IndirectSigner, profile: ValidationProfile) throws {
        let clean = try self.list([])
        let summary = try self.judge(signer, .hard, profile, [clean])
        #expect((summary == "accepted") == (signer.worth == .clears), "\(summary)")
        let revoking = try self.list([
            .init(serial: ListPKI.serial, extensions: [.entryIssuer(ListPKI.issuer.name)])
        ])
        for mode in [RevocationPolicy.Mode.soft, .hard] {
            let summary = try self.judge(signer, mode, profile, [revoking])
            #expect(summary.contains("0:revoked") == (signer.worth != .nothing), "\(mode): \(summary)")
        }
    }

    @Test(
        "Behind more points or issuers than are read it clears nothing, and what it revokes is not lost",
        arguments: [
            .distributionPoints(
                ofAll: Array(repeating: [Point.uri("http://a")], count: 16) + [[Point.issuer(lister.name)]]),
            .distributionPoints([Point.issuers(Array(repeating: ListPKI.sibling.name, count: 16) + [lister.name])]),
        ] as [TestExtension])
    func behindLimit(points: TestExtension) throws {
        let certificates = try Self.signer(ListPKI.root)
        let revoking = try self.list([.init(serial: ListPKI.serial, extensions: [.entryIssuer(ListPKI.issuer.name)])])
        for (lists, mode, expected) in try [
            ([revoking], RevocationPolicy.Mode.soft, "0:revoked"), ([revoking], .hard, "0:revoked"),
            ([self.list([])], .soft, "accepted"), ([self.list([])], .hard, "0:revocation-unknown"),
        ] {
            let summary = try ListPKI.judge(
                lists, mode, .rfc5280, supplied: certificates, leaf: { $0.set(points) })
            #expect(summary == expected, "\(mode)")
        }
    }

    @Test("It never hides what the issuer's own key revoked", arguments: signers, ValidationProfile.standard)
    func hiding(signer: IndirectSigner, profile: ValidationProfile) throws {
        let genuine = try ListPKI.list(by: ListPKI.issuer.key, revoking: [ListPKI.serial], at: "260520000000Z")
        let clean = try self.list([])
        #expect(try self.judge(signer, .soft, profile, [genuine, clean]) == "0:revoked")
    }
}
