//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import PinningDialects
import ServerTrust

/// What came of the pins of a host.
struct PinJudgement: Sendable {
    /// The file with the pins.
    let file: String
    /// The domain that speaks for the host; `nil` when nothing is pinned for it.
    let domain: PinnedDomain?
    let outcome: PinningOutcome?
    /// Why the host is not trusted, if the reason is not in the evaluation already.
    let failure: ServerTrustFailure?
    private let isTrusted: Bool

    init(_ file: PinsFile, _ domain: PinnedDomain?, _ decision: ServerTrustDecision) {
        self.file = file.path
        self.domain = domain
        self.outcome = decision.pinning
        self.isTrusted = decision.isTrusted
        self.failure = decision.result?.failure == nil ? decision.failure : nil
    }

    /// A short, stable name for programs.
    var status: String {
        switch self.outcome {
        case .matched: "matched"
        case .mismatched: "mismatched"
        case .exempt: "exempt"
        case .expired: "expired"
        case .notCompared: "not-compared"
        case nil: "not-pinned"
        }
    }

    /// The paragraph of a report.
    var text: String {
        let place = self.domain.map { " of \($0.host)" + ($0.position.map { " (line \($0.line))" } ?? "") } ?? ""
        let file = PrintableText.text(self.file)
        switch self.outcome {
        case .matched: return "  Pins: the path has one of those\(place) in \(file).\n"
        case .exempt(let anchors):
            return
                "  Pins: not needed, as those\(place) in \(file) let anchors of this kind pass (\(anchors.rawValue)).\n"
        case .expired(let expiration):
            return "  Pins: those\(place) in \(file) ended on \(Timestamp(expiration.date)).\n"
        case .mismatched(let mismatch):
            let consequence = self.isTrusted ? ", and let through: they are only reported" : ""
            let lines = "\(mismatch)".split(separator: "\n").dropFirst().map { "  \($0)\n" }.joined()
            return "  Pins: the path has none of those\(place) in \(file)\(consequence).\n\(lines)"
        case .notCompared: return "  Pins: those\(place) in \(file) do not matter, as the path is not in order.\n"
        case nil: return "  Pins: \(file) has none for this host.\n"
        }
    }
}

/// What came of the pins of a host, in JSON.
struct JSONPinning: Encodable {
    private let file: String
    private let status: String
    private let domain: String?
    private let line: Int?
    private let configuredPins: [String]
    private let pathPins: [String]
    private let expires: String?

    init(_ pinning: PinJudgement, path: [Certificate]) {
        self.file = PrintableText.text(pinning.file)
        self.status = pinning.status
        self.domain = pinning.domain?.host
        self.line = pinning.domain?.position?.line
        self.configuredPins = pinning.domain?.pins?.pins.map(\.description) ?? []
        self.pathPins = path.map { Pin(keyOf: $0).description }
        self.expires = pinning.domain?.pins?.expiration.map { "\(Timestamp($0.date))" }
    }
}
