//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import TestSupport
import Testing

/// What a signer's word is worth, as the tests see it.
enum Worth: Sendable {
    /// It may say “good” and “revoked”.
    case clears
    /// It may say “revoked”.
    case revokes
    case nothing
}

/// Someone who signs lists in the name of the leaf's issuer.
struct ListSigner: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let worth: @Sendable (ValidationProfile) -> Worth
    let key: TestKey
    /// What is supplied besides the chain.
    let certificates: @Sendable () throws -> [CertificateView]
    var anchors: @Sendable () throws -> [TrustAnchor] = { [] }

    init(
        _ name: String, _ worth: Worth, _ key: TestKey = .p256(30),
        certificates: @escaping @Sendable () throws -> [CertificateView] = { [] },
        anchors: @escaping @Sendable () throws -> [TrustAnchor] = { [] }
    ) {
        self.init(name, in: { _ in worth }, key, certificates: certificates, anchors: anchors)
    }

    init(
        _ name: String, in worth: @escaping @Sendable (ValidationProfile) -> Worth, _ key: TestKey = .p256(30),
        certificates: @escaping @Sendable () throws -> [CertificateView] = { [] },
        anchors: @escaping @Sendable () throws -> [TrustAnchor] = { [] }
    ) {
        self.testDescription = name
        self.worth = worth
        self.key = key
        self.certificates = certificates
        self.anchors = anchors
    }
}

/// The authorities of these tests: a root, the issuer of the leaf, and other authorities below the same root.
enum ListPKI {
    static let root = CraftedAuthority("Root", .p256(1))
    static let issuer = CraftedAuthority("Issuer", .p256(2))
    static let mail = CraftedAuthority("Mail authority", .p256(4))
    static let sibling = CraftedAuthority("Sibling", .p256(5))
    static let otherRoot = CraftedAuthority("Other root", .p256(6))
    static let stranger = CraftedAuthority("Stranger", .p256(20))
    static let serial = DER.number(4_711)
    static let signerSerial = DER.number(31)

    /// The key a signer signs with, in the issuer's name.
    static let namesake = CraftedAuthority(name: issuer.name, .p256(30))
    static let secondKey = CraftedAuthority(name: issuer.name, .p256(31))

    /// Where the status of list signers is to be had: on a list that says nothing about servers.
    static let signersPoint = TestExtension.distributionPoints([Point.uri("http://signers.example/")])

    /// An end entity in a name, made for signing lists.
    static func signer(
        _ authority: CraftedAuthority, for subject: CraftedAuthority = namesake,
        _ change: CraftedAuthority.Change = { _ in }
    ) throws -> CertificateView {
        try authority.authority(subject) { certificate in
            certificate.serialNumber = self.signerSerial
            certificate.remove("2.5.29.19")
            certificate.set(.keyUsage(6))
            certificate.set(self.signersPoint)
            change(&certificate)
        }
    }

    /// An authority for mail that may issue below attacker.org only.
    static func mailAuthority() throws -> CertificateView {
        try self.root.authority(self.mail) { certificate in
            certificate.serialNumber = DER.number(40)
            certificate.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.4"))
            certificate.set(.nameConstraints(permitted: [.dns("attacker.org")]))
        }
    }

    static func list(
        by key: TestKey, of name: [UInt8] = issuer.name, revoking serials: [[UInt8]] = [],
        at thisUpdate: String = "260530000000Z", _ change: (inout TestRevocationList) -> Void = { _ in }
    ) throws -> CertificateList {
        try TestRevocationList(CraftedAuthority(name: name, key), revoking: serials) { list in
            list.thisUpdate = DER.utcTime(thisUpdate)
            change(&list)
        }.view()
    }

