//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import TestSupport
import Testing

struct HostileAnswer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let log: String
    let answer: MemoryFetcher.Answer

    init(_ name: String, log: String = "ocsp:unusable", _ answer: @escaping MemoryFetcher.Answer) {
        self.testDescription = name
        self.log = log
        self.answer = answer
    }
}

private let hostileAnswers = [
    HostileAnswer("a web page") { _ in Array("<html>not found</html>".utf8) },
    HostileAnswer("nothing at all") { _ in [] },
    HostileAnswer("a refusal to answer") { _ in [0x30, 0x03, 0x0A, 0x01, 0x06] },
    HostileAnswer("a revocation list", listAnswer()),
    HostileAnswer("more than was asked for", log: "ocsp:failed(too-large)") {
        [UInt8](repeating: 0x30, count: $0.maximumSize + 1)
    },
    HostileAnswer("about another certificate", ocspAnswer { $0.serial = DER.number(1) }),
    HostileAnswer("about another issuer's", ocspAnswer { $0.issuerKey = .p256(9) }),
    HostileAnswer("signed by a stranger", ocspAnswer { $0.signer = .p256(9) }),
    HostileAnswer("stale", ocspAnswer { $0.nextUpdate = "20260531000000Z" }),
    HostileAnswer("unknown", ocspAnswer { $0.status = DER.element(0x82, []) }),
    HostileAnswer("an error", log: "ocsp:failed(timed-out)") { _ in throw ResourceError(.timedOut, "slow") },
]

@Suite("Fetching what tells about revocation")
struct RevocationFetchingTests {
    @Test(
        "An answer that proves nothing leaves the status unknown: hard refuses, soft passes", arguments: hostileAnswers)
    func hostile(hostile: HostileAnswer) async throws {
        let fetcher = MemoryFetcher([TestURL.ocsp: hostile.answer])
        let hard = try await fetchingTrust(lists: []).evaluate(fetching: fetcher, testOptions())
        #expect(hard.summary == "revocation-unknown")
        #expect(hard.log == hostile.log)
        let soft = try await fetchingTrust(lists: [], mode: .soft).evaluate(fetching: fetcher, testOptions())
        #expect(soft.summary == "trusted")
        #expect(soft.log == hostile.log)
        #expect(soft.revocation.allSatisfy { if case .unknown = $0 { true } else { false } })
    }

    @Test("A certificate that the responder or the list says is revoked is refused, softly or not")
    func revoked() async throws {
        for mode in [RevocationPolicy.Mode.soft, .leaf, .hard] {
            let byResponder = MemoryFetcher([TestURL.ocsp: ocspAnswer { $0.status = revokedStatus }])
            #expect(
                try await fetchingTrust(mode: mode).evaluate(fetching: byResponder, testOptions()).summary == "revoked")
            let byList = MemoryFetcher([TestURL.list: listAnswer(revoking: [leafSerial])])
            let result = try await fetchingTrust(mode: mode).evaluate(fetching: byList, testOptions())
            #expect(result.summary == "revoked")
            #expect(result.log == "ocsp:failed(unreachable) crl:used")
        }
    }

    @Test("A good answer is enough, and the list is then not fetched")
    func good() async throws {
        let fetcher = MemoryFetcher([TestURL.ocsp: ocspAnswer(), TestURL.list: listAnswer()])
        let result = try await fetchingTrust().evaluate(fetching: fetcher, testOptions())
        #expect(result.summary == "trusted")
        #expect(result.revocation == [.good])
        #expect(fetcher.urls == [TestURL.ocsp])
        #expect(fetcher.requests.first?.body?.isEmpty == false)
        #expect(result.fetches.first?.certificate == result.result.path.first)
    }

    @Test("Where one source fails the next is asked: responders, then lists")
    func fallbacks() async throws {
        let fetcher = MemoryFetcher([
            TestURL.ocsp: { _ in [] }, TestURL.otherOCSP: ocspAnswer { $0.signer = .p256(9) },
            TestURL.list: { _ in throw ResourceError(.badAnswer, "status 404") }, TestURL.otherList: listAnswer(),
        ])
        let result = try await fetchingTrust(
            ocsp: [TestURL.ocsp, TestURL.otherOCSP], lists: [TestURL.list, TestURL.otherList]
        ).evaluate(fetching: fetcher, testOptions())
        #expect(result.summary == "trusted")
        #expect(result.log == "ocsp:unusable ocsp:unusable crl:failed(bad-answer) crl:used")
    }

    @Test("Lists come in PEM too, and for some of the reasons each")
    func lists() async throws {
        let pem = MemoryFetcher([
            TestURL.list: { _ in
                let list = try TestRevocationList(testRoot).view()
                let text = Data(list.bytes).base64EncodedString(options: .lineLength64Characters)
                return Array("-----BEGIN X509 CRL-----\n\(text)\n-----END X509 CRL-----\n".utf8)
            }
        ])
        #expect(try await fetchingTrust(ocsp: []).evaluate(fetching: pem, testOptions()).summary == "trusted")
        func part(_ url: String, _ octets: UInt8...) -> MemoryFetcher.Answer {
            let reasons = DER.element(0x83, [UInt8(octets.last?.trailingZeroBitCount ?? 0)] + octets)
            return listAnswer { $0.set(.listScope(Point.uri(url), reasons)) }
        }
        let parts = MemoryFetcher([
            TestURL.list: part(TestURL.list, 0x60), TestURL.otherList: part(TestURL.otherList, 0x1F, 0x80),
        ])
        let result = try await fetchingTrust(ocsp: [], lists: [TestURL.list, TestURL.otherList])
            .evaluate(fetching: parts, testOptions())
        #expect(result.log == "crl:unusable crl:used")
        #expect(result.summary == "trusted")
    }

    @Test("The status of intermediates is fetched as well as the leaf's")
    func intermediates() async throws {
        let chain = try TestChain(
            first: { $0.set(.lists(["http://root.test/"])) }, second: { $0.set(.lists(["http://first.test/"])) },
            leaf: { $0.set(.lists(["http://second.test/"])) })
        var trust = try TestTrust.trust(chain)
        trust.revocation = RevocationPolicy(.hard)
        let answers: [String: MemoryFetcher.Answer] = [
            "http://root.test/": { _ in try TestRevocationList(TestChain.root).view().bytes },
            "http://first.test/": { _ in try TestRevocationList(TestChain.first).view().bytes },
            "http://second.test/": { _ in try TestRevocationList(TestChain.second).view().bytes },
        ]
        let result = try await trust.evaluate(fetching: MemoryFetcher(answers), testOptions())
        #expect(result.summary == "trusted")
        #expect(result.revocation == [.good, .good, .good])
        let fewer = try await trust.evaluate(fetching: MemoryFetcher(answers), testOptions { $0.maximumFetches = 2 })
        #expect(fewer.summary == "revocation-unknown")
        #expect(fewer.log.contains("crl:failed(limit-reached)"))
        #expect(fewer.fetches.count == 3)
    }
}

