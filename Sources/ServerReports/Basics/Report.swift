//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An answer that can be written down in one format or several.
///
/// ```swift
/// let server = try await ServerDiagnoser(trust: try .system()).diagnose("api.example.com")
/// let page = try DiagnosisReport([server]).text(as: .html)
/// ```
public protocol Report: Sendable {
    /// The formats that it can be written in.
    static var formats: Set<ReportFormat> { get }

    /// What it comes to.
    var verdict: ReportVerdict { get }

    /// Writes the whole report.
    ///
    /// - Parameters:
    ///   - format: One of ``formats``.
    ///   - style: Colors and weights, which text for terminals has.
    /// - Returns: The report, with a line break at its end.
    /// - Throws: ``UnsupportedFormat`` for a format that is not one of ``formats``.
    func text(as format: ReportFormat, style: TextStyle) throws -> String
}

extension Report {
    /// Writes the whole report without colors.
    ///
    /// - Parameter format: One of ``formats``.
    /// - Throws: ``UnsupportedFormat`` for a format that is not one of ``formats``.
    public func text(as format: ReportFormat) throws -> String { try self.text(as: format, style: .plain) }
}

/// How a report is written.
public enum ReportFormat: String, CaseIterable, Sendable {
    /// For people, in a terminal.
    case text
    /// For programs; docs/json.md describes the documents, and docs/schemas has their JSON Schemas.
    case json
    /// Word for word as `nscurl --ats-diagnostics` of macOS.
    case nscurl
    /// The XML of JUnit, for reports of tests.
    case junit
    /// SARIF 2.1.0, for code scanning.
    case sarif
    /// One page that loads nothing.
    case html
    /// A table, by RFC 4180.
    case csv
}

/// A report cannot be written in the format that was asked for.
public struct UnsupportedFormat: Error, Sendable, Hashable, CustomStringConvertible {
    /// The format.
    public let format: ReportFormat

    /// What to ask for instead.
    public var description: String { "this report is not written as \(self.format.rawValue). Ask for another format" }
}