    /// Judges the leaf with lists, of which those of all other authorities are clean and at hand.
    static func judge(
        _ lists: [CertificateList], _ mode: RevocationPolicy.Mode, _ profile: ValidationProfile,
        supplied: [CertificateView] = [], anchors: [TrustAnchor] = [],
        issuer change: CraftedAuthority.Change = { _ in },
        leaf leafChange: CraftedAuthority.Change = { _ in }
    ) throws -> String {
        let leaf = try self.issuer.leaf { certificate in
            certificate.serialNumber = self.serial
            leafChange(&certificate)
        }
        let chain = [try self.root.authority(self.issuer, change)] + supplied
        let others = try [self.root, self.mail, self.sibling, self.otherRoot].map { other in
            try self.list(by: other.key, of: other.name)
        }
        let trusted = [TrustAnchor(try self.root.authority())] + anchors
        var summaries: Set<String> = []
        for lists in [lists + others, Array((others + lists).reversed())] {
            for chain in [chain, chain.reversed()] {
                let verdict = judgment(leaf, chain, anchors: trusted) { request in
                    request.profile = profile
                    request.revocation = RevocationPolicy(mode, lists: lists)
                }
                summaries.insert(verdict.summary)
            }
        }
        #expect(summaries.count == 1, "the order of the evidence matters")
        return summaries.sorted().joined(separator: " or ")
    }
}

