//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ConfigurationDocuments
import TestSupport
import Testing

private let secure = "tls TLSv1.2 ats checks"

private func entry(_ name: String, _ keys: String = "") -> String {
    #"{"NSExceptionDomains": {"\#(name)": {\#(keys)}}}"#
}

private let subdomains = #""NSIncludesSubdomains": true"#
private let nested = """
    {"NSExceptionDomains": {
        "example.com": {"NSIncludesSubdomains": true, "NSExceptionMinimumTLSVersion": "TLSv1.0"},
        "subhostname.example.com": {"NSExceptionMinimumTLSVersion": "TLSv1.1"},
        "deep.other.example.com": {"NSIncludesSubdomains": true, "NSExceptionMinimumTLSVersion": "TLSv1.3"}
    }}
    """

private let names: [PolicyCase] = [
    PolicyCase(entry("example.com"), "example.com", "\(secure) by example.com"),
    PolicyCase(entry("example.com"), "www.example.com", secure),
    PolicyCase(entry("example.com"), "com", isLocal: false, secure),
    PolicyCase(entry("example.com", subdomains), "www.example.com", "\(secure) by example.com"),
    PolicyCase(entry("example.com", subdomains), "example.com", "\(secure) by example.com"),
    PolicyCase(entry("example.com", subdomains), "notexample.com", secure),
    // Contradiction (a): documented, one more label.
    PolicyCase(
        entry("example.com", subdomains), "advanced.math.example.com", "\(secure) by example.com", documented: secure),
    PolicyCase(entry("com", subdomains), "a.b.example.com", "\(secure) by com", documented: secure),
    PolicyCase(entry("example.com", #""NSIncludesSubdomains": 1"#), "www.example.com", "\(secure) by example.com"),
    PolicyCase(entry("example.com", #""NSIncludesSubdomains": 2"#), "www.example.com", secure),
    PolicyCase(entry("example.com", #""NSIncludesSubdomains": "YES""#), "www.example.com", secure),
    // A nearer entry that does not include is passed by, and an exact one needs no flag.
    PolicyCase(nested, "subhostname.example.com", "tls TLSv1.1 ats checks by subhostname.example.com"),
    PolicyCase(
        nested, "another.subhostname.example.com", "tls TLSv1.0 ats checks by example.com", documented: secure),
    PolicyCase(
        nested, "test.another.subhostname.example.com", "tls TLSv1.0 ats checks by example.com", documented: secure),
    PolicyCase(nested, "x.deep.other.example.com", "tls TLSv1.3 ats checks by deep.other.example.com"),
    PolicyCase(nested, "other.example.com", "tls TLSv1.0 ats checks by example.com"),
    // Text, as it stands.
    PolicyCase(entry("Example.com"), "example.com", secure),
    PolicyCase(entry("example.com"), "EXAMPLE.com", secure),
    PolicyCase(entry("Example.com"), "Example.com", "\(secure) by Example.com"),
    PolicyCase(entry("example.com"), "example.com.", secure),
    PolicyCase(entry("example.com."), "example.com", secure),
    PolicyCase(entry("*.example.com", subdomains), "www.example.com", secure),
    PolicyCase(entry("example.com:443"), "example.com", secure),
    PolicyCase(entry("https://example.com"), "example.com", secure),
    PolicyCase(entry("", subdomains), "example.com", secure),
    PolicyCase(entry("", subdomains), "example.com.", secure),
]

private let keys: [PolicyCase] = [
    PolicyCase(
        entry("a.test", #""NSExceptionAllowsInsecureHTTPLoads": true"#), "a.test", "http TLSv1.2 ats by a.test"),
    PolicyCase(
        entry("a.test", #""NSExceptionAllowsInsecureHTTPLoads": 1"#), "a.test", "http TLSv1.2 ats by a.test"),
    PolicyCase(
        entry("a.test", #""NSExceptionAllowsInsecureHTTPLoads": "YES""#), "a.test",
        "tls TLSv1.2 ats checks by a.test"),
    PolicyCase(
        entry("a.test", #""NSExceptionRequiresForwardSecrecy": false"#), "a.test",
        "tls TLSv1.2 ats+compat checks by a.test"),
    PolicyCase(
        entry("a.test", #""NSExceptionRequiresForwardSecrecy": 2"#), "a.test",
        "tls TLSv1.2 ats+compat checks by a.test"),
    PolicyCase(
        entry("a.test", #""NSExceptionRequiresForwardSecrecy": "NO""#), "a.test",
        "tls TLSv1.2 ats checks by a.test"),
    PolicyCase(
        entry("a.test", #""NSExceptionRequiresForwardSecrecy": false, "NSExceptionAllowsInsecureHTTPLoads": true"#),
        "a.test", "http TLSv1.2 unrestricted by a.test"),
    PolicyCase(
        entry("a.test", #""NSTemporaryExceptionAllowsInsecureHTTPLoads": true"#), "a.test",
        "tls TLSv1.2 ats checks by a.test"),
    PolicyCase(
        entry("a.test", #""NSThirdPartyExceptionMinimumTLSVersion": "TLSv1.0""#), "a.test",
        "tls TLSv1.2 ats checks by a.test"),
    PolicyCase(
        entry("a.test", #""NSThirdPartyExceptionRequiresForwardSecrecy": false"#), "a.test",
        "tls TLSv1.2 ats checks by a.test"),
    PolicyCase(
        entry("a.test", #""NSRequiresCertificateTransparency": true"#), "a.test", "tls TLSv1.2 ats checks by a.test"),
    PolicyCase(entry("a.test", #""NSAllowsArbitraryLoads": true"#), "a.test", "tls TLSv1.2 ats checks by a.test"),
]

private let versions: [PolicyCase] = [
    ("TLSv1.0", "TLSv1.0", nil), ("TLSv1.1", "TLSv1.1", nil), ("TLSv1.2", "TLSv1.2", nil), ("TLSv1.3", "TLSv1.3", nil),
    ("DTLSv1.0", "DTLSv1.0", "TLSv1.2"), ("DTLSv1.2", "DTLSv1.2", "TLSv1.2"), ("DTLSv1.1", "TLSv1.2", nil),
    ("DTLSv1.3", "TLSv1.2", nil), ("TLSv1.4", "TLSv1.2", nil), ("TLSV1.3", "TLSv1.2", nil),
    ("TLSv1.00", "TLSv1.2", nil), ("1.0", "TLSv1.2", nil), (" TLSv1.0", "TLSv1.2", nil), ("TLSv1.0 ", "TLSv1.2", nil),
    ("TLSv1", "TLSv1.2", nil), ("SSLv3", "TLSv1.2", nil), ("", "TLSv1.2", nil),
].map { (text: String, engine: String, documented: String?) in
    PolicyCase(
        entry("a.test", #""NSExceptionMinimumTLSVersion": "\#(text)""#), "a.test", "tls \(engine) ats checks by a.test",
        documented: documented.map { "tls \($0) ats checks by a.test" })
}

private let precedence: [PolicyCase] = [
    // An exception takes the place of every global key, the empty one too.
    PolicyCase(
        #"{"NSAllowsArbitraryLoads": true, "NSExceptionDomains": {"example.com": {}}}"#, "example.com",
        "\(secure) by example.com"),
    PolicyCase(
        #"{"NSAllowsArbitraryLoads": true, "NSExceptionDomains": {"example.com": {}}}"#, "example.org", "alone"),
    PolicyCase(
        #"{"NSAllowsLocalNetworking": true, "NSExceptionDomains": {"printer": {}}}"#, "printer", isLocal: true,
        "\(secure) by printer"),
    PolicyCase(
        #"{"NSAllowsArbitraryLoadsForMedia": true, "NSExceptionDomains": {"example.com": {}}}"#, "example.com",
        client: .media, "\(secure) by example.com"),
    PolicyCase(
        #"{"NSAllowsArbitraryLoadsInWebContent": true, "NSExceptionDomains": {"example.com": {}}}"#, "example.com",
        client: .webContent, "\(secure) by example.com"),
    // The system's own exceptions.
    PolicyCase("", "apple.com", "http TLSv1.2 unrestricted by apple.com"),
    PolicyCase("{}", "www.apple.com", "http TLSv1.2 unrestricted by apple.com"),
    PolicyCase("{}", "ls.apple.com", "http TLSv1.0 unrestricted by ls.apple.com"),
    PolicyCase("{}", "x.gs.apple.com", "http TLSv1.0 unrestricted by gs.apple.com"),
    PolicyCase("{}", "geo.apple.com", "http TLSv1.0 unrestricted by geo.apple.com"),
    PolicyCase("{}", "is.autonavi.com", "http TLSv1.0 unrestricted by is.autonavi.com"),
    PolicyCase("{}", "autonavi.com", secure),
    PolicyCase("{}", "apple-mapkit.com", "http TLSv1.0 unrestricted by apple-mapkit.com"),
    PolicyCase("{}", "setup.icloud.com", "http TLSv1.2 unrestricted by setup.icloud.com"),
    PolicyCase("{}", "icloud.com", secure),
    PolicyCase(#"{"NSAllowsArbitraryLoads": true}"#, "apple.com", "http TLSv1.2 unrestricted by apple.com"),
    PolicyCase(entry("apple.com"), "apple.com", "\(secure) by apple.com"),
    PolicyCase(entry("apple.com"), "www.apple.com", secure),
    PolicyCase(entry("apple.com"), "gs.apple.com", "http TLSv1.0 unrestricted by gs.apple.com"),
    PolicyCase(
        #"{"NSExceptionDomains": {"apple.com": "YES"}}"#, "apple.com", "http TLSv1.2 unrestricted by apple.com"),
]

@Suite("Exceptions for names")
struct ExceptionTests {
    @Test("As Apple's engine has it", arguments: names + keys + versions + precedence)
    func engine(example: PolicyCase) throws {
        try example.check(.engine)
    }

    @Test("As Apple documents it", arguments: names + keys + versions + precedence)
    func documentation(example: PolicyCase) throws {
        try example.check(.documentation)
    }

    @Test("Of one name twice the last entry counts, and the loss is an issue")
    func duplicate() throws {
        let xml = """
            <plist><dict><key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict>
            <key>a.test</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>
            <key>a.test</key><dict/>
            </dict></dict></dict></plist>
            """
        let plist = try InfoPropertyList(Array(xml.utf8))
        let policy = ATSPolicy(plist)
        #expect(policy.requirements(for: ATSDestination(host: "a.test")).requiresTLS)
        #expect(plist.transportSecurity?.issues.map(\.kind) == [.duplicateKey])
        #expect(plist.transportSecurity?.issues.first?.position?.line == 3)
    }

    @Test("A number in place of the version leaves the default, and is an issue")
    func numberForVersion() throws {
        let dictionary = entry("a.test", #""NSExceptionMinimumTLSVersion": 1.0"#)
        try PolicyCase(dictionary, "a.test", "tls TLSv1.2 ats checks by a.test").check(.engine)
        let policy = try PolicyCase.policy(dictionary)
        #expect(policy.dictionary.issues.map(\.kind) == [.wrongType(expected: "a string", found: "a real number")])
    }

    @Test("Keys keep their least size without forward secrecy in the engine, and lose it as documented")
    func keySizes() throws {
        let dictionary = entry("a.test", #""NSExceptionRequiresForwardSecrecy": false"#)
        for (strictness, size) in [(ATSStrictness.engine, 2_048 as Int?), (.documentation, nil)] {
            let requirements = try PolicyCase.policy(dictionary, ATSSystem(.iOS, 26), strictness)
                .requirements(for: ATSDestination(host: "a.test"))
            #expect(requirements.minimumRSAKeySize == size)
            #expect((requirements.minimumECKeySize == nil) == (size == nil))
            #expect(requirements.requiresSHA256)
        }
    }

    @Test("A host of four thousand labels is looked up among long names in no time")
    func manyLabels() throws {
        var dictionary = ATSDictionary()
        dictionary.exceptionDomains = [ATSExceptionDomain(String(repeating: "b.", count: 4_000) + "com")]
        let host = String(repeating: "a.", count: 4_000) + "com"
        let policy = ATSPolicy(dictionary)
        let elapsed = ProcessorTime.measure {
            #expect(policy.requirements(for: ATSDestination(host: host)).requiresTLS)
        }
        #expect(elapsed < .seconds(5))
    }
}
