//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosis
import ServerTrustNIO
import TLSProbe
import TLSWire
import TestSupport
import Testing

@Suite("Ending a probe", .limitedConcurrency, .timeLimit(.minutes(10)))
struct CancellationTests {
    @Test("Cancelling ends a probe at once, and leaves nothing open", arguments: ProbePlan.allCases)
    func cancelled(plan: ProbePlan) async throws {
        var patient = Prober.Configuration()
        patient.timeout = .seconds(50)
        for startTLS in [nil, StartTLSProtocol.smtp, .ldap] {
            patient.startTLS = startTLS
            let prober = Prober(patient)
            try await RawServer.with(.silent) { server in
                let task = Task { try await prober.facts(server.port, plan) }
                #expect(try await server.isConnected())
                let start = ContinuousClock.now
                task.cancel()
                let facts = try await task.value
                #expect(ContinuousClock.now - start < .seconds(20))
                #expect(facts.failure == .cancelled || facts.handshake == .failed(.cancelled))
                #expect(try await server.isIdle())
            }
        }
    }

    @Test("A probe that waits for others' connections is ended at once, and they go on")
    func waiting() async throws {
        var configuration = Prober.Configuration.patient
        configuration.maximumConnections = 1
        let prober = Prober(configuration)
        try await RawServer.with(.silent) { server in
            let first = Task { try await prober.facts(server.port, .ats) }
            #expect(try await server.isConnected())
            let second = Task { try await prober.facts(server.port, .standard) }
            try await Task.sleep(for: .milliseconds(200))
            let start = ContinuousClock.now
            second.cancel()
            let ended = try await second.value
            #expect(ended.failure == .cancelled)
            #expect(ContinuousClock.now - start < .seconds(20))
            first.cancel()
            let other = try await first.value
            #expect(other.handshake == .failed(.cancelled))
        }
        // The permit was given back, and nothing besides.
        try await RawServer.with(.answer(ScriptedServer.alert(40))) { server in
            let facts = try await prober.facts(server.port, .standard)
            #expect(facts.failure == nil && facts.support(of: .tls12) != nil)
        }
    }

    @Test("What was found out until then is kept")
    func partial() async throws {
        var configuration = Prober.Configuration.patient
        // So slow that it would take half a minute.
        configuration.connectionsPerSecond = 2
        configuration.connectionsPerHost = 1
        configuration.startTLS = .postgres
        let prober = Prober(configuration)
        try await PreambleServer.with(.script(for: .postgres)) { server in
            let task = Task { try await prober.facts(server.port, .standard) }
            // With the fourth the first three are over.
            while server.connections < 4 { try await Task.sleep(for: .milliseconds(10)) }
            task.cancel()
            let facts = try await task.value
            #expect(facts.failure == .cancelled && facts.effort.connections < 20)
            #expect(facts.speaksTLS && !facts.chains.isEmpty)
        }
    }

    @Test("A probe that was cancelled before it began connects to nothing")
    func before() async throws {
        try await RawServer.with(.silent) { server in
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await Prober().facts(server.port, .standard)
            }
            task.cancel()
            let facts = try await task.value
            #expect(facts.failure == .cancelled)
            #expect(try await server.isIdle())
        }
    }

    @Test("The time that a server may cost is kept")
    func timeout() async throws {
        var configuration = Prober.Configuration.hasty
        configuration.timeoutPerHost = .milliseconds(900)
        try await RawServer.with(.silent) { server in
            let start = ContinuousClock.now
            let facts = try await Prober(configuration).facts(server.port, .deep)
            #expect(ContinuousClock.now - start < .seconds(20))
            #expect(facts.failure != nil && facts.effort.connections <= 4)
        }
    }
}
