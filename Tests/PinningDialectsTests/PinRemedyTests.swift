//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import Testing

@testable import PinningDialects

/// A file of a dialect with one pin.
private func file(_ pin: String, _ dialect: PinningDialect) -> String {
    switch dialect {
    case .ios:
        Sample.plist(
            "<key>NSPinnedDomains</key><dict><key>good.example</key><dict><key>NSPinnedCAIdentities</key><array><dict>"
                + "<key>SPKI-SHA256-BASE64</key><string>\(pin)</string></dict></array></dict></dict>")
    case .trustkit:
        Sample.plist(
            "<key>TSKPinnedDomains</key><dict><key>good.example</key><dict><key>TSKPublicKeyHashes</key>"
                + "<array><string>\(pin)</string><string>\(Sample.a.base64)</string></array></dict></dict>")
    case .android:
        "<network-security-config><domain-config><domain>good.example</domain><pin-set>"
            + "<pin digest=\"SHA-256\">\(pin)</pin></pin-set></domain-config></network-security-config>"
    case .curl: "good.example \(pin.hasPrefix("sha256//") ? "" : "sha256//")\(pin)"
    default: "good.example \(pin)"
    }
}

@Suite struct PinRemedyTests {
    @Test(arguments: [PinningDialect.ios, .trustkit, .android, .curl, .okhttp], ["xx", "sha512/AAAA"])
    func `Who writes what a remedy says writes what the dialect takes`(dialect: PinningDialect, text: String) throws {
        let diagnostics = PinningReading(file(text, dialect), dialect).diagnostics
        let remedy = try #require(diagnostics.first { $0.code == .invalidPin }?.remedy, "\(diagnostics)")
        let prefix = ["sha256//", "sha256/"].first { remedy.contains("Write \($0) ") } ?? ""
        #expect(prefix.isEmpty == remedy.contains("alone"), "\(remedy)")
        let mended = PinningReading(file(prefix + Sample.b.base64, dialect), dialect)
        #expect(mended.configuration != nil, "\(remedy) \(mended.diagnostics)")
    }

    private static let digits = Sample.b.digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()

    @Test(arguments: [PinningDialect.ios, .trustkit, .curl])
    func `A digest in hexadecimal is written as the dialect wants it, if it is no fingerprint of a certificate`(
        dialect: PinningDialect
    ) throws {
        let remedy = try #require(PinningReading(file(Self.digits, dialect), dialect).diagnostics.first?.remedy)
        let spelling = "\(dialect == .curl ? "sha256//" : "")\(Sample.b.base64)"
        #expect(remedy.hasPrefix("If it is the digest of the key, write \(spelling). "), "\(remedy)")
        #expect(remedy.contains("the fingerprint of a certificate"), "\(remedy)")
    }

    @Test(arguments: ["", "sha256/"])
    func `A digest in hexadecimal that counts as a key's is pointed at`(prefix: String) throws {
        let file = """
            {"format": "servertrust.pins/1", "domains": [
                {"host": "good.example", "pins": ["\(prefix)\(Self.digits)", "sha256/\(Sample.a.base64)"]}]}
            """
        let reading = PinningReading(file, .json)
        #expect(reading.configuration != nil)
        #expect(reading.diagnostics.map(\.code) == [.fingerprintForm], "\(reading.diagnostics)")
    }
}
