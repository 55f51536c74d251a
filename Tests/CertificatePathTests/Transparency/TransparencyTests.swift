//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TestSupport
import Testing

@testable import CertificatePath

@Suite("Certificate transparency (RFC 6962, Apple's policy)")
struct TransparencyTests {
    static let issuer = CraftedAuthority("Issuer", .p256(12))

    static func log(
        _ number: UInt16, _ state: TransparencyLog.State = .usable, from: Int64? = nil, to: Int64? = nil
    ) throws -> TransparencyLog {
        try TransparencyLog(
            subjectPublicKeyInfo: TestKey.p256(number).info, state: state,
            firstExpiry: from.map { Timestamp(secondsSinceEpoch: $0) },
            endOfExpiry: to.map { Timestamp(secondsSinceEpoch: $0) })
    }

    static func template(_ change: (inout CraftedCertificate) -> Void = { _ in }) -> CraftedCertificate {
        Self.issuer.leafTemplate { leaf in
            leaf.notBefore = DER.utcTime("260501000000Z")
            leaf.notAfter = DER.utcTime("260801000000Z")
            change(&leaf)
        }
    }

    /// A leaf with timestamps in it, before the logs 901 to 905.
    static func verdict(
        _ timestamps: [TestTimestamp], template: CraftedCertificate = Self.template(), logs: [TransparencyLog]? = nil,
        _ change: (inout ValidationRequest) throws -> Void = { _ in }
    ) throws -> Verdict {
        var leaf = template
        if !timestamps.isEmpty {
            let entry = TestTimestamp.entry(template, issuer: Self.issuer.key)
            leaf.set(.timestamps(try TestTimestamp.list(timestamps, entry)))
        }
        return try Self.verdict(leaf, logs: logs, change)
    }

    static func verdict(
        _ leaf: CraftedCertificate, logs: [TransparencyLog]? = nil,
        _ change: (inout ValidationRequest) throws -> Void = { _ in }
    ) throws -> Verdict {
        let root = CraftedAuthority("Root", .p256(1))
        let anchor = TrustAnchor(try root.authority(), anchorClass: .system)
        let server = PurposeRequirement(.server, identities: [IdentityRequirement(host: "www.example.com")])
        var request = ValidationRequest(time: testTime, purposes: [server], profile: .rfc5280)
        let known = try logs ?? (901...905).map { try Self.log($0) }
        request.transparency = TransparencyRequest(logs: TransparencyLogs(known))
        try change(&request)
        return PathValidator(request, anchors: [TrustAnchorSet([anchor])]).validate(
            try leaf.view(), intermediates: [try root.authority(Self.issuer)])
    }

    private static let missing = "0:certificate-transparency"

    @Test("A certificate below a public root without timestamps of two logs is refused", arguments: 0...1)
    func tooFew(count: Int) throws {
        let verdict = try Self.verdict((0..<count).map { TestTimestamp(901 + UInt16($0)) })
        #expect(verdict.summary == Self.missing)
        #expect(verdict.transparency?.neededLogs == 2)
        #expect(verdict.transparency?.countedLogs == count)
    }

    @Test("Timestamps of two logs suffice, and each is told")
    func enough() throws {
        let verdict = try Self.verdict([TestTimestamp(901), TestTimestamp(902)])
        #expect(verdict.summary == "accepted")
        #expect(verdict.transparency?.meetsPolicy == true)
        #expect(verdict.transparency?.entries.map(\.status) == [.valid, .valid])
        #expect(verdict.transparency?.entries.map(\.source) == [.certificate, .certificate])
    }

    @Test("Two timestamps of one log count once")
    func sameLog() throws {
        #expect(try Self.verdict([TestTimestamp(901), TestTimestamp(901)]).summary == Self.missing)
    }

    struct Flaw: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: TransparencyReport.Status
        let change: @Sendable (inout TestTimestamp) -> Void

