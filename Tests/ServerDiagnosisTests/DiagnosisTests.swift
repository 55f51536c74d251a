//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust
import TLSProbe
import TLSWire
import Testing

/// A server, and what is to be made of it.
private struct Example: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let facts: @Sendable () throws -> TestFacts
    /// App Transport Security, FCP_v2.1 and trust.
    let outcomes: [ATSOutcome]
    /// The tests that pass, and those of which it is not known.
    let passed: Set<Int>
    var unknown: Set<Int> = []
    /// What to change.
    var advice: [ServerAdvice.Kind] = []
}

private let modern: [UInt16] = [0xC02F, 0xC030]
private let all = Set(1...17)

private let refusals: [Example] = [
    Example(
        testDescription: "no forward secrecy", facts: { try .standard([(.tls12, [0x009D, 0x002F])]) },
        outcomes: [.failed, .failed, .passed], passed: [2, 7, 8, 10, 11, 12, 14, 15, 16], advice: [.cipherSuites]),
    Example(
        testDescription: "TLS 1.0 only", facts: { try .standard([(.tls10, [0xC013])]) },
        outcomes: [.failed, .failed, .failed], passed: [], advice: [.version]),
    Example(
        testDescription: "ChaCha20 only", facts: { try .standard([(.tls12, [0xCCA8])]) },
        outcomes: [.passed, .failed, .passed], passed: all.subtracting([3, 9, 13, 17]), advice: [.cipherSuites]),
    Example(
        testDescription: "no extended master secret",
        facts: { try .standard([(.tls12, modern)], extendedMasterSecret: false) },
        outcomes: [.passed, .failed, .passed], passed: all.subtracting([3, 9, 13, 17]),
        advice: [.extendedMasterSecret]),
    Example(
        testDescription: "a small key", facts: { try .standard([(.tls13, [0x1301])], [.small]) },
        outcomes: [.failed, .failed, .failed], passed: [], advice: [.key]),
    Example(
        testDescription: "SHA-1", facts: { try .standard([(.tls13, [0x1301])], [.sha1]) },
        outcomes: [.failed, .failed, .failed], passed: [], advice: [.digest]),
    Example(
        testDescription: "not trusted", facts: { try .standard([(.tls13, [0x1301])], [.untrusted]) },
        outcomes: [.failed, .failed, .failed], passed: [], advice: [.chain, .authority]),
    Example(
        testDescription: "another name", facts: { try .standard([(.tls13, [0x1301])], [.otherName]) },
        outcomes: [.failed, .failed, .failed], passed: [], advice: [.name]),
    Example(
        testDescription: "expired", facts: { try .standard([(.tls13, [0x1301])], [.expired]) },
        outcomes: [.failed, .failed, .failed], passed: [], advice: [.renewal]),
    Example(
        testDescription: "not TLS", facts: { .nothing(.notTLS(beginning: "HTTP/1.1 400 Bad Request")) },
        outcomes: [.failed, .failed, .failed], passed: [], advice: [.speakTLS]),
    Example(
        testDescription: "old and untrusted", facts: { try .standard([(.tls12, [0x009D])], [.untrusted]) },
        outcomes: [.failed, .failed, .failed], passed: [], advice: [.cipherSuites, .chain, .authority]),
    Example(
        testDescription: "one group of suites after the other",
        facts: { try .ats([(.compatible, .tls12, 0x009D)], refused: [.tls13, .tls11, .tls10]) },
        outcomes: [.failed, .failed, .passed], passed: [2, 7, 8, 10, 11, 12, 14, 15, 16], advice: [.cipherSuites]),
]

private let doubtful: [Example] = [
    Example(
        testDescription: "no address", facts: { .nothing(.hostNotFound) },
        outcomes: [.unknown, .unknown, .unknown], passed: [], unknown: all),
    Example(
        testDescription: "closed without an answer", facts: { .nothing(.closed) },
        outcomes: [.unknown, .unknown, .unknown], passed: [], unknown: all),
    Example(
        testDescription: "TLS 1.3 timed out, 1.2 is good", facts: { try .standard([(.tls12, modern)]).unknown(.tls13) },
        outcomes: [.unknown, .unknown, .passed], passed: [], unknown: all),
    Example(
        testDescription: "TLS 1.2 timed out, 1.3 is good",
        facts: { try .standard([(.tls13, [0x1301])]).unknown(.tls12) },
        outcomes: [.passed, .passed, .passed], passed: all),
    Example(
        testDescription: "only TLS 1.2 timed out and 1.0 is there",
        facts: { try .standard([(.tls10, [0xC013])]).unknown(.tls12) },
        outcomes: [.unknown, .unknown, .unknown], passed: [], unknown: all.subtracting([3, 9, 13])),
    Example(
        testDescription: "the extended master secret is not known",
        facts: { try .standard([(.tls12, modern)], extendedMasterSecret: nil) },
        outcomes: [.passed, .unknown, .passed], passed: all.subtracting([3, 9, 13, 17]), unknown: [17]),
    Example(
        testDescription: "the chain was not seen", facts: { try .standard([(.tls13, [0x1301])], []) },
        outcomes: [.unknown, .unknown, .unknown], passed: [], unknown: all),
    Example(
        testDescription: "not all suites were asked for",
        facts: {
            var facts = try TestFacts.standard([(.tls12, [0x009D])])
            facts.facts.cipherSuites[0].isComplete = false
            facts.facts.cipherSuites[0].failure = .reset
            return facts
        },
        outcomes: [.unknown, .unknown, .passed], passed: [2, 7, 8, 10, 11, 12, 14, 15, 16],
        unknown: [1, 4, 5, 6, 17]),
]

