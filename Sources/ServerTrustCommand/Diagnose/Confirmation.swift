//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis
import ServerTrustNIO

/// What a real connection under a test's requirements came to, beside what was computed.
struct Confirmation: Sendable {
    let test: ATSDiagnosticTest
    let computed: ATSOutcome
    let observed: ATSOutcome
    /// What spoke against the connection.
    let violation: ATSViolation?

    /// Whether one of them must be wrong. What is not known contradicts nothing.
    var isContradiction: Bool {
        self.computed != .unknown && self.observed != .unknown && self.computed != self.observed
    }

    /// What came of it, in one sentence.
    var message: String {
        let reason = self.violation.map { " (\(PrintableText.text($0.message)))" } ?? ""
        let name = "Test \(self.test.number), \(self.test.title)"
        guard self.isContradiction else {
            return "\(name): a real connection came to \(self.observed.headline)\(reason)."
        }
        return
            "\(name): a real connection came to \(self.observed.headline)\(reason), and \(self.computed.headline) was "
            + "computed; machines of different settings may stand behind the address. Diagnose them one by one with "
            + "--connect-to."
    }
}

/// Repeats the tests that decide as real connections.
struct Confirmer {
    let settings: TrustSettings
    let configuration: ATSPolicy.Configuration
    let timeout: Duration

    /// Connects for each of the tests, under the host's own name.
    func confirmations(of server: DiagnosedServer) async throws -> [Confirmation] {
        var confirmations: [Confirmation] = []
        for row in Self.decisive(server.diagnosis) {
            confirmations.append(
                try await self.confirmation(of: row, at: server.endpoint, server.diagnosis.transportSecurity))
        }
        return confirmations
    }

    /// Without exceptions, under FCP_v2.1, and with the least exception that helps.
    private static func decisive(_ diagnosis: ServerDiagnosis) -> [ATSDiagnostics.Row] {
        var numbers = [1]
        if case .needsException(let number) = diagnosis.conclusion { numbers.append(number) }
        return diagnosis.rows.filter { numbers.contains($0.test.number) || $0.test.isFCP }
    }

    private func confirmation(
        of row: ATSDiagnostics.Row, at endpoint: TLSEndpoint, _ facts: ATSServerFacts
    ) async throws -> Confirmation {
        let destination = ATSInspection.destination(endpoint)
        let policy = ATSPolicy(row.test.dictionary, configuration: self.configuration)
        let requirements = policy.requirements(for: destination)
        // A connection shows nothing of where the load is redirected to, which may decide the row.
        let computed = requirements.verdict(on: facts.connection(offering: requirements))
        let verdict = requirements.verdict(on: try await self.connection(to: endpoint, requirements))
        return Confirmation(
            test: row.test, computed: computed.outcome, observed: verdict.outcome, violation: verdict.primary)
    }

    /// One connection that offers what is required and nothing else. A server that ends it because it wants a client
    /// certificate has chosen and shown everything by then.
    private func connection(to endpoint: TLSEndpoint, _ requirements: ATSRequirements) async throws -> ATSConnection {
        var configuration = TLSConnection.Configuration()
        configuration.timeout = self.timeout
        configuration.minimumVersion = requirements.effectiveMinimumVersion ?? .tls13
        configuration.cipherSuites = requirements.cipherSuites
        let isFCP = requirements.niapPackage == .fcp21
        configuration.signatureSchemes = SignatureScheme.known.filter { !isFCP || !$0.usesSHA1 }
        do {
            let presented = try await TLSConnection.presentedChain(of: endpoint, configuration: configuration)
            let policy = requirements.trustPolicy(hostname: endpoint.host)
            return ATSConnection(
                version: presented.protocolVersion, cipherSuite: presented.cipherSuite,
                usesExtendedMasterSecret: presented.usesExtendedMasterSecret,
                trust: try await self.settings.trust(in: presented.certificates, for: policy))
        } catch let error as TLSConnectionError {
            return .failed(error.atsFailure)
        }
    }
}
