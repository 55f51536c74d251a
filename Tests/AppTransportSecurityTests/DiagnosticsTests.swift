//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import TLSWire
import Testing

/// Servers, by what they complete, and the tests that pass.
private struct MatrixCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let handshakes: [(TLSProtocolVersion, UInt16)]
    /// The numbers of the tests that pass on iOS 18, and on iOS 26.
    let passed: Set<Int>
    let passedOn26: Set<Int>

    init(
        _ name: String, _ handshakes: [(TLSProtocolVersion, UInt16)], _ passed: Set<Int>, on26: Set<Int>? = nil
    ) {
        self.testDescription = name
        self.handshakes = handshakes
        self.passed = passed
        self.passedOn26 = on26 ?? passed
    }
}

private let all = Set(1...16)

private let matrix: [MatrixCase] = [
    MatrixCase("modern", [(.tls13, 0x1301), (.tls12, 0xC02B)], all),
    MatrixCase("1.3 only", [(.tls13, 0x1303)], all),
    MatrixCase("1.2 only", [(.tls12, 0xC02B)], all.subtracting([3, 9, 13])),
    MatrixCase("1.2 with static RSA only", [(.tls12, 0x009D)], [2, 7, 8, 10, 11, 12, 14, 15, 16]),
    MatrixCase("1.2 with CBC over SHA-256 only", [(.tls12, 0xC027)], []),
    MatrixCase("1.1 only", [(.tls11, 0xC013)], [2, 5, 6, 11, 12, 15, 16], on26: []),
    MatrixCase("1.0 with static RSA only", [(.tls10, 0x002F)], [2, 12, 16], on26: []),
    MatrixCase("1.0 and 1.1", [(.tls11, 0x002F), (.tls10, 0xC013)], [2, 11, 12, 15, 16], on26: []),
    MatrixCase("nothing", [], []),
]

@Suite("The diagnostic matrix")
struct DiagnosticsTests {
    private func facts(_ handshakes: [(TLSProtocolVersion, UInt16)], trust: TrustResult?) -> ATSServerFacts {
        ATSServerFacts(
            handshakes: handshakes.map {
                ATSServerFacts.Handshake(
                    $0.0, CipherSuite(rawValue: $0.1), usesExtendedMasterSecret: true, trust: trust)
            })
    }

    private func trust(host: String = "a.test") throws -> TrustResult {
        try #require(TestChain.good).trust(ATSRequirements(), host: host)
    }

    @Test("Every row passes for the servers it should", arguments: matrix, [18, 26])
    private func rows(example: MatrixCase, release: Int) throws {
        let diagnostics = ATSDiagnostics(
            host: "a.test", facts: self.facts(example.handshakes, trust: try self.trust()),
            configuration: .init(system: ATSSystem(.iOS, release)))
        let passed = Set(diagnostics.rows.filter(\.isPassed).map(\.test.number))
        #expect(passed == (release == 18 ? example.passed : example.passedOn26))
    }

    @Test("The rows are nscurl's, in its order and under its titles")
    func titles() {
        let rows = ATSDiagnostics(host: "h.test", facts: ATSServerFacts(handshakes: [])).rows
        let expected = [
            "Default ATS Secure Connection|ATS Default Connection", "Allowing Arbitrary Loads|Allow All Loads",
            "Configuring TLS exceptions for h.test|TLSv1.3", "Configuring TLS exceptions for h.test|TLSv1.2",
            "Configuring TLS exceptions for h.test|TLSv1.1", "Configuring TLS exceptions for h.test|TLSv1.0",
            "Configuring PFS exceptions for h.test|Disabling Perfect Forward Secrecy",
            "Configuring PFS exceptions and allowing insecure HTTP for h.test|"
                + "Disabling Perfect Forward Secrecy and Allowing Insecure HTTP",
            "Configuring TLS exceptions with PFS disabled for h.test|TLSv1.3 with PFS disabled",
            "Configuring TLS exceptions with PFS disabled for h.test|TLSv1.2 with PFS disabled",
            "Configuring TLS exceptions with PFS disabled for h.test|TLSv1.1 with PFS disabled",
            "Configuring TLS exceptions with PFS disabled for h.test|TLSv1.0 with PFS disabled",
            "Configuring TLS exceptions with PFS disabled and insecure HTTP allowed for h.test|"
                + "TLSv1.3 with PFS disabled and insecure HTTP allowed",
            "Configuring TLS exceptions with PFS disabled and insecure HTTP allowed for h.test|"
                + "TLSv1.2 with PFS disabled and insecure HTTP allowed",
            "Configuring TLS exceptions with PFS disabled and insecure HTTP allowed for h.test|"
                + "TLSv1.1 with PFS disabled and insecure HTTP allowed",
            "Configuring TLS exceptions with PFS disabled and insecure HTTP allowed for h.test|"
                + "TLSv1.0 with PFS disabled and insecure HTTP allowed",
            "Configuring NIAP TLS package requirements for h.test|FCP_v2.1",
        ]
        #expect(rows.map { "\($0.test.section)|\($0.test.title)" } == expected)
        #expect(rows.map(\.test.number) == Array(1...17))
        #expect(rows.allSatisfy { !$0.isPassed })
    }

