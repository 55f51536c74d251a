//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

/// Lists and responses of others beside those that count: they hide nothing, and refuse nothing.
@Suite("Cost of evidence")
struct EvidenceCostTests {
    enum Kind: CaseIterable, Sendable {
        case rsa, p256, p384, p521

        func key(_ number: UInt16) -> TestKey {
            switch self {
            case .rsa: number % 2 == 0 ? .rsa2048 : .otherRSA2048
            case .p256: .p256(number)
            case .p384: .p384(number)
            case .p521: .p521(number)
            }
        }
    }

    static let serial = DER.number(4_711)

    /// A leaf below a root of a kind of key, and the genuine response of the root's delegate.
    private static func delegated(
        _ root: CraftedAuthority, _ delegate: CraftedAuthority, status: [UInt8] = DER.element(0x80, [])
    ) throws -> OCSPResponse {
        let certificate = try root.leaf(delegate.key) {
            $0.subject = delegate.name
            $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.9"))
            $0.set(TestExtension("1.3.6.1.5.5.7.48.1.5", [5, 0]))
        }
        var response = TestOCSPResponse(signer: delegate.key)
        (response.issuerName, response.issuerKey, response.status) = (root.name, root.key, status)
        response.certificates = [certificate]
        response.responder = DER.element(0xA1, delegate.name)
        return try response.view()
    }

    @Test(
        "Responses of strangers' delegates beside a genuine one change nothing", arguments: Kind.allCases,
        [RevocationPolicy.Mode.soft, .hard])
    func strangers(kind: Kind, mode: RevocationPolicy.Mode) throws {
        let root = CraftedAuthority("Root", kind.key(40))
        let leaf = try root.leaf { $0.serialNumber = Self.serial }
        let genuine = try Self.delegated(root, CraftedAuthority("Delegate", .p256(50)))
        let strangers = try (0..<30).map { number in
            let stranger = CraftedAuthority("Stranger", kind.key(UInt16(60 + number)))
            return try Self.delegated(stranger, CraftedAuthority("Other delegate", kind.key(UInt16(160 + number))))
        }
        for responses in [[genuine] + strangers, strangers + [genuine]] {
            let verdict = judgment(leaf, anchors: .certificates(try root.authority())) {
                $0.revocation = RevocationPolicy(mode, responses: responses)
            }
            #expect(verdict.summary == "accepted")
        }
    }

    private static let revoked = DER.element(
        0xA1, DER.generalizedTime("20260520000000Z") + DER.element(0xA0, DER.element(0x0A, [1])))

    @Test(
        "The issuer's list is read before a stranger's delegate in the issuer's name, whichever way is asked first",
        arguments: Kind.allCases, [false, true])
    func issuersFirst(kind: Kind, prefersLists: Bool) throws {
        let root = CraftedAuthority("Root", kind.key(40))
        let leaf = try root.leaf { $0.serialNumber = Self.serial }
        let strangers = try (0..<30).map { number in
            let delegate = CraftedAuthority("Delegate \(number)", .p256(UInt16(160 + number)))
            let stranger = CraftedAuthority(name: root.name, kind.key(UInt16(61 + 2 * number)))
            let certificate = try stranger.leaf(delegate.key) {
                $0.subject = delegate.name
                $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.9"))
                $0.set(.authorityKeyIdentifier([UInt8(number), 2, 3]))
            }
            var response = TestOCSPResponse(signer: delegate.key)
            (response.issuerName, response.issuerKey, response.status) = (root.name, root.key, Self.revoked)
            (response.certificates, response.responder) = ([certificate], DER.element(0xA1, delegate.name))
            return try response.view()
        }
        let own = try TestRevocationList(root).view()
        let others = try (0..<30).map { number in
            try TestRevocationList(CraftedAuthority(name: root.name, kind.key(UInt16(61 + 2 * number)))) {
                $0.set(.authorityKeyIdentifier([UInt8(number), 2, 3]))
            }.view()
        }
        let policies = [
            RevocationPolicy(.hard, lists: [own], responses: strangers),
            RevocationPolicy(.hard, lists: others + [own], responses: strangers),
        ]
        for var policy in policies {
            policy.prefersLists = prefersLists
            let verdict = judgment(leaf, anchors: .certificates(try root.authority())) { $0.revocation = policy }
            #expect(verdict.summary == "accepted")
        }
    }

