//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerDiagnosis

/// A report on the diagnoses of servers for Apple's systems, in any of the seven formats.
///
/// Create one with the results of a `ServerDiagnoser`, set ``criterion`` to choose the answer that decides the verdict, and
/// write it with ``Report/text(as:)``.
public struct DiagnosisReport: Report {
    /// All formats.
    public static let formats = Set(ReportFormat.allCases).subtracting([.plist])

    /// The servers in the order of the report.
    public package(set) var servers: [DiagnosedServer]
    /// The answer that determines the verdict.
    public var criterion = FailCriterion.subject(.ats)
    /// The products for which text and HTML contain settings. `nil` means nginx in text and all products in HTML.
    public var products: [ServerProduct]?
    /// `true` to list every test with its codes in text, or with its dictionaries in the format of nscurl.
    public var isVerbose = false

    /// Creates a report on servers.
    ///
    /// - Parameter servers: The servers.
    public init(_ servers: [DiagnosedServer]) {
        self.servers = servers
    }

    /// The worst verdict of all servers.
    public var verdict: ReportVerdict { .worst(of: self.servers.map { $0.verdict(by: self.criterion) }) }

    /// Writes the whole report.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - style: Colors and weights for text.
    public func text(as format: ReportFormat, style: TextStyle) throws -> String {
        let parts = self.servers.enumerated().map { self.part($1, as: format, isFirst: $0 == 0, style: style) }
        return parts.joined() + (try self.end(as: format, style: style))
    }
}

// MARK: - One server after the other

extension DiagnosisReport: GradualReport {
    /// Returns the part of the report for one server, in formats that are written server by server.
    package func part(
        _ server: DiagnosedServer, as format: ReportFormat, isFirst: Bool, style: TextStyle
    ) -> String {
        switch format {
        case .text:
            let text = DiagnosisText(style, products: self.products, isVerbose: self.isVerbose)
            return (isFirst ? "" : "\n") + text.text(of: server)
        case .nscurl: return NSCurlText(isVerbose: self.isVerbose).text(of: server)
        case .json, .junit, .sarif, .html, .csv, .plist: return ""
        }
    }

    /// Returns the part of the report after all servers.
    package func end(as format: ReportFormat, style: TextStyle) throws -> String {
        switch format {
        case .text: self.servers.count > 1 ? "\n" + DiagnosisText.summary(self.servers, self.criterion) : ""
        case .nscurl: ""
        case .json: try JSONText.text(DiagnoseDocument(self.servers, self.criterion))
        case .junit: DiagnosisJUnit.document(self.servers, self.criterion).text
        case .sarif: try JSONText.text(DiagnosisSARIF.document(self.servers, self.criterion))
        case .html: DiagnosisPage(self.servers, self.products).text
        case .csv: DiagnosisCSV.text(of: self.servers)
        case .plist: throw UnsupportedFormat(format: format)
        }
    }
}
