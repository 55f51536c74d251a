//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

private let alone =
    #"{"ats_checks":false,"forward_secrecy":null,"id":"1","matched_exception":null,"minimum_tls":null,"suites":null,"tls_required":false}"#

private func secure(by exception: String? = nil) -> String {
    let name = exception.map { "\"\($0)\"" } ?? "null"
    return
        #"{"ats_checks":true,"forward_secrecy":true,"id":"1","matched_exception":\#(name),"minimum_tls":"TLSv1.2","suites":"ats","tls_required":true}"#
}

private func entry(_ name: String, _ keys: String = "") -> String {
    #""plist":{"NSExceptionDomains":{"\#(name)":{\#(keys)}}}"#
}

private let subdomains = #""NSIncludesSubdomains":true"#

/// What is asked of the engine, the destination not local, and what it answers.
private let questions: [(String, String)] = [
    // Numbers that no Double holds are numbers, and none of them is 1.
    (#""plist":{"NSAllowsArbitraryLoads":1e400},"host":"a.test""#, secure()),
    (#""plist":{"NSAllowsArbitraryLoads":-1e400},"host":"a.test""#, secure()),
    (#""plist":{"NSAllowsArbitraryLoads":true,"NSAllowsArbitraryLoadsForMedia":1e400},"host":"a.test""#, secure()),
    (#""plist":{"NSAllowsArbitraryLoads":true,"unknown":[[1e999]]},"host":"a.test""#, alone),
    (#""plist":{"NSAllowsArbitraryLoads":18446744073709551617},"host":"a.test""#, secure()),
    (#""plist":{"NSAllowsArbitraryLoads":1e-400},"host":"a.test""#, secure()),
    (#""plist":{"NSAllowsArbitraryLoads":1e0},"host":"a.test""#, alone),
    (#""plist":{"NSAllowsArbitraryLoads":10e-1},"host":"a.test""#, alone),
    (#""plist":{"NSAllowsArbitraryLoads":null},"host":"a.test""#, secure()),
    (#""plist":{"NSAllowsArbitraryLoads":true,"NSAllowsLocalNetworking":null},"host":"a.test""#, alone),
    // A host is a name whatever it looks like, and an address none whatever it looks like.
    (#"\#(entry("10.0.0.0/8")),"host":"10.1.2.3""#, secure()),
    (#"\#(entry("10.0.0.0/8")),"address":"10.1.2.3""#, secure(by: "10.0.0.0/8")),
    (#"\#(entry("2.3", subdomains)),"host":"10.1.2.3""#, secure(by: "2.3")),
    (#"\#(entry("2.3", subdomains)),"address":"10.1.2.3""#, secure()),
    (#"\#(entry("2", subdomains)),"address":"1.2""#, secure()),
    (#"\#(entry("test", subdomains)),"address":"a.test""#, secure()),
    (#"\#(entry("1.2")),"address":"1.2""#, secure(by: "1.2")),
    (#"\#(entry("[::1]")),"host":"[::1]""#, secure(by: "[::1]")),
    (#"\#(entry("[::1]")),"address":"[::1]""#, secure(by: "[::1]")),
    (#"\#(entry("::1")),"address":"[::1]""#, secure()),
    (#"\#(entry("::/0")),"address":"[::1]""#, secure()),
    (#"\#(entry("::/0")),"address":"::1""#, secure(by: "::/0")),
    (#"\#(entry("fe80::/10")),"address":"fe80::1%en0""#, secure(by: "fe80::/10")),
    // Without a dictionary a process of WebKit is free; any dictionary overwrites that.
    (#""plist":null,"host":"a.test","client":"web""#, alone),
    (#""host":"a.test","client":"web""#, alone),
    (#""plist":{},"host":"a.test","client":"web""#, secure()),
    (#""plist":null,"host":"a.test","client":"media""#, secure()),
    (#""plist":null,"host":"a.test""#, secure()),
    (#""plist":null,"host":"a.test","client":"web","strict":"documentation""#, secure()),
    // What is no dictionary has no keys.
    (#""plist":{"NSExceptionDomains":1e400,"NSAllowsArbitraryLoads":true},"host":"a.test""#, alone),
    (#""plist":{"NSExceptionDomains":{"a.test":1e400}},"host":"a.test""#, secure()),
    (#""plist":{"NSExceptionDomains":{"apple.com":null}},"host":"a.test""#, secure()),
]

@Suite("Transport security in the line protocol", .limitedConcurrency)
struct ATSConformanceTests {
    private func answer(to question: String) throws -> String {
        let responder = ConformanceResponder(publicSuffixes: nil)
        let answer = responder.answer(to: Array(#"{"v":1,"id":"1",\#(question)}"#.utf8))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(answer), as: UTF8.self)
    }

    @Test("What the engine is asked is answered by the letter", arguments: questions)
    func engine(question: String, expected: String) throws {
        #expect(try self.answer(to: #""op":"ats","local":false,\#(question)"#) == expected)
    }

    @Test(
        "Pins are counted whatever else is in the dictionary",
        arguments: [
            (#"{"a.test":{"NSPinnedLeafIdentities":1e400}}"#, "null", "0"),
            (#"{"a.test":{"NSPinnedLeafIdentities":null,"NSIncludesSubdomains":1e400}}"#, "null", "0"),
            (#"{"a.test":{"NSPinnedCAIdentities":[1e400,{"SPKI-SHA256-BASE64":"AAAA"}]}}"#, "1", "null"),
            (#"{"a.test":1e400}"#, "null", "null"), ("1e400", "null", "null"), ("null", "null", "null"),
        ])
    func pins(domains: String, authorities: String, leaf: String) throws {
        let answer = try self.answer(to: #""op":"ats-pins","plist":{"NSPinnedDomains":\#(domains)},"host":"A.TEST.""#)
        let isPinned = authorities != "null" || leaf != "null"
        #expect(answer == #"{"ca_pins":\#(authorities),"id":"1","leaf_pins":\#(leaf),"pinned":\#(isPinned)}"#)
    }

    @Test(
        "Each question has its answer",
        arguments: [
            (
                #""op":"ats","plist":{"NSAllowsArbitraryLoads":true,"NSAllowsLocalNetworking":false},"host":"example.com","local":false,"client":"app""#,
                #"{"ats_checks":true,"forward_secrecy":true,"id":"1","matched_exception":null,"minimum_tls":"TLSv1.2","suites":"ats","tls_required":true}"#
            ),
            (
                #""op":"ats","plist":null,"host":"gs.apple.com""#,
                #"{"ats_checks":false,"forward_secrecy":false,"id":"1","matched_exception":"gs.apple.com","minimum_tls":"TLSv1.0","suites":"unrestricted","tls_required":false}"#
            ),
            (
                #""op":"ats","plist":{"NSAllowsArbitraryLoads":1},"host":"a.test","local":false"#,
                #"{"ats_checks":false,"forward_secrecy":null,"id":"1","matched_exception":null,"minimum_tls":null,"suites":null,"tls_required":false}"#
            ),
            (
                #""op":"ats","plist":{"NSExceptionDomains":{"10/8":{"NSExceptionMinimumTLSVersion":"DTLSv1.2"}}},"address":"10.9.8.7","local":true"#,
                #"{"ats_checks":true,"forward_secrecy":true,"id":"1","matched_exception":"10/8","minimum_tls":"DTLSv1.2","suites":"ats","tls_required":true}"#
            ),
            (
                #""op":"ats","strict":"documentation","plist":{"NSAllowsArbitraryLoads":true,"NSAllowsLocalNetworking":false},"host":"a.test","local":false"#,
                #"{"ats_checks":false,"forward_secrecy":null,"id":"1","matched_exception":null,"minimum_tls":null,"suites":null,"tls_required":false}"#
            ),
            (
                #""op":"ats-pins","plist":{"NSPinnedDomains":{"A.test":{"NSPinnedCAIdentities":[]}}},"host":"a.test.""#,
                #"{"ca_pins":0,"id":"1","leaf_pins":null,"pinned":true}"#
            ),
            (
                #""op":"ats-pins","plist":{},"host":"a.test""#,
                #"{"ca_pins":null,"id":"1","leaf_pins":null,"pinned":false}"#
            ),
            (#""op":"ats","plist":{}"#, #"{"detail":"no host and no address","id":"1","verdict":"unsupported"}"#),
            (
                #""op":"ats","plist":{},"host":"a","client":"management""#,
                #"{"detail":"unknown client","id":"1","verdict":"unsupported"}"#
            ),
        ])
    func answers(question: String, expected: String) throws {
        #expect(try self.answer(to: question) == expected)
    }
}
