//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
import AppleFiles

/// The findings of the linter in Info.plist files, as text, JSON, SARIF, or JUnit.
public struct LintReport: Report {
    /// The formats that it can be written in.
    public static let formats: Set<ReportFormat> = [.text, .json, .sarif, .junit]

    /// One file.
    public struct File: Sendable {
        /// The file.
        public let path: String
        /// What was found in it.
        public let findings: [ATSFinding]
        /// Why it could not be read, which is never taken for a file without a policy; `nil` where it could.
        public let error: InfoPropertyListError?
        /// A remark about the file; `nil` if there is none.
        public internal(set) var note: String?
    }

    /// The files.
    public let files: [File]
    /// The linter.
    public let linter: ATSLinter
    /// The least severity that speaks against a file.
    public let failOn: ATSFinding.Severity

    /// Reads files, and looks into them.
    ///
    /// - Parameters:
    ///   - paths: Info.plists, or apps, archives and source trees with several.
    ///   - linter: The linter.
    ///   - failOn: The least severity that speaks against a file.
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

    /// Whether a finding counts against the file.
    func fails(_ finding: ATSFinding) -> Bool { finding.severity >= self.failOn }

    /// The worst of all files.
    public var verdict: ReportVerdict {
        ReportVerdict.worst(
            of: self.files.map { file in
                if file.error != nil { return .notEvaluated }
                return file.findings.contains(where: self.fails) ? .notTrusted : .trusted
            })
    }

    /// The verdict in JSON; a file is neither trusted nor not.
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
    ///   - style: Colors and weights, which text has.
    /// - Throws: ``UnsupportedFormat`` for a format that is not one of ``formats``.
    public func text(as format: ReportFormat, style: TextStyle) throws -> String {
        switch format {
        case .text: LintText(style).text(of: self)
        case .json: try JSONText.text(LintDocument(self))
        case .sarif: try JSONText.text(SARIFDocument(self))
        case .junit: JUnitDocument(self).text
        case .nscurl, .html, .csv: throw UnsupportedFormat(format: format)
        }
    }
}
