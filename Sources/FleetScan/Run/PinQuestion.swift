//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerDiagnosis
package import ServerReports
package import ServerTrust
package import ServerTrustNIO
import TLSProbe

/// What the pins of a host come to.
package enum PinAnswer: Sendable {
    /// The host has no pins.
    case unpinned
    /// It has pins, and no chain to look for them.
    case unknown
    /// It is trusted, and has one of its pins.
    case passed
    /// It is not trusted, or has none of them.
    case failed(ScanFinding)
}

/// Looks for the pins of a host in a chain that it sent, the leaf first, with what it delivered beside it; the chain is empty
/// where it sent no readable one. The time for fetching runs for all chains of the host, from the moment that is given.
package typealias PinQuestion =
    @Sendable (TLSEndpoint, [Certificate], DeliveredEvidence, ContinuousClock.Instant) async throws -> PinAnswer

extension ScanRecord {
    /// Takes what the pins of the host come to: each of its chains must have one.
    ///
    /// - Throws: What the question throws, `CancellationError` among it.
    mutating func ask(_ question: PinQuestion, about facts: ServerFacts, of endpoint: TLSEndpoint) async throws {
        let chains = facts.chains.compactMap { chain -> ([Certificate], DeliveredEvidence)? in
            let certificates = chain.certificates.map { try? Certificate(der: $0) }
            // Intermediates that cannot be read count as not sent; without the leaf there is nothing to look at.
            guard certificates.first.flatMap(\.self) != nil else { return nil }
            let delivered = DeliveredEvidence(ocspResponse: chain.ocspResponse, timestamps: chain.timestamps)
            return (certificates.compactMap(\.self), delivered)
        }
        let start = ContinuousClock.now
        for (chain, delivered) in chains.isEmpty ? [([], DeliveredEvidence())] : chains {
            switch try await question(endpoint, chain, delivered, start) {
            case .unpinned: return
            case .unknown: self.outcome.pins = self.outcome.pins == "failed" ? "failed" : "unknown"
            case .passed: self.outcome.pins = self.outcome.pins ?? "passed"
            case .failed(let finding):
                self.outcome.pins = "failed"
                guard !self.findings.contains(finding) else { continue }
                self.findings.append(finding)
                if !self.reasons.contains(finding.code) { self.reasons.append(finding.code) }
            }
        }
    }
}
