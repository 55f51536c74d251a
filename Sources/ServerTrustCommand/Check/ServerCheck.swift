//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosis
import ServerReports
import ServerTrust
import ServerTrustNIO
import TLSProbe

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The check of servers: it connects, evaluates the presented chain with this engine only, and reports the result.
struct ServerCheck: Sendable {
    let settings: CommandTrust
    var minimumTLS = MinimumTLS.tls12
    var connections = Prober.Configuration()
    var maximumAddresses = ServerDiagnoser.Configuration.defaultMaximumAddresses

    /// The file for the sent certificates, or `nil` to save nothing.
    var chainFile: String?

    /// The app with the Info.plist that servers are checked against, or `nil` if there is none.
    var transportSecurity: ServerDiagnoser.App?

    /// Checks one server at each of its addresses.
    ///
    /// - Parameters:
    ///   - endpoint: The server.
    ///   - url: The URL that App Transport Security is checked for, or `nil` for the root path.
    /// - Throws: ``CommandError`` if the chain cannot be saved. Faults of the server are in the report.
    func report(on endpoint: TLSEndpoint, url: String? = nil) async throws -> ServerReport {
        let (presentations, unasked) = try await Prober(self.connections)
            .presentations(of: endpoint, limit: self.maximumAddresses)
        var reports: [(address: String?, report: ServerReport)] = []
        for presentation in presentations {
            reports.append((presentation.address, try await self.report(on: endpoint, presentation)))
        }
        var report = ServerReport(worstOf: reports)
        report.unaskedAddresses = unasked
        if let chainFile = self.chainFile, case .judged(let server) = report.outcome {
            try SavedChain.write(server.chain.certificates, to: chainFile)
            report.savedTo = chainFile
        }
        guard self.transportSecurity != nil else { return try await self.explained(report, endpoint) }
        return try await self.inspected(report, endpoint, url: url)
    }

    private func report(on endpoint: TLSEndpoint, _ presentation: PresentedChainResult) async throws -> ServerReport {
        switch presentation.outcome {
        case .success(let presented):
            let outcome = try await self.judge(
                presented.chain, of: endpoint, delivered: presented.delivered, refusesApple: presented.refusesApple)
            return ServerReport(endpoint: endpoint, outcome: outcome)
        case .failure(let error):
            return ServerReport(endpoint: endpoint, outcome: .failed(ServerFailure(error, endpoint)))
        }
    }

    /// Checks many servers, a few at a time.
    ///
    /// - Parameters:
    ///   - servers: The servers with their names and endpoints.
    ///   - emit: Receives the reports in the order of the servers, each as soon as all earlier ones are complete.
    func reports(
        on servers: [(url: String, endpoint: TLSEndpoint)], emit: (ServerReport) throws -> Void
    ) async throws {
        try await OrderedConcurrentMap.forEach(
            servers, { try await self.report(on: $0.endpoint, url: $0.url) }, emit: emit)
    }

    /// Evaluates a server's chain together with its stapled OCSP response and SCTs.
    func judge(
        _ chain: PresentedChain, of endpoint: TLSEndpoint, delivered: DeliveredEvidence = DeliveredEvidence(),
        refusesApple: Bool = false
    ) async throws -> ServerReport.Outcome {
        var certificates: [Certificate] = []
        var unreadable: [UnreadableCertificate] = []
        for (position, der) in chain.certificates.enumerated() {
            do {
                certificates.append(try Certificate(der: der))
            } catch {
                unreadable.append(UnreadableCertificate(position: position, error: error))
            }
        }
        if let first = unreadable.first, first.position == 0 {
            return .failed(ServerFailure(malformedLeaf: first.error, endpoint))
        }
        var purpose = try Purpose(.tlsServer, host: endpoint.host.text)
        purpose.keyUsage = chain.keyUsage
        let judgment = try await Judgment(
            certificates, for: purpose, port: endpoint.port, by: self.settings, delivered: delivered)
        var server = JudgedServer(
            chain: chain, judgment: judgment,
            problems: ConnectionProblem.problems(
                of: chain, minimum: self.minimumTLS.version, refusesApple: refusesApple),
            unreadable: unreadable)
        // With an app the verdict of App Transport Security is more precise.
        if self.transportSecurity == nil, let note = server.suiteNote { server.judgment.notes.append(note) }
        server.judgment.notes += await self.notesOnIdentity(of: server, at: endpoint, delivered)
        return .judged(server)
    }

