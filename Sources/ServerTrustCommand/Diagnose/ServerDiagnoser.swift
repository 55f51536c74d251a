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

/// Asks servers, judges their chains, and diagnoses them: the one road from a server to a verdict of every command.
struct ServerDiagnoser: Sendable {
    let prober: Prober
    var plan: ProbePlan
    let settings: TrustSettings
    let configuration: ATSPolicy.Configuration
    let inspection: ATSInspection?
    /// Whether the server is asked a second time, to see whether what decides comes out the same.
    let confirms: Bool
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

    /// Diagnoses one server for an app, with as few connections as decide the verdict. Where they come to no handshake,
    /// the server is asked for more, so that the reason is known as well.
    func diagnosis(of endpoint: TLSEndpoint) async throws -> DiagnosedServer {
        let first = try await self.diagnose("\(endpoint)", endpoint)
        guard self.plan == .ats, first.isRefusedWithoutReason else { return first }
        var thorough = self
        thorough.plan = .standard
        let second = try await thorough.diagnose("\(endpoint)", endpoint)
        // What was known to fail does not become unknown by asking again.
        return second.outcome(by: .subject(.plist)) == .failed ? second : first
    }

    private func diagnose(_ url: String, _ endpoint: TLSEndpoint) async throws -> DiagnosedServer {
        let facts = await self.prober.facts(about: endpoint, plan: self.plan)
        var server = try await self.judge(facts, url, endpoint)
        if let redirects, server.diagnosis[.trust]?.outcome == .passed {
            let trace = await redirects.trace(server.requestURL, connectAddress: endpoint.connectAddress?.text)
            let others = await self.servers(trace, besides: endpoint)
            server = try await self.judge(facts, url, endpoint, redirects: trace, others)
        }
        if self.confirms {
            server.confirmations = Confirmation.confirmations(of: server, by: try await self.known(of: endpoint))
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
            let policy = requirements(destination).trustPolicy(hostname: endpoint.host.text)
            app = AppQuestion(
                inspection.policy, client: inspection.client,
                trust: try await self.settings.trust(in: facts, for: policy))
            app?.redirectServers = try await self.known(others, requirements)
        }
        let policy = ATSRequirements().trustPolicy(hostname: endpoint.host.text)
        let diagnosis = ServerDiagnosis(
            host: endpoint.host.text, facts: facts, trust: try await self.settings.trust(in: facts, for: policy),
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

    /// What App Transport Security looks at of a server, from asking it once more for what decides.
    private func known(of endpoint: TLSEndpoint) async throws -> ATSServerFacts {
        let facts = await self.prober.facts(about: endpoint, plan: self.configuration.strictness.plan)
        let policy = ATSRequirements().trustPolicy(hostname: endpoint.host.text)
        return ATSServerFacts(
            facts, trust: try await self.settings.trust(in: facts, for: policy),
            strictness: self.configuration.strictness)
    }

    /// Asks the servers that a load is redirected to what decides, and no more than a few of them.
    private func servers(
        _ trace: RedirectSearch.Trace, besides endpoint: TLSEndpoint
    ) async -> [ATSDestination: ServerFacts] {
        let prober = self.prober.configured { $0.serverName = nil }
        var servers: [ATSDestination: ServerFacts] = [:]
        for destination in trace.destinations where destination.scheme == .https && servers.count < 3 {
            guard let host = try? Host(destination.host) else { continue }
            let address = host == endpoint.host ? endpoint.connectAddress : nil
            let other = try? TLSEndpoint(host: host, port: destination.port, connectAddress: address)
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
                facts, trust: try await self.settings.trust(in: facts, for: policy),
                strictness: self.configuration.strictness)
        }
        return known
    }
}

extension ATSStrictness {
    /// The least that has to be asked to tell the verdict for every Info.plist. The shortest plan offers the suites of the
    /// engine's lists and no others.
    var plan: ProbePlan { self == .engine ? .ats : .standard }
}

extension DiagnosedServer {
    /// Whether the app is refused by a server that ended the handshake: an alert says little about why.
    fileprivate var isRefusedWithoutReason: Bool {
        self.diagnosis[.plist]?.violations.contains { violation in
            if case .connectionFailed = violation.reason { !violation.isDoubt } else { false }
        } ?? false
    }
}