    @Test(
        "A delegate's response below a stranger's list in the root's name is verified", arguments: Kind.allCases)
    func delegateBesideList(kind: Kind) throws {
        let root = CraftedAuthority("Root", kind.key(40))
        let (upper, issuer) = (CraftedAuthority("Upper", kind.key(42)), CraftedAuthority("Issuer", .p256(43)))
        let serial = DER.number(99)
        let sent = [
            try root.authority(upper), try upper.authority(issuer) { $0.serialNumber = serial },
        ]
        let leaf = try issuer.leaf { $0.serialNumber = Self.serial }
        let delegate = CraftedAuthority("Delegate", .p256(50))
        var response = TestOCSPResponse(signer: delegate.key)
        (response.issuerName, response.issuerKey, response.serial) = (upper.name, upper.key, serial)
        response.certificates = [
            try upper.leaf(delegate.key) {
                $0.subject = delegate.name
                $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.9"))
                $0.set(TestExtension("1.3.6.1.5.5.7.48.1.5", [5, 0]))
            }
        ]
        response.responder = DER.element(0xA1, delegate.name)
        // Nothing but its signature tells the stranger's list from the root's own.
        let stranger = CraftedAuthority(name: root.name, kind.key(61))
        let lists = [
            try TestRevocationList(stranger) { $0.thisUpdate = DER.utcTime("260531000000Z") }.view(),
            try TestRevocationList(root).view(), try TestRevocationList(issuer).view(),
        ]
        let policy = RevocationPolicy(.hard, lists: lists, responses: [try response.view()])
        let verdict = judgment(leaf, sent, anchors: .certificates(try root.authority())) {
            $0.revocation = policy
        }
        #expect(verdict.summary == "accepted")
    }

    /// Responses about a certificate whose made-up delegates name other keys, and whose verifications lead nowhere.
    private static func junk(_ issuer: CraftedAuthority, _ serial: [UInt8], _ count: Int) throws -> OCSPResponse {
        var response = TestOCSPResponse(signer: .p256(50))
        (response.issuerName, response.issuerKey, response.serial) = (issuer.name, issuer.key, serial)
        response.status = Self.revoked
        response.responder = DER.element(0xA1, CraftedAuthority("Delegate", .p256(50)).name)
        response.certificates = try (0..<count).map { number in
            try CraftedAuthority(name: issuer.name, .p256(UInt16(400 + number))).leaf(.p256(50)) {
                $0.subject = CraftedAuthority("Delegate", .p256(50)).name
                $0.serialNumber = DER.number(number + 1)
                $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.9"))
                $0.set(.authorityKeyIdentifier([UInt8(number), 7, 7]))
            }
        }
        return try response.view()
    }

    enum Naming: CaseIterable { case usualIdentifier, leafsIdentifier, twin }

    @Test(
        "No choice among certificates of one key makes a genuine “revoked” a stranger's", arguments: Kind.allCases,
        Naming.allCases)
    func hiddenIdentifier(kind: Kind, naming: Naming) throws {
        let (root, other) = (CraftedAuthority("Root", .p256(40)), CraftedAuthority("Other root", .p256(44)))
        let issuer = CraftedAuthority("Issuer", kind.key(42))
        let identifier: [UInt8] = naming == .usualIdentifier ? issuer.key.identifier : [9, 9, 9]
        // The server sends the certificate of another root, with another identifier of the key.
        var sent = [try other.authority(issuer) { $0.set(.subjectKeyIdentifier([1, 2, 3])) }]
        if naming == .twin { sent.append(try root.authority(issuer) { $0.set(.subjectKeyIdentifier(identifier)) }) }
        let leaf = try issuer.leaf {
            $0.serialNumber = Self.serial
            $0.remove("2.5.29.35")
            if naming == .leafsIdentifier { $0.set(.authorityKeyIdentifier(identifier)) }
        }
        let list = try TestRevocationList(issuer, revoking: [Self.serial]) {
            $0.set(.authorityKeyIdentifier(identifier))
        }.view()
        for count in [2, 30, 60, 100] {
            for mode in [RevocationPolicy.Mode.soft, .hard] {
                let policy = RevocationPolicy(
                    mode, lists: [list], responses: [try Self.junk(issuer, Self.serial, count)])
                let verdict = judgment(leaf, sent, anchors: .certificates(try other.authority())) {
                    $0.revocation = policy
                }
                #expect(!verdict.isAccepted, "\(count)")
            }
        }
    }

