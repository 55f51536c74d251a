//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

@testable import CertificatePath

/// Revocation lists, complete, delta and indirect: nothing without a signature clears a certificate.
///
/// An input is an octet that chooses the certificate, one of choices, and lists.
enum RevocationListTarget {
    static let headerCount = 2

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        let input = FuzzInput(bytes, headerCount: self.headerCount)
        var lists: [CertificateList] = []
        for chunk in input.chunks { self.parse(chunk, &lists, &findings) }
        guard !lists.isEmpty, let world = RevocationWorld.shared else { return }
        let leaf = world.leaves[Int(input.header[0]) % world.leaves.count]
        for certificate in [leaf, world.root] {
            var names = NameTable()
            for list in lists { _ = list.entry(for: certificate, &names) }
        }
        let signatures = input.header[1] & 1 == 0 ? 128 : 4
        func judge(_ mode: RevocationPolicy.Mode, _ lists: [CertificateList]) -> Verdict {
            judgment(leaf, [world.listIssuer], anchors: [TrustAnchor(world.root)]) {
                $0.revocation = RevocationPolicy(mode, lists: lists)
                $0.budget.signatures = signatures
            }
        }
        let hard = judge(.hard, lists)
        let soft = judge(.soft, lists)
        findings.expect(
            hard.verifiedSignatures <= signatures, "more signatures than allowed: \(hard.verifiedSignatures)")
        findings.expect(!hard.isAccepted || soft.isAccepted, "accepted hard and refused soft: \(soft.summary)")
        if hard.isAccepted {
            let isSigned = lists.contains { world.signed.contains($0.bytes[$0.fields.tbsCertList]) }
            findings.expect(isSigned, "cleared by a list without a signature")
        }
        guard signatures == 128 else { return }
        let reversed = judge(.hard, lists.reversed())
        findings.expect(
            reversed.isAccepted == hard.isAccepted, "the order of lists decides: \(hard.summary), \(reversed.summary)")
    }

    private static func parse(_ chunk: [UInt8], _ lists: inout [CertificateList], _ findings: inout Findings) {
        do {
            let list = try CertificateList(der: chunk)
            findings.expect(list.bytes == chunk, "other bytes than were given")
            findings.expect(list.issuerDescription.utf8.count <= chunk.count * 8 + 16, "an issuer that is too long")
            lists.append(list)
        } catch {
            findings.expect((0...chunk.count).contains(error.offset), "an error beyond the end: \(error)")
            let again = Result { () throws(DERError) in try CertificateList(der: chunk).bytes }
            findings.expect(again == .failure(error), "another error the second time")
        }
    }

    static func seeds() throws -> [[UInt8]] {
        guard let world = RevocationWorld.shared else { return [] }
        let lists = world.lists.map(\.bytes)
        let single = world.leaves.indices.flatMap { leaf in
            lists.map { FuzzInput(header: [UInt8(leaf), 0], chunks: [$0]).encoded }
        }
        let pairs = lists.indices.dropFirst().map { index in
            FuzzInput(header: [UInt8(index % 4), 0], chunks: [lists[0], lists[index]]).encoded
        }
        return single + pairs + [FuzzInput(header: [3, 1], chunks: lists).encoded]
    }
}

/// Certificates whose revocation is asked about, and every kind of list that speaks about them.
struct RevocationWorld {
    let root: CertificateView
    /// Signs indirect lists.
    let listIssuer: CertificateView
    /// Without distribution points; with a location; with another issuer; with some reasons only.
    let leaves: [CertificateView]
    let lists: [CertificateList]
    let signed: Set<[UInt8]>

    static let shared = try? RevocationWorld()

    private init() throws {
        let root = Fixtures.root
        let other = CraftedAuthority("List issuer", .ed25519(8))
        self.root = try root.authority()
        self.listIssuer = try root.authority(other)
        let points: [TestExtension?] = [
            nil, .distributionPoints([Point.uri("http://a/1")]), .distributionPoints([Point.issuer(other.name)]),
            .distributionPoints([Point.uri("http://a/1"), Point.reasons(0x60)], [Point.relative("2")]),
        ]
        self.leaves = try points.map { point in
            try root.leaf(Fixtures.leafKey) { certificate in
                certificate.serialNumber = DER.number(4_711)
                if let point { certificate.set(point) }
            }
        }
        self.lists = try Self.lists(root, other)
        self.signed = Set(self.lists.map { $0.bytes[$0.fields.tbsCertList] })
    }

    private static func lists(_ root: CraftedAuthority, _ other: CraftedAuthority) throws -> [CertificateList] {
        let serial = DER.number(4_711)
        let entry = TestRevocationList.Entry(serial: serial, extensions: [.reason(1), .entryIssuer(root.name)])
        let changes: [(inout TestRevocationList) -> Void] = [
            { _ in },
            { $0.entries = [.init(serial: serial, extensions: [.reason(1)])] },
            { $0.entries = (1...5).map { .init(serial: DER.number($0)) } },
            {
                $0.set(.deltaFrom(5))
                $0.set(.listNumber(6))
            },
            {
                $0.set(.deltaFrom(4))
                $0.entries = [.init(serial: serial, extensions: [.reason(8)])]
            },
            { $0.set(.listScope(Point.uri("http://a/1"), Point.onlyUsers)) },
            { $0.set(.listScope(Point.uri("http://a/1"), Point.reasons(0x60, list: true))) },
            { $0.set(.listScope(Point.onlyAuthorities)) },
            { $0.nextUpdate = [] },
            { $0.set(TestExtension("1.2.3", critical: true, [5, 0])) },
        ]
        let own = changes.map { TestRevocationList(root, $0) }
        let indirect = [[], [entry]].map { entries in
            TestRevocationList(other) {
                $0.entries = entries
                $0.set(.listScope(Point.directory(other.name), Point.indirect))
            }
        }
        return try (own + indirect).map { try $0.view() }
    }
}