    @Test("Where NIAP's keys mean nothing there is no row for them")
    func withoutNIAP() {
        let configuration = ATSPolicy.Configuration(system: ATSSystem(.macOS, 15))
        #expect(
            ATSDiagnostics(host: "h.test", facts: ATSServerFacts(handshakes: []), configuration: configuration).rows
                .count == 16)
    }

    @Test("FCP_v2.1 is a row of its own, that CBC, ChaCha20 and a missing master secret fail")
    func fcp() throws {
        let trust = try self.trust()
        for (suite, secret, isPassed) in [
            (UInt16(0xC02B), true, true), (0xC02B, false, false), (0xC009, true, false), (0xCCA9, true, false),
        ] {
            let handshake = ATSServerFacts.Handshake(
                .tls12, CipherSuite(rawValue: suite), usesExtendedMasterSecret: secret, trust: trust)
            let rows = ATSDiagnostics(host: "a.test", facts: ATSServerFacts(handshakes: [handshake])).rows
            #expect(rows.last?.isPassed == isPassed)
            #expect(rows.first?.isPassed == true)
        }
    }

    @Test("Of several suites the one the server prefers counts, in the newest version both speak")
    func preference() throws {
        let trust = try self.trust()
        let facts = self.facts([(.tls12, 0x009D), (.tls12, 0xC02B), (.tls11, 0xC013)], trust: trust)
        let policy = ATSPolicy(ATSDictionary())
        let requirements = policy.requirements(for: ATSDestination(host: "a.test"))
        #expect(facts.connection(offering: requirements).cipherSuite?.rawValue == 0xC02B)
        #expect(facts.connection(offering: ATSRequirements()).cipherSuite?.rawValue == 0x009D)
        #expect(facts.connection(offering: ATSRequirements()).version == .tls12)
    }

    @Test("A server of old versions answers protocol_version, one of other suites handshake_failure")
    func answers() throws {
        let trust = try self.trust()
        let policy = ATSPolicy(ATSDictionary())
        let destination = ATSDestination(host: "a.test")
        let old = policy.verdict(on: self.facts([(.tls11, 0xC013)], trust: trust), at: destination)
        #expect(old.streamError?.rawValue == -9836 && old.urlError?.rawValue == -1200)
        let other = policy.verdict(on: self.facts([(.tls12, 0xC027)], trust: trust), at: destination)
        #expect(other.streamError?.rawValue == -9824)
    }

    @Test("Trust fails every row, and no exception is suggested")
    func untrusted() throws {
        let facts = self.facts([(.tls13, 0x1301)], trust: try self.trust(host: "b.test"))
        let diagnostics = ATSDiagnostics(host: "a.test", facts: facts)
        #expect(diagnostics.rows.allSatisfy { !$0.isPassed && $0.verdict.urlError?.rawValue == -1202 })
        #expect(diagnostics.conclusion == .notTransportSecurity)
    }

    @Test("A redirect to http fails the rows that demand TLS of it")
    func redirect() throws {
        var facts = self.facts([(.tls13, 0x1301)], trust: try self.trust())
        facts.redirects = [ATSDestination(host: "a.test"), ATSDestination(host: "a.test", scheme: .http)]
        let rows = ATSDiagnostics(host: "a.test", facts: facts).rows
        #expect(rows.filter(\.isPassed).map(\.test.number) == [2, 8, 13, 14, 15, 16])
        #expect(rows.first?.verdict.urlError?.rawValue == -1022)
    }

    @Test("A redirect to another server passes where that one does, by the rules for its host, and is else not known")
    func otherServers() throws {
        var facts = self.facts([(.tls13, 0x1301)], trust: try self.trust())
        let other = ATSDestination(host: "b.test", port: 8_443)
        facts.redirects = [ATSDestination(host: "a.test"), other]
        #expect(ATSDiagnostics(host: "a.test", facts: facts).rows.allSatisfy { $0.outcome == .unknown })
        facts.redirectServers[other] = self.facts([(.tls12, 0xC02F)], trust: try self.trust())
        #expect(ATSDiagnostics(host: "a.test", facts: facts).rows.filter { !$0.isPassed }.map(\.test.number) == [])
        facts.redirectServers[other] = self.facts([(.tls12, 0x009C)], trust: try self.trust())
        // Exceptions for the one host are none for the other; only allowing everything is.
        let rows = ATSDiagnostics(host: "a.test", facts: facts).rows
        #expect(rows.filter(\.isPassed).map(\.test.number) == [2])
        #expect(rows[0].verdict.primary?.redirect == other)
        #expect(rows[0].verdict.primary?.message.hasPrefix("After the redirect to https://b.test:8443: ") == true)
    }

    @Test("The conclusion is the least that helps")
    func conclusions() throws {
        let trust = try self.trust()
        for (handshakes, conclusion) in [
            ([(.tls13, 0x1301)], .compliant), ([(.tls12, 0x009D)], .needsException(test: 7)),
            ([(.tls11, 0xC013)], .needsException(test: 5)), ([(.tls10, 0x002F)], .needsException(test: 12)),
            ([], .notTransportSecurity),
        ] as [([(TLSProtocolVersion, UInt16)], ATSConclusion)] {
            let diagnostics = ATSDiagnostics(
                host: "a.test", facts: self.facts(handshakes, trust: trust),
                configuration: .init(system: ATSSystem(.iOS, 18)))
            #expect(diagnostics.conclusion == conclusion)
        }
    }

    @Test("Dictionaries describe themselves as Objective-C's do")
    func descriptions() {
        let tests = ATSDiagnosticTest.tests(host: "example.com")
        #expect(tests[0].dictionary.objectiveCDescription == "{\n}")
        #expect(tests[1].dictionary.objectiveCDescription == "{\n    NSAllowsArbitraryLoads = true;\n}")
        let expected = """
            {
                NSExceptionDomains =     {
                    "example.com" =         {
                        NSExceptionAllowsInsecureHTTPLoads = true;
                        NSExceptionMinimumTLSVersion = "TLSv1.3";
                        NSExceptionRequiresForwardSecrecy = false;
                    };
                };
            }
            """
        #expect(tests[12].dictionary.objectiveCDescription == expected)
    }
}
