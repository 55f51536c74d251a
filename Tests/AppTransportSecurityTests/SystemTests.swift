//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import TLSWire
import Testing

private let secure = "tls TLSv1.2 ats checks"
private let local = #"{"NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true}"#
private let media = #"{"NSAllowsArbitraryLoadsForMedia": true}"#
private let web = #"{"NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInWebContent": true}"#
private let address = #"{"NSExceptionDomains": {"10.0.0.0/8": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#
private let fcp = #"{"NSRequiresNIAPTLSPackageVersion": "FCP_v2.1"}"#
private let lifted = """
    {"NSRequiresNIAPTLSPackageVersion": "recommended", "NSExceptionDomains": {
        "a.test": {"NSExceptionRequiresNIAPTLSPackageVersion": "none"}, "b.test": {},
        "c.test": {"NSExceptionRequiresNIAPTLSPackageVersion": "FCP_v9"}
    }}
    """

private func system(_ text: String) -> ATSSystem { ATSSystem(text) ?? ATSSystem(.iOS, 0) }

private let cases: [PolicyCase] = [
    // Before, there was nothing.
    PolicyCase("{}", "example.com", on: system("ios8.4"), "alone"),
    PolicyCase("{}", "example.com", on: system("macos10.10"), "alone"),
    // iOS 9: one global key, nothing local, no addresses.
    PolicyCase("{}", "example.com", on: system("ios9"), secure),
    PolicyCase("{}", "printer", isLocal: nil, on: system("ios9"), secure),
    PolicyCase("{}", "printer.local", isLocal: nil, on: system("macos10.11"), secure),
    PolicyCase("{}", "192.168.1.1", isLocal: nil, on: system("ios9.3"), secure),
    PolicyCase(local, "example.com", on: system("ios9"), "alone"),
    PolicyCase(web, "example.com", on: system("ios9"), "alone"),
    PolicyCase(media, "example.com", client: .media, on: system("ios9"), secure),
    PolicyCase(address, "10.1.2.3", isLocal: nil, on: system("ios9"), secure),
    // iOS 10 to 16: the others count, and every address is local.
    PolicyCase(local, "example.com", on: system("ios10"), secure),
    PolicyCase(local, "example.com", on: system("macos10.12"), secure),
    PolicyCase(web, "example.com", on: system("ios16.7"), secure),
    PolicyCase(media, "example.com", client: .media, on: system("tvos10"), "alone"),
    PolicyCase("{}", "printer", isLocal: nil, on: system("ios10"), "alone"),
    PolicyCase("{}", "203.0.113.1", isLocal: nil, on: system("ios16"), "alone"),
    PolicyCase("{}", "203.0.113.1", isLocal: nil, on: system("macos13"), "alone"),
    PolicyCase(#"{"NSAllowsLocalNetworking": false}"#, "203.0.113.1", isLocal: nil, on: system("ios16"), secure),
    PolicyCase(
        #"{"NSAllowsLocalNetworking": false, "NSExceptionDomains": {"203.0.113.1": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#,
        "203.0.113.1", isLocal: nil, on: system("ios16"), secure),
    // iOS 17: addresses are excepted or refused.
    PolicyCase("{}", "203.0.113.1", isLocal: nil, on: system("ios17"), secure),
    PolicyCase("{}", "203.0.113.1", isLocal: nil, on: system("macos14"), secure),
    PolicyCase("{}", "203.0.113.1", isLocal: nil, on: system("visionos1"), secure),
    PolicyCase("{}", "203.0.113.1", isLocal: nil, on: system("watchos10"), secure),
    PolicyCase("{}", "203.0.113.1", isLocal: nil, on: system("watchos9"), "alone"),
    PolicyCase(address, "10.1.2.3", isLocal: nil, on: system("ios17"), "http TLSv1.2 ats by 10.0.0.0/8"),
    // 26.4: NIAP.
    PolicyCase(fcp, "example.com", on: system("ios26.3"), secure),
    PolicyCase(fcp, "example.com", on: system("ios26.4"), "\(secure) FCP_v2.1"),
    PolicyCase(fcp, "example.com", on: system("macos26.4"), "\(secure) FCP_v2.1"),
    PolicyCase(fcp, "printer", isLocal: true, on: system("ios27"), "alone FCP_v2.1"),
    PolicyCase(lifted, "example.com", on: system("ios27"), "\(secure) FCP_v2.1"),
    PolicyCase(lifted, "a.test", on: system("ios27"), "\(secure) by a.test"),
    PolicyCase(lifted, "b.test", on: system("ios27"), "\(secure) FCP_v2.1 by b.test"),
    PolicyCase(lifted, "c.test", on: system("ios27"), "\(secure) FCP_v2.1 by c.test"),
    // 27: device management, which knows no Info.plist.
    PolicyCase("{}", "mdm.test", client: .deviceManagement, on: system("ios26.4"), "alone"),
    PolicyCase("{}", "mdm.test", client: .deviceManagement, on: system("ios27"), "\(secure) FCP_v2.1"),
    PolicyCase(
        #"{"NSAllowsArbitraryLoads": true, "NSExceptionDomains": {"mdm.test": {"NSExceptionAllowsInsecureHTTPLoads": true}}}"#,
        "mdm.test", client: .deviceManagement, on: system("macos27"), "\(secure) FCP_v2.1"),
]

@Suite("What differs between releases")
struct SystemTests {
    @Test("As Apple's engine has it", arguments: cases)
    func engine(example: PolicyCase) throws {
        try example.check(.engine)
    }

    @Test("As Apple documents it", arguments: cases)
    func documentation(example: PolicyCase) throws {
        try example.check(.documentation)
    }

    @Test(
        "Without the key for local networks, addresses of this machine and link are open to the engine, and not by Apple's page",
        arguments: ["127.0.0.1", "169.254.3.4", "::1", "fe80::1"])
    func addresses(host: String) throws {
        try PolicyCase("{}", host, isLocal: nil, on: system("ios17"), "alone").check(.engine)
        try PolicyCase("{}", host, isLocal: nil, on: system("ios17"), secure).check(.documentation)
        try PolicyCase("{}", host, isLocal: nil, on: system("ios16"), "alone").check(.documentation)
        try PolicyCase("{}", host, isLocal: true, on: system("ios17"), "alone").check(.documentation)
        try PolicyCase(#"{"NSAllowsLocalNetworking": true}"#, host, isLocal: nil, on: system("ios17"), "alone")
            .check(.documentation)
    }

    @Test("Since 26, TLS 1.2 is the least whatever an exception says", arguments: ATSStrictness.allCases)
    func versions(strictness: ATSStrictness) throws {
        let dictionary = #"{"NSExceptionDomains": {"a.test": {"NSExceptionMinimumTLSVersion": "TLSv1.0"}}}"#
        for (name, version) in [("ios18.4", TLSProtocolVersion.tls10), ("ios26", .tls12), ("macos27", .tls12)] {
            let requirements = try PolicyCase.policy(dictionary, system(name), strictness)
                .requirements(for: ATSDestination(host: "a.test"))
            #expect(requirements.minimumTLSVersion == .tls10)
            #expect(requirements.effectiveMinimumVersion == version)
        }
    }

    @Test(
        "TLS 1.3 is spoken since iOS 12.2",
        arguments: [
            ("ios9", false), ("ios12.1", false), ("ios12.2", true), ("macos10.14", false), ("macos10.15", true),
            ("tvos12.2", true), ("watchos5.1", false), ("watchos5.2", true), ("visionos1", true), ("ios27", true),
        ])
    func newestVersion(name: String, isSpoken: Bool) throws {
        #expect(system(name).maximumTLSVersion == (isSpoken ? .tls13 : .tls12))
        let requirements = try PolicyCase.policy("{}", system(name)).requirements(for: ATSDestination(host: "a.test"))
        let modern = ATSServerFacts.Handshake(.tls13, CipherSuite(rawValue: 0x1301), trust: nil)
        let old = ATSServerFacts.Handshake(.tls12, CipherSuite(rawValue: 0xC02F), trust: nil)
        let both = ATSServerFacts(handshakes: [modern, old]).connection(offering: requirements)
        #expect(both.version == (isSpoken ? .tls13 : .tls12))
        let alone = ATSServerFacts(handshakes: [modern]).connection(offering: requirements)
        #expect((alone.failure == .alert(TLSAlertDescription(rawValue: 70))) == !isSpoken)
        var unknown = ATSServerFacts(handshakes: [old])
        unknown.unknownVersions = [.tls13]
        #expect((unknown.connection(offering: requirements).version == nil) == isSpoken)
    }

    @Test(
        "Pins count since iOS 14",
        arguments: [("ios13", false), ("ios14", true), ("macos10.15", false), ("macos11", true)])
    func pins(name: String, isPinned: Bool) throws {
        let dictionary = #"{"NSPinnedDomains": {"a.test": {"NSPinnedLeafIdentities": []}}}"#
        let requirements = try PolicyCase.policy(dictionary, system(name)).requirements(
            for: ATSDestination(host: "a.test"))
        #expect((requirements.pins != nil) == isPinned)
    }

    @Test(
        "Releases are read from text",
        arguments: [
            ("ios26", "iOS 26"), ("iOS 26.4", "iOS 26.4"), ("iPadOS17.2.1", "iOS 17.2"), ("macos10.15", "macOS 10.15"),
            ("MacOS-14", "macOS 14"), ("tvos9", "tvOS 9"), ("watchos11", "watchOS 11"), ("visionos2", "visionOS 2"),
        ])
    func names(text: String, name: String) {
        #expect(ATSSystem(text)?.description == name)
    }

    @Test(
        "Other text is no release",
        arguments: ["", "ios", "26", "android14", "ios26.", "ios.26", "ios-26.x", "ios26.4.1.1", "ios9999", "ios 2６"])
    func noNames(text: String) {
        #expect(ATSSystem(text) == nil)
    }
}
