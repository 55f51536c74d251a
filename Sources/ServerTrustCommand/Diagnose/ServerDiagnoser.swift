//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrust
import ServerTrustNIO
import TLSProbe
import TLSProbeNIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Asks servers, judges their chains, and diagnoses them.
struct ServerDiagnoser: Sendable {
    let prober: Prober
    let plan: ProbePlan
    let settings: TrustSettings
    let configuration: ATSPolicy.Configuration
    let inspection: ATSInspection?
    /// The time of each connection that repeats what decides; `nil` makes none.
    let confirmationTimeout: Duration?
    /// Finds out where loads are redirected to; `nil` asks for no page.
    var redirects: RedirectSearch?

    /// Diagnoses servers, a few at a time.
    ///
    /// - Parameters:
    ///   - servers: The servers, as they were named and where they are.
    ///   - emit: Receives the diagnoses in the order of the servers, each as soon as those before it are there.
    func diagnose(_ servers: [(String, TLSEndpoint)], emit: (DiagnosedServer) throws -> Void) async throws {
        try await InOrder.forEach(servers, limit: 4, { try await self.diagnose($0.0, $0.1) }, emit: emit)
    }

    private func diagnose(_ url: String, _ endpoint: TLSEndpoint) async throws -> DiagnosedServer {
        let facts = await self.prober.facts(about: endpoint, plan: self.plan)
        var server = try await self.judge(facts, url, endpoint)
        if let redirects, server.diagnosis[.trust]?.outcome == .passed {
            let trace = await redirects.trace(server.requestURL, connectAddress: endpoint.connectAddress)
            let others = await self.servers(trace, besides: endpoint)
            server = try await self.judge(facts, url, endpoint, redirects: trace, others)
        }
        if let timeout = self.confirmationTimeout {
            server.confirmations = try await Confirmer(
                settings: self.settings, configuration: self.configuration, timeout: timeout
            ).confirmations(of: server)
        }
        return server
    }

    /// Judges facts, wherever they come from.
    func judge(
        _ facts: ServerFacts, _ url: String, _ endpoint: TLSEndpoint, redirects: RedirectSearch.Trace? = nil,
        _ others: [ATSDestination: ServerFacts] = [:], date: Date = .now
    ) async throws -> DiagnosedServer {
        let destination = ATSInspection.destination(endpoint)
        var app: AppQuestion?
        if let inspection {
            let requirements = { inspection.policy.requirements(for: $0, client: inspection.client) }
            let policy = requirements(destination).trustPolicy(hostname: endpoint.host)
            app = AppQuestion(
                inspection.policy, client: inspection.client, trust: try await self.trust(in: facts, for: policy))
            app?.redirectServers = try await self.known(others, requirements)
        }
        let policy = ATSRequirements().trustPolicy(hostname: endpoint.host)
        let diagnosis = ServerDiagnosis(
            host: endpoint.host, facts: facts, trust: try await self.trust(in: facts, for: policy),
            redirects: redirects?.destinations.filter { $0 != destination } ?? [],
            redirectServers: try await self.known(others) { _ in ATSRequirements() },
            redirectFailure: redirects?.redirectFailure,
            configuration: self.configuration, app: app)
        var server = DiagnosedServer(url: url, endpoint: endpoint, diagnosis: diagnosis, date: date)
        server.redirects = redirects
        server.app = self.inspection.map { inspection in
            DiagnosedApp(
                inspection: inspection,
                explanation: inspection.policy.explanation(for: destination, client: inspection.client))
        }
        return server
    }

    /// Asks the servers that a load is redirected to what decides, and no more than a few of them.
    private func servers(
        _ trace: RedirectSearch.Trace, besides endpoint: TLSEndpoint
    ) async -> [ATSDestination: ServerFacts] {
        let prober = self.prober.configured { $0.serverName = nil }
        var servers: [ATSDestination: ServerFacts] = [:]
        for destination in trace.destinations where destination.scheme == .https && servers.count < 3 {
            let address = destination.host == endpoint.host ? endpoint.connectAddress : nil
            let other = try? TLSEndpoint(host: destination.host, port: destination.port, connectAddress: address)
            guard let other, destination != ATSInspection.destination(endpoint), servers[destination] == nil else {
                continue
            }
            servers[destination] = await prober.facts(about: other, plan: .ats)
        }
        return servers
    }

    /// What App Transport Security looks at of other servers, their chains judged by what is required of each.
    private func known(
        _ servers: [ATSDestination: ServerFacts], _ requirements: (ATSDestination) -> ATSRequirements
    ) async throws -> [ATSDestination: ATSServerFacts] {
        var known: [ATSDestination: ATSServerFacts] = [:]
        for (destination, facts) in servers {
            let policy = requirements(destination).trustPolicy(hostname: destination.host)
            known[destination] = ATSServerFacts(
                facts, trust: try await self.trust(in: facts, for: policy), strictness: self.configuration.strictness)
        }
        return known
    }

    private func trust(in facts: ServerFacts, for policy: TrustPolicy) async throws -> [TrustResult?] {
        var results: [TrustResult?] = []
        for chain in facts.chains {
            results.append(try await self.settings.trust(in: chain.certificates, for: policy))
        }
        return results
    }
}