@Suite("Who may say by list that a certificate is or is not revoked")
struct ListAuthorityTests {
    static let signers: [ListSigner] = [
        ListSigner("the issuer", .clears, ListPKI.issuer.key),
        ListSigner("a roll-over key the root certified", .clears) { [try ListPKI.root.authority(ListPKI.namesake)] },
        ListSigner("a roll-over key the issuer certified", .clears) {
            [try ListPKI.issuer.authority(ListPKI.namesake) { $0.set(ListPKI.signersPoint) }]
        },
        ListSigner("a key the issuer made for lists", .clears) { [try ListPKI.signer(ListPKI.issuer)] },
        ListSigner("a key the root made for the issuer's lists", .clears) { [try ListPKI.signer(ListPKI.root)] },
        ListSigner("a key a roll-over of the issuer made for lists", .clears) {
            [try ListPKI.root.authority(ListPKI.secondKey), try ListPKI.signer(ListPKI.secondKey)]
        },
        ListSigner("a trusted root of the issuer's name") {
            [TrustAnchor(try ListPKI.namesake.authority())]
        },
        ListSigner("a trusted name and key of the issuer") {
            [try TrustAnchor(subject: ListPKI.issuer.name, subjectPublicKeyInfo: ListPKI.namesake.key.info)]
        },
        ListSigner("an end entity of a mail authority below the root", .nothing) {
            [try ListPKI.mailAuthority(), try ListPKI.signer(ListPKI.mail)]
        },
        ListSigner("an authority below a sibling of the issuer", .nothing) {
            [try ListPKI.root.authority(ListPKI.sibling), try ListPKI.sibling.authority(ListPKI.namesake)]
        },
        ListSigner("an end entity of a sibling of the issuer", .nothing) {
            [try ListPKI.root.authority(ListPKI.sibling), try ListPKI.signer(ListPKI.sibling)]
        },
        ListSigner(
            "an authority below another trusted root", .nothing,
            certificates: { [try ListPKI.otherRoot.authority(ListPKI.namesake)] },
            anchors: { [TrustAnchor(try ListPKI.otherRoot.authority())] }),
        ListSigner("a self-signed stranger", .nothing) { [try ListPKI.namesake.authority()] },
        ListSigner("an authority below a stranger", .nothing) {
            [try ListPKI.stranger.authority(), try ListPKI.stranger.authority(ListPKI.namesake)]
        },
        ListSigner("a key certified by the leaf's own key", .nothing) {
            let leaf = CraftedAuthority(name: TestDER.name([[.cn("www.example.com")]]), .p256(100))
            return [try ListPKI.signer(leaf)]
        },
        ListSigner("the leaf's own key", .nothing, .p256(100)),
        ListSigner("a key of the issuer's that may not sign lists", .nothing) {
            [try ListPKI.signer(ListPKI.issuer) { $0.set(.keyUsage(0)) }]
        },
        ListSigner("a key of the issuer's without key usage", .nothing) {
            [try ListPKI.signer(ListPKI.issuer) { $0.remove("2.5.29.15") }]
        },
        ListSigner("a key the issuer made for lists of another name", .nothing) {
            [try ListPKI.signer(ListPKI.issuer, for: CraftedAuthority("Someone else", .p256(30)))]
        },
        ListSigner("a list signer that has expired", .revokes) {
            [try ListPKI.signer(ListPKI.issuer) { $0.notAfter = DER.utcTime("260531000000Z") }]
        },
        ListSigner("a list signer that is for servers only", .revokes) {
            [try ListPKI.signer(ListPKI.issuer) { $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.1")) }]
        },
        ListSigner(
            "a list signer certified over SHA-1", in: { $0.name == "legacy" ? .clears : .revokes },
            certificates: { [try ListPKI.signer(ListPKI.issuer) { $0.setAlgorithm(.ecdsaSHA1) }] }),
        ListSigner(
            "a list signer with a small key", in: { $0.name == "legacy" ? .clears : .revokes }, .rsa1024,
            certificates: {
                [try ListPKI.signer(ListPKI.issuer, for: CraftedAuthority(name: ListPKI.issuer.name, .rsa1024))]
            }),
    ]

    @Test("Only the issuer, its roll-overs and its list signers clear", arguments: signers, ValidationProfile.standard)
    func clearing(signer: ListSigner, profile: ValidationProfile) throws {
        let list = try ListPKI.list(by: signer.key)
        for mode in [RevocationPolicy.Mode.leaf, .hard] {
            let summary = try self.judge([list], mode, signer, profile)
            #expect((summary == "accepted") == (signer.worth(profile) == .clears), "\(mode): \(summary)")
        }
        #expect(try self.judge([list], .soft, signer, profile) == "accepted")
    }

    @Test(
        "A signer that may revoke does so in every mode, and no other signer does", arguments: signers,
        ValidationProfile.standard)
    func revoking(signer: ListSigner, profile: ValidationProfile) throws {
        let list = try ListPKI.list(by: signer.key, revoking: [ListPKI.serial])
        let isRevoked = signer.worth(profile) != .nothing
        for mode in [RevocationPolicy.Mode.soft, .leaf, .hard] {
            let summary = try self.judge([list], mode, signer, profile)
            #expect(summary.contains("0:revoked") == isRevoked, "\(mode): \(summary)")
        }
    }

    @Test(
        "What the issuer's own key revoked stays revoked, under any other key's younger list",
        arguments: signers, ValidationProfile.standard)
    func hiding(signer: ListSigner, profile: ValidationProfile) throws {
        let genuine = try ListPKI.list(by: ListPKI.issuer.key, revoking: [ListPKI.serial], at: "260520000000Z")
        let younger = try ListPKI.list(by: signer.key, at: "260531000000Z")
        let isSameKey = signer.testDescription == "the issuer"
        for mode in [RevocationPolicy.Mode.soft, .leaf, .hard] {
            let summary = try self.judge([genuine, younger], mode, signer, profile)
            #expect(summary.contains("0:revoked") == !isSameKey, "\(mode): \(summary)")
        }
    }

    /// The issuer's key has certificates of two roots, and the first root certified a key for its lists.
    @Test("“Revoked” stands on every path to the issuer's key, whichever authority certified the list's signer")
    func otherPath() throws {
        let leaf = try ListPKI.issuer.leaf { $0.serialNumber = ListPKI.serial }
        let signer = try ListPKI.signer(ListPKI.root)
        let paths = try [ListPKI.root.authority(ListPKI.issuer), ListPKI.otherRoot.authority(ListPKI.issuer)]
        let (first, second) = (try ListPKI.root.authority(), try ListPKI.otherRoot.authority())
        let list = try ListPKI.list(by: ListPKI.namesake.key, revoking: [ListPKI.serial])
        func judge(_ chain: [CertificateView], _ anchors: [TrustAnchor]) -> String {
            judgment(leaf, chain, anchors: anchors) { $0.revocation = RevocationPolicy(.soft, lists: [list]) }.summary
        }
        #expect(judge(paths + [signer], .certificates(first, second)) == "0:revoked")
        #expect(judge(paths.reversed() + [signer], .certificates(second, first)) == "0:revoked")
        // The first root is not trusted: what it certifies counts for nothing.
        #expect(judge(paths + [signer], .certificates(second)) == "accepted")
        // Without the issuer's certificate of the first root, nothing says that the name is the same authority's.
        #expect(judge([paths[1], signer], .certificates(first, second)) == "accepted")
    }

    @Test("No key clears its own certificate, however many copies of that certificate there are")
    func ownKey() throws {
        let old = try ListPKI.root.authority(ListPKI.issuer)
        let new = try ListPKI.issuer.authority(ListPKI.namesake) { $0.serialNumber = DER.number(60) }
        let leaf = try ListPKI.namesake.leaf { $0.serialNumber = ListPKI.serial }
        let ofRoot = try ListPKI.list(by: ListPKI.root.key, of: ListPKI.root.name)
        let ofNew = try ListPKI.list(by: ListPKI.namesake.key)
        let ofOld = try ListPKI.list(by: ListPKI.issuer.key)
        func judge(_ supplied: [CertificateView], _ lists: [CertificateList]) throws -> String {
            judgment(leaf, supplied, anchors: .certificates(try ListPKI.root.authority())) {
                $0.revocation = RevocationPolicy(.hard, lists: lists)
            }.summary
        }
        let copy = try CertificateView(der: new.bytes)
        let renewed = try ListPKI.issuer.authority(ListPKI.namesake) { $0.serialNumber = DER.number(61) }
        for supplied in [[old, new], [old, new, copy], [copy, renewed, new, old]] {
            #expect(try judge(supplied, [ofRoot, ofNew]) == "1:revocation-unknown")
            #expect(try judge(supplied, [ofRoot, ofNew, ofOld]) == "accepted")
        }
    }

    /// RFC 5280 §6.3.3 (f) asks for cRLSign if there is a key usage.
    @Test("An issuer without a key usage may sign its lists; one whose key usage lacks cRLSign may only revoke")
    func issuerKeyUsage() throws {
        let (clean, revoking) = (
            try ListPKI.list(by: ListPKI.issuer.key),
            try ListPKI.list(by: ListPKI.issuer.key, revoking: [ListPKI.serial])
        )
        let changes: [(CraftedAuthority.Change, String)] = [
            ({ $0.remove("2.5.29.15") }, "accepted"), ({ $0.set(.keyUsage(5)) }, "0:revocation-unknown"),
        ]
        for (change, expected) in changes {
            #expect(try ListPKI.judge([clean], .hard, .rfc5280, issuer: change) == expected)
            #expect(try ListPKI.judge([revoking], .soft, .rfc5280, issuer: change) == "0:revoked")
        }
    }

    private func judge(
        _ lists: [CertificateList], _ mode: RevocationPolicy.Mode, _ signer: ListSigner, _ profile: ValidationProfile
    ) throws -> String {
        let ofSigners = try ListPKI.list(by: ListPKI.issuer.key) {
            $0.set(.listScope(Point.uri("http://signers.example/")))
        }
        return try ListPKI.judge(
            lists + [ofSigners], mode, profile, supplied: try signer.certificates(), anchors: try signer.anchors())
    }
}

extension ListSigner {
    /// An anchor beside the root, which clears.
    init(_ name: String, anchors: @escaping @Sendable () throws -> [TrustAnchor]) {
        self.init(name, .clears, anchors: anchors)
    }
}
