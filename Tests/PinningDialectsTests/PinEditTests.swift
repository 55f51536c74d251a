//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import Testing

@testable import PinningDialects

private let now = Date(timeIntervalSince1970: 1_800_000_000)
private let suffixes = PublicSuffixList(parsing: Array("com\nco.uk\n".utf8))

/// A file of pins with one fault, and the text that its remedy asks for.
private struct PinEdit: Sendable, CustomTestStringConvertible {
    let code: PinningDiagnostic.Code
    let dialect: PinningDialect
    let text: String
    /// The part of the remedy that the edit follows.
    let remedy: String
    let old: String
    let new: String

    init(
        _ code: PinningDiagnostic.Code, _ dialect: PinningDialect, _ text: String, remedy: String, _ old: String,
        _ new: String
    ) {
        (self.code, self.dialect, self.text) = (code, dialect, text)
        (self.remedy, self.old, self.new) = (remedy, old, new)
    }

    var testDescription: String { "\(self.code.rawValue), \(self.dialect.rawValue)" }

    func diagnostics(_ text: String) -> [PinningDiagnostic] {
        let reading = PinningReading(text, self.dialect)
        let findings = reading.configuration?.findings(at: now, warningDays: 30, publicSuffixes: suffixes) ?? []
        return reading.adding(findings).diagnostics
    }
}

private let (a, b) = ("sha256/\(Sample.a.base64)", "sha256/\(Sample.b.base64)")

/// A file of this package's own format with one domain.
private func own(_ domain: String) -> String {
    "{\"format\": \"servertrust.pins/1\", \"domains\": [{\(domain)}]}"
}

private let good = "\"host\": \"good.example\", \"pins\": [\"\(a)\", \"\(b)\"]"

private func android(_ attributes: String, _ pins: String, host: String = "good.example") -> String {
    "<network-security-config><domain-config><domain>\(host)</domain><pin-set\(attributes)>\(pins)</pin-set>"
        + "</domain-config></network-security-config>"
}

private let androidPins =
    "<pin digest=\"SHA-256\">\(Sample.a.base64)</pin><pin digest=\"SHA-256\">\(Sample.b.base64)</pin>"

