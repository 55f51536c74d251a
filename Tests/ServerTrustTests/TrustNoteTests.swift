//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

@Suite("What there is to know of a chain besides the verdict")
struct TrustNoteTests {
    private static func notes(
        _ chain: TestChain, sent: [CertificateView]? = nil, root: CertificateView? = nil,
        _ change: (inout Trust) -> Void = { _ in }
    ) throws -> [TrustNote] {
        let sent = sent ?? [chain.leaf, chain.second, chain.first]
        var trust = try Trust(
            certificates: sent.map(Certificate.init), policy: .tlsServer(hostname: "www.example.com"),
            configuration: .only([Certificate(root ?? chain.root)]))
        trust.verifyDate = Date(testTime)
        change(&trust)
        return trust.evaluate().notes
    }

    @Test("There is nothing to say of a chain that is in order")
    func nothing() throws {
        #expect(try Self.notes(TestChain()).isEmpty)
        // A root that is sent along does no harm, and cross-certificates serve older clients.
        let chain = try TestChain()
        let cross = try CraftedAuthority("Elder", .p256(79)).authority(TestChain.root)
        #expect(try Self.notes(chain, sent: [chain.leaf, chain.second, chain.first, chain.root]).isEmpty)
        #expect(try Self.notes(chain, sent: [chain.leaf, chain.second, chain.first, cross]).isEmpty)
    }