@Suite("Exceptions and revocation")
struct ExceptedRevocationTests {
    @Test("Who lives with a wrong name does not live with a revoked certificate, known or fetched")
    func excepted() async throws {
        var trust = try fetchingTrust(mode: .soft)
        trust.policies = [.tlsServer(hostname: "other.example.com")]
        trust.setExceptions(trust.currentExceptions())
        #expect(trust.evaluate().isTrusted)
        let fetcher = MemoryFetcher([TestURL.ocsp: ocspAnswer { $0.status = revokedStatus }])
        let fetched = try await trust.evaluate(fetching: fetcher, testOptions())
        #expect(fetched.summary == "revoked")
        trust.revocation.lists = [try TestRevocationList(testRoot, revoking: [leafSerial]).view()]
        #expect(trust.evaluate().resultType == .fatalTrustFailure)
    }
}

@Suite("Nonces of fetched answers")
struct NonceFetchingTests {
    /// The nonce is the last thing in a request.
    private static func echo(_ change: @escaping @Sendable ([UInt8]) -> [UInt8]) -> MemoryFetcher.Answer {
        { request in
            var response = TestOCSPResponse()
            let nonce = Array((request.body ?? []).suffix(32))
            response.responseExtensions = [.nonce(DER.octetString(change(nonce)))]
            return try response.view().bytes
        }
    }

    private static let options = testOptions { $0.usesNonce = true }

    @Test("A replayed answer clears no certificate")
    func replayed() async throws {
        let fetcher = MemoryFetcher([TestURL.ocsp: Self.echo { $0.reversed() }])
        let result = try await fetchingTrust(lists: []).evaluate(fetching: fetcher, Self.options)
        #expect(result.summary == "revocation-unknown")
        #expect(result.log == "ocsp:unusable")
    }

    @Test("A fresh one does, and one without a nonce unless the policy requires it")
    func fresh() async throws {
        let fresh = MemoryFetcher([TestURL.ocsp: Self.echo { $0 }])
        let without = MemoryFetcher([TestURL.ocsp: ocspAnswer()])
        var trust = try fetchingTrust(lists: [])
        #expect(try await trust.evaluate(fetching: fresh, Self.options).summary == "trusted")
        #expect(try await trust.evaluate(fetching: without, Self.options).summary == "trusted")
        trust.revocation.requiresNonce = true
        #expect(try await trust.evaluate(fetching: fresh, testOptions()).summary == "trusted")
        #expect(try await trust.evaluate(fetching: without, testOptions()).summary == "revocation-unknown")
    }
}

@Suite("What is not fetched")
struct NotFetchingTests {
    private let fetcher = MemoryFetcher([TestURL.ocsp: ocspAnswer(), TestURL.list: listAnswer()])