        init(
            _ description: String, _ status: TransparencyReport.Status,
            _ change: @escaping @Sendable (inout TestTimestamp) -> Void
        ) {
            self.testDescription = description
            self.status = status
            self.change = change
        }

        static let all: [Flaw] = [
            Flaw("of another version", .unknownVersion) { $0.version = 1 },
            Flaw("of an unknown log", .unknownLog) { $0.log = .p256(999) },
            Flaw("signed with another key", .badSignature) { $0.signer = .p256(999) },
            Flaw("from one second ahead", .future) {
                $0.milliseconds = UInt64(testTime.secondsSinceEpoch) * 1_000 + 1_000
            },
            Flaw("from a millisecond ahead", .future) {
                $0.milliseconds = UInt64(testTime.secondsSinceEpoch) * 1_000 + 1
            },
            Flaw("with an octet behind it", .malformed) { $0.trailer = [0] },
            Flaw("over SHA-512", .unsupportedAlgorithm) { $0.hashAlgorithm = 6 },
            Flaw("with Ed25519", .unsupportedAlgorithm) { $0.signatureAlgorithm = 7 },
            Flaw("that says RSA", .badSignature) { $0.signatureAlgorithm = 1 },
            Flaw("that names a log it is not of", .badSignature) {
                $0.logIdentifier = (try? TransparencyTests.log(903).identifier) ?? []
            },
        ]
    }

    @Test("A timestamp that does not count is told with its fault", arguments: Flaw.all)
    func flaws(flaw: Flaw) throws {
        var flawed = TestTimestamp(902)
        flaw.change(&flawed)
        let verdict = try Self.verdict([TestTimestamp(901), flawed])
        #expect(verdict.summary == Self.missing)
        #expect(verdict.transparency?.entries.map(\.status) == [.valid, flaw.status])
    }

    @Test("A timestamp of the very moment counts, with extensions and over SHA-1 as well")
    func oddButValid() throws {
        var now = TestTimestamp(901)
        now.milliseconds = UInt64(testTime.secondsSinceEpoch) * 1_000
        var odd = TestTimestamp(902)
        odd.extensions = [1, 2, 3]
        odd.hashAlgorithm = 2
        #expect(try Self.verdict([now, odd]).summary == "accepted")
    }

    @Test("Any octet missing from a list, and any bit of it flipped, takes the timestamps away")
    func hostileLists() throws {
        let template = Self.template()
        let entry = TestTimestamp.entry(template, issuer: Self.issuer.key)
        let list = try TestTimestamp.list([TestTimestamp(901), TestTimestamp(902)], entry)
        var leaf = template
        for count in list.indices {
            leaf.set(.timestamps(Array(list[..<count])))
            #expect(try Self.verdict(leaf).transparency?.entries.isEmpty == true, "\(count) octets")
        }
        for bit in stride(from: 0, to: list.count * 8, by: 1) {
            var flipped = list
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            leaf.set(.timestamps(flipped))
            #expect(try Self.verdict(leaf).summary == Self.missing, "bit \(bit)")
        }
        leaf.set(.timestamps(list + [0]))
        #expect(try Self.verdict(leaf).transparency?.entries.isEmpty == true)
    }

    @Test("A log's interval begins with its first moment and ends before its last", arguments: [-1, 0, 1] as [Int64])
    func intervals(offset: Int64) throws {
        let end: Int64 = 1_785_542_400  // 2026-08-01T00:00:00Z
        let starting = try [Self.log(901), Self.log(902, from: end + offset)]
        let ending = try [Self.log(901), Self.log(902, to: end + offset)]
        let timestamps = [TestTimestamp(901), TestTimestamp(902)]
        #expect(try Self.verdict(timestamps, logs: starting).isAccepted == (offset <= 0))
        #expect(try Self.verdict(timestamps, logs: ending).isAccepted == (offset > 0))
    }

    @Test("A read-only log counts up to its last second; a retired one only in certificates, beside a current one")
    func states() throws {
        let time = Timestamp(secondsSinceEpoch: 1_780_185_600)
        let before = Timestamp(secondsSinceEpoch: time.secondsSinceEpoch - 1)
        let after = Timestamp(secondsSinceEpoch: time.secondsSinceEpoch + 1)
        let timestamps = [TestTimestamp(901), TestTimestamp(902)]
        func summary(_ state: TransparencyLog.State, _ other: TransparencyLog.State = .usable) throws -> String {
            try Self.verdict(timestamps, logs: [Self.log(901, other), Self.log(902, state)]).summary
        }
        #expect(try summary(.readOnly(since: time)) == "accepted")
        #expect(try summary(.readOnly(since: before)) == Self.missing)
        #expect(try summary(.retired(since: after)) == "accepted")
        #expect(try summary(.retired(since: time)) == Self.missing)
        #expect(try summary(.retired(since: after), .retired(since: after)) == Self.missing)
    }

    @Test(
        "The number of logs follows the lifetime",
        arguments: [
            ("210421000000Z", "211018000000Z", 2), ("210421000000Z", "211018000001Z", 3),
            ("210421000000Z", "230725000000Z", 3), ("210421000000Z", "230725000001Z", 4),
            ("210420235959Z", "220720235958Z", 2), ("210420235959Z", "220720235959Z", 3),
            ("200131000000Z", "220430000000Z", 3), ("200131000000Z", "220531000000Z", 4),
            ("200101000000Z", "230401000000Z", 4), ("200101000000Z", "230501000000Z", 5),
        ])
    func counts(start: String, end: String, needed: Int) throws {
        let leaf = try Self.template {
            $0.notBefore = DER.utcTime(start)
            $0.notAfter = DER.utcTime(end)
        }.view()
        #expect(TransparencyRules.apple.neededLogs(from: leaf.notBefore, to: leaf.notAfter) == needed)
    }

    @Test("One delivered timestamp and one of another log suffice, whatever the lifetime")
    func delivered() throws {
        let template = Self.template()
        let leaf = try template.view()
        let list = try TestTimestamp.list([TestTimestamp(902)], TestTimestamp.entry(leaf.bytes))
        let alone = try Self.verdict(template) { $0.transparency?.timestampLists = [list] }
        #expect(alone.summary == Self.missing)
        var withOne = template
        let entry = TestTimestamp.entry(template, issuer: Self.issuer.key)
        withOne.set(.timestamps(try TestTimestamp.list([TestTimestamp(901)], entry)))
        let whole = try withOne.encoded()
        let both = try TestTimestamp.list([TestTimestamp(902)], TestTimestamp.entry(whole))
        let server = PurposeRequirement(.server, identities: [])
        let root = CraftedAuthority("Root", .p256(1))
        var request = ValidationRequest(time: testTime, purposes: [server], profile: .rfc5280)
        request.transparency = TransparencyRequest(
            logs: TransparencyLogs(try [Self.log(901), Self.log(902)]))
        request.transparency?.timestampLists = [both]
        let anchors = TrustAnchorSet([TrustAnchor(try root.authority(), anchorClass: .system)])
        let verdict = PathValidator(request, anchors: [anchors]).validate(
            try CertificateView(der: whole), intermediates: [try root.authority(Self.issuer)])
        #expect(verdict.summary == "accepted")
        #expect(verdict.transparency?.entries.map(\.source) == [.certificate, .handshake])
    }

    @Test("Nothing is required of private roots, of old certificates, of other uses, with an old list, or on exception")
    func notRequired() throws {
        func isRequired(
            _ template: CraftedCertificate = Self.template(), _ change: (inout ValidationRequest) -> Void
        ) throws -> Bool? {
            let verdict = try Self.verdict(template, change)
            #expect(verdict.isAccepted == (verdict.transparency?.isRequired == false), "\(verdict.summary)")
            return verdict.transparency?.isRequired
        }
        #expect(try isRequired { _ in } == true)
        #expect(try isRequired { $0.transparency?.isListCurrent = false } == false)
        #expect(try isRequired { $0.transparency?.isEnforced = false } == false)
        #expect(try isRequired { $0.purposes = [PurposeRequirement(.any)] } == false)
        #expect(try isRequired { $0.transparency?.publicRoots = .fingerprints([]) } == false)
        #expect(try isRequired { $0.transparency?.exceptedDomains = [".EXAMPLE.com"] } == false)
        #expect(try isRequired { $0.transparency?.exceptedDomains = ["www.example.com"] } == false)
        #expect(try isRequired { $0.transparency?.exceptedDomains = ["example.com", ".ww.example.com"] } == true)
        let old = Self.template { $0.notBefore = DER.utcTime("181015235959Z") }
        #expect(try isRequired(old) { _ in } == false)
        let first = Self.template { $0.notBefore = DER.utcTime("181016000000Z") }
        #expect(try isRequired(first) { _ in } == true)
        #expect(try Self.verdict(Self.template()) { $0.transparency = nil }.transparency == nil)
    }

    /// Logs 901 to 905 are known, others not.
    @Test(
        "An old list refuses what no newer one can clear, and leaves open what a newer one may",
        arguments: [
            ([], "refused"), ([901], "refused"), ([901, 901], "refused"), ([901, 902], "met"),
            ([901, 950], "undetermined"), ([950, 951], "undetermined"), ([950], "refused"), ([950, 950], "refused"),
        ] as [([UInt16], String)])
    func oldLists(logs: [UInt16], expected: String) throws {
        func outcome(_ rule: TransparencyRequest.OldListRule, isCurrent: Bool) throws -> String {
            let verdict = try Self.verdict(logs.map(TestTimestamp.init)) {
                $0.transparency?.isListCurrent = isCurrent
                $0.transparency?.oldListRule = rule
            }
            let report = try #require(verdict.transparency)
            if !verdict.isAccepted { return "refused" }
            return report.meetsPolicy ? "met" : report.isUndetermined ? "undetermined" : "accepted"
        }
        #expect(try outcome(.refusesWhatNewerListsCannotClear, isCurrent: false) == expected)
        #expect(try outcome(.refusesNothing, isCurrent: false) == (expected == "met" ? "met" : "accepted"))
        #expect(
            try outcome(.refusesWhatNewerListsCannotClear, isCurrent: true)
                == (expected == "met" ? "met" : "refused"))
    }

    @Test(
        "Delivered timestamps of unknown logs leave an old list undecided, and a bad signature of a known log does not")
    func oldListsDelivered() throws {
        let template = Self.template()
        func verdict(_ numbers: [UInt16], forged: Bool = false) throws -> Verdict {
            let leaf = try template.view()
            let timestamps = numbers.map { number in
                var timestamp = TestTimestamp(number)
                if forged { timestamp.signer = .p256(999) }
                return timestamp
            }
            let list = try TestTimestamp.list(timestamps, TestTimestamp.entry(Array(leaf.bytes)))
            return try Self.verdict(template) {
                $0.transparency?.timestampLists = [list]
                $0.transparency?.isListCurrent = false
                $0.transparency?.oldListRule = .refusesWhatNewerListsCannotClear
            }
        }
        #expect(try verdict([950, 951]).transparency?.isUndetermined == true)
        #expect(try verdict([950]).summary == Self.missing)
        #expect(try verdict([901, 902], forged: true).summary == Self.missing)
    }

    @Test("A timestamp of an unknown log leaves nothing open that no log could have made")
    func impossibleTimestamps() throws {
        var future = TestTimestamp(950)
        future.milliseconds = 4_000_000_000_000
        var odd = TestTimestamp(950)
        odd.hashAlgorithm = 0
        for timestamp in [future, odd] {
            let verdict = try Self.verdict([TestTimestamp(951), timestamp]) {
                $0.transparency?.isListCurrent = false
                $0.transparency?.oldListRule = .refusesWhatNewerListsCannotClear
            }
            #expect(verdict.summary == Self.missing)
        }
    }

    @Test("A retired log counts beside an unknown one that may show when the certificate was issued")
    func retiredBesideUnknown() throws {
        let retired = try Self.log(901, .retired(since: Timestamp(secondsSinceEpoch: 1_780_200_000)))
        let verdict = try Self.verdict([TestTimestamp(901), TestTimestamp(950)], logs: [retired]) {
            $0.transparency?.isListCurrent = false
            $0.transparency?.oldListRule = .refusesWhatNewerListsCannotClear
        }
        #expect(verdict.transparency?.isUndetermined == true)
    }

    @Test("A cache remembers timestamps, and takes none for another")
    func cache() throws {
        let cache = SignatureCache()
        for _ in 0..<2 {
            #expect(
                try Self.verdict([TestTimestamp(901), TestTimestamp(902)]) { $0.signatureCache = cache }.isAccepted)
        }
        var forged = TestTimestamp(902)
        forged.signer = .p256(999)
        #expect(try !Self.verdict([TestTimestamp(901), forged]) { $0.signatureCache = cache }.isAccepted)
    }

    @Test("More timestamps than anyone delivers are not all verified")
    func many() throws {
        let timestamps = (0..<60).map { number in
            var timestamp = TestTimestamp(901)
            timestamp.signer = .p256(UInt16(number + 1_000))
            return timestamp
        }
        let verdict = try Self.verdict(timestamps)
        #expect(verdict.summary == Self.missing)
        #expect(verdict.transparency?.entries.count { $0.status == .badSignature } == 16)
        #expect(verdict.transparency?.entries.last?.status == .notExamined)
    }

    /// A path of a leaf and an issuer, and what is asked of it.
    private static func work(on paths: [CandidatePath], _ lists: [[UInt8]]) throws -> TransparencyWork {
        var request = ValidationRequest(time: testTime, purposes: [], profile: .rfc5280)
        request.transparency = TransparencyRequest(logs: TransparencyLogs([try Self.log(901)]))
        request.transparency?.timestampLists = lists
        var transparency = PathTransparency()
        for path in paths { _ = transparency.report(on: path, request) }
        return transparency.work
    }

    @Test("Many paths through copies of one issuer cost the timestamps once, and other issuers' share one limit")
    func paths() throws {
        let leaf = try Self.template().view()
        let list = try TestTimestamp.list(
            Array(repeating: TestTimestamp(901), count: 3),
            TestTimestamp.entry(Self.template(), issuer: Self.issuer.key))
        let anchor = TrustAnchor(try Self.issuer.authority(), anchorClass: .system)
        func path(_ issuer: CraftedAuthority) throws -> CandidatePath {
            CandidatePath(certificates: [leaf, try issuer.authority()], anchor: anchor, deadEnd: nil)
        }
        let copies = try (0..<100).map { _ in try path(Self.issuer) }
        #expect(try Self.work(on: copies, [list]).verifications == 13)
        let others = try (0..<100).map { try path(CraftedAuthority("Issuer", .p256(UInt16(500 + $0)))) }
        #expect(try Self.work(on: others, [list]).verifications == 0)
    }

    @Test("A large certificate is not hashed for each of its timestamps")
    func octets() throws {
        let template = Self.template { $0.set(TestExtension("1.2.3.4", Array(repeating: 0, count: 400_000))) }
        let lists = try [TestTimestamp.list(Array(repeating: TestTimestamp(901), count: 5), [])]
        let verdict = try Self.verdict(template) { $0.transparency?.timestampLists = lists }
        let statuses = verdict.transparency?.entries.map(\.status)
        #expect(statuses == [.badSignature, .badSignature, .notExamined, .notExamined, .notExamined])
    }

    @Test("A moment beyond all others is after every timestamp")
    func lastMoment() {
        #expect(TransparencyTally.milliseconds(Timestamp(secondsSinceEpoch: .max)) == .max)
    }
}
