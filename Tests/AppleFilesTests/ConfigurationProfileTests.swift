//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ServerTrust
import TestSupport
import Testing

@testable import AppleFiles

@Suite("Configuration profiles", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ConfigurationProfileTests {
    /// A payload, and the servers that it names with their rules.
    static let payloads: [(type: String, keys: String, servers: [String])] = [
        ("com.apple.mdm", TestProfile.string("ServerURL", "https://a.test/s"), ["https://a.test/s management"]),
        (
            "com.apple.security.scep",
            "<key>PayloadContent</key><dict>\(TestProfile.string("URL", "http://scep.test/s"))</dict>",
            ["http://scep.test/s exempt"]
        ),
        (
            "com.apple.security.scep",
            "<key>PayloadContent</key><dict>\(TestProfile.string("URL", "https://scep.test/s"))</dict>",
            ["https://scep.test/s tls"]
        ),
        (
            "com.apple.security.acme", TestProfile.string("DirectoryURL", "https://acme.test/d"),
            ["https://acme.test/d management"]
        ),
        (
            "com.apple.dnsSettings.managed",
            "<key>DNSSettings</key><dict>\(TestProfile.string("ServerURL", "https://dns.test/q{?dns}"))</dict>",
            ["https://dns.test/q tls"]
        ),
        (
            "com.apple.dnsSettings.managed",
            "<key>DNSSettings</key><dict>\(TestProfile.string("ServerName", "dot.test"))</dict>", ["dot.test:853 tls"]
        ),
        (
            "com.apple.relay.managed",
            "<key>Relays</key><array><dict>\(TestProfile.string("HTTP2RelayURL", "https://r.test"))"
                + "\(TestProfile.string("HTTP3RelayURL", "https://q.test"))</dict></array>",
            ["https://r.test tls", "https://q.test not-asked"]
        ),
        (
            "com.apple.mail.managed",
            TestProfile.string("IncomingMailServerHostName", "in.test") + "<key>IncomingMailServerUseSSL</key><true/>"
                + TestProfile.string("OutgoingMailServerHostName", "out.test")
                + "<key>OutgoingMailServerPortNumber</key><integer>587</integer>"
                + "<key>OutgoingMailServerUseSSL</key><true/>",
            ["in.test:993 tls", "out.test:587 tls smtp"]
        ),
        (
            "com.apple.mail.managed",
            TestProfile.string("IncomingMailServerHostName", "in.test") + "<key>IncomingMailServerUseSSL</key><false/>",
            ["in.test:143 exempt"]
        ),
        ("com.apple.eas.account", TestProfile.string("Host", "eas.test"), ["eas.test:443 tls"]),
        ("com.apple.ews.account", TestProfile.string("Host", "ews.test"), ["ews.test:443 tls"]),
        (
            "com.apple.caldav.account",
            TestProfile.string("CalDAVHostName", "cal.test") + "<key>CalDAVPort</key><integer>444</integer>",
            ["cal.test:444 tls"]
        ),
        ("com.apple.carddav.account", TestProfile.string("CardDAVHostName", "card.test"), ["card.test:8843 tls"]),
        ("com.apple.ldap.account", TestProfile.string("LDAPAccountHostName", "ldap.test"), ["ldap.test:636 tls"]),
        (
            "com.apple.subscribedcalendar.account",
            TestProfile.string("SubCalAccountHostName", "https://sub.test/c.ics"), ["https://sub.test/c.ics tls"]
        ),
        (
            "com.apple.webcontent-filter", TestProfile.string("ProxyPACURL", "https://pac.test/p"),
            ["https://pac.test/p tls"]
        ),
        (
            "com.apple.proxy.http.global", TestProfile.string("ProxyPACURL", "http://pac.test/p"),
            ["http://pac.test/p exempt"]
        ),
        (
            "com.apple.wifi.managed",
            "<key>EAPClientConfiguration</key><dict><key>TLSTrustedServerNames</key><array><string>radius.test</string>"
                + "</array></dict>", ["radius.test not-asked"]
        ),
        ("com.apple.webClip.managed", TestProfile.string("URL", "https://clip.test"), ["https://clip.test tls"]),
        (
            "com.apple.extensiblesso", "<key>URLs</key><array><string>https://sso.test</string></array>",
            ["https://sso.test tls"]
        ),
        ("com.apple.unknown", TestProfile.string("URL", "https://x.test"), []),
    ]

    @Test("Each payload names its servers, with the rule that holds for them", arguments: payloads)
    func servers(type: String, keys: String, servers: [String]) throws {
        let profile = try ConfigurationProfile(TestProfile.xml([TestProfile.payload(type, keys)]))
        #expect(
            profile.servers.map { "\($0.address) \($0.rule.rawValue)\($0.startTLS.map { " \($0)" } ?? "")" } == servers)
        #expect(profile.servers.allSatisfy { $0.payloadName == "The \(type)" })
        #expect(profile.payloads == 1 && profile.enrols == (type == "com.apple.mdm"))
    }

    @Test("Certificates, pins, and the rules about transparency and revocation are read")
    func rules() throws {
        let root = Certificate(try TestChain().root)
        let der = root.view.bytes
        let hash =
            "<dict>\(TestProfile.string("Algorithm", "sha256"))<key>Hash</key>\(TestProfile.data(root.publicKey.sha256))</dict>"
        let profile = try ConfigurationProfile(
            TestProfile.xml([
                TestProfile.identity,
                TestProfile.payload(
                    "com.apple.security.root", "<key>PayloadContent</key>\(TestProfile.data(der))",
                    uuid: "BBBBBBBB-0000-0000-0000-000000000001"),
                TestProfile.mdm(
                    "<key>ServerURLPinningCertificateUUIDs</key><array><string>bbbbbbbb-0000-0000-0000-000000000001</string>"
                        + "</array><key>PinningRevocationCheckRequired</key><true/>"),
                TestProfile.payload(
                    "com.apple.security.certificatetransparency",
                    "<key>DisabledForDomains</key><array><string>.corp.test</string><string>one.test</string></array>"
                        + "<key>DisabledForCerts</key><array>\(hash)</array>"),
                TestProfile.payload(
                    "com.apple.security.certificaterevocation", "<key>EnabledForCerts</key><array>\(hash)</array>"),
            ]))
        #expect(profile.roots == [root] && profile.issues.isEmpty)
        let server = try #require(profile.servers.first)
        #expect(server.requiresRevocation && profile.certificates(server.pins) == [root])
        let exemptions = profile.transparencyExemptions
        #expect(exemptions.covers("a.corp.test") && exemptions.covers("ONE.test"))
        #expect(!exemptions.covers("corp.test") && !exemptions.covers("b.one.test") && !exemptions.covers("acorp.test"))
        #expect(exemptions.keys == [root.publicKey.sha256] && profile.revocationKeys == exemptions.keys)
    }

    private static let names =
        TestProfile.string("IdentityCertificateUUID", "AAAAAAAA-0000-0000-0000-000000000001")

    @Test("What keeps a profile from being installed is said")
    func issues() throws {
        let mdm = TestProfile.payload("com.apple.mdm", TestProfile.string("ServerURL", "https://a.test"))
        let pinned = "<key>ServerURLPinningCertificateUUIDs</key><array><string>nowhere</string></array>"
        let cases: [([String], ProfileIssue.Code, Bool)] = [
            ([mdm], .noIdentity, true), ([TestProfile.mdm()], .noIdentity, true),
            ([TestProfile.identity, TestProfile.mdm(pinned)], .unknownPin, true),
            (
                [TestProfile.payload("com.apple.security.root", "<key>PayloadContent</key><data>AAAA</data>")],
                .certificate, false
            ),
            (
                [TestProfile.payload("com.apple.wifi.managed", "<key>EncryptedPayloadContent</key><data>AAAA</data>")],
                .encrypted, false
            ),
            (["<string>no payload</string>"], .value, false),
            ([TestProfile.identity, TestProfile.payload("com.apple.mdm", Self.names)], .malformed, true),
            ([TestProfile.identity, TestProfile.mdm("<key>CheckInURL</key><integer>7</integer>")], .malformed, true),
            ([TestProfile.identity, TestProfile.mdm(), TestProfile.mdm()], .malformed, true),
            (
                [
                    TestProfile.identity,
                    TestProfile.mdm("<key>ServerURLPinningCertificateUUIDs</key><string>x</string>"),
                ],
                .malformed, true
            ),
            ([TestProfile.payload("com.apple.webClip.managed", "<key>URL</key><true/>")], .value, false),
        ]
        for (payloads, code, isFatal) in cases {
            let issues = try ConfigurationProfile(TestProfile.xml(payloads)).issues
            #expect(issues.contains { $0.code == code && $0.isFatal == isFatal }, "\(issues)")
            #expect(issues.contains(where: \.isFatal) == isFatal, "\(issues)")
        }
        #expect(try ConfigurationProfile(TestProfile.xml([TestProfile.identity, TestProfile.mdm()])).issues.isEmpty)
    }

    @Test(
        "Files that are no profile are named, and cost no more than their limits",
        arguments: [
            "", "no plist", "<plist version=\"1.0\"><array/></plist>", "<plist version=\"1.0\"><dict/></plist>",
            "<!DOCTYPE lolz [<!ENTITY a \"aaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><plist version=\"1.0\"><dict>"
                + "<key>PayloadContent</key><string>&b;</string></dict></plist>",
        ])
    func others(text: String) {
        #expect(throws: ProfileError.self) { try ConfigurationProfile(Array(text.utf8)) }
    }

    @Test("A binary profile is the same as the one in XML")
    func binary() throws {
        let xml = TestProfile.xml(
            [TestProfile.identity, TestProfile.mdm()] + Self.payloads.map { TestProfile.payload($0.type, $0.keys) })
        let object = try PropertyListSerialization.propertyList(from: Data(xml), format: nil)
        let data = try PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0)
        #expect(ConfigurationProfile.isProfile(Array(data)) && ConfigurationProfile.isProfile(xml))
        let (binary, text) = (try ConfigurationProfile(Array(data)), try ConfigurationProfile(xml))
        #expect(Set(binary.servers) == Set(text.servers) && binary.servers.count > 20)
        #expect(binary.name == text.name && binary.payloads == text.payloads && binary.issues == text.issues)
    }

    @Test("Ten thousand payloads are read, each server once, and more servers than the most are left out")
    func large() throws {
        let many = (0..<10_000).map { number in
            TestProfile.payload(
                "com.apple.webClip.managed", TestProfile.string("URL", "https://h\(number % 3_000).test"))
        }
        let profile = try ConfigurationProfile(TestProfile.xml(many))
        #expect(profile.payloads == 10_000 && profile.servers.count == 2_000)
        #expect(profile.issues.map(\.code) == [.tooMuch])
    }

    @Test(
        "A signed profile is read, and its signature checked", .enabled(if: CommandLineTool.installed("openssl") != nil)
    )
    func signatures() async throws {
        let content = TestProfile.xml([TestProfile.identity, TestProfile.mdm()])
        for options in [[], ["-stream"], ["-noattr"], ["-md", "sha512"], ["-keyid"]] {
            let signed = try await TestProfile.signed(content, options)
            #expect(ConfigurationProfile.isProfile(signed))
            let profile = try ConfigurationProfile(signed)
            #expect(profile.servers.count == 1 && profile.issues.isEmpty, "\(options) \(profile.issues)")
            guard case .signed(let signers) = profile.signature else {
                Issue.record("\(options): not signed")
                continue
            }
            #expect(signers.map(\.name) == ["Signer"] && signers[0].isValid, "\(options)")
        }
        let without = try ConfigurationProfile(try await TestProfile.signed(content, ["-nocerts"]))
        #expect(without.issues.map(\.code) == [.signature])
    }

    @Test("A signature over something else never holds", .enabled(if: CommandLineTool.installed("openssl") != nil))
    func forged() async throws {
        let root = "<key>PayloadContent</key>\(TestProfile.data(try TestChain().root.bytes))"
        let content = TestProfile.xml([
            TestProfile.identity, TestProfile.mdm(), TestProfile.payload("com.apple.security.root", root),
        ])
        let signed = try await TestProfile.signed(content)
        #expect(try ConfigurationProfile(signed).roots.count == 1)
        // A message within a message is not looked into.
        #expect(try await !ConfigurationProfile.isProfile(TestProfile.signed(signed)))
        let place = try #require(signed.firstRange(of: Array("mdm.example.com".utf8))).lowerBound
        var forged = signed
        forged[place] = UInt8(ascii: "x")
        let profile = try ConfigurationProfile(forged)
        #expect(profile.servers.first?.address == "https://xdm.example.com/mdm")
        #expect(profile.issues.map(\.code) == [.signature] && profile.issues[0].isFatal && profile.roots.isEmpty)
        // Whatever octet is damaged, nothing traps, and no other content passes for signed.
        for index in stride(from: 0, to: signed.count, by: 3) {
            var damaged = signed
            damaged[index] ^= 0x55
            guard let profile = try? ConfigurationProfile(damaged), profile.issues.isEmpty else { continue }
            #expect(profile.servers.map(\.address) == ["https://mdm.example.com/mdm"], "\(index)")
        }
        for count in stride(from: 0, to: signed.count, by: 5) {
            #expect(throws: ProfileError.self) { try ConfigurationProfile(Array(signed[..<count])) }
        }
    }
}