private let good: [Example] = [
    Example(
        testDescription: "modern", facts: { try .standard([(.tls13, [0x1302, 0x1301]), (.tls12, modern)]) },
        outcomes: [.passed, .passed, .passed], passed: all),
    Example(
        testDescription: "TLS 1.2 only", facts: { try .standard([(.tls12, modern)]) },
        outcomes: [.passed, .passed, .passed], passed: all.subtracting([3, 9, 13])),
    Example(
        testDescription: "prefers what ATS refuses",
        facts: { try .standard([(.tls12, [0x009D, 0xC027, 0xC02F])]) },
        outcomes: [.passed, .passed, .passed], passed: all.subtracting([3, 9, 13])),
    Example(
        testDescription: "by the shortest plan", facts: { try .ats([(.ats, .tls13, 0x1301)]) },
        outcomes: [.passed, .passed, .passed], passed: all),
    Example(
        testDescription: "by the shortest plan, without TLS 1.3",
        facts: { try .ats([(.ats, .tls12, 0xCCA8), (.fcp, .tls12, 0xC02F)], refused: [.tls11, .tls10]) },
        outcomes: [.passed, .passed, .passed], passed: all.subtracting([3, 9, 13])),
]

@Suite("The diagnosis of a server")
struct DiagnosisTests {
    @Test("Verdicts, tests and advice are those of the server", arguments: refusals + doubtful + good)
    private func outcomes(example: Example) throws {
        let diagnosis = try example.facts().diagnosis()
        #expect(diagnosis.verdicts.map(\.outcome) == example.outcomes)
        #expect(diagnosis.verdicts.map(\.subject) == [.ats, .fcp, .trust])
        let passed = diagnosis.rows.filter { $0.outcome == .passed }.map(\.test.number)
        let unknown = diagnosis.rows.filter { $0.outcome == .unknown }.map(\.test.number)
        #expect(Set(passed) == example.passed)
        #expect(Set(unknown) == example.unknown)
        #expect(diagnosis.advice.map(\.kind) == example.advice)
    }

    @Test("What is unknown says what is missing and why, and suggests nothing", arguments: doubtful)
    private func doubts(example: Example) throws {
        let diagnosis = try example.facts().diagnosis()
        guard diagnosis.verdicts.contains(where: { $0.outcome == .unknown }) else {
            #expect(diagnosis.doubts.isEmpty)
            return
        }
        #expect(!diagnosis.doubts.isEmpty)
        for doubt in diagnosis.doubts {
            #expect(doubt.code.hasPrefix("unknown-") && doubt.message.hasSuffix(".") && doubt.remedy.hasSuffix("."))
        }
        if diagnosis[.ats]?.outcome == .unknown {
            #expect(diagnosis.suggestion == nil && diagnosis.conclusion == .unknown)
        }
    }

    @Test("Servers that pass have no doubts and need no advice", arguments: good)
    private func passing(example: Example) throws {
        let diagnosis = try example.facts().diagnosis()
        #expect(diagnosis.doubts.isEmpty && diagnosis.advice.isEmpty)
        guard case .nothing? = diagnosis.suggestion?.outcome else {
            Issue.record("an exception is suggested")
            return
        }
    }

    @Test("The conclusion is nscurl's: trust, forward secrecy, versions")
    func conclusions() throws {
        let untrusted = try TestFacts.standard([(.tls13, [0x1301])], [.untrusted])
        let noSecrecy = try TestFacts.standard([(.tls12, [0x009D])])
        let old = try TestFacts.standard([(.tls11, [0xC013])])
        #expect(try untrusted.diagnosis().conclusion == .notTransportSecurity)
        #expect(try noSecrecy.diagnosis().conclusion == .needsException(test: 7))
        #expect(try old.diagnosis(on: 18).conclusion == .needsException(test: 5))
        #expect(try old.diagnosis().conclusion == .notTransportSecurity)
    }

    @Test("Releases without FCP_v2.1 are not asked about it")
    func olderReleases() throws {
        let diagnosis = try TestFacts.standard([(.tls12, modern)]).diagnosis(on: 18)
        #expect(diagnosis[.fcp] == nil && diagnosis.rows.count == 16)
    }

