//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerDiagnosis

/// What Apple's systems make of servers, in any of the seven formats.
public struct DiagnosisReport: Report {
    /// The formats, which are all there are.
    public static let formats = Set(ReportFormat.allCases)

    /// The servers, in the order in which they are written.
    public package(set) var servers: [DiagnosedServer]
    /// The answer that decides the verdict.
    public var criterion = FailCriterion.subject(.ats)
    /// The servers whose settings are written, by text and HTML; `nil` for nginx in text, and all of them in HTML.
    public var products: [ServerProduct]?
    /// Whether text and nscurl's words show every test with its codes, or its dictionaries.
    public var isVerbose = false

    /// A report on servers.
    ///
    /// - Parameter servers: The servers.
    public init(_ servers: [DiagnosedServer]) {
        self.servers = servers
    }

    /// The worst answer of all servers.
    public var verdict: ReportVerdict { .worst(of: self.servers.map { $0.verdict(by: self.criterion) }) }

    /// Writes the whole report.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - style: Colors and weights, which text has.
    public func text(as format: ReportFormat, style: TextStyle) throws -> String {
        let parts = self.servers.enumerated().map { self.part($1, as: format, isFirst: $0 == 0, style: style) }
        return parts.joined() + (try self.end(as: format, style: style))
    }
}

// MARK: - One server after the other

extension DiagnosisReport: GradualReport {
    /// What is written as soon as a server is diagnosed, in formats that allow it.
    package func part(
        _ server: DiagnosedServer, as format: ReportFormat, isFirst: Bool, style: TextStyle
    ) -> String {
        switch format {
        case .text:
            let text = DiagnosisText(style, products: self.products, isVerbose: self.isVerbose)
            return (isFirst ? "" : "\n") + text.text(of: server)
        case .nscurl: return NSCurlText(isVerbose: self.isVerbose).text(of: server)
        case .json, .junit, .sarif, .html, .csv: return ""
        }
    }

    /// What is written when all are diagnosed.
    package func end(as format: ReportFormat, style: TextStyle) throws -> String {
        switch format {
        case .text: self.servers.count > 1 ? "\n" + DiagnosisText.summary(self.servers, self.criterion) : ""
        case .nscurl: ""
        case .json: try JSONText.text(DiagnoseDocument(self.servers, self.criterion))
        case .junit: DiagnosisJUnit.document(self.servers, self.criterion).text
        case .sarif: try JSONText.text(DiagnosisSARIF.document(self.servers, self.criterion))
        case .html: DiagnosisPage(self.servers, self.products).text
        case .csv: DiagnosisCSV.text(of: self.servers)
        }
    }
}
