//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import TestSupport
import Testing

@Suite("Revocation lists (RFC 5280 §6.3)")
struct RevocationListTests {
    private static let root = CraftedAuthority("Root", .p256(1))
    private static let other = CraftedAuthority("List issuer", .p256(7))
    private static let serial = DER.number(4_711)

    /// Judges a leaf of the root with lists.
    private func judge(
        _ lists: [TestRevocationList], mode: RevocationPolicy.Mode = .hard, supplied: [CertificateView] = [],
        profile: ValidationProfile = .rfc5280, _ change: CraftedAuthority.Change = { _ in }
    ) throws -> String {
        let leaf = try Self.root.leaf { certificate in
            certificate.serialNumber = Self.serial
            change(&certificate)
        }
        let views = try lists.map { try $0.view() }
        return judgment(leaf, supplied, anchors: .certificates(try Self.root.authority())) { request in
            request.profile = profile
            request.revocation = RevocationPolicy(mode, lists: views)
        }.summary
    }

    @Test(
        "A listed certificate is refused, whatever becomes of unknown ones",
        arguments: [RevocationPolicy.Mode.soft, .hard])
    func listed(mode: RevocationPolicy.Mode) throws {
        #expect(try self.judge([TestRevocationList(Self.root, revoking: [Self.serial])], mode: mode) == "0:revoked")
    }

    @Test("Lists are not looked at when revocation is off")
    func off() throws {
        #expect(try self.judge([TestRevocationList(Self.root, revoking: [Self.serial])], mode: .off) == "accepted")
    }

    @Test("A current list without the certificate clears it")
    func notListed() throws {
        #expect(try self.judge([TestRevocationList(Self.root, revoking: [DER.number(4_712)])]) == "accepted")
    }

    @Test("Of two current lists the newer one counts, and of the same moment both, in whatever order they come")
    func newest() throws {
        func list(_ thisUpdate: String, _ serials: [[UInt8]]) -> TestRevocationList {
            TestRevocationList(Self.root, revoking: serials) { $0.thisUpdate = DER.utcTime(thisUpdate) }
        }
        let clear = list("260530000000Z", [])
        let cases = [
            (list("260531000000Z", [Self.serial]), "0:revoked"), (list("260530000000Z", [Self.serial]), "0:revoked"),
            (list("260529000000Z", [Self.serial]), "accepted"),
        ]
        for (other, expected) in cases {
            #expect(try self.judge([clear, other]) == expected)
            #expect(try self.judge([other, clear]) == expected)
        }
    }

    /// The lists of two points are two lists: that the younger one of one point is clean says nothing about the other point.
    @Test("“Revoked” on the list of one distribution point stands, whatever a newer list of another point says")
    func newestOfPoints() throws {
        func list(_ number: Int, _ thisUpdate: String, _ serials: [[UInt8]]) -> TestRevocationList {
            TestRevocationList(Self.root, revoking: serials) {
                $0.thisUpdate = DER.utcTime(thisUpdate)
                $0.set(.listScope(Point.uri("http://crl.example/\(number)")))
            }
        }
        let points: CraftedAuthority.Change = {
            $0.set(.distributionPoints([Point.uri("http://crl.example/1")], [Point.uri("http://crl.example/2")]))
        }
        for (older, newer) in [(1, 2), (2, 1)] {
            let lists = [list(older, "260529000000Z", []), list(newer, "260530000000Z", [Self.serial])]
            #expect(try self.judge(lists, points) == "0:revoked")
            let lifted = [list(older, "260529000000Z", [Self.serial]), list(newer, "260530000000Z", [])]
            #expect(try self.judge(lifted, points) == "0:revoked")
            #expect(try self.judge(lifted.reversed(), points) == "0:revoked")
        }
    }

    @Test("Without any list the status is unknown: refused when it must be known, accepted when not")
    func missing() throws {
        #expect(try self.judge([]) == "0:revocation-unknown")
        #expect(try self.judge([], mode: .soft) == "accepted")
    }

