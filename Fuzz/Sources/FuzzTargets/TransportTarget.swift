//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation

/// Info.plists: whatever they are, they are an error or a policy that says the same as the rules do one by one, and what is
/// written of them reads back as the same.
enum TransportTarget {
    private static let hosts = [
        "a.test", "www.a.test", "x.www.a.test", "A.test", "a.test.", "b.example", "printer", "com", "",
    ]

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        self.readURL(String(decoding: bytes.prefix(300), as: UTF8.self), &findings)
        let plist: InfoPropertyList
        do {
            plist = try InfoPropertyList(bytes)
        } catch {
            findings.expect(error.description.utf8.count < 4_096, "an error as long as the file")
            return
        }
        for finding in ATSLinter().findings(in: plist) {
            findings.expect(finding.message.utf8.count < 4_096, "a finding as long as what it is about")
        }
        guard let dictionary = plist.transportSecurity else { return }
        self.compare(dictionary, &findings)
        self.writeAgain(dictionary, &findings)
        for strictness in ATSStrictness.allCases {
            for release in [8, 9, 10, 17, 27] {
                self.ask(dictionary, .init(system: ATSSystem(.iOS, release), strictness: strictness), &findings)
            }
        }
    }

    /// A host is text that everyone reads the same, and reads as the same host when it stands alone.
    private static func readURL(_ text: String, _ findings: inout Findings) {
        guard let destination = try? ATSDestination(url: text) else { return }
        let host = destination.host
        findings.expect(host.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x5C }, "a host no URL has")
        findings.expect((1...65_535).contains(destination.port), "an impossible port")
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        findings.expect(!isASCII || text.replacing("%25", with: "%").contains(host), "a host that is not in the URL")
        let isIPv6 = host.utf8.contains(UInt8(ascii: ":"))
        let escaped = host.replacing("%", with: "%25")
        let again = try? ATSDestination(url: "\(destination.scheme.rawValue)://\(isIPv6 ? "[\(escaped)]" : host)/")
        findings.expect(again?.host == host, "another host when it stands alone")
    }

    /// The hosts of the dictionary, and some names below them.
    private static func hosts(of dictionary: ATSDictionary) -> [String] {
        let names = (dictionary.exceptionDomains.map(\.name) + dictionary.pinnedDomains.map(\.name)).prefix(20)
        return self.hosts + names.flatMap { [$0, "www.\($0)", "a.b.\($0)"] }.filter { $0.utf8.count < 300 }
    }

    private static func compare(_ dictionary: ATSDictionary, _ findings: inout Findings) {
        let policy = ATSPolicy(dictionary, configuration: .init(system: ATSSystem(.iOS, 26)))
        let naive = NaiveTransportSecurity(dictionary: dictionary)
        for host in self.hosts(of: dictionary) {
            for client in [ATSClient.app, .webContent, .media] {
                for isLocal in [true, false] {
                    let destination = ATSDestination(host: host, isLocal: isLocal)
                    let requirements = policy.requirements(for: destination, client: client)
                    // The system's own exceptions and addresses are not in the naive rules.
                    guard destination.address == nil, requirements.exception?.isBuiltIn != true else { continue }
                    let expected = naive.answer(for: destination.host, isLocal: isLocal, client: client)
                    findings.expect(self.text(of: requirements) == expected, "another answer than the rules give")
                }
            }
        }
    }

    private static func text(of requirements: ATSRequirements) -> String {
        guard let minimum = requirements.minimumTLSVersion, let group = requirements.cipherSuiteGroup else {
            return "alone"
        }
        return "\(requirements.requiresTLS) \(minimum.rawValue) \(group.rawValue) \(requirements.isEnforced) "
            + (requirements.exception?.name ?? "-")
    }

    private static func ask(
        _ dictionary: ATSDictionary, _ configuration: ATSPolicy.Configuration, _ findings: inout Findings
    ) {
        let policy = ATSPolicy(dictionary, configuration: configuration)
        for host in self.hosts(of: dictionary).prefix(30) + ["10.1.2.3", "2001:db8::1", "fe80::1%en0"] {
            let destination = ATSDestination(host: host)
            let explanation = policy.explanation(for: destination)
            let requirements = policy.requirements(for: destination)
            findings.expect(explanation.requirements == requirements, "the explanation is of something else")
            findings.expect(!requirements.leavesAlone || !requirements.requiresTLS, "left alone, and TLS demanded")
            findings.expect(
                requirements.verdict(on: .plain).isAllowed == !requirements.requiresTLS, "another verdict about http")
            let nothing = ATSConnection(version: nil, cipherSuite: nil, trust: nil)
            findings.expect(!requirements.verdict(on: nothing).isAllowed, "let through without a fact")
        }
    }

    /// What is written has no numbers for booleans that were none, and reads back as the same policy.
    private static func writeAgain(_ dictionary: ATSDictionary, _ findings: inout Findings) {
        // XML has no control characters, and a dictionary without keys is no section by itself.
        let names = dictionary.exceptionDomains.map(\.name) + dictionary.pinnedDomains.map(\.name)
        guard names.allSatisfy({ $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0xFFFE } }) else {
            return
        }
        guard let again = try? InfoPropertyList(Array(dictionary.propertyList.utf8)).transportSecurity else { return }
        let (first, second) = (ATSPolicy(dictionary), ATSPolicy(again))
        for host in self.hosts(of: dictionary) {
            let destination = ATSDestination(host: host)
            let (left, right) = (first.requirements(for: destination), second.requirements(for: destination))
            findings.expect(
                self.text(of: left) == self.text(of: right) && left.pins?.leaf == right.pins?.leaf
                    && left.pins?.authorities == right.pins?.authorities, "read otherwise than it was written")
        }
    }

    static func seeds() -> [[UInt8]] {
        var domain = ATSExceptionDomain("a.test")
        domain.includesSubdomains = true
        domain.minimumTLSVersion = "TLSv1.0"
        domain.requiresForwardSecrecy = false
        var pinned = ATSPinnedDomain("www.a.test")
        pinned.leafIdentities = ATSEntry([ATSEntry("r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=")])
        var dictionary = ATSDictionary()
        dictionary.allowsArbitraryLoads = true
        dictionary.allowsLocalNetworking = false
        dictionary.exceptionDomains = [domain, ATSExceptionDomain("10.0.0.0/8"), ATSExceptionDomain("2001:db8::1")]
        dictionary.pinnedDomains = [pinned]
        let written = [ATSDictionary(), dictionary].map { Array($0.propertyList.utf8) }
        let samples = [
            #"{"NSAppTransportSecurity": {"NSAllowsArbitraryLoads": 1, "NSExceptionDomains": {"10/08": {}, "[::1]": {}}}}"#,
            #"{"a": 1, "NSAppTransportSecurity": {"NSPinnedDomains": {"a.test": {"NSPinnedCAIdentities": [1, {}]}}}}"#,
            #"{"NSAppTransportSecurity": {"NSExceptionDomains": {"a.test": {"NSExceptionMinimumTLSVersion": 1.0}}}}"#,
            #"{"NSAppTransportSecurity": {"NSRequiresNIAPTLSPackageVersion": "recommended", "NSExceptionDomains": {"*.a": 2}}}"#,
            "bplist00\u{8}", "https://user@[fe80::1%25en0]:8443/path",
        ]
        return written + samples.map { Array($0.utf8) }
    }
}
