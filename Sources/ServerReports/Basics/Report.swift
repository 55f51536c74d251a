//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A report that can be written in one or several formats.
///
/// ```swift
/// let server = try await ServerDiagnoser(trust: try .system()).diagnose("api.example.com")
/// let page = try DiagnosisReport([server]).text(as: .html)
/// ```
public protocol Report: Sendable {
    /// The supported formats.
    static var formats: Set<ReportFormat> { get }

    /// The verdict of the report.
    var verdict: ReportVerdict { get }

    /// Writes the whole report.
    ///
    /// - Parameters:
    ///   - format: One of ``formats``.
    ///   - style: Colors and weights for text in a terminal.
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

/// The format of a report.
///
/// A report supports only some of the formats. ``Report/formats`` lists them.
public enum ReportFormat: String, CaseIterable, Sendable {
    /// Text for people, in a terminal.
    case text
    /// JSON for programs. docs/json.md describes the documents, and docs/schemas has their JSON Schemas.
    case json
    /// The output of `nscurl --ats-diagnostics` of macOS, word for word.
    case nscurl
    /// The XML of JUnit, for test reports.
    case junit
    /// SARIF 2.1.0, for code scanning.
    case sarif
    /// A single HTML page that loads nothing.
    case html
    /// A table in the format of RFC 4180.
    case csv
    /// A property list in XML, such as an Info.plist with the suggested exceptions.
    case plist
}

/// The error for a report that does not support the requested format.
///
/// ``Report/text(as:)`` throws it for a format that is not one of ``Report/formats``.
public struct UnsupportedFormat: Error, Sendable, Hashable, CustomStringConvertible {
    /// The requested format.
    public let format: ReportFormat

    /// The problem and the advice to use another format.
    public var description: String { "this report is not written as \(self.format.rawValue). Ask for another format" }
}
