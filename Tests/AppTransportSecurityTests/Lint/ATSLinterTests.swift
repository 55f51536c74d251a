//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ConfigurationDocuments
import TestSupport
import Testing

/// Contents of which other linters complain, and wrongly so.
private let falseAlarms: [(contents: String, rules: Set<ATSRule>)] = [
    // The dictionary as Xcode makes it, and the keys that say what holds anyway.
    ("", []),
    ("<key>NSAllowsArbitraryLoads</key><false/>", []),
    ("<key>NSExceptionDomains</key><dict/><key>NSPinnedDomains</key><dict/>", []),
    // Local networking is not dangerous.
    ("<key>NSAllowsLocalNetworking</key><true/>", []),
    ("<key>NSAllowsLocalNetworking</key><false/>", []),
    // Another key takes NSAllowsArbitraryLoads out of force, so App Transport Security is not off.
    (
        "<key>NSAllowsArbitraryLoads</key><true/><key>NSAllowsLocalNetworking</key><true/>", [.ignoredArbitraryLoads]
    ),
    // No word of forward secrecy is not a word against it.
    (unmarkedException("<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>"), [.justificationRequired]),
    // TLS 1.2 is not vulnerable, TLS 1.3 is a gain.
    (
        unmarkedException("<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.2</string>"),
        [.defaultValue, .exceptionWithoutEffect]
    ),
    (unmarkedException("<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.3</string>"), []),
    // Subdomains of something strict are strict.
    (
        unmarkedException(
            "<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.3</string><key>NSIncludesSubdomains</key><true/>"), []
    ),
    (
        "<key>NSAllowsArbitraryLoads</key><true/>" + unmarkedException("<key>NSIncludesSubdomains</key><true/>"),
        [.arbitraryLoads, .justificationRequired]
    ),
    // Certificate transparency by key is obsolete, not praiseworthy.
    (
        unmarkedException(
            "<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.3</string>"
                + "<key>NSRequiresCertificateTransparency</key><true/>"), [.obsoleteKey]
    ),
    // Pins with a backup.
    (pinned(authorities(Digest.one, Digest.two)), []),
    (pinned(leaves(Digest.one, Digest.two) + authorities(Digest.one, Digest.two)), []),
    // An empty array in the child does not block while the parent has pins.
    (
        "<key>NSPinnedDomains</key><dict><key>example.com</key><dict><key>NSIncludesSubdomains</key><true/>"
            + authorities(Digest.one, Digest.two) + "</dict><key>www.example.com</key><dict>" + authorities()
            + "</dict></dict>", [.emptyPins, .pinnedSubdomainsOneLabel]
    ),
]

/// What is found in dictionaries as there are in public repositories.
private let wild: [(contents: String, rules: Set<ATSRule>)] = [
    // What a packager of desktop apps writes into every one of them.
    (
        "<key>NSAllowsArbitraryLoads</key><true/><key>NSAllowsLocalNetworking</key><true/>"
            + unmarkedException(
                "<key>NSTemporaryExceptionAllowsInsecureHTTPSLoads</key><false/>"
                    + "<key>NSTemporaryExceptionAllowsInsecureHTTPLoads</key><true/>"
                    + "<key>NSTemporaryExceptionMinimumTLSVersion</key><string>1.0</string>"
                    + "<key>NSTemporaryExceptionRequiresForwardSecrecy</key><false/>", "localhost"),
        [.ignoredArbitraryLoads, .misspeltKey, .obsoleteKey]
    ),
    // A template of apps, and what many paste beside it.
    (
        "<key>NSAllowsArbitraryLoads</key><true/>"
            + unmarkedException("<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>", "localhost"),
        [.arbitraryLoads, .justificationRequired, .localException]
    ),
    // Subdomains of an address.
    (
        unmarkedException(
            "<key>NSExceptionAllowsInsecureHTTPLoads</key><true/><key>NSIncludesSubdomains</key><true/>", "203.0.113.7"),
        [.justificationRequired, .subdomainsOfAddress]
    ),
    // Brackets, as in a URL.
    (
        unmarkedException("<key>NSExceptionMinimumTLSVersion</key><string>TLSv1.3</string>", "[2001:db8::1]"),
        [.addressSpelling]
    ),
    // Pins in an exception; a pin's key in another case; a pin that was never filled in.
    (
        unmarkedException("<key>NSIncludesSubdomains</key><true/><key>NSPinnedDomains</key><true/>"),
        [.misplacedKey]
    ),
    (
        pinned(leaves(Digest.one).replacing("BASE64", with: "Base64")),
        [.misspeltKey, .pinWithoutDigest, .emptyPins]
    ),
    (pinned(leaves("REPLACE_WITH_REAL_SHA256_SPKI_FINGERPRINT")), [.invalidPin, .emptyPins, .leafOnlyPins]),
    (
        unmarkedException(
            "<key>NSExceptionAllowsInsecureHTTPLoads</key><false/><key>NSIncludesSubdomains</key><true/>"),
        [.defaultValue, .exceptionWithoutEffect]
    ),
]