    @Test("Delta lists that name other keys refuse nothing", arguments: Kind.allCases)
    func strangersDeltas(kind: Kind) throws {
        let root = CraftedAuthority("Root", kind.key(40))
        let leaf = try root.leaf { $0.serialNumber = Self.serial }
        let deltas = try (0..<40).map { number in
            try TestRevocationList(CraftedAuthority(name: root.name, kind.key(UInt16(61 + 2 * number)))) {
                $0.set(.authorityKeyIdentifier([UInt8(number), 2, 3]))
                $0.set(.listNumber(8))
                $0.set(.deltaFrom(7))
            }.view()
        }
        let policy = RevocationPolicy(.hard, lists: deltas + [try TestRevocationList(root).view()])
        let verdict = judgment(leaf, anchors: .certificates(try root.authority())) { $0.revocation = policy }
        #expect(verdict.summary == "accepted")
    }

    @Test("Strangers' documents about an authority leave the budget to those about the leaf", arguments: Kind.allCases)
    func acrossThePath(kind: Kind) throws {
        let root = CraftedAuthority("Root", kind.key(40))
        let issuer = CraftedAuthority("Issuer", kind.key(42))
        let serial = DER.number(99)
        let leaf = try issuer.leaf { $0.serialNumber = Self.serial }
        let lists = try (0..<50).map { number in
            try TestRevocationList(
                CraftedAuthority(name: root.name, kind.key(UInt16(61 + 2 * number))), revoking: [serial]
            ) { $0.set(.authorityKeyIdentifier([UInt8(number), 2, 3])) }.view()
        }
        let own = [try TestRevocationList(root).view(), try TestRevocationList(issuer).view()]
        let policy = RevocationPolicy(.hard, lists: lists + own, responses: [try Self.junk(root, serial, 60)])
        let sent = [try root.authority(issuer) { $0.serialNumber = serial }]
        let verdict = judgment(leaf, sent, anchors: .certificates(try root.authority())) { $0.revocation = policy }
        #expect(verdict.summary == "accepted")
    }

    @Test("Writings of one list's signature are one list, and names of responders are folded once")
    func writings() throws {
        let root = CraftedAuthority("Root", .rsa2048)
        let leaf = try root.leaf { $0.serialNumber = Self.serial }
        let list = try TestRevocationList(root, revoking: [Self.serial]).view()
        // The last octets of a list are those of its signature. The genuine one is read first.
        let end = list.bytes.count - 2
        try #require(list.bytes[end] < 0xFF)
        let lists = try (0..<200).map { number in
            var octets = list.bytes
            if number > 0 { (octets[end], octets[end + 1]) = (0xFF, UInt8(number)) }
            return try CertificateList(der: octets)
        }
        let policy = RevocationPolicy(.soft, lists: lists)
        let verdict = judgment(leaf, anchors: .certificates(try root.authority())) { $0.revocation = policy }
        #expect(verdict.summary == "0:revoked")
        let path = CandidatePath(certificates: verdict.path, anchor: verdict.anchor, deadEnd: nil)
        let request = ValidationRequest(time: testTime, purposes: [PurposeRequirement(.any)], profile: .rfc5280)
        var memo = SignatureMemo(Budget(), octets: 100_000, cache: nil)
        let supplied = try (0..<200).map { number in
            try root.leaf(.p256(50)) {
                $0.subject = TestDER.name([[.cn(String(repeating: "Α", count: 50) + "\(number % 2)")]])
                $0.serialNumber = DER.number(number + 1)
                $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.9"))
            }
        }
        var response = TestOCSPResponse(signer: .p256(50))
        (response.issuerName, response.issuerKey, response.serial) = (root.name, root.key, Self.serial)
        response.responder = DER.element(0xA1, TestDER.name([[.cn(String(repeating: "α", count: 2_000))]]))
        let responses = try (0..<50).map { _ in try response.view() }
        let checker = RevocationChecker(
            path: path, request: request, policy: RevocationPolicy(.soft, lists: lists, responses: responses),
            anchors: [], depth: 0, supplied: supplied)
        #expect(checker.listChecker(at: 0, PublicKeySource(try root.authority())).judge(&memo).records.count == 1)
        _ = checker.statuses(at: [0], &memo)
        #expect(memo.names.foldedOctets < 10_000, "\(memo.names.foldedOctets)")
    }

