//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import FleetScan
import PinningDialects
import ServerDiagnosis
import ServerReports
import ServerTrust
import ServerTrustNIO

extension CommandTrust {
    /// The check of the hosts' pins by the file of pins, or `nil` without a file.
    var pinQuestion: PinQuestion? {
        guard let pins = self.pins else { return nil }
        return { endpoint, certificates, delivered, start in
            let domain = try pins.domain(forHost: endpoint.host.text, port: endpoint.port)
            guard domain != nil || self.refusedUnpinned != .none else { return .unpinned }
            guard !certificates.isEmpty else { return .unknown }
            var settings = self
            settings.trust = self.trust.limitingFetches(since: start)
            let decision = try await settings.decide(
                certificates, host: endpoint.host.text, self.evaluator(for: domain), delivered: delivered)
            guard let failure = decision.failure else {
                return decision.result.map(self.trust.isOfUnknownWorth) == true ? .unknown : .passed
            }
            return .failed(
                ScanFinding(
                    code: failure.code, message: DisplayText.text("\(failure)"),
                    questions: [ScanCriterion.pins.rawValue]))
        }
    }
}
