//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments
import ServerTrust

/// One thing a person should know about `NSAppTransportSecurity`, and where it is.
public struct ATSFinding: Sendable, Hashable {
    /// How bad it is.
    public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
        /// Good to know.
        case note
        /// Means something else than it seems to, or is a danger to come.
        case warning
        /// Blocks connections, or cannot mean what is written.
        case error

        /// Whether one is less bad than another.
        public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// Which rule found it.
    public let rule: ATSRule
    /// How bad it is: as bad as the rule says, unless the place makes it less so.
    public let severity: Severity
    /// What is wrong, in one sentence.
    public let message: String
    /// What would put it right, in one sentence or two.
    public let remedy: String
    /// The text to write in place of the key or value, where one text would put it right.
    public let replacement: String?
    /// Where the key or value is; `nil` in a binary property list.
    public let position: TextPosition?
    /// The keys that lead to it from the root of the Info.plist, printable.
    public let path: [String]

    init(
        _ rule: ATSRule, _ severity: Severity, path: [String], at position: TextPosition?, message: String,
        remedy: String, replacement: String?
    ) {
        self.rule = rule
        self.severity = severity
        self.message = message
        self.remedy = remedy
        self.replacement = replacement.map(PrintableText.text(of:))
        self.position = position
        self.path = path.map(PrintableText.text(of:))
    }
}

extension ATSFinding: CustomStringConvertible {
    /// The line, what is wrong and what to do.
    public var description: String {
        let place = self.position.map { "line \($0.line): " } ?? ""
        return "\(place)\(self.severity.rawValue): \(self.message) \(self.remedy) [\(self.rule.rawValue)]"
    }
}

/// What is found, as it is found.
struct LintLog {
    private var findings: [ATSFinding.Severity: [ATSFinding]] = [:]

    /// Says something. A hostile file has half a million faults; of each severity only so many are kept as can be returned.
    mutating func add(
        _ rule: ATSRule, as severity: ATSFinding.Severity? = nil, path: [String], at position: TextPosition?,
        message: String, remedy: String, replacement: String? = nil
    ) {
        let severity = severity ?? rule.severity
        guard self.findings[severity, default: []].count < ATSLinter.maximumFindings else { return }
        self.findings[severity, default: []].append(
            ATSFinding(
                rule, severity, path: path, at: position, message: message, remedy: remedy, replacement: replacement))
    }

    /// The worst of them, as many as there may be, in the order of the file.
    var sorted: [ATSFinding] {
        let worst = ATSFinding.Severity.allCases.reversed().flatMap { self.findings[$0] ?? [] }
            .prefix(ATSLinter.maximumFindings)
        return worst.enumerated().sorted { left, right in
            let (a, b) = (left.element.position, right.element.position)
            let before = (a?.line ?? 0, a?.column ?? 0, left.offset)
            return before < (b?.line ?? 0, b?.column ?? 0, right.offset)
        }.map(\.element)
    }
}

extension String {
    /// The text as it may be shown: printable, cut, in quotation marks.
    var quoted: String { "\"\(PrintableText.text(of: self))\"" }
}
