//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

/// The certificates of a path as text, one block each, the leaf first.
struct PathText {
    private let style: TextStyle
    private static let shownNames = 6

    init(_ style: TextStyle) {
        self.style = style
    }

    /// The text about one certificate of a path.
    struct Block {
        let certificate: Certificate
        /// The name of the certificate, and its role if it is an anchor.
        let title: String
        let lines: [FactLine]
    }

    /// Returns the path of an evaluation, which is partial if it reaches no anchor.
    func text(of judgment: Judgment) -> String {
        "\n"
            + self.blocks(of: judgment).enumerated().map { index, block in
                let lines = block.lines.map { line in
                    "     \(self.style.dim(Self.padded(line.label)))\(line.values.joined(separator: ", "))\n"
                }
                return "  \(index)  \(block.title)\n\(lines.joined())"
            }.joined()
    }

    func blocks(of judgment: Judgment) -> [Block] {
        judgment.result.path.enumerated().map { self.block($1, index: $0, judgment) }
    }

    private func block(_ certificate: Certificate, index: Int, _ judgment: Judgment) -> Block {
        let result = judgment.result
        let isLast = index == result.path.count - 1
        let role = isLast ? self.role(in: judgment) : ""
        var lines = [FactLine("valid", [DayCount.validity(of: certificate, at: result.evaluationDate)])]
        lines.append(FactLine("key", ["\(certificate.publicKey), pin sha256/\(certificate.publicKey.pin)"]))
        if index == 0 {
            lines.append(FactLine("names", [Self.names(of: certificate)]))
            // A certificate below a private root rarely has timestamps and needs none.
            if let report = result.transparency, report.isRequired || !report.entries.isEmpty {
                lines.append(FactLine("logged", [TransparencyText.logs(of: report)]))
            }
            if let text = TransparencyText.extendedValidation(of: result) { lines.append(FactLine("EV", [text])) }
        }
        if judgment.statuses.indices.contains(index) {
            lines.append(FactLine("status", [FetchText.text(of: judgment.statuses[index])]))
        }
        if isLast, result.anchorClass == nil {
            let issuer = certificate.isSelfSigned ? "itself, and not trusted" : "\(certificate.issuer), not found"
            lines.append(FactLine("issuer", [issuer]))
        }
        return Block(
            certificate: certificate, title: self.style.bold(certificate.subjectSummary) + role, lines: lines)
    }

    private static func padded(_ label: String) -> String {
        label + String(repeating: " ", count: max(0, 7 - label.count))
    }

    private func role(in judgment: Judgment) -> String {
        let isBlocked = judgment.result.failure?.reasons.contains { reason in
            if case .blockedRoot = reason.reason { true } else { false }
        }
        if isBlocked == true { return ", blocked by Apple" }
        return judgment.result.anchorClass.map { Self.role(of: $0, judgment.publicTrust?.roots) } ?? ""
    }

    private static func role(of anchorClass: AnchorClass, _ roots: PublicTrustBasis.Roots?) -> String {
        switch anchorClass {
        case .application: ", trusted: given as a root"
        case .system: roots == .apple ? ", trusted: a root of Apple's program" : ", trusted: in this machine's store"
        case .user: ", trusted: installed by the user or an administrator"
        }
    }

    private static func names(of certificate: Certificate) -> String {
        let names = certificate.dnsNames + certificate.ipAddresses.map(\.description)
        guard !names.isEmpty else { return "none a server could have" }
        return names.listed(upTo: Self.shownNames)
    }
}
