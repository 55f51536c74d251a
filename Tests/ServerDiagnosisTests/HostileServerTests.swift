//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerDiagnosis
import ServerTrustNIO
import TLSProbe
import TLSWire
import TestSupport
import Testing

private let hello = ScriptedServer.hello(.tls12, CipherSuite(rawValue: 0xC02F))
private let hundred = ScriptedServer.certificate((0..<100).map { [0x30, UInt8($0)] })
private let flight = ScriptedServer.record(hello + hundred + ScriptedServer.done)

/// What servers do to a client that connects, and the codes of why nothing came of it.
private let hostileServers: [(name: String, behaviour: RawServer.Behaviour, failures: Set<String>)] = [
    ("silence", .silent, ["timed-out-silent"]),
    ("closing at once", .close, ["closed", "reset"]),
    ("resetting at once", .reset, ["reset", "closed"]),
    ("plain HTTP", .answer(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)), ["not-tls"]),
    ("garbage", .answerAndClose([0xFF, 0, 0x80, 1, 2, 3]), ["not-tls"]),
    ("a hello of 16 MB", .answer(ScriptedServer.record([2, 0xFF, 0xFF, 0xFF, 0])), ["limit-exceeded"]),
    (
        "endless records", .endless(ScriptedServer.record([UInt8](repeating: 0, count: 16_384))),
        ["limit-exceeded"]
    ),
    ("endless warnings", .endless(ScriptedServer.alert(90, level: 1)), ["malformed"]),
    ("endless text", .endless([UInt8](repeating: 0x41, count: 65_536)), ["not-tls"]),
    ("empty records", .endless([22, 3, 3, 0, 0]), ["malformed"]),
    ("one octet now and then", .slow(flight, every: .milliseconds(150)), ["timed-out-under-way"]),
    ("half a record", .answer([22, 3, 3]), ["timed-out-under-way"]),
    ("half a record, and closing", .answerAndClose([22, 3, 3]), ["closed", "reset"]),
    ("an error", .answer(ScriptedServer.alert(80)), ["inconclusive-alert"]),
]

extension Prober.Configuration {
    /// Time enough for every server that answers.
    static var patient: Self {
        var configuration = Self()
        configuration.timeout = .seconds(10)
        return configuration
    }

    /// Time enough for a server to begin to answer.
    static var unhurried: Self {
        var configuration = Self.hasty
        configuration.timeout = .seconds(3)
        configuration.timeoutPerHost = .seconds(60)
        return configuration
    }

    /// Little time, so that hostile servers cost little.
    static var hasty: Self {
        var configuration = Self()
        configuration.timeout = .milliseconds(400)
        configuration.timeoutPerHost = .seconds(10)
        return configuration
    }
}

extension Prober {
    /// What is found out about a server on this machine.
    func facts(_ port: Int, _ plan: ProbePlan, host: String = "server.test") async throws -> ServerFacts {
        let endpoint = try TLSEndpoint(host: host, port: port, connectAddress: "127.0.0.1")
        return await self.facts(about: endpoint, plan: plan)
    }
}

@Suite("Probing hostile servers", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HostileServerTests {
    @Test("Whatever a server does, it costs little time, and the facts say what it did", arguments: hostileServers)
    func bounded(name: String, behaviour: RawServer.Behaviour, failures: Set<String>) async throws {
        // Who answers at all is given the time to, on whatever machine this runs.
        let configuration: Prober.Configuration =
            failures == ["timed-out-silent"] ? .hasty : failures == ["timed-out-under-way"] ? .unhurried : .patient
        for plan in ProbePlan.allCases {
            try await RawServer.with(behaviour) { server in
                let start = ContinuousClock.now
                let facts = try await Prober(configuration).facts(server.port, plan)
                #expect(ContinuousClock.now - start < .seconds(60), "\(plan)")
                #expect(!facts.speaksTLS && facts.chains.isEmpty)
                #expect(failures.contains(facts.failure?.code ?? ""), "\(plan): \(String(describing: facts.failure))")
                #expect(facts.effort.connections <= 14 && facts.effort.duration > .zero)
                #expect(try await server.isIdle(), "\(plan)")
                #expect(facts.versions.allSatisfy { if case .unknown = $0.support { true } else { false } })
            }
        }
    }

    @Test("What is not TLS is quoted in the server's words, whichever connection met it", arguments: ProbePlan.allCases)
    func words(plan: ProbePlan) async throws {
        try await RawServer.with(.answer(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))) { server in
            let facts = try await Prober(.patient).facts(server.port, plan)
            guard case .notTLS(let beginning) = facts.failure else {
                Issue.record("\(String(describing: facts.failure))")
                return
            }
            #expect(beginning.hasPrefix("HTTP/1.1 400 Bad Request") && !beginning.contains("TLS"))
        }
    }

    @Test("Numbers that mean nothing are as little as there can be, or as much")
    func nonsense() async throws {
        var configuration = Prober.Configuration()
        (configuration.retries, configuration.connectionsPerHost, configuration.maximumConnections) = (-1, -1, 0)
        configuration.connectionsPerSecond = .nan
        let port = try await RawServer.with(.silent) { $0.port }
        for time in [Duration.seconds(Int64.max), .seconds(Int64.min), .zero] {
            (configuration.timeout, configuration.timeoutPerHost) = (time, time)
            let facts = try await Prober(configuration).facts(port, .ats)
            #expect(facts.failure == (time > .zero ? .connectionRefused : .exhausted) && facts.effort.retries == 0)
        }
    }

    @Test("A flood after an alert is not listened to")
    func flood() async throws {
        let flood = ScriptedServer.alert(40) + [UInt8](repeating: 0xFF, count: 8 << 20)
        try await RawServer.with(.answer(flood)) { server in
            let facts = try await Prober(.patient).facts(server.port, .standard)
            #expect(facts.failure == nil && !facts.speaksTLS)
            #expect(facts.support(of: .tls12) == .refused(.alert(TLSAlertDescription(rawValue: 40))))
            #expect(try await server.isIdle())
        }
    }

    @Test("A chain of a hundred certificates is taken, and told of")
    func longChain() async throws {
        try await RawServer.with(.answer(flight)) { server in
            let facts = try await Prober(.patient).facts(server.port, .standard)
            #expect(facts.chains.first?.certificates.count == 100)
            #expect(facts.anomalies.contains(.longChain(count: 100)))
            // It agrees on the one suite whatever is on offer.
            #expect(facts.anomalies.contains { if case .choseUnoffered = $0 { true } else { false } })
            #expect(try await server.isIdle())
        }
    }

    @Test("A slow server is told of as slow, with how much it said")
    func slow() async throws {
        try await RawServer.with(.slow(flight, every: .milliseconds(150))) { server in
            let facts = try await Prober(.hasty).facts(server.port, .standard)
            #expect(
                facts.anomalies.contains { if case .slow(let bytes) = $0 { (1...10).contains(bytes) } else { false } })
        }
    }

    @Test("A port where nothing listens is told from a server that is silent", arguments: ProbePlan.allCases)
    func nothingThere(plan: ProbePlan) async throws {
        // No port that was free a moment ago: another test may have it by now.
        let facts = try await Prober(.patient).facts(1, plan)
        #expect(facts.failure == .connectionRefused && facts.effort.connections <= 3)
    }
}
