//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import ServerReports

@Suite("Text of others changes nothing of what a writer writes")
struct HostileTextTests {
    /// What tries to leave every format, and to look like an answer of its own.
    private static let text =
        "=cmd|'/C calc'!A0</script><script>alert(1)</script>\"&<img src=x onerror=alert(2)>]]>{0}[x](y)\u{1B}[2J\u{202E}"
        + "\u{7}\u{85}\u{2028}\nTRUSTED  forged.test\r\n"

    @Test("Metrics have the labels that they are to have, whatever a host is called")
    func metrics() {
        var record = ScanRecord(line: 1, date: Self.text, outcome: .init(ats: "failed"))
        (record.host, record.port) = (Self.text, 443)
        record.findings = [ScanFinding(code: Self.text, message: Self.text)]
        let page = FleetPage.head(title: Self.text)
        #expect(!page.contains("<img") && !page.contains("<script>alert"))
        #expect(CSVText.line([Self.text]).split(separator: "\r\n").count == 1)
        #expect(!CSVText.line([Self.text]).hasPrefix("="))
        #expect(record.printable.name.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }

    @Test(
        "An accent behind a mark, which makes one character of both, hides it from no writer",
        arguments: ["\u{301}", "\u{FE0F}", "\u{20DD}", "\u{338}"])
    func accents(accent: String) throws {
        let cells = ["a,\(accent)b", "a\"\(accent)b", "a;\(accent)b", "=\(accent)b", " \(accent)b"]
        for cell in cells {
            let line = CSVText.line([cell, "c"]).unicodeScalars
            // What stands between quotation marks; doubled ones change nothing here.
            var (isQuoted, commas) = (false, 0)
            for scalar in line {
                if scalar == "\"" { isQuoted.toggle() }
                if scalar == ",", !isQuoted { commas += 1 }
            }
            #expect(commas == 1 && !isQuoted && !line.starts(with: "=".unicodeScalars), "\(String(line))")
        }
        let page = "\("'\(accent)\"\(accent)<\(accent)>\(accent)&\(accent)")" as HTMLText
        #expect(!page.markup.unicodeScalars.contains { "'\"<>".unicodeScalars.contains($0) })
        let message = SARIFDocument.Message("{\(accent)[a](\(accent)b)}\(accent)").text.unicodeScalars
        #expect(message.count { $0 == "{" } == 2 && message.count { $0 == "}" } == 2)
        #expect(!message.contains("](".unicodeScalars))
        var record = ScanRecord(line: 1, date: "now", outcome: .init(ats: "failed"))
        (record.host, record.port) = ("a", 443)
        let marks = try FleetPage.row(record).unicodeScalars.count { $0 == "<" || $0 == ">" }
        record.host = "<\(accent)/script>\(accent)"
        #expect(try FleetPage.row(record).unicodeScalars.count { $0 == "<" || $0 == ">" } == marks)
    }
}