    @Test("Copies of a list cost no more than the list, in whatever number")
    func copies() throws {
        let root = CraftedAuthority("Root", .p256(40))
        let leaf = try root.leaf { $0.serialNumber = Self.serial }
        let list = try TestRevocationList(root, revoking: [Self.serial]).view()
        let lists = try (0..<2_000).map { _ in try CertificateList(der: list.bytes) }
        let policy = RevocationPolicy(.soft, lists: lists)
        let verdict = judgment(leaf, anchors: .certificates(try root.authority())) { $0.revocation = policy }
        #expect(verdict.summary == "0:revoked")
        let path = CandidatePath(certificates: verdict.path, anchor: verdict.anchor, deadEnd: nil)
        let request = ValidationRequest(time: testTime, purposes: [PurposeRequirement(.any)], profile: .rfc5280)
        let checker = RevocationChecker(
            path: path, request: request, policy: policy, anchors: [], depth: 0, supplied: [])
        var memo = SignatureMemo(Budget(), octets: 100_000, cache: nil)
        let judged = checker.listChecker(at: 0, PublicKeySource(try root.authority())).judge(&memo)
        #expect(judged.records.count == 1 && memo.verified == 1)
    }

    @Test(
        "A genuine “revoked” refuses beside forgeries that say the opposite, in every mode", arguments: Kind.allCases,
        [RevocationPolicy.Mode.soft, .hard])
    func revokedBesideForgeries(kind: Kind, mode: RevocationPolicy.Mode) throws {
        let root = CraftedAuthority("Root", kind.key(40))
        let leaf = try root.leaf { $0.serialNumber = Self.serial }
        var genuine = TestOCSPResponse(signer: root.key)
        (genuine.issuerName, genuine.issuerKey, genuine.status) = (root.name, root.key, Self.revoked)
        genuine.responder = DER.element(0xA1, root.name)
        let forgeries = try (0..<30).map { number in
            var forgery = TestOCSPResponse(signer: kind.key(UInt16(60 + number * 2 + 1)))
            (forgery.issuerName, forgery.issuerKey) = (root.name, root.key)
            forgery.responder = DER.element(0xA1, root.name)
            if number % 2 == 0 { forgery.status = Self.revoked }
            return try forgery.view()
        }
        for responses in [[try genuine.view()] + forgeries, forgeries + [try genuine.view()]] {
            let verdict = judgment(leaf, anchors: .certificates(try root.authority())) {
                $0.revocation = RevocationPolicy(mode, responses: responses)
            }
            #expect(!verdict.isAccepted)
        }
    }

    @Test(
        "Twenty generations of an authority's keys, each with its list, are told apart", arguments: Kind.allCases,
        [RevocationPolicy.Mode.soft, .hard])
    func generations(kind: Kind, mode: RevocationPolicy.Mode) throws {
        let root = CraftedAuthority("Root", kind.key(40))
        let name = CraftedAuthority("Issuing", .p256(1)).name
        let generations = (0..<20).map { CraftedAuthority(name: name, kind.key(UInt16(100 + $0))) }
        let sent = try generations.map { try root.authority($0) }
        let lists = try ([root] + generations).map { authority in
            try TestRevocationList(authority) {
                $0.set(.authorityKeyIdentifier(authority.key.identifier))
                $0.set(.listNumber(7))
            }.view()
        }
        for generation in [0, 7, 19] {
            let leaf = try generations[generation].leaf { $0.serialNumber = Self.serial }
            let verdict = judgment(leaf, sent, anchors: .certificates(try root.authority())) {
                $0.revocation = RevocationPolicy(mode, lists: lists)
            }
            #expect(verdict.summary == "accepted")
        }
    }

    @Test(
        "“Revoked” by an identifier that only the authority knows is not hidden where the certificate names no key",
        arguments: Kind.allCases)
    func ownIdentifier(kind: Kind) throws {
        let root = CraftedAuthority("Root", kind.key(40))
        let leaf = try root.leaf {
            $0.serialNumber = Self.serial
            $0.remove("2.5.29.35")
        }
        let genuine = try TestRevocationList(root, revoking: [Self.serial]) {
            $0.set(.authorityKeyIdentifier([1, 2, 3]))
        }.view()
        let others = try (0..<120).map { number in
            try TestRevocationList(
                CraftedAuthority(name: root.name, kind.key(UInt16(61 + 2 * number))), revoking: [Self.serial]
            ) { $0.set(.authorityKeyIdentifier([UInt8(number), 9])) }.view()
        }
        let verdict = judgment(leaf, anchors: .certificates(try root.authority())) {
            $0.revocation = RevocationPolicy(.soft, lists: others + [genuine])
        }
        #expect(!verdict.isAccepted)
    }

