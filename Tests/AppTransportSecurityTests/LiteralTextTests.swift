//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import TestSupport
import Testing

private let secure = "tls TLSv1.2 ats checks"
private let composed = "b\u{FC}cher.test"
private let decomposed = "bu\u{308}cher.test"
private let kelvin = "\u{212A}elvin.test"

private func entries(_ names: String...) -> String {
    let entries = names.map { #""\#($0)": {"NSIncludesSubdomains": true, "NSExceptionMinimumTLSVersion": "TLSv1.0"}"# }
    return #"{"NSExceptionDomains": {\#(entries.joined(separator: ", "))}}"#
}

// Swift takes the texts of each pair for the same.
private let exceptions: [PolicyCase] = [
    PolicyCase(entries(composed), decomposed, secure), PolicyCase(entries(decomposed), composed, secure),
    PolicyCase(entries(composed), "www.\(decomposed)", secure), PolicyCase(entries(kelvin), "Kelvin.test", secure),
    PolicyCase(entries("Kelvin.test"), kelvin, secure), PolicyCase(entries("a.test"), "a.test\u{0}", secure),
    PolicyCase(entries("a.test\\u0000"), "a.test", secure), PolicyCase(entries("test"), "a.\u{301}test", secure),
    PolicyCase(entries(composed), composed, "tls TLSv1.0 ats checks by \(composed)"),
    PolicyCase(entries("test"), "b\u{301}.test", "tls TLSv1.0 ats checks by test"),
]

private let pin = #"{"SPKI-SHA256-BASE64": "AAAA"}"#

@Suite("Texts are compared octet by octet")
struct LiteralTextTests {
    @Test("The key of an exception is of one host alone", arguments: exceptions, ATSStrictness.allCases)
    func names(example: PolicyCase, strictness: ATSStrictness) throws {
        try example.check(strictness)
    }

    @Test("Two keys that only look the same are two, and both are kept")
    func bothKept() throws {
        let domain = { (name: String, version: String) in
            "<key>\(name)</key><dict><key>NSExceptionMinimumTLSVersion</key><string>\(version)</string></dict>"
        }
        let xml = """
            <plist><dict><key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict>
            \(domain(composed, "TLSv1.1"))\(domain(decomposed, "TLSv1.3"))
            </dict></dict></dict></plist>
            """
        let policy = ATSPolicy(try InfoPropertyList(Array(xml.utf8)))
        #expect(policy.dictionary.exceptionDomains.count == 2 && policy.dictionary.issues.isEmpty)
        for (host, version) in [(composed, ATSMinimumVersion.tls11), (decomposed, .tls13)] {
            #expect(policy.requirements(for: ATSDestination(host: host)).minimumTLSVersion == version)
        }
    }

    @Test(
        "Pins are of names whose letters differ in case alone",
        arguments: [
            (composed, decomposed, false), ("\u{130}.test", "i.test", false), ("\u{131}.test", "I.test", false),
            ("\u{DF}.test", "ss.test", false), ("\u{130}.test", "i\u{307}.test", true),
            ("B\u{DC}CHER.test", composed, true), ("a.test", "A.TEST", true),
        ])
    func pins(key: String, host: String, isPinned: Bool) throws {
        let policy = try PolicyCase.policy(
            #"{"NSPinnedDomains": {"\#(key)": {"NSPinnedLeafIdentities": [\#(pin)]}}}"#)
        #expect((policy.requirements(for: ATSDestination(host: host)).pins != nil) == isPinned)
    }

    @Test("A key with the sign for kelvins in place of its K is unknown")
    func keys() throws {
        let policy = try PolicyCase.policy(
            #"{"NSPinnedDomains": {"a.test": {"NSPinnedLeafIdentities": [{"SP\#u{212A}I-SHA256-BASE64": "AAAA"}]}}}"#)
        #expect(policy.requirements(for: ATSDestination(host: "a.test")).pins?.leaf == [])
        #expect(policy.dictionary.issues.map(\.kind) == [.unknownKey, .pinWithoutDigest])
    }

    @Test("Hosts of half a million labels, and keys as long, take no time", .timeLimit(.minutes(20)))
    func complexity() throws {
        let long = String(repeating: "a.", count: 500_000)
        var dictionary = ATSDictionary()
        dictionary.exceptionDomains = (0..<1_000).map { ATSExceptionDomain(String(long.suffix($0 * 2)) + "test") }
        dictionary.exceptionDomains.append(ATSExceptionDomain(long + "com"))
        dictionary.pinnedDomains = [ATSPinnedDomain(long)]
        let policy = ATSPolicy(dictionary)
        let destination = ATSDestination(host: "b." + long + "test")
        let elapsed = ProcessorTime.measure {
            #expect(policy.requirements(for: destination).requiresTLS)
            #expect(!policy.explanation(for: destination).decisions.isEmpty)
        }
        #expect(elapsed < .seconds(10))
    }

    @Test(
        "Releases that no system ever had are no crash",
        arguments: [
            (Int.min, Int.min), (.max, .max), (10, .min), (10, .max), (-1, 0), (10, 0), (10, 1), (25, 0), (26, .min),
        ])
    func systems(major: Int, minor: Int) {
        for platform in ATSSystem.Platform.allCases {
            let system = ATSSystem(platform, major, minor: minor)
            #expect(!system.managementRequiresFCP || system.readsNIAPKeys && system.hasAppTransportSecurity)
        }
    }
}
