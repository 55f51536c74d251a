//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ReportSupport
import ServerTrustTesting
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

#if canImport(FoundationXML)
import FoundationXML
#endif

/// What reads an answer.
private enum Reader: Sendable {
    case terminal, page, spreadsheet, xml, json, lines
}

/// A command that writes text of others, and what reads it. What follows `@` is a file.
private let writers: [([String], Reader)] = [
    (["evaluate", "--chain", "@chain", "--host", "a.test", "--roots", "@root", "--anchors-only"], .terminal),
    (
        [
            "evaluate", "--chain", "@chain", "--host", "b.test", "--roots", "@root", "--anchors-only", "--format",
            "html",
        ], .page
    ),
    (["evaluate", "--chain", "@chain", "--host", "b.test", "--format", "json"], .json),
    (["evaluate", "--chain", "@chain", "--any-host", "--format", "html"], .page),
    (["show", "@chain", "@plist", "@list"], .terminal), (["show", "@chain", "@plist", "--format", "json"], .json),
    (["pin", "@chain", "--host", "a.test", "--roots", "@root", "--anchors-only"], .terminal),
    (["pin", "@chain", "--host", "a.test", "--roots", "@root", "--anchors-only", "--format", "json"], .json),
    (["pins", "check", "@pins"], .terminal), (["pins", "check", "@pins", "--format", "json"], .json),
    (["ats", "lint", "@plist"], .terminal), (["ats", "lint", "@plist", "--format", "json"], .json),
    (["ats", "lint", "@plist", "--format", "sarif"], .json), (["ats", "lint", "@plist", "--format", "junit"], .xml),
    (["ats", "explain", "@plist", "https://a.test"], .terminal),
    (["ats", "explain", "@plist", "https://a.test", "--format", "json"], .json),
    (["scan", "@list", "--quiet"], .lines), (["scan", "@list", "--quiet", "--format", "csv"], .spreadsheet),
    (["scan", "@list", "--quiet", "--format", "html", "-o", "@out.html"], .page),
    (["scan", "@list", "--quiet", "--format", "text"], .terminal),
]

@Suite("Text of others changes nothing of what a reader understands", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HostileTextTests {
    /// What tries to leave every format, and to look like an answer of its own.
    private static let text =
        "=cmd|'/C calc'!A0</script><script>alert(1)</script>\"&<img src=x onerror=alert(2)>]]>{0}[x](y)\u{1B}[2J\u{202E}"
        + "\u{7}\u{85}\u{2028}\nTRUSTED  forged.test\r\n"

    @Test("Every writer", arguments: writers)
    private func written(arguments: [String], reader: Reader) async throws {
        try await withTemporaryFolder { folder in
            try Self.writeFiles(in: folder)
            let finished = try await CommandLineTool.servertrust(
                arguments.map { $0.hasPrefix("@") ? folder.path(String($0.dropFirst())) : $0 })
            #expect(finished.isCleanExit)
            let page = folder.path("out.html")
            let output = finished.output.isEmpty ? try String(contentsOfFile: page, encoding: .utf8) : finished.output
            #expect(output.count > 20)
            // RFC 4180 ends the lines of a table with CR and LF.
            let forbidden: [UInt32] = [0x1B, 0x202E, 0x07, 0x85, 0x2028] + (reader == .spreadsheet ? [] : [0x0D])
            for text in [output, finished.errors] {
                #expect(!text.unicodeScalars.contains { forbidden.contains($0.value) }, "\(text.debugDescription)")
                #expect(!text.contains("\nTRUSTED  forged"), "\(text)")
            }
            try Self.check(output, by: reader)
        }
    }

    private static func check(_ output: String, by reader: Reader) throws {
        switch reader {
        case .terminal: break
        case .page:
            #expect(!output.contains("<img"))
            let own = output.components(separatedBy: "<script").count
            let ends = output.components(separatedBy: "</script").count
            #expect(own == ends)
            #expect(!output.contains("<script>alert"))
        case .spreadsheet:
            let cells = Self.cells(of: output)
            #expect(cells.count > 20 && !cells.contains { "=+@".contains($0.first ?? " ") }, "\(cells)")
        case .xml: #expect(XMLParser(data: Data(output.utf8)).parse() && !output.contains("<script"))
        case .json: _ = try JSONDecoder().decode(JSONValue.self, from: Data(output.utf8))
        case .lines:
            for line in output.split(separator: "\n") {
                _ = try JSONDecoder().decode(JSONValue.self, from: Data(line.utf8))
            }
        }
    }

    /// The cells of a table by RFC 4180, as a spreadsheet reads them.
    private static func cells(of table: String) -> [String] {
        var cells = [""]
        var isQuoted = false
        for scalar in table.unicodeScalars {
            switch scalar {
            case "\"":
                if !isQuoted, table.unicodeScalars.first != scalar, cells[cells.count - 1].hasSuffix("\u{0}") {
                    cells[cells.count - 1].removeLast()
                    cells[cells.count - 1] += "\""
                } else if isQuoted {
                    cells[cells.count - 1] += "\u{0}"
                }
                isQuoted.toggle()
            case ",", "\r", "\n":
                if isQuoted { cells[cells.count - 1].unicodeScalars.append(scalar) } else { cells.append("") }
            default: cells[cells.count - 1].unicodeScalars.append(scalar)
            }
        }
        return cells.map { $0.replacingOccurrences(of: "\u{0}", with: "") }
    }

    /// A certificate, a property list, pins and a list of servers with the text in every place.
    private static func writeFiles(in folder: TemporaryFolder) throws {
        var root = CertificateDescription.root()
        root.commonName = Self.text
        let authority = try TestAuthority(root: root)
        var leaf = CertificateDescription.leaf(dnsNames: ["a.test"])
        leaf.commonName = Self.text
        _ = try folder.file("chain", try authority.issue(leaf).pem)
        _ = try folder.file("root", authority.root.pem)
        let escaped = Self.text.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\n" }
            .map { ["<": "&lt;", ">": "&gt;", "&": "&amp;"][$0] ?? String($0) }.joined()
        _ = try folder.file(
            "plist",
            """
            <plist><dict><key>NSAppTransportSecurity</key><dict><key>\(escaped)</key><true/>
            <key>NSExceptionDomains</key><dict><key>\(escaped)</key><dict><key>\(escaped)</key><string>\(escaped)</string>
            </dict></dict></dict></dict></plist>
            """)
        let quoted = Self.text.unicodeScalars.map { scalar in
            scalar == "\"" || scalar == "\\"
                ? "\\\(scalar)"
                : scalar.value < 0x20
                    ? "\\u00\(scalar.value < 16 ? "0" : "")\(String(scalar.value, radix: 16))" : String(scalar)
        }.joined()
        _ = try folder.file(
            "pins",
            "{\"format\": \"servertrust.pins/1\", \"domains\": [{\"host\": \"\(quoted)\", \"\(quoted)\": 1, \"pins\": [\"\(quoted)\"]}]}"
        )
        _ = try folder.file(
            "list", "\(Self.text)\n{\"host\": \"\(quoted)\", \"id\": \"\(quoted)\"}\n{\"\(quoted)\": 1}\n")
    }
}