    struct Flaw: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout TestRevocationList) -> Void
        init(_ name: String, _ change: @escaping @Sendable (inout TestRevocationList) -> Void) {
            self.testDescription = name
            self.change = change
        }
    }

    @Test(
        "A list that cannot be relied on clears no certificate",
        arguments: [
            Flaw("stale") { $0.nextUpdate = DER.utcTime("260531235959Z") },
            Flaw("from the future") { $0.thisUpdate = DER.utcTime("260601000001Z") },
            Flaw("without an end") { $0.nextUpdate = [] },
            Flaw("signed with another key") { $0.signer = .p256(9) },
            Flaw("with a broken signature") { $0.signature = [0x30, 0x06, 0x02, 0x01, 0x01, 0x02, 0x01, 0x01] },
            Flaw("of another issuer") { $0.issuer = TestDER.name([[.cn("Someone else")]]) },
            Flaw("with an unknown critical extension") { $0.set(TestExtension("1.2.3", critical: true, [5, 0])) },
            Flaw("with an unknown critical extension on an entry") {
                $0.entries = [
                    .init(serial: DER.number(1), extensions: [TestExtension("1.2.3", critical: true, [5, 0])])
                ]
            },
            Flaw("for authorities only") { $0.set(.listScope(Point.onlyAuthorities)) },
            Flaw("for attribute certificates only") { $0.set(.listScope(Point.onlyAttributes)) },
            Flaw("for another distribution point") { $0.set(.listScope(Point.uri("http://other.example/"))) },
            Flaw("for some reasons only") { $0.set(.listScope(Point.reasons(0x60, list: true))) },
            Flaw("that is a delta of nothing") { $0.set(.deltaFrom(5)) },
        ])
    func unusable(flaw: Flaw) throws {
        let list = TestRevocationList(Self.root, flaw.change)
        #expect(try self.judge([list]) == "0:revocation-unknown")
        #expect(try self.judge([list], mode: .soft) == "accepted")
    }

    @Test("A stale list still revokes what it lists")
    func staleRevocation() throws {
        let list = TestRevocationList(Self.root, revoking: [Self.serial]) {
            $0.nextUpdate = DER.utcTime("200101000000Z")
        }
        #expect(try self.judge([list], mode: .soft) == "0:revoked")
    }

    @Test("A list in force up to the very second is current")
    func lastSecond() throws {
        let list = TestRevocationList(Self.root) { list in
            list.thisUpdate = DER.utcTime("260601000000Z")
            list.nextUpdate = DER.utcTime("260601000000Z")
        }
        #expect(try self.judge([list]) == "accepted")
    }

    @Test("An authority whose key usage lacks cRLSign cannot sign its list")
    func keyUsage() throws {
        let leaf = try Self.root.leaf()
        let root = try Self.root.authority(nil) { $0.set(.keyUsage(5)) }
        let list = try TestRevocationList(Self.root).view()
        let verdict = judgment(leaf, anchors: .certificates(root)) {
            $0.revocation = RevocationPolicy(.hard, lists: [list])
        }
        #expect(verdict.summary == "0:revocation-unknown")
    }

    @Test("The intermediate is checked like the leaf, and a revoked one spoils the path")
    func intermediate() throws {
        let chain = try TestChain()
        let lists = [
            try TestRevocationList(TestChain.root, revoking: [DER.element(0x02, [0x2A, 0x01])]).view(),
            try TestRevocationList(TestChain.first).view(), try TestRevocationList(TestChain.second).view(),
        ]
        #expect(chain.judge { $0.revocation = RevocationPolicy(.soft, lists: lists) }.summary == "2:revoked")
        let incomplete = Array(lists.dropFirst())
        #expect(
            chain.judge { $0.revocation = RevocationPolicy(.hard, lists: incomplete) }.summary == "2:revocation-unknown"
        )
    }

    /// RFC 6960 §4.2.2.2.1 gives the extension to responders. Anything else that has it is checked like its neighbors: it
    /// would otherwise be its own word that it is not revoked, in Apple's profile too.
    @Test(
        "A server's certificate that asks not to be checked is checked, and refused when a list names it",
        arguments: ValidationProfile.standard, [RevocationPolicy.Mode.leaf, .hard])
    func noCheck(profile: ValidationProfile, mode: RevocationPolicy.Mode) throws {
        let noCheck = TestExtension("1.3.6.1.5.5.7.48.1.5", [5, 0])
        #expect(try self.judge([], mode: mode, profile: profile) { $0.set(noCheck) } == "0:revocation-unknown")
        #expect(
            try self.judge([TestRevocationList(Self.root)], mode: mode, profile: profile) { $0.set(noCheck) }
                == "accepted")
        let list = TestRevocationList(Self.root, revoking: [Self.serial])
        #expect(try self.judge([list], mode: .soft, profile: profile) { $0.set(noCheck) } == "0:revoked")
    }

    @Test("An issuer that may not sign lists clears no certificate, and still takes back what it issued")
    func disavowal() throws {
        let leaf = try Self.root.leaf { $0.serialNumber = Self.serial }
        let root = try Self.root.authority(nil) { $0.set(.keyUsage(5)) }
        let list = try TestRevocationList(Self.root, revoking: [Self.serial]).view()
        let verdict = judgment(leaf, anchors: .certificates(root)) {
            $0.revocation = RevocationPolicy(.soft, lists: [list])
        }
        #expect(verdict.summary == "0:revoked")
    }

    @Test("Signatures that run out before the list is checked refuse, softly or not")
    func budget() throws {
        let leaf = try Self.root.leaf { $0.serialNumber = Self.serial }
        let list = try TestRevocationList(Self.root, revoking: [Self.serial]).view()
        let anchors: [TrustAnchor] = .certificates(try Self.root.authority())
        func summary(_ signatures: Int, _ lists: [CertificateList]) -> String {
            judgment(leaf, anchors: anchors) { request in
                request.revocation = RevocationPolicy(.soft, lists: lists)
                request.budget.signatures = signatures
            }.summary
        }
        #expect(summary(1, []) == "accepted")
        #expect(summary(1, [list]) == "0:budget-exceeded")
        #expect(summary(2, [list]) == "0:revoked")
    }

    // MARK: Distribution points

    @Test("A list for the certificate's own distribution point counts, by URI, by relative name and by full name")
    func ownPoint() throws {
        let uri = TestRevocationList(Self.root) { $0.set(.listScope(Point.uri("http://crl.example/1"))) }
        #expect(
            try self.judge([uri]) { $0.set(.distributionPoints([Point.uri("http://crl.example/1")])) } == "accepted")
        let relative = TestRevocationList(Self.root) { $0.set(.listScope(Point.relative("Part 1"))) }
        #expect(try self.judge([relative]) { $0.set(.distributionPoints([Point.relative("Part 1")])) } == "accepted")
        #expect(
            try self.judge([relative]) { $0.set(.distributionPoints([Point.relative("Part 2")])) }
                == "0:revocation-unknown")
        let full = TestDER.name([[.o("Test")], [.cn("Root")], [.cn("Part 1")]])
        #expect(try self.judge([relative]) { $0.set(.distributionPoints([Point.directory(full)])) } == "accepted")
    }

    @Test("Lists for some reasons clear a certificate only when together they cover all")
    func reasons() throws {
        let some = TestRevocationList(Self.root) { $0.set(.listScope(Point.reasons(0x60, list: true))) }
        let rest = TestRevocationList(Self.root) { $0.set(.listScope(Point.reasons(0x1F, 0x80, list: true))) }
        #expect(try self.judge([some]) == "0:revocation-unknown")
        #expect(try self.judge([some, rest]) == "accepted")
    }

    @Test(
        "An indirect list speaks for those its entries name, if the certificate points to it and its issuer is trusted")
    func indirect() throws {
        let signer = try Self.root.authority(Self.other)
        func list(_ entryIssuer: [UInt8]) -> TestRevocationList {
            TestRevocationList(Self.other) { list in
                list.set(.listScope(Point.indirect))
                list.entries = [.init(serial: Self.serial, extensions: [.entryIssuer(entryIssuer)])]
            }
        }
        let point: CraftedAuthority.Change = { $0.set(.distributionPoints([Point.issuer(Self.other.name)])) }
        let own = TestRevocationList(Self.root)
        #expect(try self.judge([list(Self.root.name)], mode: .soft, supplied: [signer], point) == "0:revoked")
        #expect(try self.judge([list(Self.other.name), own], supplied: [signer], point) == "accepted")
        // The certificate does not point to it.
        #expect(try self.judge([list(Self.root.name)], mode: .soft, supplied: [signer]) == "accepted")
        // No authority vouches for its issuer.
        let stranger = try CraftedAuthority("Stranger", .p256(20)).authority(Self.other)
        #expect(try self.judge([list(Self.root.name)], mode: .soft, supplied: [stranger], point) == "accepted")
    }

    @Test("An indirect list may speak about its own issuer's certificate, if that certificate points to it")
    func ownIndirect() throws {
        let point = TestExtension.distributionPoints([Point.issuer(Self.other.name)])
        let serial = DER.number(77)
        func list(_ entries: [TestRevocationList.Entry] = []) -> TestRevocationList {
            TestRevocationList(Self.other) { list in
                list.set(.listScope(Point.indirect))
                list.entries = entries
            }
        }
        let signer = try Self.root.authority(Self.other) { certificate in
            certificate.serialNumber = serial
            certificate.set(point)
        }
        #expect(try self.judge([list()], supplied: [signer]) { $0.set(point) } == "accepted")
        let revoked = list([.init(serial: serial, extensions: [.entryIssuer(Self.root.name)])])
        #expect(try self.judge([revoked], supplied: [signer]) { $0.set(point) } == "0:revocation-unknown")
        let elsewhere = try Self.root.authority(Self.other) { $0.serialNumber = serial }
        #expect(try self.judge([list()], supplied: [elsewhere]) { $0.set(point) } == "0:revocation-unknown")
    }

    @Test("A list signed with a separate key counts when the key's certificate is trusted and may sign lists")
    func separateKey() throws {
        let listKey = CraftedAuthority(name: Self.root.name, .p256(8))
        let good = try Self.root.authority(listKey) {
            $0.serialNumber = DER.number(99)
            $0.set(.keyUsage(6))
        }
        let list = TestRevocationList(listKey, revoking: [Self.serial])
        #expect(try self.judge([list], mode: .soft, supplied: [good]) == "0:revoked")
        let mayNot = try Self.root.authority(listKey) { $0.set(.keyUsage(0)) }
        #expect(try self.judge([list], mode: .soft, supplied: [mayNot]) == "accepted")
        let saysNothing = try Self.root.authority(listKey) { $0.remove("2.5.29.15") }
        #expect(try self.judge([list], mode: .soft, supplied: [saysNothing]) == "accepted")
    }

    // MARK: Delta lists

    @Test("A delta list adds to its base, takes away from it, and fits only its base")
    func deltas() throws {
        func delta(_ base: Int, _ number: Int, _ entries: [TestRevocationList.Entry] = []) -> TestRevocationList {
            TestRevocationList(Self.root) { list in
                list.entries = entries
                list.extensions = [.listNumber(number), .deltaFrom(base)]
            }
        }
        let revoked = TestRevocationList.Entry(serial: Self.serial)
        let removed = TestRevocationList.Entry(serial: Self.serial, extensions: [.reason(8)])
        let clean = TestRevocationList(Self.root)
        let held = TestRevocationList(Self.root) { $0.entries = [.init(serial: Self.serial, extensions: [.reason(6)])] }
        #expect(try self.judge([clean, delta(5, 6, [revoked])]) == "0:revoked")
        #expect(try self.judge([held, delta(5, 6)]) == "0:revoked")
        #expect(try self.judge([held, delta(5, 6, [removed])]) == "accepted")
        // RFC 5280 §5.3.1: only what is on hold is taken off.
        let lost = TestRevocationList(Self.root) { $0.entries = [.init(serial: Self.serial, extensions: [.reason(1)])] }
        #expect(try self.judge([lost, delta(5, 6, [removed])]) == "0:revoked")
        // It starts from a newer list than the one at hand, and does not say more of it; what it says is revoked is so.
        #expect(try self.judge([clean, delta(6, 7)]) == "accepted")
        #expect(try self.judge([clean, delta(6, 7, [revoked])]) == "0:revoked")
        // It is older than the list at hand.
        #expect(try self.judge([held, delta(3, 4, [removed])]) == "0:revoked")
    }

    @Test("A current delta list refreshes a stale base")
    func refreshed() throws {
        let stale = TestRevocationList(Self.root) { $0.nextUpdate = DER.utcTime("260531000000Z") }
        let delta = TestRevocationList(Self.root) { $0.extensions = [.listNumber(6), .deltaFrom(5)] }
        #expect(try self.judge([stale]) == "0:revocation-unknown")
        #expect(try self.judge([stale, delta]) == "accepted")
        let strange = TestRevocationList(Self.root) { $0.set(TestExtension("1.2.3", critical: true, [5, 0])) }
        #expect(try self.judge([strange, delta]) == "0:revocation-unknown")
        let early = TestRevocationList(Self.root) { $0.thisUpdate = DER.utcTime("260601000001Z") }
        #expect(try self.judge([early, delta]) == "0:revocation-unknown")
    }

    // MARK: Form

    @Test("Where issuers are held to their profile, a list has a number that is not critical")
    func number() throws {
        var profile = ValidationProfile.rfc5280
        profile.certificateRules = .criticality
        let without = TestRevocationList(Self.root) {
            $0.extensions = [.authorityKeyIdentifier(Self.root.key.identifier)]
        }
        let critical = TestRevocationList(Self.root) { $0.extensions = [.listNumber(5, critical: true)] }
        #expect(try self.judge([without]) == "accepted")
        #expect(try self.judge([without], profile: profile) == "0:revocation-unknown")
        #expect(try self.judge([critical], profile: profile) == "0:revocation-unknown")
        #expect(try self.judge([TestRevocationList(Self.root)], profile: profile) == "accepted")
    }

    @Test("A list cut off anywhere, or with any bit flipped, clears no certificate and never traps")
    func hostileBytes() throws {
        let bytes = try TestRevocationList(Self.root, revoking: [DER.number(1)]).view().bytes
        for count in bytes.indices {
            #expect(throws: DERError.self) { try CertificateList(der: Array(bytes[..<count])) }
        }
        let leaf = try Self.root.leaf()
        let anchors: [TrustAnchor] = .certificates(try Self.root.authority())
        for bit in 0..<bytes.count * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let list = try? CertificateList(der: flipped) else { continue }
            let verdict = judgment(leaf, anchors: anchors) { $0.revocation = RevocationPolicy(.hard, lists: [list]) }
            #expect(!verdict.isAccepted, "bit \(bit)")
        }
    }
}
