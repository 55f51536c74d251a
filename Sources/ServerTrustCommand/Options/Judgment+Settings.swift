//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ConfigurationDocuments
import PinningDialects
import ServerDiagnosis
import ServerReports
import ServerTrust

extension Judgment {
    /// Evaluates certificates, the leaf first.
    ///
    /// - Parameters:
    ///   - certificates: The certificates.
    ///   - purpose: The purpose of the leaf.
    ///   - port: The port of the server, for pins of one port, or `nil` if it is not known.
    ///   - settings: The trust settings and the pins.
    ///   - delivered: The evidence that the server delivered together with its certificates.
    ///   - files: The files that contain the certificates.
    /// - Throws: `TrustError` if there is no certificate, `CancellationError` if the task is cancelled.
    init(
        _ certificates: [Certificate], for purpose: Purpose, port: Int? = nil, by settings: CommandTrust,
        delivered: DeliveredEvidence = DeliveredEvidence(), files: [InputFile] = []
    ) async throws {
        guard let pins = settings.pins, let host = purpose.host else {
            let answer = try await settings.trust.evaluate(certificates, for: purpose.policy, delivered: delivered)
            self.init(purpose, by: settings.trust, answer: answer, files: settings.files + files)
            return
        }
        let domain = try pins.domain(forHost: host, port: port)
        let decision = try await settings.decide(
            certificates, host: host, for: purpose.policy, settings.evaluator(for: domain), delivered: delivered)
        guard let result = decision.result else { throw TrustError.noCertificates }
        self.init(
            purpose, by: settings.trust, answer: decision.fetched ?? FetchedTrustResult(result: result),
            pinning: PinJudgment(file: pins.path, domain: domain.map(PinJudgment.Domain.init), decision),
            files: settings.files + files)
    }
}

extension CommandTrust {
    /// Returns the evaluator for a host with this domain in the file of pins.
    func evaluator(for domain: PinnedDomain?) -> ServerTrustEvaluator {
        switch self.refusedUnpinned {
        case .none: domain?.evaluator ?? .default
        case .unnamed: domain?.evaluator ?? PinnedDomain.evaluatorRequiringPins(nil)
        case .all: PinnedDomain.evaluatorRequiringPins(domain)
        }
    }
}

extension PinJudgment.Domain {
    fileprivate init(_ domain: PinnedDomain) {
        self.init(
            host: domain.host, line: domain.position?.line, pins: domain.pins?.pins.map(\.description) ?? [],
            expires: domain.pins?.expiration.map { "\(Timestamp($0.date))" }, additions: domain.additions)
    }
}
