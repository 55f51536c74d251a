//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosis
import ServerDiagnosisNIO
import ServerReports
import ServerTrust
import ServerTrustNIO
import TLSProbe

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Looks at a server: connects, judges what it presents with this engine alone, and says what came of it.
struct ServerCheck: Sendable {
    let settings: TrustSettings
    var timeout = Duration.seconds(10)
    var minimumVersion = TLSProtocolVersion.tls12

    /// The file that receives what the server sent, if any.
    var chainFile: String?

    /// The app whose Info.plist servers are held against, if any.
    var transportSecurity: ServerDiagnoser.App?

    /// Looks at one server.
    ///
    /// - Throws: ``CommandError`` when the chain cannot be saved. What is wrong with the server is in the report.
    func report(on endpoint: TLSEndpoint) async throws -> ServerReport {
        let chain: PresentedChain
        do {
            // The chain is judged later, and no data is ever sent: the handshake may complete whatever it is.
            chain = try await TLSConnection.presentedChain(of: endpoint, configuration: self.configuration)
        } catch let error as CancellationError {
            throw error
        } catch {
            return ServerReport(endpoint: endpoint, outcome: try await self.outcome(after: error, endpoint))
        }
        if let chainFile = self.chainFile { try SavedChain.write(chain.certificates, to: chainFile) }
        var outcome = try await self.judge(chain, of: endpoint)
        if case .judged(let server) = outcome {
            outcome = .judged(try await self.inspected(server, endpoint))
        }
        return ServerReport(endpoint: endpoint, outcome: outcome, savedTo: self.chainFile)
    }

    /// Looks at many servers, a few at a time.
    ///
    /// - Parameters:
    ///   - endpoints: The servers.
    ///   - emit: Receives the reports in the order of the servers, each as soon as those before it are there.
    func reports(on endpoints: [TLSEndpoint], emit: (ServerReport) throws -> Void) async throws {
        try await InOrder.forEach(endpoints, { try await self.report(on: $0) }, emit: emit)
    }

    private var configuration: TLSConnection.Configuration {
        var configuration = TLSConnection.Configuration()
        configuration.timeout = self.timeout
        // Old versions are offered all the same, so that they can be named instead of only failing.
        configuration.minimumVersion = .tls10
        return configuration
    }

    /// Judges what a server presented.
    func judge(_ chain: PresentedChain, of endpoint: TLSEndpoint) async throws -> ServerReport.Outcome {
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
        let purpose = try Purpose(.tlsServer, host: endpoint.host.text)
        var judgement = try await Judgement(certificates, for: purpose, port: endpoint.port, by: self.settings)
        if judgement.lacksTimestamps, let delivered = await self.delivered(with: chain, endpoint) {
            judgement = try await Judgement(
                certificates, for: purpose, port: endpoint.port, by: self.settings, delivered: delivered)
        }
        return .judged(
            JudgedServer(
                chain: chain, judgement: judgement,
                problems: ConnectionProblem.problems(of: chain, minimum: self.minimumVersion),
                unreadable: unreadable
            ))
    }
}

// MARK: - Certificate transparency

extension ServerCheck {
    /// What the server delivers in its handshake beside the same chain, timestamps in responses included. The library that
    /// holds the connection does not ask for it; the prober does.
    private func delivered(with chain: PresentedChain, _ endpoint: TLSEndpoint) async -> DeliveredEvidence? {
        var configuration = ServerDiagnoser.Configuration()
        configuration.plan = .ats
        configuration.connections.timeout = self.timeout
        configuration.connections.timeoutPerHost = self.timeout * 2
        let diagnoser = ServerDiagnoser(trust: self.settings.trust, configuration: configuration)
        let facts = await diagnoser.facts(about: endpoint)
        let same = facts.chains.first { $0.certificates.first == chain.certificates.first }
        return same.map { DeliveredEvidence(ocspResponse: $0.ocspResponse, timestamps: $0.timestamps) }
    }
}

// MARK: - App Transport Security

extension ServerCheck {
    /// The same with what App Transport Security makes of the server, where that is asked.
    private func inspected(_ server: JudgedServer, _ endpoint: TLSEndpoint) async throws -> JudgedServer {
        guard let transportSecurity, let diagnosed = try await self.diagnosed(endpoint),
            let verdict = diagnosed.diagnosis[.plist]?.verdict
        else { return server }
        var server = server
        server.transportSecurity = ATSJudgement(diagnosed, verdict, for: transportSecurity)
        // Asked more than once, the server may have proven what one connection did not show: that it holds the key.
        if diagnosed.diagnosis.facts.holdsKey(of: ChainFact(server.chain.certificates)) {
            server.problems.removeAll(where: \.isAboutProof)
        }
        return server
    }

    /// What comes of a server that presented nothing to judge: App Transport Security may have a verdict all the same.
    private func outcome(after error: any Error, _ endpoint: TLSEndpoint) async throws -> ServerReport.Outcome {
        let failure = ServerFailure(error, endpoint)
        // Without a server to speak to there is nothing to diagnose.
        let isAnswered = (error as? TLSConnectionError).map { !$0.isBelowTLS } ?? false
        guard isAnswered, let transportSecurity, let diagnosed = try await self.diagnosed(endpoint),
            let verdict = diagnosed.diagnosis[.plist]?.verdict, verdict.outcome == .failed
        else { return .failed(failure) }
        return .refused(ATSJudgement(diagnosed, verdict, for: transportSecurity), failure)
    }

    /// The diagnosis for the app that is asked about; `nil` without one.
    private func diagnosed(_ endpoint: TLSEndpoint) async throws -> DiagnosedServer? {
        guard let transportSecurity else { return nil }
        var configuration = ServerDiagnoser.Configuration()
        configuration.rules = transportSecurity.policy.configuration
        configuration.plan = configuration.rules.strictness.plan
        configuration.app = transportSecurity
        configuration.connections.timeout = self.timeout
        configuration.followsRedirects = false
        return try await ServerDiagnoser(trust: self.settings.trust, configuration: configuration).diagnose(endpoint)
    }
}

extension TLSConnectionError {
    /// Whether there was no server to speak TLS with.
    fileprivate var isBelowTLS: Bool {
        [.resolutionFailed, .connectionRefused, .unreachable, .timedOut].contains(self.code)
    }
}