    @Test("Certificates in the wrong order, copies and strangers are told by their positions")
    func order() throws {
        let chain = try TestChain()
        let stranger = try CraftedAuthority("Stranger", .p256(77)).authority()
        #expect(
            try Self.notes(chain, sent: [chain.leaf, chain.first, chain.second]).map(\.fact) == [
                .wrongOrder([0, 2, 1])
            ])
        #expect(
            try Self.notes(chain, sent: [chain.leaf, chain.second, stranger, chain.first, chain.second]).map(\.fact)
                == [.strangers([2]), .duplicates([4])])
        let reversed = try Self.notes(chain, sent: [chain.first, chain.second, chain.leaf])
        #expect(reversed.map(\.fact) == [.leafNotFirst(position: 2)])
    }

    @Test("Many strangers are told in one note, each compared with the names of issuers once")
    func manyStrangers() throws {
        let chain = try TestChain()
        let strangers = try (0..<1_000).map { try CraftedAuthority("Stranger \($0)", .p256(77)).authority() }
        let notes = try Self.notes(chain, sent: [chain.leaf, chain.second, chain.first] + strangers)
        #expect(notes.map(\.fact) == [.strangers(Array(3..<1_003))])
    }

    @Test(
        "Notes are told at any moment that a program sets",
        arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, -1e9, 0])
    func anyMoment(seconds: Double) throws {
        // A certificate of 1950 to 1960, whose moments are negative.
        let old: (inout CraftedCertificate) -> Void = {
            $0.notBefore = DER.utcTime("500101000000Z")
            $0.notAfter = DER.utcTime("600101000000Z")
        }
        let chain = try TestChain(root: old, first: old, second: old, leaf: old)
        let notes = try Self.notes(chain) { $0.verifyDate = Date(timeIntervalSince1970: seconds) }
        #expect(!notes.contains { $0.kind == .endsSoon })
    }

    @Test("An issuer that is missing and can be fetched is told with its URL and what to do")
    func fetchable() throws {
        let url = DER.element(0x86, Array("http://ca.test/issuer".utf8))
        let access = DER.sequence(DER.sequence(DER.oid("1.3.6.1.5.5.7.48.2"), url))
        let chain = try TestChain(leaf: { $0.set(TestExtension("1.3.6.1.5.5.7.1.1", access)) })
        let notes = try Self.notes(chain, sent: [chain.leaf])
        #expect(notes.map(\.fact) == [.issuerFetchable(url: "http://ca.test/issuer")])
        #expect(notes.first?.actions.contains(.fetchIssuer) == true)
        #expect(try Self.notes(chain).isEmpty)
    }

    @Test("A promise of stapled responses is told until a usable one is at hand")
    func staple() throws {
        let chain = try TestChain(leaf: {
            $0.serialNumber = DER.number(4_711)
            $0.set(.tlsFeature([5]))
        })
        #expect(try Self.notes(chain).map(\.code) == ["staple-missing"])
        var response = TestOCSPResponse(signer: TestChain.second.key)
        (response.issuerName, response.issuerKey) = (TestChain.second.name, TestChain.second.key)
        let view = try response.view()
        #expect(try Self.notes(chain) { $0.revocation.stapledResponses = [view] }.isEmpty)
        // What is refused for it needs no note.
        #expect(try Self.notes(chain) { $0.revocation.enforcesTLSFeature = true }.isEmpty)
    }

    @Test(
        "A stapled response that does not count is told with its reason, and not as a missing one",
        arguments: [true, false])
    func uselessStaple(isPromised: Bool) throws {
        let chain = try TestChain(leaf: {
            $0.serialNumber = DER.number(4_711)
            if isPromised { $0.set(.tlsFeature([5])) }
        })
        func facts(_ change: (inout TestOCSPResponse) -> Void) throws -> [TrustNote] {
            var response = TestOCSPResponse(signer: TestChain.second.key)
            (response.issuerName, response.issuerKey) = (TestChain.second.name, TestChain.second.key)
            change(&response)
            let view = try response.view()
            let on = try Self.notes(chain) { $0.revocation.stapledResponses = [view] }
            let off = try Self.notes(chain) {
                $0.revocation = RevocationPolicy(.off)
                $0.revocation.stapledResponses = [view]
            }
            #expect(on.map(\.message) == off.map(\.message))
            return on
        }
        #expect(try facts { _ in }.isEmpty)
        let ended = try facts {
            $0.nextUpdate = "20260522000000Z"
            $0.thisUpdate = "20260515000000Z"
        }
        #expect(ended.map(\.code) == ["staple-unusable"] && ended.first?.actions == [.staple])
        let note = try #require(ended.first)
        #expect(note.message.contains("it ended on 2026-05-22T00:00:00Z"), "\(note)")
        #expect(note.message.contains("must-staple") == isPromised && !note.advice.contains("Turn OCSP stapling on"))
        let other = try facts { $0.serial = DER.number(4_712) }
        #expect(other.first?.message.contains("it is about no certificate of the path") == true, "\(other)")
        let forged = try facts { $0.signer = .p256(99) }
        #expect(forged.map(\.code) == ["staple-unusable"], "\(forged)")
        // These are rules and anchors of this program, and no faults of the server.
        var good = TestOCSPResponse(signer: TestChain.second.key)
        (good.issuerName, good.issuerKey) = (TestChain.second.name, TestChain.second.key)
        let view = try good.view()
        let wantsNonce = try Self.notes(chain) {
            $0.revocation.stapledResponses = [view]
            $0.revocation.requiresNonce = true
        }
        #expect(wantsNonce.isEmpty, "\(wantsNonce)")
        let leaf = Certificate(chain.leaf)
        let isAnchor = try Self.notes(chain) {
            $0.revocation.stapledResponses = [view]
            $0.anchors = .only([leaf])
        }
        #expect(!isAnchor.contains { $0.code == "staple-unusable" }, "\(isAnchor)")
    }

    @Test(
        "Serial numbers that are zero, negative or too long are told, and numbers of twenty octets are not",
        arguments: [
            ([0x00], true), ([0xFF, 0x01], true), ([0x01] + Array(repeating: 7, count: 20), true),
            ([0x7F] + Array(repeating: 7, count: 19), false), ([0x00, 0xBB] + Array(repeating: 7, count: 19), false),
            ([0x01], false),
        ] as [([UInt8], Bool)])
    func serialNumber(octets: [UInt8], isOdd: Bool) throws {
        let chain = try TestChain(leaf: { $0.serialNumber = DER.element(0x02, octets) })
        #expect(try Self.notes(chain).contains { $0.code == "odd-serial-number" } == isOdd)
    }

    @Test("A key usage without digitalSignature is told of the server's certificate alone")
    func keyUsage() throws {
        #expect(try Self.notes(TestChain(leaf: { $0.set(.keyUsage(6)) })).map(\.fact) == [.keyUsage(.cRLSign)])
        #expect(try Self.notes(TestChain(leaf: { $0.set(.keyUsage(0, 2)) })).isEmpty)
        #expect(try Self.notes(TestChain(leaf: { $0.remove("2.5.29.15") })).isEmpty)
    }

    @Test("A lifetime that a public authority could not give is told below a private root")
    func lifetime() throws {
        let long = try TestChain(leaf: {
            $0.notBefore = DER.utcTime("260101000000Z")
            $0.notAfter = DER.utcTime("280101000000Z")
        })
        let note = try #require(try Self.notes(long).first)
        #expect(note.code == "long-lifetime")
        #expect(note.message.contains("730 days") && note.message.contains("398"))
    }

    @Test("What ends within thirty days and the last quarter of its life is told, with the share that is left")
    func endsSoon() throws {
        let soon = try TestChain(leaf: { $0.notAfter = DER.utcTime("260620000000Z") })
        #expect(try Self.notes(soon).map(\.code) == [])
        let sooner = try TestChain(leaf: {
            $0.notBefore = DER.utcTime("260301000000Z")
            $0.notAfter = DER.utcTime("260620000000Z")
        })
        let note = try #require(try Self.notes(sooner).first)
        #expect(note.message.contains("19 days after") && note.message.contains("17 % of its life is left (warning)"))
        let issuer = try TestChain(second: { $0.notAfter = DER.utcTime("260620000000Z") })
        #expect(try Self.notes(issuer).map(\.certificateIndex) == [1])
        let ended = try TestChain(leaf: { $0.notAfter = DER.utcTime("260531000000Z") })
        #expect(try Self.notes(ended).allSatisfy { $0.code != "ends-soon" })
    }

    @Test("Where Apple and RFC 5280 disagree is told, whichever of them was asked")
    func comparison() throws {
        let lax = try TestChain(leaf: { $0.set(TestExtension("2.5.29.16", critical: true, DER.sequence())) })
        let strict = try TestChain(leaf: { $0.remove("2.5.29.37") })
        for profile in [ValidationProfile.apple, .rfc5280] {
            let long = try TestChain(leaf: {
                $0.notBefore = DER.utcTime("200101000000Z")
                $0.notAfter = DER.utcTime("300101000000Z")
            })
            let notes = try Self.notes(long) { $0.profile = profile }
            #expect(notes.contains { $0.fact == .appleIsStricter(["lifetime-too-long"]) }, "\(notes)")
        }
        #expect(try Self.notes(lax).allSatisfy { $0.code != "apple-is-stricter" })
        #expect(try Self.notes(strict).allSatisfy { $0.code != "apple-is-laxer" })
    }

    @Test("Every note has a code, sentences, and advice")
    func texts() throws {
        let certificate = Certificate(try TestChain().leaf)
        let limit = LifetimeLimit(
            issuedFrom: testTime, maximumSeconds: 86_400, anchorClasses: [.system], source: "a rule")
        let facts: [TrustNote.Fact] = [
            .wrongOrder([0, 2, 1]), .leafNotFirst(position: 1), .strangers([1, 2]), .duplicates([3]),
            .issuerFetched(url: "http://a.test"), .issuerFetchable(url: "http://a.test"), .stapleMissing,
            .serialNumber([0xFF]), .keyUsage([]), .lifetime(seconds: 172_800, limit: limit),
            .endsSoon(CertificateLife(notBefore: testTime, notAfter: testTime, date: testTime), .critical),
            .appleIsLaxer(["eku"]), .appleIsStricter(["eku"]),
            .rootNotInProgram(isInMachineStore: true), .rootNotInProgram(isInMachineStore: false),
            .rootNotInProgram(isInMachineStore: nil), .logsUnknown, .addressesNotAsked(asked: 2, of: 3),
            .suiteNotOffered("TLS_RSA_WITH_AES_128_GCM_SHA256"),
            .clientCertificateRequested, .clientIdentity(.notNeeded), .clientIdentity(.notSent(.noneFits)),
            .clientIdentity(.accepted(subject: "client")), .clientIdentity(.refused(subject: "client", "it closed")),
            .machinesDiffer("They differ.", remedy: "Set them up alike."),
        ]
        for fact in facts {
            let note = TrustNote(fact, about: certificate, at: 0)
            #expect(!note.code.isEmpty && note.message.hasSuffix(".") && note.advice.hasSuffix("."), "\(note)")
            #expect(note.rule.map { $0.link.hasPrefix("https://") } ?? true)
        }
    }
}
