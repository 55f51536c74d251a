//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import NIOSSL
import ServerTrust
import TLSWire

/// The settings of a gate between two changes, with the contexts and judges prepared for them.
final class GateGeneration: Sendable {
    let settings: ServerTrustSettings
    private let contexts = TLSContexts<TLSOffer>()
    private let preparations = GatePreparations()

    init(_ settings: ServerTrustSettings) { self.settings = settings }

    func requirements(for destination: ATSDestination) -> ATSRequirements {
        self.settings.transportSecurity.requirements(for: destination, client: self.settings.client)
    }

    @discardableResult
    func check(_ destination: ATSDestination) throws(ServerTrustGateError) -> ATSRequirements {
        let requirements = self.requirements(for: destination)
        guard destination.scheme == .https else {
            let verdict = requirements.verdict(on: .plain)
            guard verdict.isAllowed else { throw ServerTrustGateError(destination, verdict) }
            return requirements
        }
        guard requirements.effectiveMinimumVersion != nil else {
            throw ServerTrustGateError(destination, requirements.verdictOnNewestVersion)
        }
        return requirements
    }

    /// Returns the judge, the context and the server name that all connections to a destination share.
    func preparation(for destination: ATSDestination) throws -> GatePreparation {
        guard self.settings.transportSecurity.isLasting(for: destination) else { return try self.prepare(destination) }
        return try self.preparations.preparation(for: destination) { try self.prepare(destination) }
    }

    private func prepare(_ destination: ATSDestination) throws -> GatePreparation {
        let requirements = try self.check(destination)
        let endpoint = try TLSEndpoint(host: destination.host, port: destination.port)
        do {
            return GatePreparation(
                judge: ConnectionJudge(
                    self.settings, destination, requirements: requirements, hostname: endpoint.host.text),
                context: try self.contexts.context(for: try TLSOffer(requirements)) {
                    try $0.configuration(basedOn: self.settings.tls)
                },
                serverName: endpoint.host.serverNameIndication)
        } catch let error as TLSOfferError {
            throw ServerTrustGateError(destination, requirements.verdict(on: .failed(.nothingInCommon)), cause: error)
        }
    }
}

extension ATSRequirements {
    /// The verdict on the best connection that a server could choose.
    fileprivate var verdictOnNewestVersion: ATSVerdict {
        self.verdict(on: ATSConnection(version: .tls13, cipherSuite: self.cipherSuites.first, trust: nil))
    }
}
