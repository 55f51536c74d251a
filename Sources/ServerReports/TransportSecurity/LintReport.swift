//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
import AppleFiles

/// A report on the linter's findings in Info.plist files, as text, JSON, SARIF or JUnit.
///
/// A finding below ``failOn`` is listed but does not affect ``verdict``. A file that cannot be read makes the verdict
/// ``ReportVerdict/notEvaluated``, because it must not pass as a file without a policy.
public struct LintReport: Report {
    /// The supported formats.
    public static let formats: Set<ReportFormat> = [.text, .json, .sarif, .junit]

    /// A linted file.
    public struct File: Sendable {
        /// The path of the file.
        public let path: String
        /// The findings in the file.
        public let findings: [ATSFinding]
        /// The reason why the file could not be read, or `nil` if it could. An unreadable file never counts as a file without a
        /// policy.
        public let error: InfoPropertyListError?
        /// A remark about the file, or `nil` if there is none.
        public internal(set) var note: String?
    }

    /// The linted files.
    public let files: [File]
    /// The linter with its system and its rules.
    public let linter: ATSLinter
    /// The lowest severity that makes the verdict negative.
    public let failOn: ATSFinding.Severity

    /// Reads and lints files.
    ///
    /// - Parameters:
    ///   - paths: The paths of Info.plists, or of apps, archives and source trees with several.
    ///   - linter: The linter.
    ///   - failOn: The lowest severity that makes the verdict negative.
    public init(_ paths: [String], _ linter: ATSLinter, failOn: ATSFinding.Severity) {
        self.linter = linter
        self.failOn = failOn
        self.files = paths.flatMap { path in
            let lists = AppPropertyList.all(at: path)
            return lists.map { Self.file($0, of: lists.first, linter) }
        }
    }

    private static func file(_ list: AppPropertyList, of app: AppPropertyList?, _ linter: ATSLinter) -> File {
        var file =
            switch list.result {
            case .success(let propertyList):
                File(path: list.path, findings: linter.findings(in: propertyList), error: nil)
            case .failure(let error): File(path: list.path, findings: [], error: error)
            }
        let differences = app.map { list.differences(from: $0) } ?? []
        let sentence =
            differences.isEmpty ? nil : "It differs from the app's in \(differences.joined(separator: ", "))."
        file.note = [list.note, sentence].compactMap(\.self).joined(separator: " ")
        if file.note?.isEmpty == true { file.note = nil }
        return file
    }

    /// Returns `true` if a finding makes the verdict negative.
    func fails(_ finding: ATSFinding) -> Bool { finding.severity >= self.failOn }

    /// The worst verdict of all files.
    public var verdict: ReportVerdict {
        ReportVerdict.worst(
            of: self.files.map { file in
                if file.error != nil { return .notEvaluated }
                return file.findings.contains(where: self.fails) ? .notTrusted : .trusted
            })
    }

    /// The name of the verdict in JSON. A file is neither trusted nor not trusted.
    var verdictName: String {
        switch self.verdict {
        case .trusted: "passed"
        case .notTrusted: "failed"
        case .notEvaluated: "not-evaluated"
        }
    }

    func count(_ severity: ATSFinding.Severity) -> Int {
        self.files.reduce(0) { $0 + $1.findings.count { $0.severity == severity } }
    }
}

extension LintReport {
    /// Writes the whole report.
    ///
    /// - Parameters:
    ///   - format: One of ``formats``.
    ///   - style: Colors and weights for text.
    /// - Throws: ``UnsupportedFormat`` for a format that is not one of ``formats``.
    public func text(as format: ReportFormat, style: TextStyle) throws -> String {
        switch format {
        case .text: LintText(style).text(of: self)
        case .json: try JSONText.text(LintDocument(self))
        case .sarif: try JSONText.text(SARIFDocument(self))
        case .junit: JUnitDocument(self).text
        case .nscurl, .html, .csv, .plist: throw UnsupportedFormat(format: format)
        }
    }
}
