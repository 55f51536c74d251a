//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import Foundation
import ServerTrust
import Testing

@testable import PinningDialects

private func domains(_ content: String) -> String {
    Sample.plist("<key>NSPinnedDomains</key>\n<dict>\n\(content)\n</dict>")
}

private func entry(_ host: String, _ pins: String, key: String = "NSPinnedCAIdentities") -> String {
    domains("<key>\(host)</key>\n<dict><key>\(key)</key>\n\(pins)</dict>")
}

private func leaf(_ text: String) -> String {
    "<array><dict><key>SPKI-SHA256-BASE64</key>\n<string>\(text)</string></dict></array>"
}

private let good = leaf(Sample.a.base64)

private let complaints: [Complaint] = [
    Complaint(Sample.plist("<key>CFBundleName</key><string>x</string>"), .nothingPinned),
    Complaint(Sample.plist("<key>NSAppTransportSecurty</key><dict/>"), .nothingPinned, line: 5),
    Complaint(Sample.plist("<key>NSAppTransportSecurity</key><dict/>"), .nothingPinned),
    Complaint(Sample.plist("<key>NSPinnedDomains</key><array/>"), .wrongType),
    Complaint(domains(""), .nothingPinned),
    Complaint(domains("<key>example.com</key><string>x</string>"), .wrongType, line: 7),
    Complaint(
        domains(
            "<key>a.com</key><dict><key>NSIncludesSubdomains</key><integer>1</integer>"
                + "<key>NSPinnedLeafIdentities</key>\(good)</dict>"), .wrongType),
    Complaint(entry("example.com", "<string>\(Sample.a.base64)</string>"), .wrongType, line: 9),
    Complaint(entry("example.com", "<array><string>\(Sample.a.base64)</string></array>"), .wrongType),
    Complaint(entry("example.com", "<array><dict/></array>"), .missingValue),
    Complaint(entry("example.com", leaf("sha256/\(Sample.a.base64)")), .invalidPin, line: 10),
    Complaint(entry("example.com", leaf(String(Sample.a.base64.dropLast()))), .invalidPin),
    Complaint(entry("example.com", leaf(String(repeating: "ab", count: 32))), .invalidPin),
    Complaint(entry("example.com", leaf("AAAA")), .invalidPin),
    Complaint(entry("example.com", leaf("_" + Sample.a.base64.dropFirst())), .invalidPin),
    Complaint(entry("*.example.com", good), .invalidHost, line: 7),
    Complaint(entry("example.com:443", good), .invalidHost),
    Complaint(entry("example.com.", good), .invalidHost),
    Complaint(entry("bücher.example", good), .invalidHost),
    Complaint(entry("", good), .invalidHost),
    Complaint(
        domains("<key>a.com</key><dict/><key>a.com</key><dict/>").replacing(
            "<dict/>", with: "<dict><key>NSPinnedLeafIdentities</key>\(good)</dict>"), .duplicate),
    Complaint(entry("192.0.2.1", good), .unreliableHost),
    Complaint(entry("example.com", "<array/>"), .emptyPins),
    Complaint(
        domains(
            "<key>example.com</key><dict/>" + "<key>b.com</key><dict><key>NSPinnedLeafIdentities</key><array/></dict>"
        ).replacing("<dict/>", with: "<dict><key>NSPinnedLeafIdentities</key>\(good)</dict>"), .emptyPins),
]

@Suite struct AppleReaderTests {
    @Test(arguments: complaints)
    func `What Apple's engine would not do as it is written is said`(complaint: Complaint) {
        let reading = PinningReading(complaint.text, .ios)
        #expect(reading.hasOnly(complaint), "\(reading.diagnostics)")
    }

    @Test func `A misspelt key is found, and its domain is told not to be pinned`() {
        let reading = PinningReading(entry("example.com", good, key: "NSPinnedCAIdentites"), .ios)
        #expect(reading.codes == [.ignored, .unknownKey] || reading.codes == [.unknownKey, .ignored])
        #expect(reading.diagnostics.contains { $0.remedy == "Write NSPinnedCAIdentities." })
        #expect(reading.configuration?.domains.first?.pins == nil)
    }