@Suite("Linting NSAppTransportSecurity")
struct ATSLinterTests {
    @Test(arguments: lintCases) func `What is near to a fault is left alone`(_ lintCase: LintCase) throws {
        let rules = try lintCase.findings(lintCase.silent).map(\.rule)
        #expect(!rules.contains(lintCase.rule))
    }

    @Test(arguments: lintCases) func `A fault is found where it is`(_ lintCase: LintCase) throws {
        let findings = try lintCase.findings(lintCase.found)
        let mark = try #require(Plist.mark(in: lintCase.found, isAtRoot: lintCase.isAtRoot))
        let finding = try #require(
            findings.first { $0.rule == lintCase.rule && $0.position == mark }, "\(mark): \(findings)")
        #expect(!finding.message.isEmpty && !finding.remedy.isEmpty && !finding.path.isEmpty)
        #expect(finding.message.hasSuffix(".") && finding.remedy.hasSuffix("."))
    }

    @Test(arguments: ATSRule.allCases) func `Every rule has a case that it finds`(_ rule: ATSRule) {
        #expect(lintCases.contains { $0.rule == rule })
        #expect(!rule.title.isEmpty && rule.help.hasSuffix(".") || rule.help.hasSuffix(")"))
        #expect(rule.rawValue.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") })
    }

    @Test(arguments: falseAlarms) func `Nothing is found but what is there`(
        _ contents: String, _ rules: Set<ATSRule>
    ) throws {
        let findings = ATSLinter().findings(in: try Plist.plist(contents))
        #expect(Set(findings.map(\.rule)) == rules, "\(findings)")
        #expect(!findings.contains { $0.severity == .error })
    }

    @Test(arguments: wild) func `What people write is understood`(_ contents: String, _ rules: Set<ATSRule>) throws {
        let findings = ATSLinter().findings(in: try Plist.plist(contents))
        #expect(Set(findings.map(\.rule)) == rules, "\(findings)")
    }

    @Test func `Without the dictionary there is nothing to say, but of keys that are not in one`() throws {
        #expect(ATSLinter().findings(in: try Plist.atRoot("")).isEmpty)
        let bare = Array("<plist><dict><key>NSAllowsLocalNetworking</key><true/></dict></plist>".utf8)
        #expect(ATSLinter().findings(in: try InfoPropertyList(bare)).map(\.rule) == [.misplacedKey])
    }

    @Test func `What would be right is written out`() throws {
        for (contents, rule, replacement) in [
            (exception("", "*.Example.com:8443"), ATSRule.wildcardDomain, "example.com"),
            (exception("", "https://Example.com/path"), .urlAsDomain, "example.com"),
            (exception("", "bücher.example"), .invalidDomain, "xn--bcher-kva.example"),
            (exception("", "[2001:DB8:0::1]"), .addressSpelling, "2001:db8::1"),
            (exception("", "[2001:db8::]/32"), .invalidAddressBlock, "2001:db8::/32"),
            (exception("", "[2001:db8::]/032"), .invalidAddressBlock, "2001:db8::/32"),
            (exception("", "10.0.0.0/08"), .misreadAddressBlock, "10.0.0.0/8"),
            (exception("", "10/08"), .misreadAddressBlock, "10.0.0.0/8"),
            (exception("", "10/8"), .disputedAddressBlock, "10.0.0.0/8"),
            (exception("", "10.1.2.3/8"), .addressBlockHostBits, "10.0.0.0/8"),
            (
                unmarkedException("<key>NSExceptionMinimumTLSVersion</key><string>1.2</string>"),
                .invalidMinimumVersion,
                "TLSv1.2"
            ),
            ("<key>NSAllowsArbitraryLoad</key><true/>", .misspeltKey, "NSAllowsArbitraryLoads"),
            (
                unmarkedException("<key>NSTemporaryExceptionAllowsInsecureHTTPSLoads</key><true/>"), .misspeltKey,
                "NSExceptionAllowsInsecureHTTPLoads"
            ),
            (pinned(authorities("sha256/" + Digest.one)), .invalidPin, Digest.one),
            (
                pinned(authorities(Digest.one.replacing("/", with: "_").replacing("+", with: "-"))), .invalidPin,
                Digest.one
            ),
            (pinned(authorities(String(Digest.one.dropLast()))), .invalidPin, Digest.one),
        ] {
            let findings = ATSLinter().findings(in: try Plist.plist(contents))
            #expect(findings.first { $0.rule == rule }?.replacement == replacement, "\(contents) \(findings)")
        }
    }

    @Test(
        "Hexadecimal digits may be the fingerprint of a certificate, so nothing is proposed in their place",
        arguments: [Digest.hexadecimal, Digest.hexadecimal.uppercased(), "sha256/" + Digest.hexadecimal])
    func fingerprint(digits: String) throws {
        let findings = ATSLinter().findings(in: try Plist.plist(pinned(authorities(digits))))
        let finding = try #require(findings.first { $0.rule == .invalidPin })
        #expect(finding.replacement == nil)
        #expect(finding.remedy.contains("If it is the digest of the key, write \(Digest.one)."), "\(finding)")
        #expect(finding.remedy.contains("the fingerprint of a certificate"), "\(finding)")
    }

    @Test(
        "A name that is said to be never found is not found, and what is proposed is",
        arguments: [
            ("Example.com", "example.com"), ("example.com:8443", "example.com"), ("*.example.com", "example.com"),
            ("example.com.", "example.com"), ("https://example.com/", "example.com"), (".example.com", "example.com"),
            ("bücher.example", "xn--bcher-kva.example"), ("example.com ", "example.com"),
            ("[2001:db8::1]", "2001:db8::1"), ("2001:DB8::1", "2001:db8::1"),
            ("2001:db8:0:0:0:0:0:1", "2001:db8::1"),
        ]
    )
    func names(name: String, host: String) throws {
        let plist = try Plist.plist(exception("<key>NSIncludesSubdomains</key><true/>", name))
        let proposed = ATSLinter().findings(in: plist).filter { $0.severity == .error }.map(\.replacement)
        #expect(!proposed.isEmpty && proposed.allSatisfy { $0 == host })
        let right = try Plist.plist(exception("<key>NSIncludesSubdomains</key><true/>", host))
        #expect(!ATSLinter().findings(in: right).contains { $0.severity == .error })
        for destination in [ATSDestination(host: host), ATSDestination(host: "a." + host)] {
            #expect(ATSPolicy(plist).requirements(for: destination).exception == nil)
        }
        #expect(ATSPolicy(right).requirements(for: ATSDestination(host: host)).exception?.name == host)
    }

    @Test func `What is not meant is never proposed`() throws {
        // The engine reads the first as every address, and the second as none.
        let documented = ATSLinter(strictness: .documentation)
        let octal = documented.findings(in: try Plist.plist(exception("", "10.0.0.0/08")))
        #expect(octal.first { $0.rule == .invalidAddressBlock }?.replacement == "10.0.0.0/8")
        for name in ["10.0.0.0/099", "10.0.0.0/0x8", "10.0.0.0/", "/8", "*", "exam*ple.com", ""] {
            for linter in [documented, ATSLinter()] {
                let findings = linter.findings(in: try Plist.plist(exception("", name)))
                #expect(findings.contains { $0.severity == .error }, "\(name)")
                #expect(
                    findings.allSatisfy { $0.replacement == nil && !$0.remedy.contains("0.0.0.0/0") }, "\(findings)")
            }
        }
    }

    // MARK: Hostile files

    @Test func `Many pins of many spellings of one name take no time`() throws {
        let name = Array("abcdefghijklmnopqrst.example".utf8)
        let spellings = (0..<20_000).map { bits in
            let letters = name.enumerated().map { $0 < 15 && bits >> $0 & 1 == 1 ? $1 & 0xDF : $1 }
            return "\"\(String(decoding: letters, as: UTF8.self))\""
        }
        let entries = spellings.map { "\($0): {\"NSPinnedCAIdentities\": [], \"NSIncludesSubdomains\": true}" }
        let children = (0..<20_000).map { "\"a\($0).\(String(decoding: name, as: UTF8.self))\": {}" }
        let exceptions = (0..<200).map { "\"e\($0).example\": {}" }
        let text = """
            {"NSAppTransportSecurity": {"NSPinnedDomains": {\((entries + children).joined(separator: ","))},
            "NSExceptionDomains": {\(exceptions.joined(separator: ","))}}}
            """
        let plist = try InfoPropertyList(Array(text.utf8))
        let time = ProcessorTime.measure { #expect(!ATSLinter().findings(in: plist).isEmpty) }
        // Far more than it takes, and far less than if every entry were compared with every other.
        #expect(time < .seconds(20))
    }

    @Test func `Damaged files are read or refused, and what is found has a place in them`() throws {
        let whole = lintCases.filter { !$0.isAtRoot }.map { $0.found.filter { $0 != "§" } }
        var random = SplitMix(state: 1)
        for _ in 0..<3_000 {
            let contents = whole[Int(random.next() % UInt64(whole.count))]
            var bytes = Array(
                "<plist><dict><key>NSAppTransportSecurity</key><dict>\(contents)</dict></dict></plist>".utf8)
            for _ in 0...random.next() % 3 {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next() % 128)
            }
            guard let plist = try? InfoPropertyList(bytes) else { continue }
            let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
            for finding in ATSLinter().findings(in: plist) {
                #expect(finding.position.map { $0.line <= lines } == true, "\(finding)")
            }
        }
    }

    @Test func `A thousand findings at most, and the errors among them`() throws {
        let notes = String(repeating: "<key>Comment</key><true/>", count: 5_000)
        let findings = ATSLinter().findings(
            in: try Plist.plist(notes + "<key>NSExceptionDomains</key><dict><key>A</key><dict/></dict>"))
        #expect(findings.count <= ATSLinter.maximumFindings)
        #expect(findings.contains { $0.rule == .upperCaseDomain })
        let names = (0..<20_000).map { "<key>H\($0).example</key><dict/>" }.joined()
        let many = ATSLinter().findings(in: try Plist.plist("<key>NSExceptionDomains</key><dict>\(names)</dict>"))
        #expect(many.count == ATSLinter.maximumFindings)
    }

    @Test func `Nothing of the file reaches a terminal as it is`() throws {
        // In JSON, as XML cannot hold most of them.
        for contents in [
            #"{"NSExceptionDomains": {"\u001b[31m\u202e": {"NSExceptionMinimumTLSVersion": "\u001b[31m\u202e"}}}"#,
            #"{"NSPinnedDomains": {"\u001b[31m\u202e": {"\u001b": 1, "NSPinnedCAIdentities": [{"SPKI-SHA256-BASE64": "\u001b"}]}}}"#,
            #"{"NSAllowsArbitraryLoads\u001b\u202e": true, "NSRequiresNIAPTLSPackageVersion": "\u001b[31m"}"#,
        ] {
            let plist = try InfoPropertyList(Array(#"{"NSAppTransportSecurity": \#(contents)}"#.utf8))
            let findings = ATSLinter().findings(in: plist)
            #expect(!findings.isEmpty)
            for finding in findings {
                let texts = [finding.message, finding.remedy, finding.replacement ?? ""] + finding.path
                #expect(texts.allSatisfy { !$0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x202E } })
            }
        }
    }

    @Test(
        "What a system does not read is said with the release that does, and nothing else is said of it",
        arguments: [
            ("ios13", "iOS 14"), ("macos10.15", "macOS 11"), ("watchos6", "watchOS 7"), ("tvos13", "tvOS 14"),
        ]
    )
    func releases(system: String, first: String) throws {
        let linter = ATSLinter(system: try #require(ATSSystem(system)))
        let pins = linter.findings(in: try Plist.plist(pinned(authorities())))
        #expect(pins.map(\.rule) == [.ignoredBySystem] && pins[0].message.hasSuffix("since \(first)."))
        let block = linter.findings(in: try Plist.plist(exception("", "10.0.0.0/08")))
        #expect(block.map(\.rule) == [.ignoredBySystem])
        let keys = linter.findings(
            in: try Plist.plist("<key>NSRequiresNIAPTLSPackageVersion</key><string>none</string>"))
        #expect(keys.first?.message.hasSuffix("26.4.") == true)
    }

    @Test func `An old system is said to have none of it`() throws {
        let linter = ATSLinter(system: ATSSystem(.iOS, 8))
        let findings = linter.findings(in: try Plist.plist(exception("")))
        #expect(findings.map(\.rule) == [.ignoredBySystem])
    }
}
