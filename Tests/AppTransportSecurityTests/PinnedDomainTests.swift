//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import TestSupport
import Testing

/// What applies to a host: the pins of its leaf and of authorities, `nil` for no set.
private struct PinCase: Sendable, CustomTestStringConvertible {
    let domains: String
    let host: String
    let leaf: Int?
    let authorities: Int?

    init(_ domains: String, _ host: String, leaf: Int? = nil, ca authorities: Int? = nil) {
        self.domains = domains
        self.host = host
        self.leaf = leaf
        self.authorities = authorities
    }

    var testDescription: String { "\(self.host) \(self.domains)" }
}

private let pin = #"{"SPKI-SHA256-BASE64": "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="}"#
private let leaf = #""NSPinnedLeafIdentities": [\#(pin)]"#
private let authority = #""NSPinnedCAIdentities": [\#(pin), \#(pin)]"#
private let subdomains = #""NSIncludesSubdomains": true"#

private let cases: [PinCase] = [
    PinCase("{}", "a.test"),
    PinCase(#"{"a.test": {\#(leaf)}}"#, "a.test", leaf: 1),
    PinCase(#"{"a.test": {\#(authority)}}"#, "a.test", ca: 2),
    PinCase(#"{"a.test": {\#(leaf), \#(authority)}}"#, "a.test", leaf: 1, ca: 2),
    // Names: whatever their case; one dot at the host's end, none at the key's; one label below.
    PinCase(#"{"A.Test": {\#(leaf)}}"#, "a.tEST", leaf: 1),
    PinCase(#"{"a.test": {\#(leaf)}}"#, "a.test.", leaf: 1),
    PinCase(#"{"a.test": {\#(leaf)}}"#, "a.test.."),
    PinCase(#"{"a.test.": {\#(leaf)}}"#, "a.test"),
    PinCase(#"{"a.test": {\#(leaf)}}"#, "www.a.test"),
    PinCase(#"{"a.test": {\#(leaf), \#(subdomains)}}"#, "www.a.test", leaf: 1),
    PinCase(#"{"a.test": {\#(leaf), \#(subdomains)}}"#, "x.www.a.test"),
    PinCase(#"{"a.test": {\#(leaf), "NSIncludesSubdomains": 1}}"#, "www.a.test"),
    PinCase(#"{"a.test": {\#(leaf), "NSIncludesSubdomains": "YES"}}"#, "www.a.test"),
    // Text, whatever it is.
    PinCase(#"{"192.0.2.1": {\#(leaf)}}"#, "192.0.2.1", leaf: 1),
    PinCase(#"{"192.0.2.0/24": {\#(leaf)}}"#, "192.0.2.1"),
    PinCase(#"{"a.test:443": {\#(leaf)}}"#, "a.test"),
    PinCase(#"{"*.a.test": {\#(leaf), \#(subdomains)}}"#, "www.a.test"),
    // All that match count together, duplicates too, and an empty array takes nothing away.
    PinCase(#"{"a.test": {\#(leaf)}, "A.test": {\#(leaf)}}"#, "a.test", leaf: 2),
    PinCase(#"{"a.test": {\#(leaf), \#(subdomains)}, "www.a.test": {\#(leaf)}}"#, "www.a.test", leaf: 2),
    PinCase(
        #"{"a.test": {\#(leaf), \#(subdomains)}, "www.a.test": {"NSPinnedLeafIdentities": []}}"#, "www.a.test", leaf: 1),
    PinCase(#"{"a.test": {\#(leaf), \#(subdomains)}, "www.a.test": {\#(authority)}}"#, "www.a.test", leaf: 1, ca: 2),
    // Empty, or not an array: nothing passes.
    PinCase(#"{"a.test": {"NSPinnedLeafIdentities": []}}"#, "a.test", leaf: 0),
    PinCase(#"{"a.test": {"NSPinnedCAIdentities": "abc"}}"#, "a.test", ca: 0),
    PinCase(#"{"a.test": {"NSPinnedCAIdentities": {}}}"#, "a.test", ca: 0),
    PinCase(#"{"a.test": {"NSPinnedLeafIdentities": ["abc"]}}"#, "a.test", leaf: 0),
    PinCase(#"{"a.test": {"NSPinnedLeafIdentities": [{}]}}"#, "a.test", leaf: 0),
    PinCase(#"{"a.test": {"NSPinnedLeafIdentities": [{"SPKI-SHA256-BASE64": 1}]}}"#, "a.test", leaf: 0),
    PinCase(#"{"a.test": {"NSPinnedLeafIdentities": [{"spki-sha256-base64": "AAAA"}, \#(pin)]}}"#, "a.test", leaf: 1),
    // Neither key, or no dictionary: not pinned.
    PinCase(#"{"a.test": {}}"#, "a.test"),
    PinCase(#"{"a.test": {\#(subdomains)}}"#, "www.a.test"),
    PinCase(#"{"a.test": []}"#, "a.test"),
    PinCase("[]", "a.test"),
    // Lengths are not looked at.
    PinCase(#"{"a.test": {"NSPinnedLeafIdentities": [{"SPKI-SHA256-BASE64": "AAAA"}]}}"#, "a.test", leaf: 1),
]

@Suite("NSPinnedDomains")
struct PinnedDomainTests {
    @Test("The pins that apply are those Apple's engine finds", arguments: cases, ATSStrictness.allCases)
    private func pins(example: PinCase, strictness: ATSStrictness) throws {
        let policy = try PolicyCase.policy(#"{"NSPinnedDomains": \#(example.domains)}"#, .newest, strictness)
        let pins = policy.requirements(for: ATSDestination(host: example.host)).pins
        #expect(pins?.leaf?.count == example.leaf)
        #expect(pins?.authorities?.count == example.authorities)
        #expect((pins != nil) == (example.leaf != nil || example.authorities != nil))
    }

    @Test("They hold whatever the other keys say")
    func independent() throws {
        let policy = try PolicyCase.policy(
            #"""
            {"NSAllowsArbitraryLoads": true, "NSPinnedDomains": {"a.test": {\#(leaf)}},
             "NSExceptionDomains": {"a.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}}
            """#)
        #expect(policy.requirements(for: ATSDestination(host: "a.test", isLocal: true)).pins?.leaf?.count == 1)
    }

    @Test(
        "Digests are decoded as Apple's decoder does it",
        arguments: [
            ("r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=", 32), ("r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E", 30),
            (" r/mIkG3eEpVdm+u/ko/c\nwxzOMo1bk4TyHIlByibiA5E= ", 32),
            ("r_mIkG3eEpVdm-u_ko_cwxzOMo1bk4TyHIlByibiA5E=", 29),
            ("aff988906dde12955d9bebbf928fdcc31cce328d5b9384f21c8941ca26e20391", 48), ("AA==", 1), ("AAA=", 2),
            ("A===", 3), ("====", 3), ("AB=C", 3), ("AA=A=", 3),
        ])
    func decoding(text: String, count: Int) throws {
        let domains = #"{"a.test": {"NSPinnedLeafIdentities": [{"SPKI-SHA256-BASE64": \#(Self.json(text))}]}}"#
        let policy = try PolicyCase.policy(#"{"NSPinnedDomains": \#(domains)}"#)
        #expect(policy.requirements(for: ATSDestination(host: "a.test")).pins?.leaf?.map(\.count) == [count])
    }

    @Test("One name in fifty thousand spellings has the pins of all of them, and is put together in no time")
    func spellings() throws {
        let letters = Array("abcdefghijklmnop.test".utf8)
        var dictionary = ATSDictionary()
        for number in 0..<50_000 {
            let name = letters.enumerated().map { $0 < 16 && number >> $0 & 1 == 1 ? $1 & 0xDF : $1 }
            var domain = ATSPinnedDomain(String(decoding: name, as: UTF8.self))
            domain.leafIdentities = ATSEntry([ATSEntry("AAAA")])
            domain.includesSubdomains = true
            dictionary.pinnedDomains.append(domain)
        }
        let elapsed = ProcessorTime.measure {
            let policy = ATSPolicy(dictionary)
            for host in ["abcdefghijklmnop.test", "www.ABCDEFGHIJKLMNOP.test"] {
                #expect(policy.requirements(for: ATSDestination(host: host)).pins?.leaf?.count == 50_000)
            }
        }
        #expect(elapsed < .seconds(20))
    }

    private static func json(_ text: String) -> String {
        "\"\(text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\\n"))\""
    }
}