    @Test func `White space and a second pin behind the padding are passed over, and the second one is told of`() throws
    {
        for (text, codes) in [("\n  \(Sample.a.base64)\n", []), (Sample.a.base64 + Sample.b.base64, [.ignored])]
            as [(String, [PinningDiagnostic.Code])]
        {
            let reading = PinningReading(entry("example.com", leaf(text)), .ios)
            #expect(reading.codes == codes, "\(reading.diagnostics)")
            #expect(reading.configuration?.domains.first?.pins?.pins == [Sample.a])
        }
    }

    @Test func `A pin that is read as nothing is said to be passed over, and others to match nothing`() {
        for (text, reaction) in [("xx", "Apple's systems pass over"), ("A===", "and it never matches")] {
            let reading = PinningReading(entry("example.com", leaf(text)), .ios)
            #expect(reading.codes == [.invalidPin])
            #expect(reading.diagnostics.first?.message.contains(reaction) == true, "\(reading.diagnostics)")
        }
    }

    @Test func `An array without pins refuses every path`() throws {
        let reading = PinningReading(entry("example.com", "<array/>"), .ios)
        let pins = try #require(reading.configuration?.domains.first?.pins)
        #expect(pins.requirements == [PinSet.Requirement([], scope: .authorities)])
    }

    @Test func `Both kinds of pins are demanded where both are given`() throws {
        let text = domains(
            "<key>example.com</key><dict><key>NSPinnedLeafIdentities</key>\(good)"
                + "<key>NSPinnedCAIdentities</key>\(leaf(Sample.b.base64))</dict>")
        let pins = try #require(PinningReading(text, .ios).configuration?.domains.first?.pins)
        #expect(
            pins.requirements == [
                PinSet.Requirement([Sample.b], scope: .authorities), PinSet.Requirement([Sample.a], scope: .leaf),
            ])
    }

    @Test func `Two spellings of a name count together`() throws {
        let text = domains(
            "<key>example.com</key><dict><key>NSPinnedLeafIdentities</key>\(good)</dict>"
                + "<key>EXAMPLE.com</key><dict><key>NSPinnedLeafIdentities</key>\(leaf(Sample.b.base64))</dict>")
        let configuration = try #require(PinningReading(text, .ios).configuration)
        #expect(try configuration.domain(forHost: "example.com")?.pins?.pins.count == 2)
        #expect(try configuration.domain(forHost: "example.com")?.additions.count == 1)
    }

    @Test func `A name in many spellings has few pins to look at each time`() throws {
        let names = (0..<64).map { bits in
            "abcdef".enumerated().map { bits >> $0 & 1 == 1 ? $1.uppercased() : "\($1)" }.joined() + ".com"
        }
        let text = domains(
            names.enumerated().map { index, name in
                let digest = Data((1...32).map { UInt8(index * 2 + $0) }).base64EncodedString()
                return "<key>\(name)</key><dict><key>NSPinnedLeafIdentities</key>\(leaf(digest))</dict>"
            }.joined())
        let configuration = try #require(PinningReading(text, .ios).configuration)
        let inForce = configuration.domainsInForce
        #expect(inForce.count == 64 && inForce.allSatisfy { $0.first?.pins?.pins.count == 2 })
        #expect(inForce.allSatisfy { $0.first?.pins?.lacksBackup == false })
        #expect(try configuration.domain(forHost: "abcdef.com")?.pins?.pins.count == 64)
    }

    @Test func `An Info.plist is read with the lines of its domains, subdomains one label deep`() throws {
        let reading = PinningReading(try #require(Sample.files[.ios]), .ios)
        let configuration = try #require(reading.configuration)
        #expect(reading.diagnostics.isEmpty)
        #expect(configuration.combination == .union)
        #expect(configuration.domains.map(\.position?.line) == [10, 19])
        #expect(try configuration.domain(forHost: "a.example.com")?.pins?.pins == [Sample.a, Sample.b].sorted())
        #expect(try configuration.domain(forHost: "a.b.example.com") == nil)
    }

    @Test func `JSON as plutil writes it, and the dictionary alone, are read as well`() throws {
        let text = "{\"example.com\": {\"NSPinnedLeafIdentities\": [{\"SPKI-SHA256-BASE64\": \"\(Sample.a.base64)\"}]}}"
        #expect(PinningReading(text, .ios).configuration?.domains.count == 1)
        #expect(PinningReading("{\"NSPinnedDomains\": \(text)}", .ios).configuration?.domains.count == 1)
    }
}
