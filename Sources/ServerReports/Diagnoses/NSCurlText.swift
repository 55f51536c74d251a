//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ServerDiagnosis

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A diagnosis in the words of `nscurl --ats-diagnostics` of macOS, from its documented output and from runs of it
/// (developer.apple.com, "Identifying the Source of Blocked Connections").
///
/// nscurl has no third outcome. An unknown answer is a FAIL with the error of a load from a server that does not answer. Times
/// are in UTC.
struct NSCurlText {
    let isVerbose: Bool
    /// The process and thread identifiers in nscurl's log lines.
    var process = "\(ProcessInfo.processInfo.processIdentifier):1"

    func text(of server: DiagnosedServer) -> String {
        var text = self.introduction(server) + Self.separator
        var section: String?
        for row in server.diagnosis.rows {
            if row.test.section != section {
                // The first section has no blank line after its heading.
                text += (section == nil ? "" : Self.separator) + "\n\(DisplayText.text(row.test.section))\n"
                text += section == nil ? "" : "\n"
                section = row.test.section
            }
            text += self.test(row, server)
        }
        return text + Self.separator
    }

    private func introduction(_ server: DiagnosedServer) -> String {
        """
        Starting ATS Diagnostics

        Configuring ATS Info.plist keys and displaying the result of HTTPS loads to \(DisplayText.text(server.fullURL)).
        A test will "PASS" if URLSession:task:didCompleteWithError: returns a nil error.

        """ + (self.isVerbose ? "" : Self.hint)
    }

    private func test(_ row: ATSDiagnostics.Row, _ server: DiagnosedServer) -> String {
        var text = "---\n\(row.test.title)\n"
        if self.isVerbose {
            text += "ATS Dictionary:\n\(row.test.dictionary.objectiveCDescription)\n"
        }
        if let error = server.loadError(of: row) {
            text += error.stream.map { self.log($0, at: server.date) } ?? ""
            text += "Result : FAIL\n" + (self.isVerbose ? "Error : \(DisplayText.text(error.description))\n" : "")
        } else {
            text += "Result : PASS\n"
        }
        return text + "---\n\n"
    }

    private func log(_ code: Int32, at date: Date) -> String {
        "\(Self.moment(date)) nscurl[\(self.process)] NSURLSession/NSURLConnection HTTP load failed "
            + "(kCFStreamErrorDomainSSL, \(code))\n"
    }

    /// Returns the date in the form `2018-02-13 17:45:44.952`.
    private static func moment(_ date: Date) -> String {
        let milliseconds = Int((date.timeIntervalSince1970 * 1_000).rounded(.down))
        let seconds = ISO8601.text(Date(timeIntervalSince1970: Double(milliseconds / 1_000)))
        let fraction = String(milliseconds % 1_000 + 1_000).dropFirst()
        return seconds.replacing("T", with: " ").replacing("Z", with: "") + ".\(fraction)"
    }

    private static let separator = String(repeating: "=", count: 80) + "\n"
    private static let hint =
        "Use '--verbose' to view the ATS dictionaries used and to display the error received in "
        + "URLSession:task:didCompleteWithError:.\n"
}
