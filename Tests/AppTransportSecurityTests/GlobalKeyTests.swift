//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Testing

private let secure = "tls TLSv1.2 ats checks"

private let cases: [PolicyCase] = [
    // Nothing said.
    PolicyCase("", "example.com", secure),
    PolicyCase("{}", "example.com", secure),
    PolicyCase("", "printer", isLocal: true, "alone"),
    PolicyCase("{}", "printer.local", isLocal: nil, "alone"),
    // Arbitrary loads alone.
    PolicyCase(#"{"NSAllowsArbitraryLoads": true}"#, "example.com", "alone"),
    PolicyCase(#"{"NSAllowsArbitraryLoads": false}"#, "example.com", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads": true}"#, "example.com", client: .webContent, "alone"),
    PolicyCase(#"{"NSAllowsArbitraryLoads": true}"#, "example.com", client: .media, "alone"),
    // The other keys free their client and no other, and take it out of force.
    PolicyCase(#"{"NSAllowsArbitraryLoadsForMedia": true}"#, "example.com", client: .media, "alone"),
    PolicyCase(#"{"NSAllowsArbitraryLoadsForMedia": true}"#, "example.com", client: .webContent, secure),
    PolicyCase(#"{"NSAllowsArbitraryLoadsForMedia": true}"#, "example.com", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoadsInWebContent": true}"#, "example.com", client: .webContent, "alone"),
    PolicyCase(#"{"NSAllowsArbitraryLoadsInWebContent": true}"#, "example.com", client: .media, secure),
    PolicyCase(#"{"NSAllowsArbitraryLoadsInWebContent": true}"#, "example.com", secure),
    PolicyCase(
        #"{"NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInWebContent": true}"#, "example.com", secure),
    PolicyCase(
        #"{"NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInWebContent": false}"#, "example.com", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsForMedia": false}"#, "example.com", secure),
    PolicyCase(
        #"{"NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsForMedia": false}"#, "example.com", client: .media,
        secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true}"#, "example.com", secure),
    // Contradiction (c): documented, only YES takes it out of force.
    PolicyCase(
        #"{"NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": false}"#, "example.com", secure,
        documented: "alone"),
    // Local networking.
    PolicyCase(#"{"NSAllowsLocalNetworking": true}"#, "printer", isLocal: true, "alone"),
    PolicyCase(#"{"NSAllowsLocalNetworking": false}"#, "printer", isLocal: true, secure),
    PolicyCase(#"{"NSAllowsLocalNetworking": true}"#, "printer", isLocal: false, secure),
    PolicyCase(
        #"{"NSAllowsLocalNetworking": false, "NSAllowsArbitraryLoads": true}"#, "printer", isLocal: true, secure,
        documented: "alone"),
    PolicyCase(
        #"{"NSAllowsLocalNetworking": false, "NSAllowsArbitraryLoadsForMedia": true}"#, "printer", isLocal: true,
        client: .media, "alone"),
    PolicyCase(
        #"{"NSAllowsLocalNetworking": false, "NSAllowsArbitraryLoadsInWebContent": true}"#, "printer", isLocal: true,
        client: .webContent, "alone"),
    PolicyCase(
        #"{"NSAllowsLocalNetworking": false, "NSAllowsArbitraryLoadsInWebContent": true}"#, "printer", isLocal: true,
        secure),
    // Type rules: 1 is on, every other number is there and off, and texts are not there.
    PolicyCase(#"{"NSAllowsArbitraryLoads": 1}"#, "example.com", "alone"),
    PolicyCase(#"{"NSAllowsArbitraryLoads": 1.0}"#, "example.com", "alone"),
    PolicyCase(#"{"NSAllowsArbitraryLoads": 1e0}"#, "example.com", "alone"),
    PolicyCase(#"{"NSAllowsArbitraryLoads": 0.1e1}"#, "example.com", "alone"),
    PolicyCase(#"{"NSAllowsArbitraryLoads": 0.5}"#, "example.com", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads": -1}"#, "example.com", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads": 1e300}"#, "example.com", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads": 18446744073709551617}"#, "example.com", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads": 1e400}"#, "example.com", secure),
    PolicyCase(
        #"{"NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsForMedia": 1e400}"#, "example.com", secure),
    PolicyCase(
        #"{"NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsForMedia": -0.0}"#, "example.com", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads": 2}"#, "example.com", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads": 0}"#, "example.com", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads": "YES"}"#, "example.com", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads": "1"}"#, "example.com", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads": [true]}"#, "example.com", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads ": true}"#, "example.com", secure),
    PolicyCase(#"{"NSAllowsLocalNetworking": 2}"#, "printer", isLocal: true, secure),
    PolicyCase(#"{"NSAllowsLocalNetworking": "NO"}"#, "printer", isLocal: true, "alone"),
    PolicyCase(
        #"{"NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsForMedia": "NO"}"#, "example.com", "alone"),
    PolicyCase(#"{"NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsForMedia": 2}"#, "example.com", secure),
    PolicyCase(
        #"{"NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": 0}"#, "example.com", secure,
        documented: "alone"),
    // What is no dictionary takes only what was in it.
    PolicyCase(#""YES""#, "example.com", secure),
    PolicyCase("[]", "example.com", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads": true, "NSExceptionDomains": []}"#, "example.com", "alone"),
    PolicyCase(
        #"{"NSAllowsArbitraryLoads": true, "NSExceptionDomains": {"example.com": true}}"#, "example.com", "alone"),
]

@Suite("The global keys of NSAppTransportSecurity")
struct GlobalKeyTests {
    @Test("They decide as Apple's engine has it", arguments: cases)
    func engine(example: PolicyCase) throws {
        try example.check(.engine)
    }

    @Test("They decide as Apple documents it", arguments: cases)
    func documentation(example: PolicyCase) throws {
        try example.check(.documentation)
    }

    @Test(
        "Names without a dot and in .local are local, and so are addresses of this machine and this link",
        arguments: [
            ("printer", true), ("printer.local", true), ("printer.local.", true), ("localhost", true), ("", false),
            ("local", true), ("example.com", false), ("printer.localnet", false), ("xlocal.example", false),
            ("127.0.0.1", true), ("127.255.0.9", true), ("169.254.3.4", true), ("::1", true), ("fe80::1", true),
            ("fe80::1%en0", true), ("febf::1", true), ("fec0::1", false), ("fe00::1", false), ("::2", false),
            ("203.0.113.1", false), ("2001:db8::1", false), ("192.168.1.1", false), ("10.0.0.1", false),
            ("::ffff:127.0.0.1", false),
        ])
    func locality(host: String, isLocal: Bool) throws {
        try PolicyCase("{}", host, isLocal: nil, isLocal ? "alone" : secure).check(.engine)
    }

    @Test("What is local is the caller's to say, before the destination is asked")
    func predicate() throws {
        var configuration = ATSPolicy.Configuration()
        configuration.isLocal = { $0.host.hasSuffix(".corp") ? true : nil }
        let policy = ATSPolicy(ATSDictionary(), configuration: configuration)
        #expect(policy.requirements(for: ATSDestination(host: "wiki.corp")).leavesAlone)
        #expect(policy.requirements(for: ATSDestination(host: "wiki.corp", isLocal: false)).requiresTLS)
        #expect(policy.requirements(for: ATSDestination(host: "wiki")).leavesAlone)
        #expect(policy.requirements(for: ATSDestination(host: "example.com")).requiresTLS)
    }
}
