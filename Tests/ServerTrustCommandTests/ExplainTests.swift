//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import CertificatePath
import FleetScan
import Foundation
import InterceptingProxy
import PinningDialects
import ServerDiagnosis
import ServerReports
import ServerTrust
import ServerTrustNIO
import TLSProbe
import TLSWire
import TestSupport
import Testing

@testable import ServerTrustCommand

@Suite("servertrust explain, and the list of codes", .limitedConcurrency)
struct ExplainTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test("Every code has a title, a sentence and a remedy; every rule a section with a link and Apple's codes")
    func rows() {
        for code in CommandCodes.all {
            #expect(!code.title.isEmpty && code.title.last != ".", "\(code.id)")
            #expect(code.sentence.hasSuffix("."), "\(code.id): \(code.sentence)")
            #expect(!code.remedies.isEmpty && code.remedies.allSatisfy { $0.advice.hasSuffix(".") }, "\(code.id)")
            #expect(
                CodeIndex.codes(for: code.id, in: CommandCodes.all).contains {
                    $0.id == code.id && $0.kind == code.kind
                })
            if let number = code.number {
                #expect(CodeIndex.codes(for: "\(number)", in: CommandCodes.all).contains { $0.id == code.id })
            }
            guard [.reason, .transportSecurity, .openSSL].contains(code.kind) else { continue }
            #expect(code.section != nil && !code.apple.isEmpty, "\(code.id)")
        }
        for kind in ExplainedCode.Kind.allCases {
            let ids = CommandCodes.all.filter { $0.kind == kind }.map(\.id)
            #expect(!ids.isEmpty && Set(ids).count == ids.count, "\(kind)")
        }
    }

    @Test("Every rule has remedies of its own, the first for every case, and each circumstance once")
    func remedies() {
        for rule in TrustRule.all {
            let circumstances = rule.remedies.map(\.circumstance)
            #expect(!circumstances.isEmpty && Set(circumstances).count == circumstances.count, "\(rule.id)")
            #expect(!rule.title.isEmpty && rule.title.last != ".")
        }
    }

    @Test(
        "A code is found by its name and number, with and without the prefix of its header",
        arguments: [
            ("expired", "expired"), ("-9802", "errSSLFatalAlert"), ("errSSLFatalAlert", "errSSLFatalAlert"),
            ("FatalAlert", "errSSLFatalAlert"), ("-67818", "errSecCertificateExpired"),
            ("errSecCreateChainFailed", "errSecCreateChainFailed"), ("-1200", "NSURLErrorSecureConnectionFailed"),
            ("NSURLErrorServerCertificateUntrusted", "NSURLErrorServerCertificateUntrusted"),
            ("20", "X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY"), ("CERT_HAS_EXPIRED", "X509_V_ERR_CERT_HAS_EXPIRED"),
            ("certificate-rule/serial-number", "certificate-rule/serial-number"),
            ("serial-number", "certificate-rule/serial-number"), ("wrong-order", "wrong-order"),
            ("cipher-suite", "cipher-suite"), ("tls-version-too-old", "tls-version-too-old"),
            ("unknown-server", "unknown-server"), ("reset", "reset"), ("no-pins", "no-pins"), ("groups", "groups"),
            ("tls-1.3-suites", "tls-1.3-suites"), ("chain-unknown", "chain-unknown"), ("untrusted", "untrusted"),
            ("not-a-server", "not-a-server"), ("single-pin", "single-pin"), ("9802", "errSSLFatalAlert"),
            ("1202", "NSURLErrorServerCertificateUntrusted"), ("FCP_v2.1", "FCP_v2.1"), ("fcp", "FCP_v2.1"),
            ("FCPv2.1", "FCP_v2.1"), ("ats", "ats"), ("NSAppTransportSecurity", "ats"), ("boringssl", "boringssl"),
            ("[ATS FCPv2.1 violation]", "FCP_v2.1"), ("Error [ATS Violation]: for a server", "ats"),
            (
                "boringssl_context_handle_fatal_alert(2170) [C1:2][0x7f] write alert, level: fatal, description: certificate unknown",
                "boringssl"
            ),
            ("nw_protocol_boringssl_error(1747) [C2:1][0x1] Lower protocol stack error", "boringssl"),
        ])
    func found(text: String, id: String) async throws {
        let finished = try await CommandLineTool.servertrust(["explain", text])
        #expect(finished.status == 0, "\(finished.errors)")
        #expect(finished.output.contains(id), "\(finished.output)")
        #expect(finished.output.contains("what to do"))
    }

    @Test(
        "Text that is not a code ends with 2, and with the code that was meant",
        arguments: ["", "expierd", "999999", "--no"])
    func unknown(text: String) async throws {
        let finished = try await CommandLineTool.servertrust(["explain", text])
        #expect(finished.status == 2)
        #expect(finished.output.isEmpty)
        if text == "expierd" { #expect(finished.errors.contains("Did you mean expired?"), "\(finished.errors)") }
    }

    @Test("Every code of a reason that a chain can be refused for is explained", arguments: Fault.all)
    func faults(fault: Fault) async throws {
        let finished = try await fault.scene().judged()
        let codes = finished.output.split(separator: "\n").compactMap { line -> String? in
            let line = line.drop { $0 == " " }
            guard line.first == "[" else { return nil }
            return line.dropFirst().split(whereSeparator: { ",]".contains($0) }).first.map(String.init)
        }
        #expect(!codes.isEmpty)
        for code in codes { #expect(!CodeIndex.codes(for: code).isEmpty, "\(code)") }
    }

    @Test("Every code that an answer of any kind can have is explained")
    func enumerated() {
        let codes: [String] =
            TrustNote.Kind.allCases.map(\.rawValue) + ServerAdvice.Kind.allCases.map(\.rawValue)
            + ConnectionFailure.oneOfEach.map(\.code) + TrustEvidence.Needlessness.allCases.map(\.rawValue)
            + TransparencyReport.Status.allCases.map(\.rawValue) + ResourceError.Code.allCases.map(\.rawValue)
            + DERError.Code.allCases.map(\.rawValue) + PinningDiagnostic.Code.allCases.map(\.rawValue)
            + RefusalCode.allCases.map(\.rawValue)
            + ATSRule.allCases.map(\.rawValue) + ATSSuggestion.Risk.allCases.map(\.rawValue)
            + [
                "unknown-server", "reset", "no-pins", "untrusted", "groups", "tls-version", "cipher-suites",
                "tls-1.3-suites", "chain-unknown", "certificate-rule", "connectionFailed",
                "malformedCertificate", "contradiction", "failed", "unknown", "malformed",
            ]
        for code in codes { Self.expectExplained(code) }
    }

    /// Codes of values with evidence stand in tables of the sources, each in a line.
    @Test("Every code in the tables of the sources is explained")
    func tables() throws {
        let row = try Regex(#"^\s*(?:case )?\.[^"]*: "([a-z0-9.]+(?:-[a-z0-9.]+)*)"$"#)
        let sources = Self.root.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var count = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            var isTable = false
            // The report of pins that is sent to a server is TrustKit's, and has codes of its own.
            guard !file.path.contains("/Reports/") else { continue }
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if line.contains("var code: String") { isTable = true }
                if line == "    }" { isTable = false }
                guard isTable, let match = line.firstMatch(of: row), let code = match.output[1].substring else {
                    continue
                }
                count += 1
                Self.expectExplained(String(code))
            }
        }
        #expect(count > 80, "\(count)")
    }

    private static func expectExplained(_ code: String) {
        #expect(!CodeIndex.codes(for: code, in: CommandCodes.all).isEmpty, "\(code)")
    }

    @Test("Every kind of code stands in the schema and in the description of the document")
    func kinds() throws {
        let schema = try String(
            contentsOf: Self.root.appending(path: "docs/schemas/servertrust.explain.schema.json"), encoding: .utf8)
        let page = try String(contentsOf: Self.root.appending(path: "docs/json.md"), encoding: .utf8)
        let row = try #require(page.split(separator: "\n").first { $0.hasPrefix("| `codes[].kind`") })
        for kind in ExplainedCode.Kind.allCases {
            #expect(schema.contains("\"\(kind.rawValue)\"") && row.contains("`\(kind.rawValue)`"), "\(kind)")
        }
    }

    @Test("All codes are explained at once, each as it is by itself")
    func all() async throws {
        let all = try await CommandLineTool.servertrust(["explain", "--all"])
        #expect(all.status == 0)
        for code in CommandCodes.all { #expect(all.output.contains("\(code.name): \(code.title)"), "\(code.id)") }
        #expect(all.output.contains("To trust it here, give --roots FILE."))
        let both = try await CommandLineTool.servertrust(["explain", "--all", "expired"])
        #expect(both.status == 2 && both.errors.contains("Name none besides"))
    }

    @Test("The words of the command are for actions and codes that there are")
    func spelling() {
        let known = Set(TrustRemedy.Action.allCases.map(\.rawValue) + CommandCodes.all.map(\.id))
        for code in RemedySpelling.command.words.keys { #expect(known.contains(code), "\(code)") }
    }
}
