//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import TestSupport
import Testing

/// Evidence that is old, weak, contradictory or partly unreadable.
@Suite("What a list or response must be to clear a certificate, and that its faults take no “revoked” away")
struct EvidenceQualityTests {
    private static let serial = DER.number(4_711)
    private static let good = DER.element(0x80, [])
    private static let revoked = DER.element(0xA1, DER.generalizedTime("20260520000000Z"))

    /// Judges a leaf, or an authority, of the root.
    private func judge(
        _ mode: RevocationPolicy.Mode, _ profile: ValidationProfile, lists: [TestRevocationList] = [],
        responses: [TestOCSPResponse] = [], isAuthority: Bool = false, ages: RevocationAgeLimits? = nil
    ) throws -> String {
        let leaf = try testRoot.leaf { certificate in
            certificate.serialNumber = Self.serial
            guard isAuthority else { return }
            certificate.set(.basicConstraints(true))
            certificate.set(.keyUsage(5, 6))
            certificate.set(.subjectKeyIdentifier([1]))
        }
        let (lists, responses) = (try lists.map { try $0.view() }, try responses.map { try $0.view() })
        return judgment(leaf, anchors: .certificates(try testRoot.authority())) { request in
            request.profile = profile
            request.profile.certificateRules.remove(.leafIsNotAuthority)
            request.revocation = RevocationPolicy(mode, lists: lists, responses: responses)
            request.revocation.ageLimits = ages
        }.summary
    }

    private func list(revokes: Bool, _ change: (inout TestRevocationList) -> Void) -> TestRevocationList {
        TestRevocationList(testRoot, revoking: revokes ? [Self.serial] : [], change)
    }

    private func response(
        revokes: Bool, _ change: (inout TestOCSPResponse) throws -> Void
    ) rethrows -> TestOCSPResponse {
        var response = TestOCSPResponse()
        response.status = revokes ? Self.revoked : Self.good
        try change(&response)
        return response
    }

    // MARK: Strength

    @Test(
        "A list signed over SHA-1 clears where SHA-1 may sign certificates of servers",
        arguments: ValidationProfile.standard)
    func weakList(profile: ValidationProfile) throws {
        let clean = self.list(revokes: false) { $0.algorithm = .ecdsaSHA1 }
        let isLegacy = profile.name == "legacy"
        #expect(try self.judge(.hard, profile, lists: [clean]) == (isLegacy ? "accepted" : "0:revocation-unknown"))
        let revoking = self.list(revokes: true) { $0.algorithm = .ecdsaSHA1 }
        #expect(try self.judge(.soft, profile, lists: [revoking]) == "0:revoked")
        let strong = self.list(revokes: false) { $0.thisUpdate = DER.utcTime("260529000000Z") }
        #expect(try self.judge(.soft, profile, lists: [revoking, strong]) == "0:revoked")
    }

    @Test("A younger list that is too weak does not lift what a strong one revokes")
    func weakHidesNothing() throws {
        let revoking = self.list(revokes: true) { $0.thisUpdate = DER.utcTime("260520000000Z") }
        let weak = self.list(revokes: false) { $0.algorithm = .ecdsaSHA1 }
        #expect(try self.judge(.soft, .rfc5280, lists: [revoking, weak]) == "0:revoked")
        #expect(try self.judge(.soft, .legacy, lists: [revoking, weak]) == "accepted")
    }

    // MARK: Age

