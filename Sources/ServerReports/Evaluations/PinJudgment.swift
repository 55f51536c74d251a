//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
package import ServerTrust

/// The result of pinning for a host.
package struct PinJudgment: Sendable {
    let file: String
    /// The domain that applies to the host, or `nil` if the host is not pinned.
    let domain: Domain?
    let outcome: PinningOutcome?
    /// The reason for a refusal, unless the evaluation already contains it.
    package let failure: ServerTrustFailure?
    /// `true` if the host is trusted after its pins were checked.
    let isTrusted: Bool

    /// The settings of a domain in a configuration.
    package struct Domain: Sendable {
        let host: String
        /// The line in the configuration, or `nil` if the file has no lines.
        let line: Int?
        let pins: [String]
        /// The expiration of the pins, or `nil` if they never expire.
        let expires: String?
        /// The names of other domains that add pins, in the form shown to people.
        let additions: [String]

        package init(host: String, line: Int?, pins: [String], expires: String?, additions: [String] = []) {
            self.additions = additions
            self.host = host
            self.line = line
            self.pins = pins
            self.expires = expires
        }

        /// The domains that contribute pins.
        fileprivate var place: String {
            let host = self.host + (self.line.map { " (line \($0))" } ?? "")
            let more = self.additions.count > Self.shown ? [", …"] : []
            return ([host] + self.additions.prefix(Self.shown).map { ", \(DisplayText.text($0))" } + more).joined()
        }

        /// The most additional domains that are listed, because a file can contain a name in thousands of spellings.
        private static let shown = 3
    }

    /// Creates the result of a decision.
    ///
    /// - Parameters:
    ///   - file: The file with the pins.
    ///   - domain: The domain that applies to the host.
    ///   - decision: The decision.
    package init(file: String, domain: Domain?, _ decision: ServerTrustDecision) {
        self.file = file
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

    /// The use of the file.
    var told: InputFile.Told {
        let isUsed = self.domain != nil && self.status != "not-pinned"
        return InputFile.Told(
            name: "the pins of \(self.file)", isUsed: isUsed,
            outcome: isUsed ? "used (\(self.status))" : "not needed: it has no pins for this host")
    }

    package var text: String {
        let place = self.domain.map { " of \($0.place)" } ?? ""
        let file = DisplayText.text(self.file)
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

/// The result of pinning for a host, in JSON.
struct JSONPinning: Encodable {
    private let file: String
    private let status: String
    private let domain: String?
    private let line: Int?
    private let configuredPins: [String]
    private let pathPins: [String]
    private let expires: String?

    init(_ pinning: PinJudgment, path: [Certificate]) {
        self.file = DisplayText.text(pinning.file)
        self.status = pinning.status
        self.domain = pinning.domain?.host
        self.line = pinning.domain?.line
        self.configuredPins = pinning.domain?.pins ?? []
        self.pathPins = path.map { Pin(keyOf: $0).description }
        self.expires = pinning.domain?.expires
    }
}
