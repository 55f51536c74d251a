//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOCore
import ServerTrust
import ServerTrustNIO
import TLSProbe
import TLSWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The evaluation of a server's facts.
extension ServerDiagnoser {
    func judge(_ answers: ProbedServer, date: Date? = nil) async throws -> DiagnosedServer {
        let (facts, endpoint) = (answers.facts, answers.endpoint)
        let destination = ATSDestination(endpoint)
        let policy = ATSRequirements().trustPolicy(hostname: endpoint.host.text)
        let results = try await self.trust.results(of: facts, for: policy)
        let diagnosis = ServerDiagnosis(
            host: destination.host, facts: facts, trust: results.map(self.trust.known),
            redirects: answers.redirects?.destinations.filter { $0 != destination } ?? [],
            redirectServers: try await self.known(answers.others) { _ in ATSRequirements() },
            redirectFailure: answers.redirects?.redirectFailure,
            loadFailure: facts.canBeLoaded ? answers.redirects?.handshakeFailure : nil,
            configuration: self.configuration.rules,
            lacksLogs: results.contains { $0.map { self.trust.isOfUnknownWorth($0.result) } ?? false },
            app: try await self.question(about: answers))
        var server = DiagnosedServer(
            url: answers.url, endpoint: endpoint, diagnosis: diagnosis, date: date ?? self.configuration.now())
        server.verifyDate = self.trust.verifyDate
        server.redirects = answers.redirects
        server.publicTrust = self.trust.publicTrust
        server.expiryThreshold = self.trust.expiryThreshold
        server.usesGivenRevocation = !self.trust.revocation.lists.isEmpty || !self.trust.revocation.responses.isEmpty
        server.notes = self.trust.notes(on: results) + facts.serverNotes
        if diagnosis.isBeyondHandlers { server.notes.append(TrustNote(.handlerCannotAccept)) }
        server.app = self.configuration.app
        server.explanation = server.app.map { $0.policy.explanation(for: destination, client: $0.client) }
        return server
    }

    /// Returns the app with the evaluations of the chains under its policy.
    private func question(about answers: ProbedServer) async throws -> AppContext? {
        guard let app = self.configuration.app else { return nil }
        let requirements = { app.policy.requirements(for: $0, client: app.client) }
        let policy = requirements(ATSDestination(answers.endpoint)).trustPolicy(hostname: answers.endpoint.host.text)
        var question = AppContext(
            app.policy, client: app.client,
            trust: try await self.trust.results(of: answers.facts, for: policy).map(self.trust.known))
        question.redirectServers = try await self.known(answers.others, requirements)
        return question
    }

    /// Returns the facts about other servers that App Transport Security depends on. Each chain is evaluated by the requirements
    /// for its server.
    private func known(
        _ servers: [ATSDestination: ServerFacts], _ requirements: (ATSDestination) -> ATSRequirements
    ) async throws -> [ATSDestination: ATSServerFacts] {
        var known: [ATSDestination: ATSServerFacts] = [:]
        for (destination, facts) in servers {
            let policy = requirements(destination).trustPolicy(hostname: destination.host)
            known[destination] = ATSServerFacts(
                facts, trust: try await self.trust.results(of: facts, for: policy).map(self.trust.known),
                strictness: self.configuration.rules.strictness, system: self.configuration.rules.system)
        }
        return known
    }
}

extension ServerFacts {
    /// The notes on different machines behind the server and on a requested client certificate.
    fileprivate var serverNotes: [TrustNote] {
        self.anomalies.filter(\.isAboutMachines).map { TrustNote(.machinesDiffer($0.message, remedy: $0.remedy)) }
            + (self.features.clientCertificate == nil ? [] : [TrustNote(.clientCertificateRequested)])
    }
}

extension ServerDiagnosis {
    /// `true` if App Transport Security requires trust in a chain that is untrusted, for a host that it covers. A handler cannot
    /// accept such a chain.
    package var isBeyondHandlers: Bool {
        let destination = ATSDestination(host: self.host)
        let isExempt = destination.address != nil || !self.host.contains(".") || self.host.hasSuffix(".local")
        guard !isExempt, let verdict = self[.plist] ?? self[.ats] else { return false }
        return verdict.violations.contains { violation in
            guard case .untrusted(let failure) = violation.reason, violation.redirect == nil else { return false }
            // Other faults need no note about handlers, because the reason says enough.
            return failure.reasons.contains { [.anchorTrusted, .missingIntermediate].contains($0.check) }
        }
    }
}

extension ProbeAnomaly {
    fileprivate var isAboutMachines: Bool {
        switch self {
        case .contradiction, .severalMachines: true
        default: false
        }
    }
}

extension ServerFacts {
    /// `true` if the TLS library that loads pages can negotiate with the server. If it offers no suite that the server chose, a
    /// failed load contradicts nothing.
    fileprivate var canBeLoaded: Bool {
        self.selections.isEmpty
            || self.selections.contains { selection in
                selection.version >= .tls13 || !CipherSuite.offerable([selection.cipherSuite]).isEmpty
            }
    }
}
