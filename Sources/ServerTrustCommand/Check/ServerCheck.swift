//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import ServerTrustNIO

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

    /// The Info.plist that servers are held against, if any.
    var transportSecurity: ATSInspection?

    /// Looks at one server.
    ///
    /// - Throws: ``CommandError`` when the chain cannot be saved. What is wrong with the server is in the report.
    func report(on endpoint: TLSEndpoint) async throws -> ServerReport {
        let look: Look
        do {
            look = try await self.look(at: endpoint)
        } catch let error as CancellationError {
            throw error
        } catch {
            return ServerReport(endpoint: endpoint, outcome: .failed(ServerFailure(error, endpoint)))
        }
        if let chainFile = self.chainFile { try SavedChain.write(look.chain.certificates, to: chainFile) }
        var outcome = try await self.judge(look.chain, of: endpoint)
        if case .judged(var server) = outcome {
            server.transportSecurity = look.transportSecurity
            outcome = .judged(server)
        }
        return ServerReport(endpoint: endpoint, outcome: outcome, savedTo: self.chainFile)
    }

    /// What a server presented, and what App Transport Security makes of it.
    private struct Look {
        let chain: PresentedChain
        var transportSecurity: ATSJudgement?
    }

    private struct NoChain: Error, CustomStringConvertible {
        let description = "the server presented nothing"
    }

    private func look(at endpoint: TLSEndpoint) async throws -> Look {
        guard let transportSecurity else {
            // The chain is judged later, and no data is ever sent: the handshake may complete whatever it is.
            return Look(
                chain: try await TLSConnection.presentedChain(of: endpoint, configuration: self.configuration))
        }
        let requirements = transportSecurity.requirements(for: endpoint)
        let survey = try await self.settings.survey(of: endpoint, for: requirements, timeout: self.timeout).run()
        // Without a chain there is a failure; were there none, nothing would be known of the server all the same.
        guard let chain = survey.chain else { throw survey.failure ?? NoChain() }
        let verdict = transportSecurity.verdict(on: survey.facts, of: endpoint)
        return Look(chain: chain, transportSecurity: ATSJudgement(verdict, by: transportSecurity))
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
        let purpose = try Purpose(.tlsServer, host: endpoint.host)
        return .judged(
            JudgedServer(
                chain: chain,
                judgement: try await Judgement(certificates, for: purpose, port: endpoint.port, by: self.settings),
                problems: ConnectionProblem.problems(of: chain, minimum: self.minimumVersion),
                unreadable: unreadable
            ))
    }
}