    @Test("A server of TLS 1.3 alone is refused by releases that do not speak it, and told what to add")
    func onlyTLS13() throws {
        let facts = try TestFacts.standard([(.tls13, [0x1301])])
        let old = try facts.diagnosis(on: 12)
        #expect(old.verdicts.allSatisfy { $0.outcome == .failed } && old.rows.allSatisfy { $0.outcome == .failed })
        #expect(old.advice.map(\.kind) == [.version])
        #expect(old.advice.first?.reason.contains("TLS 1.2 is the newest") == true)
        #expect(try facts.diagnosis(on: 13)[.ats]?.outcome == .passed)
    }

    @Test("A redirect to plain HTTP is one reason, although what follows it is not asked for")
    func redirectToPlainHTTP() throws {
        let facts = try TestFacts.standard([(.tls12, modern)])
        let trust = try facts.chains.map { try $0.chain().trust }
        func reasons(_ app: AppContext? = nil) -> [DiagnosisReason] {
            ServerDiagnosis(
                host: "a.test", facts: facts.facts, trust: trust,
                redirects: [ATSDestination(host: "b.test", scheme: .http)],
                redirectFailure: "plain HTTP is not asked for",
                app: app
            ).reasons
        }
        #expect(reasons().map(\.isMissingFact) == [false])
        // An app that allows plain HTTP depends on it.
        var dictionary = ATSDictionary()
        dictionary.allowsArbitraryLoads = true
        let own = reasons(AppContext(ATSPolicy(dictionary), trust: trust))
        #expect(own.map(\.isMissingFact) == [false, true] && own.last?.subjects == [.plist])
    }

    @Test("An app is asked about by its own rules, pins and redirects included")
    func app() throws {
        let facts = try TestFacts.standard([(.tls12, [0x009D])])
        let trust = try facts.chains.map { try $0.chain().trust }
        var domain = ATSExceptionDomain("a.test")
        domain.requiresForwardSecrecy = false
        var dictionary = ATSDictionary()
        dictionary.exceptionDomains = [domain]
        func outcome(_ dictionary: ATSDictionary, _ redirects: [ATSDestination] = []) -> ATSOutcome? {
            ServerDiagnosis(
                host: "a.test", facts: facts.facts, trust: trust, redirects: redirects,
                app: AppContext(ATSPolicy(dictionary), trust: trust))[.plist]?.outcome
        }
        #expect(outcome(ATSDictionary()) == .failed)
        #expect(outcome(dictionary) == .passed)
        #expect(outcome(dictionary, [ATSDestination(host: "a.test", scheme: .http)]) == .failed)
    }

    @Test("Where an app wants TLS 1.3 at least, the remedy of a refusal is not TLS 1.2")
    func leastVersion() throws {
        let facts = try TestFacts.standard([(.tls12, modern)])
        let trust = try facts.chains.map { try $0.chain().trust }
        var dictionary = ATSDictionary()
        dictionary.exceptionDomains = [ATSExceptionDomain("a.test")]
        dictionary.exceptionDomains[0].minimumTLSVersion = "TLSv1.3"
        let diagnosis = ServerDiagnosis(
            host: "a.test", facts: facts.facts, trust: trust, app: AppContext(ATSPolicy(dictionary), trust: trust))
        let reason = try #require(diagnosis.reasons.first { $0.subjects.contains(.plist) })
        #expect(reason.message.contains("at least TLS 1.3 is required"))
        #expect(reason.remedy.contains("TLS 1.3") && !reason.remedy.contains("1.2 or 1.3"), "\(reason.remedy)")
    }

    @Test("What is suggested to an app starts from its own exceptions and gives up its own demands last")
    func appSuggestion() throws {
        let facts = try TestFacts.standard([(.tls12, [0x002F])])
        let trust = try facts.chains.map { try $0.chain().trust }
        func suggestion(_ dictionary: ATSDictionary, _ facts: TestFacts) -> ATSSuggestion.Outcome? {
            ServerDiagnosis(
                host: "a.test", facts: facts.facts, trust: trust, app: AppContext(ATSPolicy(dictionary), trust: trust)
            ).suggestion?.outcome
        }
        var demanding = ATSDictionary()
        demanding.requiresNIAPTLSPackageVersion = "FCP_v2.1"
        guard case .exception(let domain, [.niapPackage, .forwardSecrecy]) = suggestion(demanding, facts) else {
            Issue.record("\(String(describing: suggestion(demanding, facts)))")
            return
        }
        #expect(domain.requiresNIAPTLSPackageVersion?.value == "none")
        var strict = ATSDictionary()
        strict.exceptionDomains = [ATSExceptionDomain("a.test")]
        strict.exceptionDomains[0].minimumTLSVersion = "TLSv1.3"
        let modern = try TestFacts.standard([(.tls12, modern)])
        guard case .exception(let plain, [.tls12]) = suggestion(strict, modern) else {
            Issue.record("\(String(describing: suggestion(strict, modern)))")
            return
        }
        #expect(plain.name == "a.test" && plain.minimumTLSVersion == nil)
        guard case .nothing? = suggestion(ATSDictionary(), modern) else {
            Issue.record("an exception is suggested to an app that needs none")
            return
        }
    }
}