    /// Returns notes on the use of the client's certificate. Without a certificate, the note states that the server requests one.
    private func notesOnIdentity(
        of server: JudgedServer, at endpoint: TLSEndpoint, _ delivered: DeliveredEvidence
    ) async -> [TrustNote] {
        let request = delivered.clientCertificateRequest
        guard !self.connections.identities.isEmpty else {
            return request.map { _ in [TrustNote(.clientCertificateRequested)] } ?? []
        }
        guard delivered.showsRequests else { return [TrustNote(.clientIdentity(.notSent(.notSeen)))] }
        let leaf = server.findings.isEmpty ? server.chain.certificates.first : nil
        let address = server.chain.remoteAddress
        let prober = Prober(self.connections).connecting(to: address)
        let use = await prober.identityUse(at: endpoint, request: request, trusting: Set(leaf.map { [$0] } ?? []))
        return (use.map { [TrustNote(.clientIdentity($0))] } ?? []) + prober.notesOnKeys(usedAs: use)
    }
}

extension ConnectionOptions {
    /// Creates a check from the options.
    ///
    /// - Throws: ``CommandError`` if the client's certificate or key cannot be read.
    func check(by settings: CommandTrust) throws(CommandError) -> ServerCheck {
        var connections = try self.connecting.configuration(timeout: self.timeout, total: self.timeout)
        connections.proxyTrust = settings.trust.rules
        return ServerCheck(
            settings: settings, minimumTLS: self.minimumTLS, connections: connections,
            maximumAddresses: self.connecting.maximumAddresses)
    }
}

// MARK: - App Transport Security

extension ServerCheck {
    /// Adds the verdict of App Transport Security to a report.
    private func inspected(
        _ report: ServerReport, _ endpoint: TLSEndpoint, url: String?
    ) async throws -> ServerReport {
        // A server without any connection cannot be diagnosed.
        guard let transportSecurity, !report.isWithoutConnection else { return report }
        let diagnosed = try await self.diagnosed(endpoint, url: url, for: transportSecurity)
        guard let answer = diagnosed.diagnosis[.plist] else { return report }
        let judgment = ATSJudgment(diagnosed, answer.verdict, for: transportSecurity)
        switch report.outcome {
        case .judged(var server):
            server.transportSecurity = judgment
            if diagnosed.diagnosis.isBeyondHandlers {
                server.judgment.notes.append(TrustNote(.handlerCannotAccept))
            }
            // The diagnosis connects more than once, and may have seen the proof of possession that one connection did not show.
            if diagnosed.facts.holdsKey(of: ChainFact(server.chain.certificates)) {
                server.problems.removeAll(where: \.isAboutProof)
            }
            return report.with(.judged(server))
        // A server that presented no chain may still have a verdict.
        case .failed(let failure):
            guard answer.isRefusal else { return report }
            return report.with(.refused(judgment, self.explained(failure, by: diagnosed.diagnosis, endpoint)))
        case .refused: return report
        }
    }

    /// Adds the reason why Apple's systems do not connect, if the server refused the handshake with an alert.
    private func explained(_ report: ServerReport, _ endpoint: TLSEndpoint) async throws -> ServerReport {
        guard case .failed(let failure) = report.outcome, failure.isRefusal else { return report }
        let diagnosis = try await self.diagnosed(endpoint).diagnosis
        return report.with(.failed(self.explained(failure, by: diagnosis, endpoint)))
    }

    /// Returns the failure with the reasons of a diagnosis, if it explains why Apple's systems do not connect. An alert alone
    /// says little.
    private func explained(
        _ failure: ServerFailure, by diagnosis: ServerDiagnosis, _ endpoint: TLSEndpoint
    ) -> ServerFailure {
        guard failure.isRefusal, diagnosis[.trust]?.isRefusal == true else { return failure }
        return ServerFailure(failure, explainedBy: diagnosis, endpoint)
    }

    /// Diagnoses the server, for the app if there is one.
    private func diagnosed(
        _ endpoint: TLSEndpoint, url: String? = nil, for app: ServerDiagnoser.App? = nil
    ) async throws -> DiagnosedServer {
        var configuration = ServerDiagnoser.Configuration(deciding: app)
        let total = configuration.connections.timeoutPerHost
        configuration.connections = self.connections
        configuration.connections.timeoutPerHost = total
        configuration.maximumAddresses = self.maximumAddresses
        let diagnoser = ServerDiagnoser(trust: self.settings.trust, configuration: configuration)
        return try await diagnoser.diagnose(endpoint, url: url)
    }
}
