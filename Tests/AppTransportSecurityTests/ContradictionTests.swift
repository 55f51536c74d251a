//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import TLSWire
import Testing

private let secure = "tls TLSv1.2 ats checks"

private func entry(_ name: String, _ keys: String) -> String { #"{"NSExceptionDomains": {"\#(name)": {\#(keys)}}}"# }

private let subdomains = entry("example.com", #""NSIncludesSubdomains": true"#)

/// Where Apple's documentation and its engine disagree, by the letters of the list.
private let contradictions: [PolicyCase] = [
    // (a) Names below: any number of labels, or one.
    PolicyCase(
        subdomains, "advanced.math.example.com", "\(secure) by example.com", documented: secure),
    PolicyCase(subdomains, "a.b.c.d.example.com", "\(secure) by example.com", documented: secure),
    PolicyCase(subdomains, "math.example.com", "\(secure) by example.com"),
    // (c) NSAllowsLocalNetworking takes NSAllowsArbitraryLoads out of force: there, or on.
    PolicyCase(
        #"{"NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": false}"#, "a.test", secure, documented: "alone"),
    PolicyCase(
        #"{"NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": 2}"#, "a.test", secure, documented: "alone"),
    PolicyCase(#"{"NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true}"#, "a.test", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": "NO"}"#, "a.test", "alone"),
    // (d) Plain HTTP is refused by default, and TLS 1.3 is a version.
    PolicyCase(entry("a.test", ""), "a.test", "\(secure) by a.test"),
    PolicyCase(
        entry("a.test", #""NSExceptionMinimumTLSVersion": "TLSv1.3""#), "a.test", "tls TLSv1.3 ats checks by a.test"),
    // (e) The suites go in both readings; the sizes of keys are below.
    PolicyCase(
        entry("a.test", #""NSExceptionRequiresForwardSecrecy": false"#), "a.test",
        "tls TLSv1.2 ats+compat checks by a.test"),
]

/// (f) What the unfinished engine of older sources did otherwise, and the documentation of those releases did not.
private let older: [PolicyCase] = ["ios12", "ios16", "ios18.3", "macos10.15", "macos13"].flatMap { name in
    let system = ATSSystem(name) ?? .newest
    return [
        // Forward secrecy is on by default.
        PolicyCase(entry("a.test", ""), "a.test", on: system, "\(secure) by a.test"),
        // Local hosts need no TLS, and an exception stands before that.
        PolicyCase("{}", "printer", isLocal: true, on: system, "alone"),
        PolicyCase(#"{"NSAllowsLocalNetworking": false}"#, "printer", isLocal: true, on: system, secure),
        PolicyCase(
            #"{"NSAllowsLocalNetworking": true, "NSExceptionDomains": {"printer": {}}}"#, "printer", isLocal: true,
            on: system, "\(secure) by printer"),
        // Other global keys count.
        PolicyCase(
            #"{"NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsForMedia": false}"#, "a.test", on: system, secure),
        // Parents are whole labels, and one without the flag does not end the search.
        PolicyCase(entry("ample.com", #""NSIncludesSubdomains": true"#), "example.com", on: system, secure),
        PolicyCase(
            #"{"NSExceptionDomains": {"b.test": {"NSIncludesSubdomains": true}, "a.b.test": {}}}"#, "x.a.b.test",
            on: system, "\(secure) by b.test", documented: secure),
        // The flag for plain HTTP is not the one for names below.
        PolicyCase(entry("b.test", #""NSExceptionAllowsInsecureHTTPLoads": true"#), "a.b.test", on: system, secure),
    ]
}

/// The exceptions of the system itself, whose dictionary has none.
private let builtIn: [PolicyCase] = [ATSSystem(.iOS, 9), ATSSystem(.iOS, 17), .newest].flatMap { system in
    [
        ("apple.com", "TLSv1.2"), ("ls.apple.com", "TLSv1.0"), ("gs.apple.com", "TLSv1.0"),
        ("geo.apple.com", "TLSv1.0"),
        ("is.autonavi.com", "TLSv1.0"), ("apple-mapkit.com", "TLSv1.0"), ("setup.icloud.com", "TLSv1.2"),
    ].flatMap { name, version in
        [
            // Replaced whole, the flag for names below included; a value that is no dictionary replaces nothing.
            PolicyCase(entry(name, ""), name, on: system, "\(secure) by \(name)"),
            PolicyCase(
                #"{"NSAllowsArbitraryLoadsInWebContent": true, "NSExceptionDomains": {"\#(name)": {}}}"#, name,
                client: .webContent, on: system, "\(secure) by \(name)"),
            PolicyCase(
                #"{"NSExceptionDomains": {"\#(name)": true}}"#, "x.\(name)", on: system,
                "http \(version) unrestricted by \(name)"),
            PolicyCase(
                #"{"NSAllowsArbitraryLoads": false, "NSAllowsLocalNetworking": false}"#, name, on: system,
                "http \(version) unrestricted by \(name)"),
            PolicyCase("{}", name.uppercased(), on: system, secure),
        ]
    }
}

@Suite("Where documentation and engine disagree")
struct ContradictionTests {
    @Test("As Apple's engine has it", arguments: contradictions + older + builtIn)
    func engine(example: PolicyCase) throws { try example.check(.engine) }

    @Test("As Apple documents it", arguments: contradictions + older + builtIn)
    func documentation(example: PolicyCase) throws { try example.check(.documentation) }

    @Test("(a) For pins it is one label in both readings", arguments: ATSStrictness.allCases)
    func pins(strictness: ATSStrictness) throws {
        let domains = #"{"example.com": {"NSIncludesSubdomains": true, "NSPinnedCAIdentities": []}}"#
        let policy = try PolicyCase.policy(#"{"NSPinnedDomains": \#(domains)}"#, .newest, strictness)
        for (host, isPinned) in [
            ("example.com", true), ("math.example.com", true), ("advanced.math.example.com", false),
        ] {
            #expect((policy.requirements(for: ATSDestination(host: host)).pins != nil) == isPinned)
        }
    }

    @Test("(b) CBC over SHA-256 passes as documented, and ChaCha20 as the engine has it")
    func suites() {
        let lists = ATSStrictness.allCases.map { ATSCipherSuiteGroup.ats.suites($0).map(\.rawValue) }
        for (suite, isDocumented) in [(UInt16(0xC027), true), (0xC023, true), (0xCCA8, false), (0xC014, false)] {
            #expect(
                lists.map { $0.contains(suite) }
                    == ATSStrictness.allCases.map { ($0 == .documentation) == isDocumented })
        }
    }

    @Test("(e) Without forward secrecy the documentation lets the sizes of keys go", arguments: ATSStrictness.allCases)
    func keySizes(strictness: ATSStrictness) throws {
        let policy = try PolicyCase.policy(
            entry("a.test", #""NSExceptionRequiresForwardSecrecy": false"#), .newest, strictness)
        let requirements = policy.requirements(for: ATSDestination(host: "a.test"))
        #expect(requirements.minimumRSAKeySize == (strictness == .engine ? 2_048 : nil))
        #expect(requirements.minimumECKeySize == (strictness == .engine ? 256 : nil))
    }
}
