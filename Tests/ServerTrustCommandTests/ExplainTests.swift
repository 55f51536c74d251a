//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import CertificatePath
import Foundation
import ServerReports
import ServerTrust
import TestSupport
import Testing

@Suite("servertrust explain, and the list of codes", .limitedConcurrency)
struct ExplainTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test("Every code has a title, a sentence and a remedy; every rule a section with a link and Apple's codes")
    func rows() {
        for code in CodeIndex.all {
            #expect(!code.title.isEmpty && code.title.last != ".", "\(code.id)")
            #expect(code.sentence.hasSuffix("."), "\(code.id): \(code.sentence)")
            #expect(!code.remedies.isEmpty && code.remedies.allSatisfy { $0.advice.hasSuffix(".") }, "\(code.id)")
            #expect(CodeIndex.codes(for: code.id).contains { $0.id == code.id && $0.kind == code.kind })
            if let number = code.number {
                #expect(CodeIndex.codes(for: "\(number)").contains { $0.id == code.id })
            }
            guard [.reason, .transportSecurity, .openSSL].contains(code.kind) else { continue }
            #expect(code.section != nil && !code.apple.isEmpty, "\(code.id)")
        }
        for kind in ExplainedCode.Kind.allCases {
            let ids = CodeIndex.all.filter { $0.kind == kind }.map(\.id)
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
        if text == "expierd" { #expect(finished.errors.contains("did you mean expired?"), "\(finished.errors)") }
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
        for code in codes where code != "certificate-rule" { #expect(!CodeIndex.codes(for: code).isEmpty, "\(code)") }
    }

    /// Run with UPDATE_CODES=1 to write the document anew.
    @Test("The document of codes is the table")
    func document() throws {
        let file = Self.root.appending(path: "docs/codes.md")
        let sections = ExplainedCode.Kind.allCases.map { kind in
            "## \(kind.title)\n\n" + CodeIndex.all.filter { $0.kind == kind }.map(\.markdown).joined(separator: "\n")
        }
        let document =
            Self.introduction
            + sections.joined(separator: "\n").replacingOccurrences(
                of: "](SECURITY.md)", with: "](../SECURITY.md)")
        if ProcessInfo.processInfo.environment["UPDATE_CODES"] == "1" {
            try document.write(to: file, atomically: true, encoding: .utf8)
            return
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == document, "Run this test with UPDATE_CODES=1")
    }

    private static let introduction = """
        # Codes

        Every code that reports of this package give, and those of Apple's systems, OpenSSL and BoringSSL that say the same. This
        document is made from the tables that the reports are made from; `servertrust explain CODE` shows one of its sections.


        """
}
