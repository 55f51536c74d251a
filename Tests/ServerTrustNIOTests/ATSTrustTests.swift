//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import TestSupport
import Testing

@Suite(
    "App Transport Security on live connections: certificates and pins", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ATSTrustTests {
    @Test("Chains are refused unless the exception they need is there, and the program has them", arguments: chains)
    func chain(chain: ChainCase) async throws {
        let certificates = try chain.make()
        try await ATSTestServer.with(.init(greeting: "hello"), certificates) { server in
            for (dictionary, evaluator, expected) in chain.policies {
                let enforcement = try ATSFixture.enforcement(Self.filled(dictionary, certificates)) {
                    $0.evaluator = evaluator
                }
                let outcome = try await ATSTestClient.run(enforcement, port: server.port)
                let comment: Comment = "\(chain.name) under \(dictionary), \(evaluator != nil): \(outcome)"
                guard let expected else {
                    #expect(outcome.isAllowed, comment)
                    continue
                }
                #expect(outcome.error?.verdict.violations.map(\.code) == expected, comment)
                #expect(outcome.events.filter { $0 != .inactive } == [.notWritten, .error], comment)
            }
        }
    }

    @Test("Lists and responses that a program puts into a configuration count without a mode")
    func revocationByDefault() {
        let configuration = ServerTrustSettings(trust: .only([]))
        #expect(configuration.revocation.mode == .soft)
        #expect(configuration.revocation.fetchesWhatIsMissing == false)
    }

    @Test("What the program's own evaluator refuses is refused, with its reason")
    func evaluatorRefuses() async throws {
        let other = try TestAuthority().root.trustCertificate
        let enforcement = try ATSFixture.enforcement { $0.evaluator = ServerTrustEvaluator.anchored([other]) }
        try await ATSTestServer.with(.init(), try ATSFixture.rsa.get()) { server in
            let outcome = try await ATSTestClient.run(enforcement, port: server.port)
            #expect(outcome.error?.verdict.isAllowed == true)
            #expect((outcome.error?.cause as? ServerTrustFailure)?.code != nil)
            #expect(outcome.error?.description.hasPrefix("https://server.test:") == true)
            #expect(server.seen.received.isEmpty)
        }
    }

    @Test("A manager judges connections by its rules for the host and the port, and reports what is not pinned")
    func manager() async throws {
        let chain = try ATSFixture.rsa.get()
        let right = Pin(keyOf: try chain[0].trustCertificate)
        let wrong = Pin(keyOf: try TestAuthority().root.trustCertificate)
        try await ATSTestServer.with(.init(), chain) { server in
            let (reports, sink) = AsyncStream.makeStream(of: PinReport.self)
            var report = reports.makeAsyncIterator()
            let host = ATSTestClient.host
            let manager = try ServerTrustManager(
                evaluators: [host: .pins([wrong]), "\(host):\(server.port)": .pins([right])],
                reporter: PinReporter { sink.yield($0) })
            let enforcement = try ATSFixture.enforcement { $0.evaluator = manager }
            #expect(try await ATSTestClient.run(enforcement, port: server.port).isAllowed)
            try manager.setEvaluators([host: .pins([right]), "\(host):\(server.port)": .pins([wrong])])
            let refused = try await ATSTestClient.run(enforcement, port: server.port)
            #expect((refused.error?.cause as? ServerTrustFailure)?.code == "path-not-pinned")
            #expect(refused.events.filter { $0 != .inactive } == [.notWritten, .error])
            #expect(await report.next()?.port == server.port)
            try manager.setEvaluators(["other.test": .pins([right])])
            let unknown = try await ATSTestClient.run(enforcement, port: server.port)
            #expect((unknown.error?.cause as? ServerTrustFailure)?.code == "no-evaluator")
        }
    }

    @Test("Every connection is judged, also over one context")
    func everyConnection() async throws {
        let evaluator = CountingEvaluator()
        let enforcement = try ATSFixture.enforcement { $0.evaluator = evaluator }
        for version in 2...3 {
            try await ATSTestServer.with(.init(versions: version...version), try ATSFixture.rsa.get()) { server in
                evaluator.count.withLock { $0 = 0 }
                let outcomes = [
                    try await ATSTestClient.run(enforcement, port: server.port),
                    try await ATSTestClient.run(enforcement, port: server.port),
                ]
                #expect(outcomes.map(\.isAllowed) == [true, false])
                #expect(evaluator.count.withLock { $0 } == 2)
            }
        }
    }

    @Test("An address is no name to ask for, and is what the certificate must be for", arguments: [true, false])
    func address(isInCertificate: Bool) async throws {
        let chain = try ATSFixture.chain(.p256) { $0.ipAddresses = isInCertificate ? ["127.0.0.1"] : [] }
        let enforcement = try ATSFixture.enforcement()
        try await ATSTestServer.with(.init(), chain) { server in
            let outcome = try await ATSTestClient.run(enforcement, port: server.port, host: "127.0.0.1")
            #expect(outcome.isAllowed == isInCertificate)
            #expect(outcome.stream == (isInCertificate ? nil : -9843))
        }
    }

    @Test("A name with a dot at its end is the same name")
    func finalDot() async throws {
        let enforcement = try ATSFixture.enforcement()
        try await ATSTestServer.with(.init(), try ATSFixture.rsa.get()) { server in
            let outcome = try await ATSTestClient.run(enforcement, port: server.port, host: "server.test.")
            #expect(outcome.isAllowed)
        }
    }

    @Test("More certificates than are accepted are not looked at")
    func tooMany() async throws {
        let chain = try ATSFixture.rsa.get()
        let enforcement = try ATSFixture.enforcement { $0.maximumCertificateCount = 5 }
        try await ATSTestServer.with(.init(), chain + Array(repeating: chain[1], count: 4)) { server in
            let outcome = try await ATSTestClient.run(enforcement, port: server.port)
            #expect(outcome.code == "limit-exceeded")
            #expect(outcome.error.map { "\($0.cause.map { "\($0)" } ?? "")" }?.contains("more certificates") == true)
        }
    }

    /// With the pins of a chain in place of words.
    private static func filled(_ dictionary: String, _ chain: [TestCertificate]) throws -> String {
        var text = dictionary
        let pins = [
            "LEAF": try chain[0].pin, "AUTHORITY": try ATSFixture.intermediate.get().pin,
            "ROOT": try ATSFixture.authority.get().root.pin, "OTHER": Pin(try TestPrivateKey(.p256).publicKey),
        ]
        for (word, pin) in pins { text = text.replacing(word, with: "\(pin)".replacing("sha256/", with: "")) }
        return text
    }
}

/// Trusts the first server it is asked about.
private final class CountingEvaluator: ServerTrustEvaluating {
    let count = Mutex(0)

    func evaluate(_ trust: Trust, forHost host: String) -> ServerTrustDecision {
        let count = self.count.withLock { count in
            count += 1
            return count
        }
        guard count > 1 else { return .trusted(trust.evaluate()) }
        return .refused(ServerTrustFailure(TooOften(), forHost: host))
    }

    private struct TooOften: Error {}
}

/// A chain, and under which policy and with which evaluator it is refused for what; `nil` where it is let through.
struct ChainCase: Sendable, CustomTestStringConvertible {
    typealias Policy = (dictionary: String, evaluator: (any ServerTrustEvaluating)?, violations: [String]?)

    let name: String
    let make: @Sendable () throws -> [TestCertificate]
    let policies: [Policy]

    init(_ name: String, _ make: @escaping @Sendable () throws -> [TestCertificate], policies: [Policy]) {
        self.name = name
        self.make = make
        self.policies = policies
    }

    var testDescription: String { self.name }
}

private let accepting = ServerTrustEvaluator.dangerouslyDisabled
private let insecure = ATSFixture.exception(#""NSExceptionAllowsInsecureHTTPLoads": true"#)
private let noPFS = ATSFixture.exception(#""NSExceptionRequiresForwardSecrecy": false"#)
private let everything = #"{"NSAllowsArbitraryLoads": true}"#

/// What a program accepts counts where App Transport Security leaves the chain to it, and nowhere else.
private func refused(_ codes: [String], alone: [String]) -> [ChainCase.Policy] {
    [
        ("{}", nil, codes), ("{}", accepting, codes), (noPFS, nil, codes), (noPFS, accepting, codes),
        (insecure, nil, codes), (everything, nil, alone), (insecure, accepting, nil), (everything, accepting, nil),
    ]
}

private let chains: [ChainCase] = [
    ChainCase(
        "RSA-1024", { try ATSFixture.chain(.rsa1024) },
        policies: refused(["untrusted", "key-too-small"], alone: ["untrusted"])),
    ChainCase(
        "a leaf signed over SHA-1", { try ATSFixture.chain(.rsa2048) { $0.signatureHash = .sha1 } },
        policies: refused(["untrusted", "leaf-digest"], alone: ["untrusted"])),
    ChainCase(
        "an intermediate signed over SHA-1",
        {
            var description = CertificateDescription.intermediate()
            (description.signatureHash, description.keyKind) = (.sha1, .p256)
            let weak = try ATSFixture.authority.get().issue(description)
            return [try ATSFixture.authority.get().issue(.leaf(dnsNames: [ATSTestClient.host]), by: weak), weak]
        },
        policies: refused(["untrusted", "issuer-digest"], alone: ["untrusted"])),
    ChainCase(
        "another host", { try ATSFixture.chain(.p256) { $0.dnsNames = ["other.test"] } },
        policies: refused(["untrusted"], alone: ["untrusted"])),
    ChainCase(
        "expired",
        { try ATSFixture.chain(.p256) { $0.setValidity(from: .seconds(-20 * 86_400), lasting: .seconds(86_400)) } },
        policies: refused(["untrusted"], alone: ["untrusted"])),
    ChainCase(
        "self-signed",
        { [try ATSFixture.authority.get().selfSigned(.leaf(dnsNames: [ATSTestClient.host]))] },
        policies: refused(["untrusted"], alone: ["untrusted"])),
    ChainCase(
        "another authority",
        {
            let other = try TestAuthority()
            let intermediate = try other.issue(.intermediate())
            return [try other.issue(.leaf(dnsNames: [ATSTestClient.host]), by: intermediate), intermediate]
        },
        policies: refused(["untrusted"], alone: ["untrusted"])),
    ChainCase("P-256", { try ATSFixture.ecdsa.get() }, policies: [("{}", nil, nil), (insecure, accepting, nil)]),
    ChainCase("pins", { try ATSFixture.rsa.get() }, policies: pinned),
]

private func pins(_ leaf: String?, _ authority: String?, _ more: String = "") -> String {
    let keys = [("NSPinnedLeafIdentities", leaf), ("NSPinnedCAIdentities", authority)].compactMap { key, pin in
        pin.map { #""\#(key)": [{"SPKI-SHA256-BASE64": "\#($0)"}]"# }
    }
    return #"{\#(more)"NSPinnedDomains": {"HOST": {\#(keys.joined(separator: ", "))}}}"#
}

/// Pins hold whatever the program accepts, and also where App Transport Security leaves the connection alone.
private let pinned: [ChainCase.Policy] = [
    (pins("OTHER", nil), nil, ["leaf-not-pinned"]),
    (pins("OTHER", nil), accepting, ["leaf-not-pinned"]),
    (pins(nil, "OTHER"), nil, ["authority-not-pinned"]),
    (pins("LEAF", "OTHER"), nil, ["authority-not-pinned"]),
    (pins("OTHER", "ROOT"), nil, ["leaf-not-pinned"]),
    (pins("OTHER", nil, #""NSAllowsArbitraryLoads": true, "#), nil, ["leaf-not-pinned"]),
    (pins("OTHER", nil, #""NSAllowsArbitraryLoads": true, "#), accepting, ["leaf-not-pinned"]),
    (pins("AUTHORITY", nil), nil, ["leaf-not-pinned"]),
    (pins(nil, "LEAF"), nil, ["authority-not-pinned"]),
    (pins("LEAF", nil), nil, nil),
    (pins(nil, "AUTHORITY"), nil, nil),
    (pins(nil, "ROOT"), nil, nil),
    (pins("LEAF", "AUTHORITY"), nil, nil),
    (pins("LEAF", nil, #""NSAllowsArbitraryLoads": true, "#), nil, nil),
]
