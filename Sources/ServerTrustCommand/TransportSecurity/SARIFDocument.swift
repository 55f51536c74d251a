//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The answer of `servertrust ats lint --format sarif`: SARIF 2.1.0, for code scanning
/// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html).
///
/// It has no fixes, as those replace a region to its last character, and only beginnings are known.
struct SARIFDocument: Encodable {
    private let schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    private let version = "2.1.0"
    private let runs: [Run]

    private enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version
        case runs
    }

    init(_ report: LintReport) {
        self.runs = [Run(report)]
    }

    /// One run of the linter over all files.
    struct Run: Encodable {
        private let tool: Tool
        private let invocations: [Invocation]
        /// Columns are counted in Unicode scalars (§3.14.17).
        private let columnKind = "unicodeCodePoints"
        private let results: [Result]

        init(_ report: LintReport) {
            self.tool = Tool()
            self.invocations = [Invocation(report)]
            self.results = report.files.flatMap { file in file.findings.map { Result($0, in: file.path) } }
        }
    }

    struct Message: Encodable {
        let text: String

        /// Braces are doubled, as single ones are places to fill in (§3.11.5); and what a file says makes no link (§3.11.6).
        init(_ text: String) {
            let plain = PrintableText.text(text)
            self.text = plain.replacing("{", with: "{{").replacing("}", with: "}}").replacing("](", with: "] (")
        }
    }
}

// MARK: - What looked, and how it went

extension SARIFDocument {
    struct Tool: Encodable {
        private let driver = Driver()
    }

    struct Driver: Encodable {
        private let name = "servertrust"
        private let semanticVersion = ServerTrustCommand.configuration.version
        private let rules = ATSRule.allCases.map(Rule.init)
    }

    struct Rule: Encodable {
        private let id: String
        private let shortDescription: Message
        private let fullDescription: Message
        private let help: Message
        private let defaultConfiguration: Configuration
        private let properties = ["tags": ["security", "app-transport-security"]]

        init(_ rule: ATSRule) {
            self.id = rule.rawValue
            self.shortDescription = Message(rule.title)
            self.fullDescription = Message(rule.help)
            self.help = Message(rule.help)
            self.defaultConfiguration = Configuration(level: rule.severity.rawValue)
        }
    }

    /// The levels are called what the severities are (§3.27.10).
    struct Configuration: Encodable {
        let level: String
    }

    struct Invocation: Encodable {
        private let executionSuccessful: Bool
        private let exitCode: Int32
        private let toolExecutionNotifications: [Notification]

        init(_ report: LintReport) {
            self.exitCode = report.verdict.rawValue
            self.executionSuccessful = report.verdict != .notEvaluated
            self.toolExecutionNotifications = report.files.compactMap { file in
                file.error.map { Notification(file.path, $0) }
            }
        }
    }

    /// A file that could not be read.
    struct Notification: Encodable {
        private let level = "error"
        private let message: Message
        private let locations: [Location]

        init(_ path: String, _ error: InfoPropertyListError) {
            self.message = Message(error.message)
            self.locations = [Location(path, error.position, logical: nil)]
        }
    }
}

// MARK: - What was found

extension SARIFDocument {
    struct Result: Encodable {
        private let ruleId: String
        private let ruleIndex: Int?
        private let level: String
        private let message: Message
        private let locations: [Location]
        private let properties: [String: String]?

        init(_ finding: ATSFinding, in path: String) {
            self.ruleId = finding.rule.rawValue
            self.ruleIndex = ATSRule.allCases.firstIndex(of: finding.rule)
            self.level = finding.severity.rawValue
            self.message = Message("\(finding.message) \(finding.remedy)")
            self.locations = [Location(path, finding.position, logical: finding.path)]
            self.properties = finding.replacement.map { ["replacement": PrintableText.text($0)] }
        }
    }

    struct Location: Encodable {
        private let physicalLocation: PhysicalLocation
        private let logicalLocations: [LogicalLocation]?

        init(_ path: String, _ position: TextPosition?, logical: [String]?) {
            self.physicalLocation = PhysicalLocation(
                artifactLocation: ArtifactLocation(uri: FileReference.uri(of: path)),
                region: position.map { Region(startLine: $0.line, startColumn: $0.column) })
            self.logicalLocations = logical.map { [LogicalLocation($0)] }
        }
    }

    struct PhysicalLocation: Encodable {
        let artifactLocation: ArtifactLocation
        /// Absent in a binary property list, which has no lines.
        let region: Region?
    }

    struct ArtifactLocation: Encodable {
        let uri: String
    }

    struct Region: Encodable {
        let startLine: Int
        let startColumn: Int
    }

    /// The keys that lead there.
    struct LogicalLocation: Encodable {
        private let name: String
        private let fullyQualifiedName: String

        init(_ path: [String]) {
            self.name = PrintableText.text(path.last ?? "")
            self.fullyQualifiedName = PrintableText.text(path.joined(separator: "/"))
        }
    }
}

/// Files as SARIF refers to them.
enum FileReference {
    /// A relative reference for a file below the working folder, so that it is found in any checkout, and a `file` URI for
    /// another one (RFC 3986 §4.2, RFC 8089).
    static func uri(of path: String, in folder: String = FileManager.default.currentDirectoryPath) -> String {
        let prefix = folder.hasSuffix("/") ? folder : folder + "/"
        var relative = path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
        while relative.hasPrefix("./") { relative = String(relative.dropFirst(2)) }
        return (relative.hasPrefix("/") ? "file://" : "") + Self.encoded(relative)
    }

    /// Also the colon, with which a relative reference would have a scheme.
    private static func encoded(_ path: String) -> String {
        path.utf8.map { octet in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                String(UnicodeScalar(octet))
            default: "%" + JSONText.hexadecimal([octet]).uppercased()
            }
        }.joined()
    }
}
