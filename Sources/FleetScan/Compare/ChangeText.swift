//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

/// A formatter that writes each change as one line of text.
struct ChangeText {
    private let style: TextStyle
    private static let shown = 4

    init(_ style: TextStyle) {
        self.style = style
    }

    func line(_ change: ScanChange) -> String {
        let level = change.level.map { [$0.rawValue] } ?? []
        let differences = level + change.changes.map(self.text)
        let reason = change.reasons.first.map { [DisplayText.text($0.message)] } ?? []
        let text = (differences + reason).joined(separator: "; ")
        return "\(self.word(change))  \(self.style.bold(change.name))\(text.isEmpty ? "" : "  \(text)")"
    }

    private func word(_ change: ScanChange) -> String {
        switch change.kind {
        case _ where change.isWorse: self.style.coloured("WORSE  ", .notTrusted)
        case .changed: "CHANGED"
        case .appeared: "NEW    "
        case .disappeared: "GONE   "
        case .expiring where change.level == .expired: self.style.coloured("EXPIRED", .notTrusted)
        case .expiring: self.style.coloured("EXPIRES", .notEvaluated)
        }
    }

    private func text(_ difference: ScanChange.Difference) -> String {
        guard !difference.old.isEmpty || difference.new.count != 1 else {
            return "\(difference.field) \(DisplayText.text(difference.new[0]))"
        }
        return "\(difference.field) \(Self.values(difference.old)) -> \(Self.values(difference.new))"
    }

    private static func values(_ values: [String]) -> String {
        guard !values.isEmpty else { return "none" }
        let shown = values.prefix(Self.shown).map { DisplayText.text(String($0.prefix(64))) }
        let more = values.count > Self.shown ? ", … (\(values.count) in all)" : ""
        return shown.joined(separator: ", ") + more
    }
}