    /// Certificates and documents in a name that a stranger makes as many of as he likes.
    @Test(
        "The pairs of documents and possible signers that are looked at do not grow with their product",
        arguments: [50, 150])
    func pairs(count: Int) throws {
        let root = CraftedAuthority("Root", .p256(40))
        let leaf = try root.leaf { $0.serialNumber = Self.serial }
        let stranger = CraftedAuthority("Stranger", .p256(41))
        let signers = try (0..<count).map { number in
            try stranger.authority(CraftedAuthority(name: root.name, .p256(UInt16(1_000 + number))))
        }
        let delegates = try (0..<count).map { number in
            try CraftedAuthority(name: root.name, .p256(42)).leaf(.p256(UInt16(2_000 + number))) {
                $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.9"))
            }
        }
        let lists = try (0..<count).map { number in
            try TestRevocationList(CraftedAuthority(name: root.name, .p256(43))) {
                $0.set(.authorityKeyIdentifier([UInt8(number), 7]))
            }.view()
        }
        let responses = try (0..<count).map { number in
            var response = TestOCSPResponse(signer: .p256(44))
            (response.issuerName, response.issuerKey) = (root.name, root.key)
            response.responder = DER.element(0xA1, TestDER.name([[.cn("Responder \(number)")]]))
            response.status = Self.revoked
            return try response.view()
        }
        let sent = signers + delegates
        let octets = sent.reduce(0) { $0 + $1.bytes.count } + lists.reduce(0) { $0 + $1.bytes.count }
        let verdict = judgment(leaf, sent, anchors: .certificates(try root.authority())) {
            $0.revocation = RevocationPolicy(.soft, lists: lists, responses: responses)
        }
        let pairs = try #require(verdict.work?.memo.pairs)
        #expect(pairs > count && pairs < 1_100 + octets / 400, "\(pairs)")
    }

    /// Keys of another kind cost no verification, so that pairs alone run out.
    @Test("A genuine “revoked” behind more pairs than are looked at refuses", arguments: [false, true])
    func revokedBehindPairs(isByList: Bool) throws {
        let root = CraftedAuthority("Root", .p256(40))
        let (stranger, next) = (CraftedAuthority("Stranger", .p256(41)), CraftedAuthority(name: root.name, .p256(42)))
        let leaf = try root.leaf { $0.serialNumber = Self.serial }
        let signers = try (0..<120).map { number in
            try stranger.authority(CraftedAuthority(name: root.name, .p256(UInt16(1_000 + number))))
        }
        let delegates = try (0..<120).map { number in
            try CraftedAuthority(name: root.name, .p256(43)).leaf(.p256(UInt16(2_000 + number))) {
                $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.9"))
            }
        }
        let lists = try (0..<60).map { number in
            try TestRevocationList(CraftedAuthority(name: root.name, .rsa2048), revoking: [Self.serial]) {
                $0.thisUpdate = DER.utcTime("260531000000Z")
                $0.set(.listNumber(number + 6))
            }.view()
        }
        let responses = try (0..<60).map { number in
            var response = TestOCSPResponse(signer: .rsa2048)
            (response.issuerName, response.issuerKey, response.status) = (root.name, root.key, Self.revoked)
            response.responder = DER.element(0xA1, TestDER.name([[.cn("Responder \(number)")]]))
            return try response.view()
        }
        let genuine = try TestRevocationList(next, revoking: [Self.serial]).view()
        let delegated = try Self.delegated(root, CraftedAuthority("Delegate", .p256(50)), status: Self.revoked)
        let (sent, policy) =
            isByList
            ? ([try root.authority(next)] + signers, RevocationPolicy(.soft, lists: lists + [genuine]))
            : (delegates, RevocationPolicy(.soft, responses: responses + [delegated]))
        let verdict = judgment(leaf, sent, anchors: .certificates(try root.authority())) { $0.revocation = policy }
        #expect(!verdict.isAccepted)
        // A response that names a signer at hand is looked at before those that name none. A list waits its turn.
        let pairs = try #require(verdict.work?.memo.pairs)
        #expect(pairs >= 1_000, "\(pairs)")
    }

