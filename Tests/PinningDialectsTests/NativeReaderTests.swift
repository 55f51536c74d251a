//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust
import Testing

@testable import PinningDialects

/// A file with a domain for `example.com`, whose members begin in the third line.
private func domain(_ members: String...) -> String {
    #"{"format": "servertrust.pins/1", "domains": ["# + "\n{\"host\": \"example.com\""
        + members.map { ",\n\($0)" }.joined() + "\n}]}"
}

private let pins = #""pins": ["\#(Sample.a)", "\#(Sample.b)"]"#

private let complaints: [Complaint] = [
    Complaint(#"{"domains": []}"#, .missingValue),
    Complaint(#"{"format": "servertrust.pins/2", "domains": []}"#, .invalidValue, line: 1),
    Complaint(#"{"format": "servertrust.pins/1"}"#, .nothingPinned),
    Complaint(#"{"format": "servertrust.pins/1", "domains": []}"#, .nothingPinned),
    Complaint("{\"format\": \"servertrust.pins/1\",\n\"domains\": \"example.com\"}", .wrongType, line: 2),
    Complaint(#"{"format": "servertrust.pins/1", "domains": ["example.com"]}"#, .wrongType),
    Complaint("{\"format\": \"servertrust.pins/1\",\n\"domains\": [\n{\(pins)}]}", .missingValue, line: 3),
    Complaint(domain(pins, #""combination": "union""#), .undefinedKey, line: 4),
    Complaint(domain(pins).replacing(#"{"format""#, with: #"{"combination": "any", "format""#), .invalidValue),
    Complaint(domain(), .missingValue, line: 2),
    Complaint(domain(#""pins": null"#), .wrongType),
    Complaint(domain(#""pins": ["sha256/AAAA"]"#), .invalidPin, line: 3),
    Complaint(domain(#""pins": [12]"#), .wrongType),
    Complaint(domain(#""requirements": []"#), .missingValue),
    Complaint(domain(#""requirements": [{"scope": "leaf"}]"#), .missingValue),
    Complaint(domain(pins, #""requirements": [{\#(pins)}]"#), .duplicate),
    Complaint(domain(pins, #""scope": "root""#), .invalidValue),
    Complaint(domain(#""scope": "leaf""#, #""requirements": [{\#(pins)}]"#), .invalidValue),
    Complaint(domain(pins, #""pinned": false"#), .invalidValue),
    Complaint(domain(pins, #""expires": "soon""#), .invalidDate, line: 4),
    Complaint(domain(pins, #""afterExpiry": "refuse""#), .missingValue),
    Complaint(domain(pins, #""expires": "2030-01-31""#, #""afterExpiry": "ignore""#), .invalidValue),
    Complaint(domain(pins, #""exemptAnchors": ["users"]"#), .invalidValue),
    Complaint(domain(#""pins": ["\#(Sample.a)"]"#, #""backup": "require""#), .missingValue),
    Complaint(domain(pins, #""exclude": ["a.example.com"]"#), .invalidHost),
    Complaint(domain(pins, #""subdomains": "any-depth""#, #""exclude": ["example.org"]"#), .invalidHost),
    Complaint(domain(pins, #""reportURIs": ["report.example.com"]"#), .invalidValue),
    Complaint(domain(pins, #""trustAnchors": {"certificates": ["x"]}"#), .invalidCertificate),
    Complaint(domain(pins, #""trustAnchors": {"class": ["user"]}"#), .undefinedKey),
    Complaint(domain(pins).replacing("example.com", with: "*.192.0.2.1"), .invalidHost),
    Complaint(domain(pins, #""subdomains": "none""#).replacing("example.com", with: "*.a.com"), .invalidValue),
    Complaint(domain(pins).replacing("\n}]}", with: "\n}, {\"host\": \"EXAMPLE.com\", \(pins)}]}"), .duplicate),
    Complaint(domain(#""pins": []"#), .emptyPins),
    Complaint(domain(pins, #""reportonly": true"#), .undefinedKey),
]

@Suite struct NativeReaderTests {
    @Test(arguments: complaints)
    func `What the format does not have is said, and where`(complaint: Complaint) {
        let reading = PinningReading(complaint.text, .json)
        #expect(reading.codes.contains(complaint.code), "\(reading.diagnostics)")
        #expect((reading.configuration == nil) == (complaint.code.severity == .error))
        if let line = complaint.line { #expect(reading.diagnostics.first?.position?.line == line) }
    }

    @Test func `Only JSON is read, with its escapes`() {
        let braces = "{format: servertrust.pins/1, domains: [{host: a.test, pinned: false}]}"
        #expect(PinningReading(braces, .json).configuration == nil)
        let json = #"{"format": "servertrust.pins/1", "domains": [{"host": "\u0061.test", "pinned": false}]}"#
        #expect(PinningReading(json, .json).configuration?.domains.map(\.host) == ["a.test"])
    }

    @Test func `A misspelt key is found`() {
        let reading = PinningReading(domain(pins, #""reportonly": true"#), .json)
        #expect(reading.diagnostics.first?.remedy == "Write reportOnly.")
    }

    @Test func `Keys and certificates in PEM become pins`() throws {
        func reading(_ pem: String) -> PinningReading {
            PinningReading(domain("\"pins\": [\(JSONDocumentText.quoted(pem))]"), .json)
        }
        for pem in [Sample.certificatePEM, Sample.keyPEM] {
            let reading = reading(pem)
            #expect(reading.configuration?.domains.first?.pins?.pins == [Sample.keyPin], "\(reading.diagnostics)")
        }
        #expect(reading(Sample.keyPEM + Sample.keyPEM).codes == [.invalidPin])
    }

    @Test func `The sample says all that it seems to`() throws {
        let reading = PinningReading(try #require(Sample.files[.json]), .json)
        let configuration = try #require(reading.configuration)
        #expect(reading.diagnostics.isEmpty)
        #expect(configuration.domains.map(\.subdomains) == [.oneLabelOnly, .anyDepth, .anyDepth, .none, .none])
        #expect(try configuration.domain(forHost: "a.test.api.example.net")?.pins == nil)
        #expect(configuration.domains[0].pins?.expiration?.consequence == .report)
        #expect(configuration.domains[1].backup == .off)
        #expect(configuration.domains.map(\.port) == [nil, nil, nil, nil, 8_443])
        #expect(configuration.domains[4].anchors == AnchorSources(classes: [.system]))
    }
}
