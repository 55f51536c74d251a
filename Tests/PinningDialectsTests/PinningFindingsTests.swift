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
private let pair = PinSet(unchecked: [.init([Sample.a, Sample.b])])

/// Pins that there is something to say about.
private struct Finding: Sendable, CustomTestStringConvertible {
    let codes: [PinningDiagnostic.Code]
    let domain: PinnedDomain

    init(_ codes: [PinningDiagnostic.Code], _ host: String = "example.com", _ change: (inout PinnedDomain) -> Void) {
        var domain = PinnedDomain(host, pins: pair)
        change(&domain)
        self.codes = codes
        self.domain = domain
    }

    var testDescription: String { self.codes.map(\.rawValue).joined(separator: ", ") }
}

private let findings: [Finding] = [
    Finding([.emptyPins]) { $0.pins?.requirements[0].pins = [] },
    Finding([.singlePin]) { $0.pins?.requirements[0].pins = [Sample.a] },
    Finding([.placeholderPin, .singlePin]) {
        $0.pins?.requirements[0].pins = [Sample.a, try! Pin(digest: [UInt8](repeating: 0, count: 32))]
    },
    // R10 and E6 of Let's Encrypt.
    Finding([.announcedRotation]) {
        $0.pins?.requirements[0].pins = [Sample.a, try! Pin("sha256/K7rZOrXHknnsEhUH8nLL4MZkejquUuIvOIr6tCa0rbo=")]
    },
    Finding([.singlePin, .announcedRotation]) {
        $0.pins?.requirements[0].pins = [try! Pin("sha256/0Bbh/jEZSKymTy3kTOhsmlHKBB32EDu1KojrP3YfV9c=")]
    },
    Finding([.leafOnly]) { $0.pins?.requirements[0].scope = .leaf },
    Finding([.expired]) { $0.pins?.expiration = PinExpiration(now, then: .refuse) },
    Finding([.expired]) { $0.pins?.expiration = PinExpiration(now - 1, then: .ignorePins) },
    Finding([.expiresSoon]) { $0.pins?.expiration = PinExpiration(now + 86_400 * 30, then: .report) },
    Finding([.publicSuffix], "co.uk") { $0.subdomains = .anyDepth },
    Finding([.publicSuffix], "COM") { $0.subdomains = .oneLabelOnly },
    Finding([], "co.uk") { _ in },
    Finding([]) { $0.subdomains = .anyDepth },
    Finding([]) { $0.pins = nil },
    Finding([]) { $0.pins?.expiration = PinExpiration(now + 86_401 * 30, then: .report) },
    Finding([]) {
        $0.pins?.requirements[0].pins = [Sample.a]
        $0.backup = .off
    },
]

@Suite struct PinningFindingsTests {
    @Test(arguments: findings)
    private func `What pins lack, or will, is found whatever they were written in`(finding: Finding) {
        let configuration = PinningConfiguration(domains: [finding.domain])
        let found = configuration.findings(at: now, warningDays: 30, publicSuffixes: suffixes)
        #expect(found.map(\.code) == finding.codes, "\(found)")
    }

    @Test func `Where domains count together, what they come to together is looked at`() throws {
        var above = PinnedDomain("example.com", subdomains: .oneLabel, pins: pair)
        let placeholder = try Pin(digest: [UInt8](repeating: 0, count: 32))
        for (pins, codes) in [
            ([], [.emptyPins]), ([placeholder], [.placeholderPin]), ([Sample.a], []),
        ] as [(Set<Pin>, [PinningDiagnostic.Code])] {
            let below = PinnedDomain("www.example.com", pins: PinSet(unchecked: [.init(Array(pins))]))
            let union = PinningConfiguration(domains: [above, below], combination: .union)
            let found = union.findings(at: now)
            #expect(found.map(\.code) == codes, "\(found)")
            #expect(!found.contains { $0.message.contains("fails") })
            let apart = PinningConfiguration(domains: [above, below], combination: .mostSpecific).findings(at: now)
            #expect(apart.contains { [.emptyPins, .singlePin].contains($0.code) }, "\(apart)")
        }
        // Names below have fewer pins than the host itself.
        above.pins = PinSet(unchecked: [.init([Sample.a])])
        let itself = PinnedDomain("EXAMPLE.com", pins: pair)
        let union = PinningConfiguration(domains: [above, itself], combination: .union)
        #expect(union.findings(at: now).map(\.code) == [.singlePin])
    }

    @Test func `What the reader said of a place is not said again`() {
        let text =
            "<network-security-config><domain-config><domain>example.com</domain><pin-set><pin digest=\"SHA-256\">"
            + "\(Sample.a.base64)</pin></pin-set></domain-config></network-security-config>"
        let reading = PinningReading(text, .android)
        let findings = reading.configuration?.findings(at: now) ?? []
        let once = reading.adding(findings)
        #expect(once.codes == [.singlePin])
        #expect(once.adding(findings) == once)
    }

    /// The placeholder of TrustKit's demo: its last character has bits that belong to no octet.
    private static let placeholder = "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB="

    @Test(
        "The placeholder of the field is read as its dialect reads it, and warned of",
        arguments: [
            (PinningDialect.okhttp, "good.example sha256/PIN \(Sample.a)"),
            (
                .okhttp,
                "new CertificatePinner.Builder().add(\"good.example\", \"sha256/PIN\", \"\(Sample.a)\").build();"
            ),
            (
                .trustkit,
                Sample.plist(
                    "<key>TSKPinnedDomains</key><dict><key>good.example</key><dict><key>TSKPublicKeyHashes</key>"
                        + "<array><string>PIN</string><string>\(Sample.a.base64)</string></array></dict></dict>")
            ),
            (
                .android,
                "<network-security-config><domain-config><domain>good.example</domain><pin-set>"
                    + "<pin digest=\"SHA-256\">PIN</pin><pin digest=\"SHA-256\">\(Sample.a.base64)</pin>"
                    + "</pin-set></domain-config></network-security-config>"
            ),
            (
                .ios,
                Sample.plist(
                    "<key>NSAppTransportSecurity</key><dict><key>NSPinnedDomains</key><dict><key>good.example</key><dict>"
                        + "<key>NSPinnedLeafIdentities</key><array><dict><key>SPKI-SHA256-BASE64</key>"
                        + "<string>PIN</string></dict><dict><key>SPKI-SHA256-BASE64</key>"
                        + "<string>\(Sample.a.base64)</string></dict></array></dict></dict></dict>")
            ),
        ])
    func placeholders(dialect: PinningDialect, text: String) throws {
        let reading = PinningReading(text.replacing("PIN", with: Self.placeholder), dialect)
        let configuration = try #require(reading.configuration, "\(reading.diagnostics)")
        #expect(configuration.domains.first?.pins?.pins.count == 2)
        let findings = configuration.findings(at: now, publicSuffixes: suffixes)
        #expect(findings.contains { $0.code == .placeholderPin }, "\(findings)")
    }

    @Test("What curl compares as text and never finds is an error in its files")
    func placeholderOfCurl() {
        let reading = PinningReading("good.example sha256//\(Self.placeholder)", .curl)
        #expect(reading.configuration == nil && reading.codes == [.invalidPin])
    }
}
