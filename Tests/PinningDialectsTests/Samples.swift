//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust
import Testing

@testable import PinningDialects

/// Pins, certificates and files that tests read.
enum Sample {
    /// A pin like any other: nothing has its digest.
    static func pin(_ seed: UInt8) -> Pin {
        try! Pin(digest: (0..<32).map { (index: UInt8) in seed &* 31 &+ index &* 7 })
    }

    static let (a, b, c, d) = (pin(1), pin(2), pin(3), pin(4))

    static let certificatePEM = """
        -----BEGIN CERTIFICATE-----
        MIIBjzCCATWgAwIBAgIUea90JItSeusqc2Hvj9RBZd3JyQUwCgYIKoZIzj0EAwIw
        HDEaMBgGA1UEAwwRUGlubmluZyBUZXN0IFJvb3QwIBcNMjYxMTIxMTQ1ODIxWhgP
        MjEyNjEwMjgxNDU4MjFaMBwxGjAYBgNVBAMMEVBpbm5pbmcgVGVzdCBSb290MFkw
        EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAENzN2mB7PCbEYtUw2muPrOPV3Xle8nFSd
        bsFA+24c7alofDca4GWKBmr4bNic4v9V2qDLkxgxGPsgqDmC+TuSdqNTMFEwHQYD
        VR0OBBYEFNY5aA9FQhmV+txa4x/26J3yLmV/MB8GA1UdIwQYMBaAFNY5aA9FQhmV
        +txa4x/26J3yLmV/MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIg
        K6tAterO82miC9UEaOeWJk9BBOEIStApLR+wY8EpuLgCIQDTCWPaYoaup3okGwHw
        dG7qN+ThEuJJlQyotyw5SHT5Fg==
        -----END CERTIFICATE-----

        """

    static let keyPEM = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAENzN2mB7PCbEYtUw2muPrOPV3Xle8
        nFSdbsFA+24c7alofDca4GWKBmr4bNic4v9V2qDLkxgxGPsgqDmC+TuSdg==
        -----END PUBLIC KEY-----

