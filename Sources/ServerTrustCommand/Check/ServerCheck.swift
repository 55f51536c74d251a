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

    /// Looks at one server.
    ///
    /// - Throws: ``CommandError`` when the chain cannot be saved. What is wrong with the server is in the report.
    func report(on endpoint: TLSEndpoint) async throws -> ServerReport {
        let chain: PresentedChain
        do {
            // The chain is judged below, and no data is ever sent: the handshake may complete whatever it is.
            chain = try await TLSConnection.presentedChain(of: endpoint, configuration: self.configuration)
        } catch let error as CancellationError {
            throw error
        } catch {
            return ServerReport(endpoint: endpoint, outcome: .failed(ServerFailure(error, endpoint)))
        }
        if let chainFile = self.chainFile { try SavedChain.write(chain.certificates, to: chainFile) }
        return ServerReport(
            endpoint: endpoint, outcome: try await self.judge(chain, of: endpoint), savedTo: self.chainFile)
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
