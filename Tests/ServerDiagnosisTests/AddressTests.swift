//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustTesting
import Synchronization
import TLSProbe
import TestSupport
import Testing

@testable import ServerDiagnosis
@testable import ServerTrustNIO

/// What answers at an address.
private enum Machine: Sendable {
    case good
    /// With another certificate of the same authority.
    case otherCertificate
    /// With TLS 1.1 alone.
    case old
    /// With a certificate that no trusted authority issued.
    case untrusted
    /// Nothing listens.
    case absent
}

private let addresses = ["127.0.0.1", "127.0.0.2", "::1"]

/// What three addresses of one name come to.
private struct Fleet: Sendable, CustomTestStringConvertible {
    let machines: [Machine]
    let verdict: ATSOutcome
    let differences: Set<AddressContradiction.Kind>

    var testDescription: String { "\(self.machines)" }
}

private let fleets = [
    Fleet(machines: [.good, .good, .good], verdict: .passed, differences: []),
    Fleet(machines: [.good, .old, .good], verdict: .failed, differences: [.verdict, .versions]),
    Fleet(machines: [.old, .good, .good], verdict: .failed, differences: [.verdict, .versions]),
    Fleet(machines: [.good, .good, .old], verdict: .failed, differences: [.verdict, .versions]),
    Fleet(machines: [.good, .good, .otherCertificate], verdict: .passed, differences: [.certificate]),
    Fleet(machines: [.good, .untrusted, .good], verdict: .failed, differences: [.verdict, .certificate]),
    // Clients go on to another address (RFC 8305 §5).
    Fleet(machines: [.absent, .good, .good], verdict: .passed, differences: [.connection]),
    Fleet(machines: [.absent, .absent, .old], verdict: .failed, differences: [.connection]),
    Fleet(machines: [.absent, .absent, .absent], verdict: .unknown, differences: []),
]

@Suite("Every address of a name", .limitedConcurrency, .timeLimit(.minutes(10)))
struct AddressTests {
    private let authority: TestAuthority
    private let leaves: [TestCertificate]

    init() throws {
        self.authority = try TestAuthority()
        let stranger = try TestAuthority()
        self.leaves = try [self.authority, self.authority, stranger].map {
            try $0.issue(.leaf(dnsNames: ["many.test"]))
        }
    }

    /// Runs a body with a machine at each address, all at one port.
    private func withMachines(_ machines: [Machine], _ body: (Int) async throws -> Void) async throws {
        var servers: [TestTLSServer] = []
        var failure: (any Error)?
        do {
            var port = 0
            for (machine, address) in zip(machines, addresses) where machine != .absent {
                var configuration = self.configuration(of: machine)
                (configuration.address, configuration.port) = (address, port)
                servers.append(try await TestTLSServer.start(configuration))
                port = servers[0].port
            }
            try await body(port == 0 ? 1 : port)
        } catch {
            failure = error
        }
        for server in servers { try await server.shutdown() }
        if let failure { throw failure }
    }

    private func configuration(of machine: Machine) -> TestTLSServer.Configuration {
        let leaf =
            switch machine {
            case .otherCertificate: self.leaves[1]
            case .untrusted: self.leaves[2]
            default: self.leaves[0]
            }
        var configuration = TestTLSServer.Configuration(leaf)
        if machine == .old { configuration.maximumTLSVersion = .tlsv11 }
        return configuration
    }

    private func diagnoser(
        of names: [String] = addresses, limit: Int = 8, plan: ProbePlan = .ats, lookups: Lookups = Lookups()
    ) throws -> ServerDiagnoser {
        var configuration = ServerDiagnoser.Configuration()
        (configuration.plan, configuration.maximumAddresses) = (plan, limit)
        configuration.connections.timeout = .seconds(6)
        let found = try names.map { try SocketAddress(ipAddress: $0, port: 0) }
        configuration.connections.resolver = NameResolver(threads: 4) { name in
            lookups.add(name)
            return .found(found)
        }
        let anchors = TrustAnchors.store(try TrustStore([self.authority.root.trustCertificate]))
        return ServerDiagnoser(trust: TrustConfiguration(anchors: anchors), configuration: configuration)
    }

