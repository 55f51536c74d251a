//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// The difference between the timestamps of a certificate and Apple's published policy (https://support.apple.com/103214).
///
/// The sources of Apple's systems have neither condition. A certificate that lacks them is accepted today.
public enum TransparencyPageGap: Sendable, Hashable {
    /// No timestamp is of a log of RFC 6962: all are of logs of the static-ct-api.
    case noLogOfRFC6962
    /// Fewer timestamps count than are needed, since only so many of one operator do.
    case fewOperators(counted: Int, needed: Int, perOperator: Int)

    /// The condition that is missed, as a clause.
    var message: String {
        switch self {
        case .noLogOfRFC6962: "one timestamp of a log of RFC 6962, and these are of logs of the static-ct-api alone"
        case .fewOperators(let counted, let needed, let perOperator):
            "at most \(perOperator) of each operator count, so that \(counted) of the \(needed) that are needed do"
        }
    }
}

extension TransparencyPageGap {
    /// The gap of timestamps that suffice for Apple's systems; `nil` if they suffice for the page, too.
    ///
    /// - Parameters:
    ///   - report: The timestamps.
    ///   - logs: The logs.
    ///   - life: The validity of the certificate.
    init?(_ report: TransparencyReport, logs: TransparencyLogs, life: CertificateLife) {
        let valid = report.entries.filter { $0.status == .valid }
        let signers = Set(valid.map(\.logIdentifier)).compactMap { logs.log(named: $0[...]) }
        guard !signers.isEmpty else { return nil }
        guard signers.contains(where: { !$0.isStatic }) else {
            self = .noLogOfRFC6962
            return
        }
        let perOperator = life.seconds > 180 * 86_400 ? 2 : 1
        let counts = Dictionary(grouping: signers, by: \.operatorName).values.map { min($0.count, perOperator) }
        let counted = counts.reduce(0, +)
        guard counted < report.neededLogs else { return nil }
        self = .fewOperators(counted: counted, needed: report.neededLogs, perOperator: perOperator)
    }
}
