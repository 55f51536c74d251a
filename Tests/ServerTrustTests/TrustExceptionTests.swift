//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import TestSupport
import Testing

@testable import ServerTrust

@Suite("Exceptions")
struct TrustExceptionTests {
    static let expired: @Sendable (inout CraftedCertificate) -> Void = { $0.notAfter = DER.utcTime("260601000000Z") }
    static let later = Date(timeIntervalSince1970: 1_780_272_000 + 3_600)

    static func expiredTrust(host: String = "www.example.com", at date: Date = later) throws -> Trust {
        var trust = try TestTrust.trust(TestChain(leaf: expired), host: host)
        trust.verifyDate = date
        return trust
    }

    static func coded(_ exceptions: TrustExceptions) throws -> TrustExceptions {
        try JSONDecoder().decode(TrustExceptions.self, from: JSONEncoder().encode(exceptions))
    }

    @Test("Recorded failures are passed over, after saving and loading too, and the answer is proceed")
    func roundTrip() throws {
        var trust = try Self.expiredTrust()
        #expect(trust.evaluate().resultType == .recoverableTrustFailure)
        let exceptions = try Self.coded(trust.currentExceptions())
        #expect(exceptions == trust.currentExceptions())
        let wasSet1 = trust.setExceptions(exceptions)
        #expect(wasSet1)
        let result = trust.evaluate()
        #expect(result.resultType == .proceed)
        #expect(result.failure == nil)
        #expect(result.details.first == ["TemporalValidity": false])
        #expect(trust.currentExceptions() == exceptions)
    }

    @Test("A failure that was not recorded fails again")
    func newFailures() throws {
        var trust = try Self.expiredTrust()
        trust.setExceptions(trust.currentExceptions())
        trust.policies = [.tlsServer(hostname: "other.example")]
        #expect(TestTrust.checks(trust) == [.sslHostname])
        // As on Apple's systems, the name itself is not remembered.
        trust.setExceptions(trust.currentExceptions())
        #expect(trust.evaluate().resultType == .proceed)
        trust.policies = [.tlsServer(hostname: "another.example")]
        #expect(trust.evaluate().resultType == .proceed)
        trust.anchors = .none
        #expect(TestTrust.checks(trust) == [.missingIntermediate])
    }

    @Test("An exception holds for its certificate at its place in the path")
    func places() throws {
        let chain = try TestChain(first: Self.expired)
        var trust = try TestTrust.trust(chain)
        trust.verifyDate = Self.later
        #expect(TestTrust.checks(trust) == [.temporalValidity])
        trust.setExceptions(trust.currentExceptions())
        #expect(trust.evaluate().resultType == .proceed)
        // The same leaf below another intermediate that expired likewise.
        let twin = try TestChain.root.authority(TestChain.first) {
            Self.expired(&$0)
            $0.serialNumber = DER.integer(7)
        }
        let exceptions = trust.currentExceptions()
        var other = try Trust(
            certificates: [chain.leaf, chain.second, twin].map(Certificate.init), policies: trust.policies,
            configuration: TrustConfiguration(anchors: trust.anchors))
        other.verifyDate = Self.later
        let wasSet2 = other.setExceptions(exceptions)
        #expect(wasSet2)
        #expect(TestTrust.checks(other) == [.temporalValidity])
    }

    @Test("Exceptions for another leaf are not set, and remove those in force")
    func otherLeaf() throws {
        var trust = try Self.expiredTrust()
        let own = trust.currentExceptions()
        let foreign = try Self.expiredTrust().currentExceptions()
        #expect(own.leafDigest != foreign.leafDigest, "each chain is signed anew")
        let wasSet3 = trust.setExceptions(own)
        #expect(wasSet3)
        let wasRefused8 = !trust.setExceptions(foreign)
        #expect(wasRefused8)
        #expect(TestTrust.checks(trust) == [.temporalValidity])
        let wasSet4 = trust.setExceptions(nil)
        #expect(wasSet4)
        trust.setExceptions(own)
        let wasRefused9 = !trust.setExceptions(nil)
        #expect(wasRefused9)
        #expect(TestTrust.checks(trust) == [.temporalValidity])
    }