    struct Age: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let thisUpdate: String
        let isAuthority: Bool
        /// Whether a list, and a response, that begin then may clear: in the public web, and elsewhere.
        let response: (web: Bool, others: Bool)
    }

    /// At 2026-06-01.
    static let ages = [
        Age(
            testDescription: "ten days, of a server", thisUpdate: "20260522000000Z", isAuthority: false,
            response: (true, true)),
        Age(
            testDescription: "eleven days, of a server", thisUpdate: "20260521000000Z", isAuthority: false,
            response: (false, true)),
        Age(
            testDescription: "eleven days, of an authority", thisUpdate: "20260521000000Z", isAuthority: true,
            response: (true, true)),
        Age(
            testDescription: "a year and two days, of an authority", thisUpdate: "20250530000000Z", isAuthority: true,
            response: (false, false)),
        Age(
            testDescription: "three years, of an authority", thisUpdate: "20230601000000Z", isAuthority: true,
            response: (false, false)),
        Age(
            testDescription: "six years, of a server", thisUpdate: "20200601000000Z", isAuthority: false,
            response: (false, false)),
    ]

    @Test(
        "A response that is too old clears nothing, even if it names the year 9999", arguments: ages,
        ValidationProfile.standard)
    func age(age: Age, profile: ValidationProfile) throws {
        let isWeb = profile.name == "webpki"
        func listed(_ revokes: Bool) -> TestRevocationList {
            self.list(revokes: revokes) {
                ($0.thisUpdate, $0.nextUpdate) = (
                    DER.generalizedTime(age.thisUpdate), DER.generalizedTime("99991231235959Z")
                )
            }
        }
        func answered(_ revokes: Bool) -> TestOCSPResponse {
            self.response(revokes: revokes) {
                ($0.thisUpdate, $0.nextUpdate) = (age.thisUpdate, "99991231235959Z")
            }
        }
        let byList = try self.judge(.hard, profile, lists: [listed(false)], isAuthority: age.isAuthority)
        #expect(byList == "accepted", "A list is good until its next update: \(byList)")
        let byResponse = try self.judge(.hard, profile, responses: [answered(false)], isAuthority: age.isAuthority)
        #expect((byResponse == "accepted") == (isWeb ? age.response.web : age.response.others), "\(byResponse)")
        #expect(try self.judge(.soft, profile, lists: [listed(true)], isAuthority: age.isAuthority) == "0:revoked")
        #expect(
            try self.judge(.soft, profile, responses: [answered(true)], isAuthority: age.isAuthority) == "0:revoked")
    }

    @Test("A policy may have its own limits, shorter and longer, up to none")
    func ownLimits() throws {
        let old = self.list(revokes: false) {
            ($0.thisUpdate, $0.nextUpdate) = (DER.utcTime("150101000000Z"), DER.utcTime("300101000000Z"))
        }
        let none = RevocationAgeLimits(response: .max, authorityResponse: .max, list: .max, authorityList: .max)
        #expect(try self.judge(.hard, .rfc5280, lists: [old], ages: none) == "accepted")
        let day = RevocationAgeLimits(response: 86_400, authorityResponse: 0, list: 86_400, authorityList: 0)
        let fresh = self.list(revokes: false) { $0.thisUpdate = DER.utcTime("260531000000Z") }
        let staler = self.list(revokes: false) { $0.thisUpdate = DER.utcTime("260530235959Z") }
        #expect(try self.judge(.hard, .rfc5280, lists: [fresh], ages: day) == "accepted")
        #expect(try self.judge(.hard, .rfc5280, lists: [staler], ages: day) == "0:revocation-unknown")
    }

    @Test("An end before the beginning is nonsense and clears nothing", arguments: ValidationProfile.standard)
    func backwards(profile: ValidationProfile) throws {
        let response = self.response(revokes: false) {
            ($0.thisUpdate, $0.nextUpdate) = ("20260601000000Z", "20260531235959Z")
        }
        #expect(try self.judge(.hard, profile, responses: [response]) == "0:revocation-unknown")
        let list = self.list(revokes: false) {
            ($0.thisUpdate, $0.nextUpdate) = (DER.utcTime("260601000000Z"), DER.utcTime("260531235959Z"))
        }
        let delta = TestRevocationList(testRoot) { $0.extensions = [.listNumber(6), .deltaFrom(5)] }
        #expect(try self.judge(.hard, profile, lists: [list]) == "0:revocation-unknown")
        #expect(try self.judge(.hard, profile, lists: [list, delta]) == "0:revocation-unknown")
    }

    // MARK: Form

    @Test("A list with an empty issuing distribution point clears nothing", arguments: ValidationProfile.standard)
    func emptyScope(profile: ValidationProfile) throws {
        let empty = TestExtension.listScope([])
        #expect(
            try self.judge(.hard, profile, lists: [self.list(revokes: false) { $0.set(empty) }])
                == "0:revocation-unknown")
        #expect(try self.judge(.soft, profile, lists: [self.list(revokes: true) { $0.set(empty) }]) == "0:revoked")
    }

    /// Extensions of a list that cannot be read, or must not stand there.
    static let unreadableExtensions: [TestExtension] = [
        TestExtension("2.5.29.28", critical: true, [5, 0]), TestExtension("2.5.29.28", critical: true, [0x30, 0x05]),
        TestExtension("2.5.29.20", [5, 0]), TestExtension("2.5.29.27", critical: true, DER.sequence()),
        TestExtension("2.5.29.35", [4, 0]), TestExtension("1.2.3", critical: true, [5, 0]),
    ]

    @Test("A list with an extension that cannot be read clears nothing, and revokes", arguments: unreadableExtensions)
    func unreadableExtension(item: TestExtension) throws {
        #expect(
            try self.judge(.hard, .rfc5280, lists: [self.list(revokes: false) { $0.set(item) }])
                == "0:revocation-unknown")
        #expect(try self.judge(.soft, .rfc5280, lists: [self.list(revokes: true) { $0.set(item) }]) == "0:revoked")
        func twice(_ list: inout TestRevocationList) { list.extensions += [.listNumber(5), .listNumber(6)] }
        #expect(
            try self.judge(.hard, .rfc5280, lists: [self.list(revokes: false, twice)]) == "0:revocation-unknown")
        #expect(try self.judge(.soft, .rfc5280, lists: [self.list(revokes: true, twice)]) == "0:revoked")
    }

    @Test("A response with extensions that cannot be read clears nothing, and revokes")
    func unreadableResponseExtension() throws {
        func strange(_ response: inout TestOCSPResponse) {
            response.responseExtensions = [.nonce([5, 0]), TestExtension("1.2.3", critical: true, [5, 0])]
        }
        #expect(
            try self.judge(.hard, .rfc5280, responses: [self.response(revokes: false, strange)])
                == "0:revocation-unknown")
        #expect(try self.judge(.soft, .rfc5280, responses: [self.response(revokes: true, strange)]) == "0:revoked")
    }

    /// What may stand among the entries of a list and cannot be read.
    static let unreadableEntries: [[UInt8]] = [
        [5, 0], DER.sequence(), DER.sequence(DER.number(9)), DER.sequence(DER.utcTime("260520000000Z")),
        DER.sequence(DER.number(9), DER.utcTime("266020000000Z")),
        DER.sequence(DER.number(9), DER.utcTime("260520000000Z"), [5, 0]),
        DER.sequence(DER.number(9), DER.utcTime("260520000000Z"), DER.sequence([5, 0])),
        DER.sequence(DER.element(0x02, [0, 0, 9]), DER.utcTime("260520000000Z")),
    ]

    @Test("An entry that cannot be read clears nothing, and hides no other", arguments: unreadableEntries)
    func unreadable(entry: [UInt8]) throws {
        let strange = TestRevocationList.Entry(serial: [], whole: entry)
        let clean = self.list(revokes: false) { $0.entries = [strange] }
        #expect(try self.judge(.hard, .rfc5280, lists: [clean]) == "0:revocation-unknown")
        let listed = TestRevocationList.Entry(serial: Self.serial)
        for entries in [[strange, listed], [listed, strange]] {
            let list = self.list(revokes: false) { $0.entries = entries }
            #expect(try self.judge(.soft, .rfc5280, lists: [list]) == "0:revoked")
        }
    }

    @Test(
        "An entry with the certificate's number revokes it, whatever else is wrong with the entry",
        arguments: [
            DER.sequence(serial), DER.sequence(serial, [5, 0]),
            DER.sequence(serial, DER.utcTime("260520000000Z"), DER.sequence([5, 0])),
            DER.sequence(serial, DER.utcTime("260520000000Z"), DER.list([TestExtension("2.5.29.21", [5, 0]).encoded])),
            DER.sequence(serial, DER.utcTime("260520000000Z"), DER.list([TestExtension.reason(8).encoded])),
            DER.sequence(DER.element(0x02, [0, 0x12, 0x67]), DER.utcTime("260520000000Z")),
        ])
    func malformedRevocation(entry: [UInt8]) throws {
        let list = self.list(revokes: false) { $0.entries = [.init(serial: [], whole: entry)] }
        #expect(try self.judge(.soft, .rfc5280, lists: [list]) == "0:revoked")
    }

    /// GeneralNames in an entry's certificateIssuer that cannot be read, or are none.
    static let unreadableIssuers: [[UInt8]] = [
        DER.sequence(), DER.sequence(DER.element(0xA4, DER.sequence([5, 0]))), DER.sequence([5, 0]), [5, 0],
        DER.sequence(DER.element(0xA4, DER.sequence(DER.sequence()))),
    ]

    @Test("Whose an entry is that cannot be read may be the certificate's issuer", arguments: unreadableIssuers)
    func unreadableIssuer(names: [UInt8]) throws {
        let issuer = TestExtension("2.5.29.29", critical: true, names)
        for scope in [TestExtension.listScope([], DER.element(0x84, [0xFF])), nil] {
            func list(_ serial: [UInt8]) -> TestRevocationList {
                self.list(revokes: false) { list in
                    list.entries = [.init(serial: serial, extensions: [issuer])]
                    if let scope { list.set(scope) }
                }
            }
            for profile in ValidationProfile.standard {
                #expect(try self.judge(.soft, profile, lists: [list(Self.serial)]) == "0:revoked")
                #expect(try self.judge(.hard, profile, lists: [list(DER.number(9))]) == "0:revocation-unknown")
            }
        }
    }

    @Test("An entry of a direct list that names another issuer is the certificate's all the same")
    func issuerInDirectList() throws {
        let other = DER.sequence(DER.element(0xA4, CraftedAuthority("Other", .p256(5)).name))
        let list = self.list(revokes: false) {
            $0.entries = [.init(serial: Self.serial, extensions: [TestExtension("2.5.29.29", critical: true, other)])]
        }
        #expect(try self.judge(.soft, .rfc5280, lists: [list]) == "0:revoked")
        #expect(try self.judge(.hard, .rfc5280, lists: [list]) == "0:revoked")
    }

    @Test("An answer of another form than the defined one clears nothing, and revokes")
    func answerForm() throws {
        let content = self.response(revokes: false) { $0.status = DER.element(0x80, [0]) }
        #expect(try self.judge(.hard, .rfc5280, responses: [content]) == "0:revocation-unknown")
        let sha1 = DER.oid("1.3.14.3.2.26")
        let digests = [
            DER.sequence(sha1, [5, 0], [5, 0]), DER.sequence(sha1, [5, 1, 0]), DER.sequence(sha1, [4, 0]),
        ]
        let padded = DER.element(0x02, [0, 0x12, 0x67])
        let changes =
            digests.map { digest in { (response: inout TestOCSPResponse) in response.digest = digest } } + [
                { $0.serial = padded }
            ]
        for change in changes {
            #expect(
                try self.judge(.hard, .rfc5280, responses: [self.response(revokes: false, change)])
                    == "0:revocation-unknown")
            #expect(try self.judge(.soft, .rfc5280, responses: [self.response(revokes: true, change)]) == "0:revoked")
        }
        let plain = self.response(revokes: false) { $0.digest = DER.sequence(sha1) }
        #expect(try self.judge(.hard, .rfc5280, responses: [plain]) == "accepted")
    }

    @Test(
        "An answer that cannot be read clears nothing, and hides no other",
        arguments: [[5, 0], DER.sequence(), DER.sequence(DER.sequence()), DER.sequence([5, 0], [5, 0])])
    func unreadableAnswer(answer: [UInt8]) throws {
        for isBefore in [true, false] {
            func place(_ response: inout TestOCSPResponse) {
                if isBefore { response.answersBefore = [answer] } else { response.answersAfter = [answer] }
            }
            #expect(
                try self.judge(.hard, .rfc5280, responses: [self.response(revokes: false, place)])
                    == "0:revocation-unknown")
            #expect(try self.judge(.soft, .rfc5280, responses: [self.response(revokes: true, place)]) == "0:revoked")
        }
    }

    @Test("“Revoked” counts whatever follows it in the answer, and whatever digest names the issuer")
    func malformedAnswer() throws {
        let trailing = self.response(revokes: true) { $0.singleTrailer = [5, 0] }
        #expect(try self.judge(.soft, .rfc5280, responses: [trailing]) == "0:revoked")
        #expect(
            try self.judge(.hard, .rfc5280, responses: [self.response(revokes: false) { $0.singleTrailer = [5, 0] }])
                == "0:revocation-unknown")
        func other(_ response: inout TestOCSPResponse) { response.digest = DER.sequence(DER.oid("1.2.3")) }
        #expect(try self.judge(.soft, .rfc5280, responses: [self.response(revokes: true, other)]) == "0:revoked")
        #expect(
            try self.judge(.hard, .rfc5280, responses: [self.response(revokes: false, other)])
                == "0:revocation-unknown")
    }

    @Test("“Revoked” counts behind thousands of other answers")
    func manyAnswers() throws {
        let other = DER.sequence(
            DER.sequence(
                DER.sequence(DER.oid("1.3.14.3.2.26"), [5, 0]), DER.octetString(Array(repeating: 1, count: 20)),
                DER.octetString(Array(repeating: 2, count: 20)), DER.number(1)),
            Self.good, DER.generalizedTime("20260531000000Z"))
        let response = self.response(revokes: true) { $0.answersBefore = Array(repeating: other, count: 3_000) }
        #expect(try self.judge(.soft, .rfc5280, responses: [response]) == "0:revoked")
    }

    // MARK: Work

    @Test("Lists are held against few of a certificate's points, and what they say beyond clears nothing")
    func manyPoints() throws {
        func leaf(_ count: Int) throws -> CertificateView {
            try testRoot.leaf { certificate in
                certificate.serialNumber = Self.serial
                certificate.set(.distributionPoints(ofAll: (0..<count).map { [Point.uri("http://crl.example/\($0)")] }))
            }
        }
        func list(_ number: Int, revokes: Bool = false) throws -> CertificateList {
            try self.list(revokes: revokes) { $0.set(.listScope(Point.uri("http://crl.example/\(number)"))) }.view()
        }
        let anchors: [TrustAnchor] = .certificates(try testRoot.authority())
        func judge(_ leaf: CertificateView, _ list: CertificateList, _ mode: RevocationPolicy.Mode) -> String {
            judgment(leaf, anchors: anchors) { $0.revocation = RevocationPolicy(mode, lists: [list]) }.summary
        }
        #expect(judge(try leaf(3_000), try list(15), .hard) == "accepted")
        #expect(judge(try leaf(3_000), try list(16), .hard) == "0:revocation-unknown")
        #expect(judge(try leaf(3_000), try list(2_999, revokes: true), .soft) == "0:revoked")
    }

    @Test("A thousand points cost no more than a few, also where it is told what became of each list")
    func costOfPoints() throws {
        func leaf(_ count: Int) throws -> CertificateView {
            try testRoot.leaf { certificate in
                certificate.set(.distributionPoints(ofAll: (0..<count).map { [Point.uri("http://crl.example/\($0)")] }))
            }
        }
        let lists = try (0..<200).map { number in
            try self.list(revokes: false) {
                ($0.signer, $0.extensions) = (.p256(20), [.listNumber(number)])
                $0.set(.listScope(Point.uri("http://other.example/\(number)")))
            }.view()
        }
        let policy = RevocationPolicy(.soft, lists: lists)
        let anchors: [TrustAnchor] = .certificates(try testRoot.authority())
        func time(_ leaf: CertificateView) -> Duration {
            ProcessorTime.measure {
                let verdict = judgment(leaf, anchors: anchors) { $0.revocation = policy }
                let validator = PathValidator(ValidationRequest(time: testTime), anchors: [TrustAnchorSet(anchors)])
                _ = validator.revocationEvidence(of: verdict, under: policy)
            }
        }
        let (few, many) = (try leaf(16), try leaf(4_000))
        _ = time(few)
        #expect(time(many) < time(few) * 20)
    }

    @Test("A large list is verified and searched once, however many paths there are")
    func bigList() throws {
        let authority = CraftedAuthority("Issuer", .p256(2))
        let list = try TestRevocationList(
            authority, revoking: (100_000..<200_000).map { DER.number($0) } + [Self.serial]
        ).view()
        let leaf = try authority.leaf { $0.serialNumber = Self.serial }
        let issuers = try (1...20).map { number in
            try testRoot.authority(authority) { $0.serialNumber = DER.number(number) }
        }
        func time(_ issuers: [CertificateView]) throws -> Duration {
            let anchors: [TrustAnchor] = .certificates(try testRoot.authority())
            return ProcessorTime.measure {
                let verdict = judgment(leaf, issuers, anchors: anchors) {
                    $0.revocation = RevocationPolicy(.soft, lists: [list])
                }
                #expect(verdict.summary == "0:revoked")
            }
        }
        let one = try time([issuers[0]])
        #expect(try time(issuers) < one * 10)
    }
}