private let edits: [PinEdit] = [
    PinEdit(
        .malformedDocument, .android, android("", androidPins).replacing("</pin-set>", with: ""),
        remedy: "Correct the file.",
        "</domain-config>", "</pin-set></domain-config>"),
    PinEdit(
        .wrongType, .json, own("\"host\": \"good.example\", \"pins\": \"\(a)\""), remedy: "Write", "\"\(a)\"",
        "[\"\(a)\", \"\(b)\"]"),
    PinEdit(
        .missingValue, .json, own("\"pins\": [\"\(a)\", \"\(b)\"]"), remedy: "host", "{\"pins\"",
        "{\"host\": \"good.example\", \"pins\""),
    PinEdit(
        .invalidPin, .ios,
        Sample.plist(
            "<key>NSPinnedDomains</key><dict><key>good.example</key><dict><key>NSPinnedCAIdentities</key><array><dict>"
                + "<key>SPKI-SHA256-BASE64</key><string>\(a)</string></dict></array></dict></dict>"),
        remedy: "Write \(Sample.a.base64).", a, Sample.a.base64),
    PinEdit(
        .invalidDate, .android, android(" expiration=\"soon\"", androidPins), remedy: "Write it as 2027-01-31.",
        "\"soon\"", "\"2027-12-31\""),
    PinEdit(.invalidHost, .okhttp, "bad..example \(a) \(b)", remedy: "Write one.", "bad..example", "bad.example"),
    PinEdit(.invalidValue, .json, own(good + ", \"scope\": \"leafs\""), remedy: "Write leaf.", "\"leafs\"", "\"leaf\""),
    PinEdit(.duplicate, .json, own(good + "}, {" + good), remedy: "Remove one of them.", "}, {\(good)", ""),
    PinEdit(
        .undefinedKey, .json, own(good.replacing("pins", with: "pin")), remedy: "Write pins.", "\"pin\"", "\"pins\""),
    PinEdit(
        .unknownKey, .android, android("", androidPins).replacing("<domain>", with: "<domain foo=\"1\">"),
        remedy: "Remove it.", " foo=\"1\"", ""),
    PinEdit(
        .emptyPins, .json, own("\"host\": \"good.example\", \"pins\": []"), remedy: "Add the digests of its keys.",
        "[]}", "[\"\(a)\", \"\(b)\"]}"),
    PinEdit(.singlePin, .okhttp, "good.example \(a)", remedy: "Add the pin of a backup key", a, "\(a) \(b)"),
    PinEdit(
        .fingerprintForm, .json,
        own(good).replacing(a, with: Sample.a.digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()),
        remedy: "write it in Base64", Sample.a.digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(), a),
    PinEdit(
        .placeholderPin, .okhttp, "good.example \(a) sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        remedy: "Put the digest of a real backup key there.", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", b),
    PinEdit(
        .publicSuffix, .json, own(good.replacing("good.example", with: "co.uk") + ", \"subdomains\": \"any-depth\""),
        remedy: "Pin the names of your own.", "co.uk", "good.co.uk"),
    PinEdit(
        .expired, .android, android(" expiration=\"2020-01-01\"", androidPins),
        remedy: "Replace the pins and the date.",
        "2020-01-01", "2028-01-01"),
    PinEdit(
        .expiresSoon, .android, android(" expiration=\"2027-01-20\"", androidPins),
        remedy: "Replace the pins and the date before.", "2027-01-20", "2028-01-20"),
    PinEdit(
        .leafOnly, .json, own(good + ", \"scope\": \"leaf\""), remedy: "Pin an authority too", "\"leaf\"", "\"path\""),
    PinEdit(
        .announcedRotation, .okhttp, "good.example \(a) sha256/K7rZOrXHknnsEhUH8nLL4MZkejquUuIvOIr6tCa0rbo=",
        remedy: "Pin the server's own key, or the authority's root.",
        "sha256/K7rZOrXHknnsEhUH8nLL4MZkejquUuIvOIr6tCa0rbo=", b),
    PinEdit(
        .unreliableHost, .ios,
        Sample.plist(
            "<key>NSPinnedDomains</key><dict><key>192.0.2.7</key><dict><key>NSPinnedCAIdentities</key><array><dict>"
                + "<key>SPKI-SHA256-BASE64</key><string>\(Sample.a.base64)</string></dict></array></dict></dict>"),
        remedy: "Pin a name.", "192.0.2.7", "good.example"),
    PinEdit(
        .commentedPin, .okhttp, "good.example \(a) \(b)\n# good.example sha256/\(Sample.c.base64)",
        remedy: "Remove it, or what makes it a comment.", "\n# good.example sha256/\(Sample.c.base64)", ""),
]

/// Every diagnostic of a file of pins that says what to write is followed.
@Suite struct PinEditTests {
    @Test(arguments: edits)
    private func `The edit that a remedy asks for takes the fault away, and brings no error`(edit: PinEdit) throws {
        let before = edit.diagnostics(edit.text)
        let told = try #require(before.first { $0.code == edit.code }, "\(before)\n\(edit.text)")
        #expect(told.remedy.contains(edit.remedy), "\(told)")
        let place = try #require(edit.text.ranges(of: edit.old).last)
        let edited = edit.text.replacingCharacters(in: place, with: edit.new)
        let after = edit.diagnostics(edited)
        #expect(!after.contains { $0.code == edit.code }, "\(told) \(after)\n\(edited)")
        let errors = { (all: [PinningDiagnostic]) in Set(all.filter { $0.severity == .error }.map(\.code)) }
        #expect(errors(after).subtracting(errors(before)).isEmpty, "\(after)\n\(edited)")
    }

    @Test func `Every code has an edit that is made here, or a reason why not`() {
        let missing = Set(PinningDiagnostic.Code.allCases).subtracting(edits.map(\.code)).subtracting(
            Self.elsewhere.keys)
        #expect(missing.isEmpty, "\(missing.map(\.rawValue).sorted())")
    }

    private static let elsewhere: [PinningDiagnostic.Code: String] = [
        .nothingPinned: "its author has to pin something",
        .invalidCertificate: "its author has to copy the certificate again",
        .inexpressible: "it is about a file that is written, and not about one that is read",
        .ignored: "its author has to choose between the settings",
        .obsolete: "nothing more is let through with it",
    ]
}
