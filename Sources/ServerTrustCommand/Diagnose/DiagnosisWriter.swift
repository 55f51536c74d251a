//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerDiagnosis
import ServerDiagnosisNIO

/// Writes diagnoses in the format that was asked for: server by server where the format allows it, at the end where it is
/// one document.
struct DiagnosisWriter {
    let format: DiagnoseFormat
    let product: ServerChoice?
    let isVerbose: Bool
    let criterion: FailCriterion

    /// What is written as soon as a server is diagnosed.
    func part(_ server: DiagnosedServer, isFirst: Bool) throws -> String {
        switch self.format {
        case .text:
            let text = DiagnosisText(.standardOutput(), product: self.product, isVerbose: self.isVerbose)
            return (isFirst ? "" : "\n") + text.text(of: server)
        case .nscurl: return NSCurlText(isVerbose: self.isVerbose).text(of: server)
        case .json, .junit, .sarif, .html, .csv: return ""
        }
    }

    /// What is written when all are.
    func end(_ servers: [DiagnosedServer]) throws -> String {
        switch self.format {
        case .text: servers.count > 1 ? "\n" + DiagnosisText.summary(servers, self.criterion) : ""
        case .nscurl: ""
        case .json: try JSONText.text(DiagnoseDocument(servers, self.criterion))
        case .junit: DiagnosisJUnit.document(servers, self.criterion).text
        case .sarif: try JSONText.text(DiagnosisSARIF.document(servers, self.criterion))
        case .html: DiagnosisPage(servers, self.product).text
        case .csv: DiagnosisCSV.text(of: servers)
        }
    }
}
