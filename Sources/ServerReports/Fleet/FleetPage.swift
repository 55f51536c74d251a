//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The page of a whole fleet, in three parts so that it can be written while a scan runs: the head, one row for each host, and
/// the tail.
///
/// The rows are data. The page's own script shows a few of them at a time, so that ten thousand hosts are as fast as ten. The
/// content security policy permits this script by its digest, and forbids all others and all loads.
package enum FleetPage {
    /// Returns the part of the page before the rows.
    package static func head(title: String) -> String {
        let policy =
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-\(Self.scriptDigest)'; base-uri 'none'; form-action 'none'"
        let page: HTMLText = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="referrer" content="no-referrer">
            <meta name="robots" content="noindex">
            <meta name="generator" content="servertrust \(ReportTool.version)">
            <title>\(title)</title>
            <style>\(HTMLStyle.sheet)\(FleetStyle.sheet)</style>
            <noscript><style>.tools, #hosts { display: none }</style></noscript>
            </head>
            <body>
            \(Self.header(title))
            <main>
            \(Self.tools)
            \(Self.table)
            </main>
            <script>
            """
        // The script precedes the rows, and each row is a line of its own. A truncated page therefore still shows its rows.
        return page.markup + FleetScript.source + "</script>\n"
    }

    /// Returns the row of one host in one line: as data for the script, and as a paragraph for browsers without scripts. Nothing
    /// in the row can end its element.
    package static func row(_ record: ScanRecord) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode(FleetRow(record)), as: UTF8.self)
        let safe = json.replacingScalars("<", with: "\\u003c").replacingScalars(">", with: "\\u003e")
            .replacingScalars("&", with: "\\u0026")
        return "<script type=\"application/json\" class=\"row\">\(safe)</script>"
            + "<noscript>\(Self.paragraph(record).markup)</noscript>\n"
    }

    private static func paragraph(_ record: ScanRecord) -> HTMLText {
        let outcome = record.outcome
        let answers = [("ATS", outcome.ats), ("FCP", outcome.fcp), ("trust", outcome.trust), ("pins", outcome.pins)]
            .compactMap { name, answer in answer.map { "\(name) \($0)" } }
        let facts = [
            record.certificate.map { "certificate until \($0.notAfter)" },
            record.versions.isEmpty ? nil : record.versions.joined(separator: ", "), "asked at \(record.date)",
        ].compactMap(\.self)
        let findings = record.error.map { [$0] } ?? record.findings
        let items = findings.map { finding -> HTMLText in
            "<li>\(finding.message) \(finding.remedy ?? "") [\(finding.code)]</li>"
        }
        let list: HTMLText = items.isEmpty ? .empty : "<ul>\(items)</ul>"
        return "<p><b>\(record.name)</b>: \((answers + facts).joined(separator: "; "))</p>\(list)"
    }

    /// Returns the part of the page after the rows.
    ///
    /// - Parameter appleData: The oldest date of Apple's data among the answers, or `nil` if no answer has one.
    package static func tail(appleData: String?) -> String {
        let basis = appleData.map { " Public roots and logs are those of Apple's data of \($0)." } ?? ""
        let footer: HTMLText = """
            <footer>Written by servertrust \(ReportTool.version) at \(ISO8601.text(.now)).\(basis) This page \
            loads nothing.</footer>
            </body>
            </html>

            """
        return footer.markup
    }

    private static var scriptDigest: String {
        Data(SHA256.hash(data: Data(FleetScript.source.utf8))).base64EncodedString()
    }

    private static func header(_ title: String) -> HTMLText {
        """
        <header>
        <h1>\(title)</h1>
        <p class="lead" id="lead"></p>
        <p class="soft" id="dates">What Apple's systems make of each server, and why.</p>
        </header>
        <noscript><p>Scripts are turned off: the servers stand below one after the other, in the order of the scan.</p></noscript>
        """
    }

    private static let tools: HTMLText = """
        <div id="bar" class="totals" role="img" hidden></div>
        <section class="faults" hidden><h2>The commonest faults</h2><ul id="faults"></ul></section>
        <section class="ends" hidden><h2>When certificates end</h2><ul id="ends"></ul></section>
        <div class="tools" role="search">
        <input id="q" type="search" placeholder="Host, reason, issuer, version, suite …" aria-label="Filter">
        <select id="question" aria-label="Question">
        <option value="ats">App Transport Security</option><option value="fcp">FCP_v2.1</option>
        <option value="trust">Trust</option><option value="plist">Info.plist</option>
        <option value="pins">Pins</option></select>
        <button type="button" class="fail" data-outcome="failed" aria-pressed="true">&#10007; fail <b></b></button>
        <button type="button" class="unknown" data-outcome="unknown" aria-pressed="true">? unknown <b></b></button>
        <button type="button" class="pass" data-outcome="passed" aria-pressed="true">&#10003; pass <b></b></button>
        <button type="button" id="csv">Save as CSV</button>
        </div>
        <p id="count" class="soft" role="status"></p>
        """

    private static var table: HTMLText {
        let columns = [
            ("host", "Host"), ("ats", "ATS"), ("fcp", "FCP"), ("trust", "Trust"), ("days", "Days left"), ("tls", "TLS"),
            ("time", "Time"),
        ]
        let heads = columns.map { key, title -> HTMLText in
            "<th scope=\"col\" aria-sort=\"none\"><button type=\"button\" data-sort=\"\(key)\">\(title)</button></th>"
        }
        return """
            <table id="hosts"><thead><tr>\(heads)</tr></thead></table>
            <button type="button" id="more" hidden>Show more</button>
            """
    }
}

/// A host in the page's data, with short names that the script knows.
private struct FleetRow: Encodable {
    private let l: Int
    private let n: String
    private let o: ScanRecord.Outcomes
    private let f: [ScanFinding]
    private let v: [String]
    private let s: [String]
    private let g: [String]
    private let c: ScanCertificate?
    private let a: String
    private let t: Int
    private let k: Int
    private let d: String
    private let z: Bool
    /// The identifier of the host in the list.
    private let i: ScanIdentifier?
    /// The answers of the addresses, and the differences between them.
    private let m: [JSONAddress]?
    private let w: [JSONAddressContradiction]?
    private let e: [String]?
    /// True if it agrees on keys with ML-KEM.
    private let q: Bool?

    init(_ record: ScanRecord) {
        self.l = record.line
        self.n = record.name
        self.o = record.outcome
        self.f = record.error.map { [$0] } ?? record.findings
        self.v = record.versions
        self.s = record.cipherSuites
        self.g = record.groups
        self.c = record.certificate
        self.a = record.address ?? ""
        self.t = record.milliseconds
        self.k = record.connections
        self.d = record.date
        self.z = record.isDegraded
        self.i = record.id?.printable
        self.m = record.addresses
        self.w = record.addressContradictions
        self.e = record.notes
        self.q = record.postQuantum
    }
}