    @Test("The worst address decides, and differences are told with the addresses", arguments: fleets)
    private func worst(fleet: Fleet) async throws {
        try await self.withMachines(fleet.machines) { port in
            let server = try await self.diagnoser().diagnose("many.test:\(port)")
            #expect(server.verdict == fleet.verdict, "\(server.reasons.map(\.message))")
            #expect(server.addresses.map(\.address) == ["127.0.0.1:\(port)", "127.0.0.2:\(port)", "[::1]:\(port)"])
            let differences = server.addressContradictions
            #expect(Set(differences.map(\.kind)) == fleet.differences)
            for difference in differences where difference.kind == .connection || !fleet.machines.contains(.absent) {
                #expect(Set(difference.answers.flatMap(\.addresses)) == Set(server.addresses.compactMap(\.address)))
                for address in server.addresses {
                    #expect(difference.message.contains(address.address ?? "no address"))
                }
            }
            #expect(server.verdicts.first?.outcome == fleet.verdict)
            let isKnown = server.reasons.contains { !$0.isMissingFact }
            #expect((server.verdict == .failed) == isKnown)
        }
    }

    @Test("A question that fails at another address than the one that decides fails all the same")
    func eachQuestion() async throws {
        try await self.withMachines([.old, .untrusted, .good]) { port in
            let server = try await self.diagnoser().diagnose("many.test:\(port)")
            #expect(server.verdicts.map(\.outcome) == [.failed, .failed, .failed])
            let messages = server.reasons.map(\.message)
            #expect(
                messages.count > server.addresses[0].reasons.count || messages.count > server.addresses[1].reasons.count
            )
            for reason in server.addresses.flatMap(\.reasons) { #expect(messages.contains(reason.message)) }
        }
    }

    @Test("With a limit of one, the first address that answers is asked")
    func oneAddress() async throws {
        try await self.withMachines([.absent, .good, .old]) { port in
            let server = try await self.diagnoser(of: ["127.0.0.1", "127.0.0.2"], limit: 1).diagnose(
                "many.test:\(port)")
            #expect(server.verdict == .passed && server.addresses.isEmpty && server.addressContradictions.isEmpty)
            #expect(server.facts.address == "127.0.0.2:\(port)")
        }
    }

    @Test("Addresses beyond the limit are counted, and told")
    func limit() async throws {
        try await self.withMachines([.good, .good, .old]) { port in
            let server = try await self.diagnoser(limit: 2).diagnose("many.test:\(port)")
            #expect(server.verdict == .passed && server.addresses.count == 2)
            let isTold = server.notes.contains { $0.message.contains("3 addresses. The first 2 were asked") }
            #expect(isTold)
        }
    }

    @Test("A name with one address costs no connection and no look-up more", arguments: ProbePlan.allCases)
    func cost(plan: ProbePlan) async throws {
        try await self.withMachines([.good, .absent, .absent]) { port in
            let lookups = Lookups()
            let one = try await self.diagnoser(of: ["127.0.0.1"], plan: plan, lookups: lookups)
                .diagnose("many.test:\(port)")
            #expect(lookups.names == ["many.test"] && one.addresses.isEmpty)
            let direct = try await self.diagnoser(of: ["127.0.0.1"], limit: 1, plan: plan).diagnose("many.test:\(port)")
            #expect(one.facts.effort.connections == direct.facts.effort.connections)
            #expect(one.facts.address == "127.0.0.1:\(port)" && one.verdict == .passed)
        }
    }
}

/// The names that were looked up.
private final class Lookups: Sendable {
    private let state = Mutex<[String]>([])

    var names: [String] { self.state.withLock { $0 } }

    func add(_ name: String) { self.state.withLock { $0.append(name) } }
}
