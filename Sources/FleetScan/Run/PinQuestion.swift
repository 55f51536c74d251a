//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerDiagnosis
package import ServerReports
package import ServerTrust
package import ServerTrustNIO
import TLSProbe

/// The outcome of the pins of a host.
package enum PinAnswer: Sendable {
    case unpinned
    /// The host has pins, but there is no chain to evaluate.
    case unknown
    /// The chain is trusted and matches a pin.
    case passed
    /// The chain is not trusted, or matches no pin.
    case failed(ScanFinding)
}

/// A closure that evaluates the pins of a host against a chain, the leaf first, with the evidence that the server delivered.
///
/// The chain is empty if the server sent no readable one. The time limit for fetching covers all chains of the host and starts at
/// the instant that is passed.
package typealias PinQuestion =
    @Sendable (TLSEndpoint, [Certificate], DeliveredEvidence, ContinuousClock.Instant) async throws -> PinAnswer

extension ScanRecord {
    /// Evaluates the pins of a host. Each of its chains must match a pin.
    ///
    /// - Throws: Any error of the closure, including `CancellationError`.
    mutating func ask(_ question: PinQuestion, about facts: ServerFacts, of endpoint: TLSEndpoint) async throws {
        let chains = facts.chains.compactMap { chain -> ([Certificate], DeliveredEvidence)? in
            let certificates = chain.certificates.map { try? Certificate(der: $0) }
            // Intermediates that cannot be read count as not sent. A chain without its leaf is not evaluated.
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