    @Test("The name of an issuer is folded once, whatever number of lists writes it in another way")
    func spellings() throws {
        let letters = String(repeating: "Α", count: 1_000)
        let root = CraftedAuthority(name: TestDER.name([[.cn(letters)]]), .p256(40))
        let leaf = try root.leaf { $0.serialNumber = Self.serial }
        let lists = try (0..<40).map { number in
            let spelling = String(repeating: "α", count: number) + letters.dropFirst(number)
            return try TestRevocationList(CraftedAuthority(name: TestDER.name([[.cn(spelling)]]), .p256(41))).view()
        }
        let policy = RevocationPolicy(.soft, lists: lists)
        let request = ValidationRequest(time: testTime, purposes: [PurposeRequirement(.any)], profile: .rfc5280)
        let path = CandidatePath(
            certificates: [leaf, try root.authority()], anchor: TrustAnchor(try root.authority()), deadEnd: nil)
        let checker = RevocationChecker(
            path: path, request: request, policy: policy, anchors: [], depth: 0, supplied: [])
        var memo = SignatureMemo(Budget(), octets: 100_000, cache: nil)
        _ = checker.statuses(at: [0], &memo)
        #expect(memo.names.foldedOctets < 2_020 * (lists.count + 2), "\(memo.names.foldedOctets)")
    }

    @Test("The evidence that cleared a path is told as used", arguments: Kind.allCases, 1...4)
    func told(kind: Kind, length: Int) throws {
        let authorities = (0..<length).map { CraftedAuthority("CA \($0)", kind.key(UInt16(200 + $0))) }
        let root = CraftedAuthority("Root", kind.key(41))
        let sent = try zip([root] + authorities, authorities).map { try $0.authority($1) }
        let lists = try ([root] + authorities).map { try TestRevocationList($0).view() }
        let leaf = try (authorities.last ?? root).leaf { $0.serialNumber = Self.serial }
        var request = ValidationRequest(time: testTime, purposes: [PurposeRequirement(.any)], profile: .rfc5280)
        request.revocation = RevocationPolicy(.hard, lists: lists)
        let validator = PathValidator(
            request, anchors: [TrustAnchorSet([TrustAnchor](arrayLiteral: TrustAnchor(try root.authority())))])
        let verdict = validator.validate(leaf, intermediates: sent)
        #expect(verdict.summary == "accepted")
        let evidence = validator.revocationEvidence(of: verdict, under: request.revocation, intermediates: sent)
        let isUsed = evidence.lists.map { if case .used = $0 { true } else { false } }
        #expect(isUsed.allSatisfy { $0 }, "\(evidence.lists)")
        let statuses = validator.revocationStatuses(of: verdict, under: request.revocation, intermediates: sent)
        #expect(statuses.allSatisfy { $0 == .good })
    }

    @Test(
        "A delegate and a list that name another identifier of the issuer's key still revoke and clear",
        arguments: Kind.allCases)
    func otherIdentifiers(kind: Kind) throws {
        let root = CraftedAuthority("Root", kind.key(40))
        let leaf = try root.leaf { $0.serialNumber = Self.serial }
        let delegate = CraftedAuthority("Delegate", .p256(50))
        for (status, isAccepted) in [(DER.element(0x80, []), true), (Self.revoked, false)] {
            let certificate = try root.leaf(delegate.key) {
                $0.subject = delegate.name
                $0.set(.extendedKeyUsage("1.3.6.1.5.5.7.3.9"))
                $0.set(.authorityKeyIdentifier([1, 2, 3]))
            }
            var response = TestOCSPResponse(signer: delegate.key)
            (response.issuerName, response.issuerKey, response.status) = (root.name, root.key, status)
            (response.certificates, response.responder) = ([certificate], DER.element(0xA1, delegate.name))
            let list = try TestRevocationList(root, revoking: isAccepted ? [] : [Self.serial]) {
                $0.set(.authorityKeyIdentifier([1, 2, 3]))
            }.view()
            let policies = [
                RevocationPolicy(.soft, responses: [try response.view()]), RevocationPolicy(.hard, lists: [list]),
            ]
            for policy in policies {
                let verdict = judgment(leaf, anchors: .certificates(try root.authority())) { $0.revocation = policy }
                #expect(verdict.isAccepted == isAccepted)
            }
        }
    }
}