    @Test("A fatal failure is never recorded, and never lifted by exceptions that say otherwise")
    func fatal() throws {
        let chain = try TestChain(leaf: {
            TestTrust.weakLeaf(&$0)
            Self.expired(&$0)
        })
        var trust = try TestTrust.trust(chain)
        trust.verifyDate = Self.later
        let exceptions = trust.currentExceptions()
        let wasSet5 = trust.setExceptions(exceptions)
        #expect(wasSet5)
        #expect(trust.evaluate().resultType == .fatalTrustFailure)
        #expect(trust.evaluate().failure?.reasons.map(\.check) == [.weakKeySize])
        let text = String(decoding: try JSONEncoder().encode(exceptions), as: UTF8.self)
        #expect(!text.contains("WeakKeySize"))
        let forged = text.replacingOccurrences(of: "\"TemporalValidity\"", with: "\"TemporalValidity\",\"WeakKeySize\"")
        #expect(forged != text)
        let wasSet6 = try trust.setExceptions(JSONDecoder().decode(TrustExceptions.self, from: Data(forged.utf8)))
        #expect(wasSet6)
        #expect(trust.evaluate().resultType == .fatalTrustFailure)
    }

    @Test("Exceptions recorded when nothing failed change only the kind of answer, as on Apple's systems")
    func nothingFailed() throws {
        var trust = try Self.expiredTrust(at: Date(testTime))
        #expect(trust.evaluate().resultType == .unspecified)
        let wasSet7 = trust.setExceptions(trust.currentExceptions())
        #expect(wasSet7)
        #expect(trust.evaluate().resultType == .proceed)
        trust.verifyDate = Self.later
        #expect(TestTrust.checks(trust) == [.temporalValidity])
    }

    @Test("Exceptions without entries are for no leaf")
    func empty() throws {
        let exceptions = try JSONDecoder().decode(TrustExceptions.self, from: Data("{\"entries\":[]}".utf8))
        #expect(exceptions.leafDigest == nil)
        var trust = try Self.expiredTrust()
        let wasRefused10 = !trust.setExceptions(exceptions)
        #expect(wasRefused10)
        #expect(trust.evaluate().isTrusted == false)
    }

    @Test(
        "Exceptions that no evaluation records are not decoded",
        arguments: [
            "{}", "{\"entries\":{}}", "{\"entries\":[{\"digest\":[],\"checks\":[]}]}",
            entry(digest: 3), entry(digest: 31), entry(digest: 33), entry(digest: 100_000),
            entry(checks: "\"Everything\""), entry(checks: "\"TemporalValidity\",\"TemporalValidity\""),
            entry(checks: "7"), entry(count: 129), entry(count: 200_000),
        ])
    func undecodable(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(TrustExceptions.self, from: Data(text.utf8)) }
    }

    @Test("Exceptions for every certificate of a long path are decoded")
    func manyEntries() throws {
        let text = Self.entry(checks: "\"TemporalValidity\",\"SSLHostname\"", count: 128)
        let exceptions = try JSONDecoder().decode(TrustExceptions.self, from: Data(text.utf8))
        #expect(exceptions.leafDigest?.count == 32)
        #expect(try Self.coded(exceptions) == exceptions)
    }

    static func entry(digest: Int = 32, checks: String = "", count: Int = 1) -> String {
        let digest = [String](repeating: "7", count: digest).joined(separator: ",")
        let entries = [String](repeating: "{\"digest\":[\(digest)],\"checks\":[\(checks)]}", count: count)
        return "{\"entries\":[\(entries.joined(separator: ","))]}"
    }

    @Test("Exceptions can be left out by check and place, and added to those of the same leaf alone")
    func filtered() throws {
        var trust = try Self.expiredTrust(host: "other.example")
        let all = trust.currentExceptions()
        trust.setExceptions(all.filtered { check, index in check == .temporalValidity && index == 0 })
        #expect(TestTrust.checks(trust) == [.sslHostname])
        let name = all.filtered { check, _ in check == .sslHostname }
        trust.setExceptions(name)
        #expect(TestTrust.checks(trust) == [.temporalValidity])
        #expect(all.filtered { _, index in index == 1 } == all.filtered { _, _ in false })
        trust.setExceptions(name.merging(all.filtered { check, _ in check == .temporalValidity }))
        #expect(trust.evaluate().resultType == .proceed)
        let stranger = try TestTrust.trust(TestChain(), host: "other.example").currentExceptions()
        #expect(name.merging(stranger) == name)
    }
}
