//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Testing

@testable import PinningDialects

private func domain(_ content: String, top: String = "") -> String {
    Sample.plist(
        "<key>TSKPinnedDomains</key><dict>\n<key>example.com</key>\n<dict>\(content)</dict>\n</dict>\n\(top)")
}

private let hashes =
    "<key>TSKPublicKeyHashes</key><array><string>\(Sample.a.base64)</string><string>\(Sample.b.base64)</string></array>"

private let complaints: [Complaint] = [
    Complaint(Sample.plist(""), .nothingPinned),
    Complaint(Sample.plist("<key>TSKConfigurations</key><dict/>"), .nothingPinned, line: 5),
    Complaint(Sample.plist("<key>TSKConfiguration</key><dict/>"), .nothingPinned),
    Complaint(Sample.plist("<key>TSKPinnedDomains</key><dict/>"), .nothingPinned),
    Complaint(Sample.plist("<key>TSKPinnedDomains</key><string>x</string>"), .wrongType),
    Complaint(domain(""), .missingValue),
    Complaint(domain("\(hashes)<key>TS\u{212A}EnforcePinning</key><false/>"), .unknownKey),
    Complaint(Sample.plist("<key>TS\u{212A}PinnedDomains</key><dict/>"), .nothingPinned),
    Complaint(domain("<key>TSKPublicKeyHashes</key><string>x</string>"), .wrongType),
    Complaint(domain("<key>TSKPublicKeyHashes</key><array><string>AAAA</string></array>"), .invalidPin),
    Complaint(domain("\(hashes)<key>TSKExpirationDate</key><string>2030-13-01</string>"), .invalidDate),
    Complaint(domain("\(hashes)<key>TSKExpirationDate</key><string>next year</string>"), .invalidDate),
    Complaint(domain("\(hashes)<key>TSKExpirationDate</key><date>2030-01-31T00:00:00Z</date>"), .wrongType),
    Complaint(domain("\(hashes)<key>TSKEnforcePinning</key><string>NO</string>"), .wrongType),
    Complaint(domain("\(hashes)<key>TSKReportUris</key><array><string>ftp://x</string></array>"), .invalidValue),
    Complaint(domain("\(hashes)<key>TSKReportUris</key><array><string>https://</string></array>"), .invalidValue),
    Complaint(domain("\(hashes)<key>TSKExcludeSubdomainFromParentPolicy</key><true/>"), .invalidValue),
    Complaint(
        domain("\(hashes)<key>TSKAdditionalTrustAnchors</key><array><string>x</string></array>"), .invalidCertificate),
    Complaint(domain(hashes).replacing("example.com", with: "*.example.com"), .invalidHost, line: 6),
    Complaint(domain("<key>TSKPublicKeyHashes</key><array/>"), .emptyPins),
    Complaint(domain("<key>TSKPublicKeyHashes</key><array><string>\(Sample.a.base64)</string></array>"), .singlePin),
    Complaint(domain("\(hashes)<key>TSKEnforcePining</key><false/>"), .unknownKey),
    Complaint(domain("\(hashes)<key>TSKPublicKeyAlgorithms</key><array/>"), .obsolete),
]

@Suite struct TrustKitReaderTests {
    @Test(arguments: complaints)
    func `What TrustKit refuses or overlooks is said`(complaint: Complaint) {
        let reading = PinningReading(complaint.text, .trustkit)
        let isInvalidCertificate = complaint.code == .invalidCertificate && reading.codes.contains(.invalidCertificate)
        #expect(reading.hasOnly(complaint) || isInvalidCertificate, "\(reading.diagnostics)")
    }

    @Test func `Pins under a key with the sign for kelvins are not pins`() {
        let reading = PinningReading(domain(hashes.replacing("TSK", with: "TS\u{212A}")), .trustkit)
        #expect(reading.configuration == nil)
        #expect(reading.codes == [.missingValue, .unknownKey])
    }

    @Test func `Anchors of the user are exempt only where the file says so`() throws {
        let key = "<key>TSKIgnorePinningForUserDefinedTrustAnchors</key>"
        for (top, exempt) in [("", []), ("\(key)<false/>", []), ("\(key)<true/>", [AnchorClass.user])] {
            let reading = PinningReading(domain(hashes, top: top), .trustkit)
            #expect(reading.configuration?.domains.first?.pins?.exemptAnchors == Set(exempt))
        }
    }

    @Test func `A file is read whole`() throws {
        let reading = PinningReading(try #require(Sample.files[.trustkit]), .trustkit)
        let configuration = try #require(reading.configuration)
        #expect(reading.diagnostics.isEmpty)
        let first = try #require(try configuration.domain(forHost: "a.b.example.com"))
        #expect(first.pins?.expiration == (try PinExpiration("2030-01-31", then: .ignorePins)))
        #expect(first.reportURIs == ["https://report.example.com/pins"])
        #expect(try configuration.domain(forHost: "test.example.com")?.pins == nil)
        #expect(try configuration.domain(forHost: "a.test.example.com")?.pins != nil)
        #expect(try configuration.domain(forHost: "example.net")?.pins?.isReportOnly == true)
    }

    @Test func `Additional trust anchors hold in debug builds alone`() throws {
        let text = domain(
            "\(hashes)<key>TSKAdditionalTrustAnchors</key><array><string>\(Sample.certificatePEM)</string></array>")
        let reading = PinningReading(text, .trustkit)
        #expect(reading.codes == [.ignored])
        #expect(reading.configuration?.domains.first?.anchors == nil)
        var reader = PinningReader(.trustkit)
        reader.usesDebugOverrides = true
        #expect(
            reader.read(Array(text.utf8)).configuration?.domains.first?.anchors?.certificates == [Sample.certificate])
    }

    private static let excluded = "<dict><key>TSKExcludeSubdomainFromParentPolicy</key><true/></dict>"

    @Test(
        "An excluded sub-domain needs a parent that it is excluded from",
        arguments: [
            ("a.example.com", "<key>TSKIncludeSubdomains</key><true/>", true),
            ("a.b.example.com", "<key>TSKIncludeSubdomains</key><true/>", true),
            ("A.EXAMPLE.com", "<key>TSKIncludeSubdomains</key><true/>", true),
            ("a.example.com", "<key>TSKIncludeSubdomains</key><false/>", false), ("a.example.com", "", false),
            ("a.example.org", "<key>TSKIncludeSubdomains</key><true/>", false),
            ("aexample.com", "<key>TSKIncludeSubdomains</key><true/>", false),
            ("com", "<key>TSKIncludeSubdomains</key><true/>", false),
        ])
    func parents(host: String, key: String, isRead: Bool) {
        let text = Sample.plist(
            "<key>TSKPinnedDomains</key><dict><key>example.com</key><dict>\(hashes)\(key)</dict>"
                + "<key>\(host)</key>\(Self.excluded)</dict>")
        let reading = PinningReading(text, .trustkit)
        #expect((reading.configuration != nil) == isRead, "\(reading.diagnostics)")
        #expect(reading.codes == (isRead ? [] : [.invalidValue]))
    }
}
