//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust
import Testing

@testable import PinningDialects

private func file(_ content: String) -> String { "<network-security-config>\n\(content)\n</network-security-config>" }

private func config(_ content: String) -> String { file("<domain-config>\n\(content)\n</domain-config>") }

private let pin = "<pin digest=\"SHA-256\">\(Sample.a.base64)</pin>"
private let pinSet = "<pin-set>\(pin)<pin digest=\"SHA-256\">\(Sample.b.base64)</pin></pin-set>"
private let domain = "<domain>example.com</domain>"

private let complaints: [Complaint] = [
    Complaint("<networks/>", .nothingPinned, line: 1),
    Complaint(file(""), .nothingPinned),
    Complaint(file("<base-config/>"), .nothingPinned),
    Complaint(config(pinSet), .missingValue, line: 2),
    Complaint(config("<domain/>\(pinSet)"), .missingValue),
    Complaint(config("<domain>*.example.com</domain>\(pinSet)"), .invalidHost, line: 3),
    Complaint(config("<domain>example.com:443</domain>\(pinSet)"), .invalidHost),
    Complaint(config("<domain>example.com.</domain>\(pinSet)"), .invalidHost),
    Complaint(config("<domain includeSubdomains=\"true\">192.0.2.1</domain>\(pinSet)"), .invalidHost),
    Complaint(config("<domain includeSubdomains=\"yes\">example.com</domain>\(pinSet)"), .invalidValue),
    Complaint(config("\(domain)<domain includeSubdomains=\"true\">EXAMPLE.com</domain>\(pinSet)"), .duplicate),
    Complaint(config("\(domain)\(pinSet)\n\(pinSet)"), .duplicate, line: 4),
    Complaint(config("\(domain)\n<pin-set><pin>\(Sample.a.base64)</pin></pin-set>"), .missingValue, line: 4),
    Complaint(config("\(domain)<pin-set><pin digest=\"SHA-1\">\(Sample.a.base64)</pin></pin-set>"), .invalidValue),
    Complaint(config("\(domain)<pin-set><pin digest=\"SHA-256\">AAAA</pin></pin-set>"), .invalidPin),
    Complaint(config("\(domain)<pin-set><pin digest=\"SHA-256\"/></pin-set>"), .missingValue),
    Complaint(config("\(domain)<pin-set expiration=\"31.01.2030\">\(pin)</pin-set>"), .invalidDate),
    Complaint(config("\(domain)<pin-set expiration=\"2030-02-30\">\(pin)</pin-set>"), .invalidDate),
    Complaint(config("\(domain)<pin-set expiration=\"2030-01-31T00:00:00Z\">\(pin)</pin-set>"), .invalidDate),
    Complaint(config("\(domain)\(pinSet)<trust-anchors><certificates/></trust-anchors>"), .missingValue),
    Complaint(config("\(domain)\(pinSet)<trust-anchors><certificates src=\"sytem\"/></trust-anchors>"), .invalidValue),
    Complaint(
        config("\(domain)\(pinSet)<trust-anchors><certificates src=\"@raw/ca\"/></trust-anchors>"), .invalidCertificate),
    Complaint(config("\(domain)<pin-set/>"), .emptyPins),
    Complaint(config("\(domain)\(pinSet)<pinset/>"), .unknownKey),
    Complaint(config("<domain includeSubdomain=\"true\">example.com</domain>\(pinSet)"), .unknownKey),
    Complaint(config("\(domain)\(pinSet)<certificateTransparency enabled=\"true\"/>"), .ignored),
    Complaint(
        file("<base-config><trust-anchors/></base-config><domain-config>\(domain)\(pinSet)</domain-config>"), .ignored),
]

@Suite struct AndroidReaderTests {
    @Test(arguments: complaints)
    func `What Android refuses or takes otherwise is said`(complaint: Complaint) {
        let reading = PinningReading(complaint.text, .android)
        #expect(reading.hasOnly(complaint), "\(reading.diagnostics)")
    }

    @Test func `A nested configuration inherits what it does not say`() throws {
        let reading = PinningReading(try #require(Sample.files[.android]), .android)
        let configuration = try #require(reading.configuration)
        #expect(reading.diagnostics.isEmpty)
        #expect(configuration.domains.map(\.host) == ["example.com", "example.org", "api.example.com"])
        #expect(configuration.domains.map(\.position?.line) == [5, 6, 16])
        let nested = try #require(configuration.domains.last)
        #expect(nested.pins?.pins == [Sample.c, Sample.d].sorted())
        #expect(nested.pins?.expiration == nil)
        #expect(nested.pins?.exemptAnchors == [.user])
        #expect(nested.anchors == AnchorSources(classes: [.system, .user]))
        #expect(configuration.domains[0].pins?.expiration?.consequence == .ignorePins)
        #expect(configuration.domains[0].subdomains == .anyDepth)
    }

    @Test func `Apps trust the system's anchors alone unless they say otherwise`() throws {
        let reading = PinningReading(config("\(domain)\(pinSet)"), .android)
        #expect(reading.configuration?.domains.first?.anchors == AnchorSources(classes: [.system]))
    }

    @Test func `An empty pin set takes a domain out of what is around it`() throws {
        let text = config("\(domain)\(pinSet)<domain-config><domain>a.example.com</domain><pin-set/></domain-config>")
        let configuration = try #require(PinningReading(text, .android).configuration)
        #expect(try configuration.domain(forHost: "a.example.com")?.pins == nil)
        #expect(try configuration.domain(forHost: "example.com")?.pins != nil)
    }

    @Test func `Debug overrides hold in debug builds alone, and override pins`() throws {
        let text = file(
            "<debug-overrides><trust-anchors><certificates src=\"@raw/ca\"/></trust-anchors></debug-overrides>"
                + "<domain-config>\(domain)\(pinSet)</domain-config>")
        let release = try #require(PinningReading(text, .android).configuration?.domains.first)
        #expect(release.anchors == AnchorSources(classes: [.system]))
        var reader = PinningReader(.android)
        reader.usesDebugOverrides = true
        #expect(reader.read(Array(text.utf8)).codes == [.invalidCertificate])
        reader.certificates = { $0 == "@raw/ca" ? [Sample.certificate] : nil }
        let debug = try #require(reader.read(Array(text.utf8)).configuration?.domains.first)
        #expect(debug.anchors == AnchorSources(classes: [.system], certificates: [Sample.certificate]))
        #expect(debug.pins?.exemptAnchors == [.application])
    }
}