        """

    static let certificate = try! Certificate(pem: certificatePEM)
    static let keyPin = Pin(keyOf: certificate)

    /// A file of each dialect with two pinned domains or more, and nothing to complain of.
    static let files: [PinningDialect: String] = [
        .ios: plist(
            """
            <key>CFBundleName</key><string>Shop</string>
            <key>NSAppTransportSecurity</key>
            <dict>
              <key>NSPinnedDomains</key>
              <dict>
                <key>example.com</key>
                <dict>
                  <key>NSIncludesSubdomains</key><true/>
                  <key>NSPinnedCAIdentities</key>
                  <array>
                    <dict><key>SPKI-SHA256-BASE64</key><string>\(a.base64)</string></dict>
                    <dict><key>SPKI-SHA256-BASE64</key><string>\(b.base64)</string></dict>
                  </array>
                </dict>
                <key>api.example.net</key>
                <dict>
                  <key>NSPinnedLeafIdentities</key>
                  <array>
                    <dict><key>SPKI-SHA256-BASE64</key><string>\(c.base64)</string></dict>
                    <dict><key>SPKI-SHA256-BASE64</key><string>\(d.base64)</string></dict>
                  </array>
                </dict>
              </dict>
            </dict>
            """),
        .android: """
        <?xml version="1.0" encoding="utf-8"?>
        <network-security-config>
            <base-config cleartextTrafficPermitted="false"/>
            <domain-config>
                <domain includeSubdomains="true">example.com</domain>
                <domain>example.org</domain>
                <pin-set expiration="2030-01-31">
                    <pin digest="SHA-256">\(a.base64)</pin>
                    <pin digest="SHA-256">\(b.base64)</pin>
                </pin-set>
                <trust-anchors>
                    <certificates src="system"/>
                    <certificates src="user" overridePins="true"/>
                </trust-anchors>
                <domain-config>
                    <domain>api.example.com</domain>
                    <pin-set>
                        <pin digest="SHA-256">\(c.base64)</pin>
                        <pin digest="SHA-256">\(d.base64)</pin>
                    </pin-set>
                </domain-config>
            </domain-config>
        </network-security-config>
        """,
        .trustkit: plist(
            """
            <key>TSKConfiguration</key>
            <dict>
              <key>TSKSwizzleNetworkDelegates</key><false/>
              <key>TSKPinnedDomains</key>
              <dict>
                <key>example.com</key>
                <dict>
                  <key>TSKIncludeSubdomains</key><true/>
                  <key>TSKExpirationDate</key><string>2030-01-31</string>
                  <key>TSKPublicKeyHashes</key>
                  <array><string>\(a.base64)</string><string>\(b.base64)</string></array>
                  <key>TSKReportUris</key>
                  <array><string>https://report.example.com/pins</string></array>
                </dict>
                <key>test.example.com</key>
                <dict><key>TSKExcludeSubdomainFromParentPolicy</key><true/></dict>
                <key>example.net</key>
                <dict>
                  <key>TSKEnforcePinning</key><false/>
                  <key>TSKPublicKeyHashes</key><array><string>\(c.base64)</string></array>
                </dict>
              </dict>
            </dict>
            """),
        .okhttp: """
        *.example.com \(a) \(b)
        **.example.org \(c), \(d)
        api.example.net \(a) \(c)
        """,
        .curl: """
        example.com sha256//\(a.base64);sha256//\(b.base64)
        example.com:8443 sha256//\(c.base64)
        """,
        .json: """
        {
          "format": "servertrust.pins/1",
          "domains": [
            {"host": "*.example.org", "pins": ["\(a)", "\(b)"], "expires": "2030-01-31", "afterExpiry": "report"},
            {"host": "api.example.net", "subdomains": "any-depth", "backup": "off", "exclude": ["test.api.example.net"],
             "requirements": [{"scope": "leaf", "pins": ["\(c)"]}, {"scope": "anchor", "pins": ["\(d)", "\(a)"]}]},
            {"host": "example.com", "pins": ["\(a)", "\(b)"], "reportOnly": true},
            {"host": "[2001:db8::1]:8443", "scope": "authorities", "pins": ["\(c)"],
             "trustAnchors": {"classes": ["system"]}}
          ]
        }
        """,
    ]

    static func plist(_ content: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \(content)
        </dict>
        </plist>
        """
    }
}

/// A text that is to be complained of, and how.
struct Complaint: Sendable, CustomTestStringConvertible {
    let text: String
    let code: PinningDiagnostic.Code
    let line: Int?

    init(_ text: String, _ code: PinningDiagnostic.Code, line: Int? = nil) {
        self.text = text
        self.code = code
        self.line = line
    }

    var testDescription: String { "\(self.code.rawValue): \(self.text.prefix(120))" }
}

extension PinningReading {
    init(_ text: String, _ dialect: PinningDialect) {
        self = PinningReader(dialect).read(Array(text.utf8))
    }

    var codes: [PinningDiagnostic.Code] { self.diagnostics.map(\.code) }

    /// Whether it has what a complaint asks for, and a configuration unless that is an error.
    func hasOnly(_ complaint: Complaint) -> Bool {
        let isError = complaint.code.severity == .error
        return !self.diagnostics.isEmpty && self.codes.allSatisfy { $0 == complaint.code }
            && (complaint.line == nil || self.diagnostics.first?.position?.line == complaint.line)
            && (self.configuration == nil) == isError
            && self.diagnostics.allSatisfy { $0.message.hasSuffix(".") && $0.remedy.hasSuffix(".") }
    }
}

extension PinningConfiguration {
    /// The same without places, which another text has others of.
    var withoutPositions: PinningConfiguration {
        var configuration = self
        for index in configuration.domains.indices { configuration.domains[index].position = nil }
        return configuration
    }
}
