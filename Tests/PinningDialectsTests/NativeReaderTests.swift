//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust
import Testing

@testable import PinningDialects

private func domain(_ lines: String...) -> String {
    "format: servertrust.pins/1\ndomains:\n  - host: example.com\n" + lines.map { "    \($0)\n" }.joined()
}

private let pins = "pins: [\(Sample.a), \(Sample.b)]"

private let complaints: [Complaint] = [
    Complaint("domains: []", .missingValue),
    Complaint("format: servertrust.pins/2\ndomains: []", .invalidValue, line: 1),
    Complaint("format: servertrust.pins/1", .nothingPinned),
    Complaint("format: servertrust.pins/1\ndomains: []", .nothingPinned),
    Complaint("format: servertrust.pins/1\ndomains: example.com", .wrongType, line: 2),
    Complaint("format: servertrust.pins/1\ndomains: [example.com]", .wrongType),
    Complaint("format: servertrust.pins/1\ndomains:\n  - \(pins)", .missingValue, line: 3),
    Complaint(domain(pins, "combination: union"), .undefinedKey, line: 5),
    Complaint("combination: any\n" + domain(pins), .invalidValue),
    Complaint(domain(), .missingValue, line: 3),
    Complaint(domain("pins:"), .wrongType),
    Complaint(domain("pins: [sha256/AAAA]"), .invalidPin, line: 4),
    Complaint(domain("pins: [12]"), .wrongType),
    Complaint(domain("requirements: []"), .missingValue),
    Complaint(domain("requirements: [{scope: leaf}]"), .missingValue),
    Complaint(domain(pins, "requirements: [{\(pins)}]"), .duplicate),
    Complaint(domain(pins, "scope: root"), .invalidValue),
    Complaint(domain("scope: leaf", "requirements: [{\(pins)}]"), .invalidValue),
    Complaint(domain(pins, "pinned: false"), .invalidValue),
    Complaint(domain(pins, "expires: soon"), .invalidDate, line: 5),
    Complaint(domain(pins, "afterExpiry: refuse"), .missingValue),
    Complaint(domain(pins, "expires: 2030-01-31", "afterExpiry: ignore"), .invalidValue),
    Complaint(domain(pins, "exemptAnchors: [users]"), .invalidValue),
    Complaint(domain("pins: [\(Sample.a)]", "backup: require"), .missingValue),
    Complaint(domain(pins, "exclude: [a.example.com]"), .invalidHost),
    Complaint(domain(pins, "subdomains: any-depth", "exclude: [example.org]"), .invalidHost),
    Complaint(domain(pins, "reportURIs: [report.example.com]"), .invalidValue),
    Complaint(domain(pins, "trustAnchors: {certificates: [x]}"), .invalidCertificate),
    Complaint(domain(pins, "trustAnchors: {class: [user]}"), .undefinedKey),
    Complaint(domain(pins).replacing("example.com", with: "\"*.192.0.2.1\""), .invalidHost),
    Complaint(domain(pins).replacing("example.com", with: "\"*.a.com\"\n    subdomains: none"), .invalidValue),
    Complaint(
        domain(pins, "- host: EXAMPLE.com").replacing("    - host", with: "  - host") + "    \(pins)\n", .duplicate),
    Complaint(domain("pins: []"), .emptyPins),
    Complaint(domain(pins, "reportonly: true"), .undefinedKey),
]

@Suite struct NativeReaderTests {
    @Test(arguments: complaints)
    func `What the format does not have is said, and where`(complaint: Complaint) {
        let reading = PinningReading(complaint.text, .yaml)
        #expect(reading.codes.contains(complaint.code), "\(reading.diagnostics)")
        #expect((reading.configuration == nil) == (complaint.code.severity == .error))
        if let line = complaint.line { #expect(reading.diagnostics.first?.position?.line == line) }
    }

    @Test func `JSON is read by its own rules, and braces of YAML by those of YAML`() {
        let braces = "{format: servertrust.pins/1, domains: [{host: a.test, pinned: false}]}"
        #expect(PinningReading(braces, .json).configuration == nil)
        #expect(PinningReading(braces, .yaml).configuration?.domains.count == 1)
        let json = #"{"format": "servertrust.pins/1", "domains": [{"host": "\u0061.test", "pinned": false}]}"#
        for dialect in [PinningDialect.json, .yaml] {
            #expect(PinningReading(json, dialect).configuration?.domains.map(\.host) == ["a.test"])
        }
    }

    @Test func `A misspelt key is found`() {
        let reading = PinningReading(domain(pins, "reportonly: true"), .yaml)
        #expect(reading.diagnostics.first?.remedy == "Write reportOnly.")
    }

    @Test func `Keys and certificates in PEM become pins`() throws {
        let block = { (pem: String) in
            domain("pins:", "  - |") + pem.split(separator: "\n").map { "        \($0)\n" }.joined()
        }
        for pem in [Sample.certificatePEM, Sample.keyPEM] {
            let reading = PinningReading(block(pem), .yaml)
            #expect(reading.configuration?.domains.first?.pins?.pins == [Sample.keyPin], "\(reading.diagnostics)")
        }
        let two = PinningReading(block(Sample.keyPEM + Sample.keyPEM), .yaml)
        #expect(two.codes == [.invalidPin])
    }

    @Test func `The samples say all that they seem to`() throws {
        let yaml = PinningReading(try #require(Sample.files[.yaml]), .yaml)
        let configuration = try #require(yaml.configuration)
        #expect(yaml.diagnostics.isEmpty)
        #expect(configuration.domains.map(\.subdomains) == [.oneLabelOnly, .anyDepth, .anyDepth])
        #expect(try configuration.domain(forHost: "a.test.api.example.net")?.pins == nil)
        #expect(configuration.domains[0].pins?.expiration?.consequence == .report)
        #expect(configuration.domains[1].backup == .off)
        let json = PinningReading(try #require(Sample.files[.json]), .json)
        #expect(json.diagnostics.isEmpty)
        #expect(json.configuration?.domains.map(\.port) == [nil, 8_443])
        #expect(json.configuration?.domains[1].anchors == AnchorSources(classes: [.system]))
    }
}