    @Test("Nothing, where revocation is off or everything is known")
    func nothingNeeded() async throws {
        #expect(
            try await fetchingTrust(mode: .off).evaluate(fetching: self.fetcher, testOptions()).summary == "trusted")
        var known = try fetchingTrust()
        known.revocation.responses = [try TestOCSPResponse().view()]
        #expect(try await known.evaluate(fetching: self.fetcher, testOptions()).summary == "trusted")
        #expect(self.fetcher.requests.isEmpty)
    }

    @Test("Nothing, for paths that are refused anyway")
    func refusedAnyway() async throws {
        #expect(
            try await fetchingTrust(anchors: TrustAnchors.none).evaluate(fetching: self.fetcher, testOptions()).summary
                == "unknown-issuer")
        var expired = try fetchingTrust(mode: .soft)
        expired.verifyDate = Date(timeIntervalSince1970: 1_900_000_000)
        #expect(try await expired.evaluate(fetching: self.fetcher, testOptions()).summary == "expired")
        #expect(self.fetcher.requests.isEmpty)
    }

    @Test("Nothing, where the caller or a policy forbids it, whatever other policies say")
    func forbidden() async throws {
        let off = try await fetchingTrust().evaluate(
            fetching: self.fetcher, testOptions { $0.fetchesRevocation = false })
        #expect(off.summary == "revocation-unknown")
        let policies: [TrustPolicy] = [
            .revocation([.useAnyAvailableMethod, .networkAccessDisabled]), .revocation(.useAnyAvailableMethod),
        ]
        let trust = try fetchingTrust(policies: policies)
        let result = try await trust.evaluate(fetching: self.fetcher, testOptions { $0.fetchesIssuers = true })
        #expect(result.summary == "revocation-unknown")
        #expect(self.fetcher.requests.isEmpty)
    }

    @Test("Nothing by a method that was not chosen")
    func methods() async throws {
        let ocsp = try fetchingTrust(
            ocsp: [], mode: .off, policies: [.revocation([.ocspMethod, .requirePositiveResponse])])
        #expect(try await ocsp.evaluate(fetching: self.fetcher, testOptions()).summary == "revocation-unknown")
        #expect(self.fetcher.requests.isEmpty)
        let lists = try fetchingTrust(mode: .off, policies: [.revocation([.crlMethod, .requirePositiveResponse])])
        #expect(try await lists.evaluate(fetching: self.fetcher, testOptions()).summary == "trusted")
        #expect(self.fetcher.urls == [TestURL.list])
    }

    @Test("Lists first, where they are preferred")
    func preference() async throws {
        let trust = try fetchingTrust(mode: .off, policies: [.revocation([.useAnyAvailableMethod, .preferCRL])])
        let result = try await trust.evaluate(fetching: self.fetcher, testOptions())
        #expect(result.log == "crl:used")
    }

    @Test("Not without end: a fetcher that never answers is given up", .timeLimit(.minutes(20)))
    func deadline() async throws {
        let slow = MemoryFetcher([
            TestURL.ocsp: { _ in
                try await Task.sleep(for: .seconds(3_600))
                return []
            }
        ])
        let options = testOptions { $0.timeout = .milliseconds(50) }
        let result = try await fetchingTrust(lists: []).evaluate(fetching: slow, options)
        #expect(result.summary == "revocation-unknown")
        #expect(result.log == "ocsp:failed(timed-out)")
        let none = testOptions { $0.deadline = .zero }
        #expect(try await fetchingTrust(lists: []).evaluate(fetching: slow, none).log == "ocsp:failed(limit-reached)")
    }

    @Test("A cancelled evaluation is no evaluation", .timeLimit(.minutes(20)))
    func cancelled() async throws {
        let slow = MemoryFetcher([
            TestURL.ocsp: { _ in
                try await Task.sleep(for: .seconds(3_600))
                return []
            }
        ])
        let trust = try fetchingTrust(mode: .soft)
        let task = Task { try await trust.evaluate(fetching: slow, testOptions()) }
        while slow.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("Of many locations a few are tried")
    func locations() async throws {
        let trust = try fetchingTrust(ocsp: (0..<8).map { "http://ocsp\($0).test/" }, lists: [])
        let result = try await trust.evaluate(fetching: self.fetcher, testOptions())
        #expect(result.fetches.count == 3)
        let one = try await trust.evaluate(fetching: self.fetcher, testOptions { $0.maximumLocations = 1 })
        #expect(one.fetches.count == 1)
        let empty = try await trust.evaluate(fetching: self.fetcher, testOptions { $0.maximumTotalSize = 0 })
        #expect(empty.log.hasPrefix("ocsp:failed(limit-reached)"))
        let none = try await trust.evaluate(fetching: self.fetcher, testOptions { $0.maximumFetches = -1 })
        #expect(none.log == "ocsp:failed(limit-reached) ocsp:failed(limit-reached) ocsp:failed(limit-reached)")
    }
}
