//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Testing

/// Two entries for the same addresses, and what holds of them in either order.
private struct SpellingCase: Sendable, CustomTestStringConvertible {
    let first: String
    let second: String
    let address: String
    let engine: String
    let documentation: String

    init(_ first: String, _ second: String, _ engine: String, documented: String, at address: String = "10.1.2.3") {
        self.first = first
        self.second = second
        self.address = address
        self.engine = engine
        self.documentation = documented
    }

    var testDescription: String { "\(self.first), \(self.second)" }
}

private let plain = #"{"NSExceptionAllowsInsecureHTTPLoads": true}"#
private let legacy = #"{"NSExceptionMinimumTLSVersion": "TLSv1.0", "NSExceptionRequiresForwardSecrecy": false}"#
private let modern =
    #"{"NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionMinimumTLSVersion": "TLSv1.3"}"#
private let unmet = #"{"NSExceptionMinimumTLSVersion": "DTLSv1.2"}"#

private let cases: [SpellingCase] = [
    SpellingCase(
        #""10.0.0.0/8": {}"#, #""10/8": \#(plain)"#, "tls TLSv1.2 ats checks by 10.0.0.0/8",
        documented: "tls TLSv1.2 ats checks by 10.0.0.0/8"),
    SpellingCase(
        #""10.0.0.0/8": \#(plain)"#, #""10.9.9.9/8": {}"#, "tls TLSv1.2 ats checks by 10.9.9.9/8",
        documented: "tls TLSv1.2 ats checks by 10.9.9.9/8"),
    SpellingCase(
        #""10.0.0.0/8": \#(legacy)"#, #""10.0/8": {}"#, "tls TLSv1.2 ats checks by 10.0/8",
        documented: "tls TLSv1.0 ats+compat checks by 10.0.0.0/8"),
    // Neither is the stricter in all of it: the strictest of both holds.
    SpellingCase(
        #""10.0.0.0/8": \#(modern)"#, #""10.0.0.1/8": \#(legacy)"#, "tls TLSv1.3 ats checks by 10.0.0.1/8",
        documented: "tls TLSv1.3 ats checks by 10.0.0.1/8"),
    SpellingCase(
        #""10.0.0.0/8": \#(unmet)"#, #""10/8": \#(legacy)"#, "tls DTLSv1.2 ats checks by 10.0.0.0/8",
        documented: "tls TLSv1.2 ats checks by 10.0.0.0/8"),
    // As documented, addresses are compared as such.
    SpellingCase(
        #""2001:db8::1": \#(plain)"#, #""2001:DB8::1": {}"#, "http TLSv1.2 ats by 2001:db8::1",
        documented: "tls TLSv1.2 ats checks by 2001:DB8::1", at: "2001:db8::1"),
]

@Suite("Several spellings of the same addresses")
struct AddressSpellingTests {
    @Test("The strictest of what they say holds, whatever the order of the file", arguments: cases, [true, false])
    private func strictest(example: SpellingCase, isInOrder: Bool) throws {
        let entries = isInOrder ? [example.first, example.second] : [example.second, example.first]
        let dictionary = #"{"NSExceptionDomains": {\#(entries.joined(separator: ", "))}}"#
        let policy = PolicyCase(dictionary, example.address, example.engine, documented: example.documentation)
        try policy.check(.engine)
        try policy.check(.documentation)
    }

    @Test("Of several entries with one name the last counts, and no other does")
    func names() {
        var dictionary = ATSDictionary()
        dictionary.exceptionDomains = ["10/8", "10.0.0.0/8", "10/8"].map { ATSExceptionDomain($0) }
        for index in 1...2 { dictionary.exceptionDomains[index].allowsInsecureHTTPLoads = true }
        let destination = ATSDestination(host: "10.1.2.3", isLocal: false)
        let requirements = ATSPolicy(dictionary).requirements(for: destination)
        #expect(!requirements.requiresTLS && requirements.exception?.name == "10/8")
    }

    @Test("The other spelling is among what did not count, and every key that holds is the one that says so")
    func explanation() throws {
        let policy = try PolicyCase.policy(
            #"{"NSExceptionDomains": {"10.0.0.0/8": \#(legacy), "10/8": \#(modern)}}"#)
        let explanation = policy.explanation(for: ATSDestination(host: "10.1.2.3", isLocal: false))
        #expect(explanation.requirements.exception?.name == "10.0.0.0/8")
        let ignored = try #require(explanation.ignoredKeys.first { $0.path == ["NSExceptionDomains", "10/8"] })
        #expect(ignored.reason.hasPrefix("It is for the same addresses as 10.0.0.0/8, and which of them counts is not"))
        let version = try #require(explanation.decisions.first { $0.part == .version })
        #expect(version.path == ["NSExceptionDomains", "10/8", "NSExceptionMinimumTLSVersion"])
        #expect(version.value == "TLS 1.3 or newer" && version.reason == "The exception says so.")
        let other = policy.explanation(for: ATSDestination(host: "11.1.2.3", isLocal: false))
        #expect(other.ignoredKeys.isEmpty)
    }
}
