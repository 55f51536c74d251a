//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ConfigurationDocuments
import Testing

private let info = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
        <key>CFBundleName</key>
        <string>Example</string>
        <key>NSAppTransportSecurity</key>
        <dict>
            <key>NSAllowsArbitraryLoads</key>
            <true/>
            <key>NSAllowsLocalNetworking</key>
            <string>YES</string>
            <key>NSAllowArbitraryLoads</key>
            <true/>
            <key>NSExceptionDomains</key>
            <dict>
                <key>legacy.example.com</key>
                <dict>
                    <key>NSExceptionMinimumTLSVersion</key>
                    <string>TLSv1.0</string>
                    <key>NSExceptionAllowsInsecureHTTPLoads</key>
                    <integer>1</integer>
                    <key>NSAllowsLocalNetworking</key>
                    <true/>
                    <key>NSTemporaryExceptionMinimumTLSVersion</key>
                    <string>TLSv1.0</string>
                </dict>
                <key>broken.example.com</key>
                <string>TLSv1.0</string>
            </dict>
            <key>NSPinnedDomains</key>
            <dict>
                <key>pinned.example.com</key>
                <dict>
                    <key>NSPinnedLeafIdentities</key>
                    <array>
                        <dict><key>SPKI-SHA256-BASE64</key><string>AAAA</string></dict>
                        <dict/>
                    </array>
                </dict>
            </dict>
        </dict>
    </dict>
    </plist>
    """

private let unreadableFiles: [(String, String)] = [
    ("", "empty"), ("not a property list", "property list"), ("<plist><dict><key>a</key></dict></plist>", "value"),
    ("<plist><array/></plist>", "Info.plist"), ("[]", "Info.plist"), ("<plist/>", "empty"),
    ("<plist><dict>", ""), ("{\"a\": ", ""), ("{ NSAppTransportSecurity = { }; }", "plutil"),
    ("bplist00", ""), ("\u{0}", ""),
]

@Suite("Reading NSAppTransportSecurity")
struct InfoPropertyListTests {
    @Test("Every key has its line, and what was not understood is kept with its place")
    func positions() throws {
        let plist = try InfoPropertyList(Array(info.utf8))
        let dictionary = try #require(plist.transportSecurity)
        #expect(plist.otherKeys.map(\.value) == ["CFBundleName"])
        #expect(dictionary.position?.line == 7)
        #expect(dictionary.allowsArbitraryLoads == ATSEntry(.boolean(true), at: TextPosition(line: 9, column: 9)))
        #expect(dictionary.allowsLocalNetworking == nil)
        let legacy = try #require(dictionary.exceptionDomains.first)
        #expect(dictionary.exceptionDomains.count == 1 && legacy.position?.line == 17)
        #expect(legacy.minimumTLSVersion?.value == "TLSv1.0" && legacy.minimumTLSVersion?.position?.line == 19)
        #expect(legacy.allowsInsecureHTTPLoads?.value == .number(1))
        #expect(legacy.obsoleteKeys[.temporaryExceptionMinimumTLSVersion]??.line == 25)
        #expect(dictionary.pinnedDomains.first?.leafIdentities?.value.map(\.value) == ["AAAA"])
        let issues = dictionary.issues.map { "\($0.position?.line ?? 0) \($0.path.joined(separator: "/")) \($0.kind)" }
        #expect(
            issues == [
                "13 NSAllowArbitraryLoads unknownKey",
                #"12 NSAllowsLocalNetworking wrongType(expected: "a boolean", found: "a string")"#,
                "23 NSExceptionDomains/legacy.example.com/NSAllowsLocalNetworking misplacedKey("
                    + "AppTransportSecurity.ATSKey.allowsLocalNetworking)",
                "22 NSExceptionDomains/legacy.example.com/NSExceptionAllowsInsecureHTTPLoads numberForBoolean(1.0)",
                #"29 NSExceptionDomains/broken.example.com wrongType(expected: "a dictionary", found: "a string")"#,
                "38 NSPinnedDomains/pinned.example.com/NSPinnedLeafIdentities/1 pinWithoutDigest",
            ])
        #expect(dictionary.issues.allSatisfy { $0.consequence.hasSuffix(".") })
    }

    @Test(
        "What cannot be read is an error that says what to do, never an Info.plist without the key",
        arguments: unreadableFiles)
    func unreadable(text: String, word: String) throws {
        let error = try #require(throws: InfoPropertyListError.self) { try InfoPropertyList(Array(text.utf8)) }
        #expect(word.isEmpty || error.description.contains(word), "\(error)")
    }

    @Test("Without the key there is no dictionary, and all defaults hold")
    func absent() throws {
        let plist = try InfoPropertyList(Array(#"{"CFBundleName": "Example"}"#.utf8))
        #expect(plist.transportSecurity == nil)
        #expect(ATSPolicy(plist).requirements(for: ATSDestination(host: "example.com")).requiresTLS)
        #expect(try InfoPropertyList(Array("{}".utf8)).transportSecurity == nil)
    }

    @Test("Keys beside the section, or without one, count for nothing, and explanations say so")
    func misplaced() throws {
        for json in [
            #"{"NSAllowsArbitraryLoads": true}"#, #"{"CFBundleName": "Example", "NSAllowsArbitraryLoads": true}"#,
            #"{"NSAllowsArbitraryLoads": true, "NSAppTransportSecurity": {}}"#,
        ] {
            let plist = try InfoPropertyList(Array(json.utf8))
            #expect(plist.transportSecurity?.allowsArbitraryLoads == nil)
            let explanation = ATSPolicy(plist).explanation(for: ATSDestination(host: "example.com"))
            #expect(explanation.requirements.requiresTLS)
            #expect(explanation.ignoredKeys.map(\.path) == [["NSAllowsArbitraryLoads"]])
            #expect(explanation.ignoredKeys.first?.reason.contains("NSAppTransportSecurity") == true)
        }
    }

    @Test("What no dictionary is leaves nothing but an issue")
    func noDictionary() throws {
        let plist = try InfoPropertyList(Array(#"{"a": 1, "NSAppTransportSecurity": true}"#.utf8))
        #expect(
            plist.transportSecurity?.issues.map(\.kind) == [.wrongType(expected: "a dictionary", found: "a boolean")])
        #expect(ATSPolicy(plist).requirements(for: ATSDestination(host: "example.com")).requiresTLS)
    }

    @Test("A file that is not there, and a folder, are errors", arguments: ["/nonexistent/Info.plist", "/"])
    func noFile(path: String) {
        #expect(throws: InfoPropertyListError.self) { try InfoPropertyList(contentsOf: path) }
    }

    @Test("A million domains, and a million unknown keys, are refused or bounded")
    func size() throws {
        let domains = (0..<300_000).map { #""d\#($0).test":{}"# }.joined(separator: ",")
        #expect(throws: InfoPropertyListError.self) {
            try InfoPropertyList(Array(#"{"NSAppTransportSecurity":{"NSExceptionDomains":{\#(domains)}}}"#.utf8))
        }
        let keys = (0..<50_000).map { #""k\#($0)":1"# }.joined(separator: ",")
        let plist = try InfoPropertyList(Array(#"{"a":1,"NSAppTransportSecurity":{\#(keys)}}"#.utf8))
        #expect(plist.transportSecurity?.issues.count == 1_000)
    }

    @Test("Nesting bombs are refused", arguments: [100, 100_000])
    func depth(levels: Int) {
        let json = String(repeating: #"{"a":"#, count: levels) + "1" + String(repeating: "}", count: levels)
        #expect(throws: InfoPropertyListError.self) { try InfoPropertyList(Array(json.utf8)) }
        let xml = "<plist>" + String(repeating: "<array>", count: levels) + "</plist>"
        #expect(throws: InfoPropertyListError.self) { try InfoPropertyList(Array(xml.utf8)) }
    }

    @Test("A binary property list whose array holds itself is refused")
    func cycle() {
        // bplist00; object 0: an array of one element, which is object 0; its offset 8; the trailer.
        var bytes = Array("bplist00".utf8) + [0xA1, 0x00, 0x08]
        bytes += [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0]
        bytes += [0, 0, 0, 0, 0, 0, 0, 10]
        #expect(throws: InfoPropertyListError.self) { try InfoPropertyList(bytes) }
    }
}

@Suite("Explanations")
struct ExplanationTests {
    private func explanation(
        _ url: String, _ client: ATSClient = .app, on system: ATSSystem = .newest
    ) throws -> ATSExplanation {
        let plist = try InfoPropertyList(Array(info.utf8))
        return ATSPolicy(plist, configuration: .init(system: system))
            .explanation(for: try ATSDestination(url: url), client: client)
    }

    @Test("Each part names the key and the line that decided it")
    func exception() throws {
        let explanation = try self.explanation("https://legacy.example.com/path", on: ATSSystem(.iOS, 18))
        let decisions = explanation.decisions.map { decision in
            "\(decision.part.rawValue): \(decision.value) <- \(decision.path.last ?? "-"):\(decision.position?.line ?? 0)"
        }
        #expect(
            decisions == [
                "plain-http: allowed <- NSExceptionAllowsInsecureHTTPLoads:21",
                "tls-version: TLS 1.0 or newer <- NSExceptionMinimumTLSVersion:19",
                "cipher-suites: with forward secrecy <- legacy.example.com:17",
                "certificates: trusted, unless the app accepts it anyway <- NSExceptionAllowsInsecureHTTPLoads:21",
                "pins: none <- -:0",
            ])
        let ignored = explanation.ignoredKeys.map { "\($0.position?.line ?? 0) \($0.path.last ?? "")" }
        #expect(ignored.contains("9 NSAllowsArbitraryLoads"))
        #expect(ignored.contains("25 NSTemporaryExceptionMinimumTLSVersion"))
        #expect(ignored.contains("13 NSAllowArbitraryLoads"))
    }

    @Test("A version the system does not speak is said to be in vain")
    func version() throws {
        let explanation = try self.explanation("https://legacy.example.com", on: ATSSystem(.iOS, 26))
        #expect(explanation.decisions[1].value == "TLS 1.2 or newer")
        #expect(explanation.ignoredKeys.contains { $0.position?.line == 19 && $0.reason.contains("TLS 1.2") })
    }

    @Test("Where nothing decided, the default is named")
    func defaults() throws {
        let explanation = ATSPolicy(ATSDictionary()).explanation(for: ATSDestination(host: "example.com"))
        #expect(explanation.decisions.prefix(4).allSatisfy { $0.path.isEmpty && $0.reason == "It is the default." })
        #expect(explanation.ignoredKeys.isEmpty)
    }

    @Test("Entries passed by, and names whose case differs, are said to be so")
    func passedBy() throws {
        let policy = try PolicyCase.policy(
            #"{"NSExceptionDomains": {"example.com": {}, "WWW.example.com": {}}}"#)
        let reasons = policy.explanation(for: ATSDestination(host: "www.example.com")).ignoredKeys
        #expect(reasons.map { $0.path.last } == ["WWW.example.com", "example.com"])
        #expect(reasons[1].reason.contains("NSIncludesSubdomains"))
    }

    @Test("Where no key is looked at, the entry of the host is not said to be spelt otherwise")
    func unconcerned() throws {
        for (system, client, reason) in [
            (ATSSystem(.iOS, 8), ATSClient.app, "iOS 8 has no App Transport Security."),
            (.newest, .deviceManagement, "It does not concern the client."),
        ] {
            let policy = try PolicyCase.policy(
                #"{"NSExceptionDomains": {"www.example.com": {}, "example.com": {}}}"#, system)
            let ignored = policy.explanation(for: ATSDestination(host: "www.example.com"), client: client).ignoredKeys
            #expect(ignored.map(\.reason) == [reason] && ignored.first?.path.last == "www.example.com")
        }
    }

    @Test("Pins that a release does not read, or a client, are said not to count")
    func unreadPins() throws {
        let dictionary =
            #"{"NSPinnedDomains": {"example.com": {"NSPinnedLeafIdentities": []}, "a.test": {"NSPinnedLeafIdentities": []}}}"#
        for (system, client, reason, sentence) in [
            (
                ATSSystem(.iOS, 13), ATSClient.app, "It is read since iOS 14.",
                "NSPinnedDomains is read since iOS 14."
            ),
            (
                .newest, .deviceManagement, "It does not concern the client.",
                "NSPinnedDomains does not concern the client."
            ),
        ] {
            let explanation = try PolicyCase.policy(dictionary, system)
                .explanation(for: ATSDestination(host: "example.com"), client: client)
            #expect(explanation.decisions.last?.reason == sentence)
            #expect(explanation.ignoredKeys.map(\.path) == [["NSPinnedDomains", "example.com"]])
            #expect(explanation.ignoredKeys.map(\.reason) == [reason])
        }
    }

    @Test("A package of the host's own entry that is not read, or that is unknown, is said not to count")
    func package() throws {
        for (system, text, reason) in [
            (ATSSystem(.iOS, 26), "FCP_v2.1", "It is read since 26.4."),
            (.newest, "fcp_v2.1", "No package has this name."),
        ] {
            let policy = try PolicyCase.policy(
                #"{"NSExceptionDomains": {"a.test": {"NSExceptionRequiresNIAPTLSPackageVersion": "\#(text)"}}}"#, system
            )
            let ignored = policy.explanation(for: ATSDestination(host: "a.test")).ignoredKeys
            #expect(ignored.map(\.reason) == [reason])
            let path = ["NSExceptionDomains", "a.test", "NSExceptionRequiresNIAPTLSPackageVersion"]
            #expect(ignored.first?.path == path)
        }
    }

    @Test("Every decision has words", arguments: ATSClient.allCases)
    func clients(client: ATSClient) throws {
        for dictionary in [
            "{}", #"{"NSAllowsArbitraryLoads": true}"#, #"{"NSAllowsArbitraryLoadsForMedia": true}"#,
            #"{"NSAllowsArbitraryLoadsInWebContent": true}"#,
            #"{"NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": false}"#,
            #"{"NSRequiresNIAPTLSPackageVersion": "FCP_v2.1"}"#,
        ] {
            for (host, release) in [("example.com", 27), ("printer.local", 27), ("apple.com", 18), ("a.test", 8)] {
                let policy = try PolicyCase.policy(dictionary, ATSSystem(.iOS, release))
                let explanation = policy.explanation(for: ATSDestination(host: host), client: client)
                #expect(explanation.decisions.map(\.part) == ATSExplanation.Part.allCases)
                #expect(explanation.decisions.allSatisfy { $0.reason.hasSuffix(".") && !$0.value.isEmpty })
                #expect(
                    explanation.requirements
                        == policy.requirements(for: ATSDestination(host: host), client: client))
            }
        }
    }
}
