//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ConfigurationDocuments
import ServerTrust

/// A finding of the linter about `NSAppTransportSecurity`, with its place.
///
/// Its message names the problem, and its remedy the change that solves it. ``ATSLinter`` creates findings.
public struct ATSFinding: Sendable, Hashable {
    /// The severity of a finding.
    public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
        /// The part is correct but worth knowing.
        case note
        /// The part has another meaning than it seems to, or becomes a problem later.
        case warning
        /// The part blocks connections, or cannot have the meaning that is written.
        case error

        /// Returns `true` if the left severity is lower.
        public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    /// The rule that was broken.
    public let rule: ATSRule
    /// The severity: that of the rule, or a lower one because of the place.
    public let severity: Severity
    /// The problem in one sentence.
    public let message: String
    /// The change that solves the problem, in one or two sentences.
    public let remedy: String
    /// The text to write instead of the key or value, or `nil` if no single text solves the problem.
    public let replacement: String?
    /// The place of the key or value, or `nil` in a binary property list.
    public let position: TextPosition?
    /// The path of keys from the root of the Info.plist, in printable text.
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
    /// The line, the severity, the problem and the remedy.
    public var description: String {
        let place = self.position.map { "line \($0.line): " } ?? ""
        return "\(place)\(self.severity.rawValue): \(self.message) \(self.remedy) [\(self.rule.rawValue)]"
    }
}

/// A log that collects findings.
struct LintLog {
    private var findings: [ATSFinding.Severity: [ATSFinding]] = [:]

    /// Adds a finding. A hostile file has half a million faults, so each severity keeps only as many findings as the linter
    /// returns.
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

    /// Returns `true` if a part of the dictionary has an error.
    func hasError(at path: [String]) -> Bool {
        self.findings[.error, default: []].contains { $0.path.starts(with: path) }
    }

    /// The worst findings up to the maximum number, in the order of the file.
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
    var quoted: String { "\"\(PrintableText.text(of: self))\"" }
}
