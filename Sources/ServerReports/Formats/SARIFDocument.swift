//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A SARIF 2.1.0 document for code scanning
/// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html).
///
/// The document has no fixes. A fix replaces a region up to its last character, and only the starts of regions are known.
struct SARIFDocument: Encodable {
    private let schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    private let version = "2.1.0"
    private let runs: [Run]

    private enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version
        case runs
    }

    init(_ run: Run) {
        self.runs = [run]
    }

    /// The single run over all files or servers.
    struct Run: Encodable {
        private let tool: Tool
        private let invocations: [Invocation]
        /// Columns are counted in Unicode scalars (§3.14.17).
        private let columnKind = "unicodeCodePoints"
        private let results: [Result]

        init(rules: [Rule], _ verdict: ReportVerdict, notifications: [Notification], results: [Result]) {
            self.tool = Tool(driver: Driver(rules: rules))
            self.invocations = [Invocation(verdict, notifications)]
            self.results = results
        }
    }

    struct Message: Encodable {
        let text: String

        /// Creates a message. Braces are doubled, because single braces are placeholders (§3.11.5). Text from a file must not
        /// create a link (§3.11.6).
        init(_ text: String) {
            let plain = DisplayText.text(text)
            self.text = plain.replacingScalars("{", with: "{{").replacingScalars("}", with: "}}")
                .replacingScalars("](", with: "] (")
        }
    }
}

// MARK: - What looked, and how it went

extension SARIFDocument {
    struct Tool: Encodable {
        let driver: Driver
    }

    struct Driver: Encodable {
        private let name = ReportTool.name
        private let semanticVersion = ReportTool.version
        private let rules: [Rule]

        init(rules: [Rule]) {
            self.rules = rules
        }
    }

    struct Rule: Encodable {
        private let id: String
        private let shortDescription: Message
        private let fullDescription: Message
        private let help: Message
        private let helpUri: String
        private let defaultConfiguration: Configuration
        private let properties = ["tags": ["security", "app-transport-security"]]

        init(id: String, title: String, help: String, level: String, helpURI: String) {
            self.id = id
            self.shortDescription = Message(title)
            self.fullDescription = Message(help)
            self.help = Message(help)
            self.helpUri = helpURI
            self.defaultConfiguration = Configuration(level: level)
        }
    }

    /// The level of a rule: error, warning or note (§3.27.10).
    struct Configuration: Encodable {
        let level: String
    }

    struct Invocation: Encodable {
        private let executionSuccessful: Bool
        private let exitCode: Int32
        private let toolExecutionNotifications: [Notification]

        init(_ verdict: ReportVerdict, _ notifications: [Notification]) {
            self.exitCode = verdict.rawValue
            self.executionSuccessful = verdict != .notEvaluated
            self.toolExecutionNotifications = notifications
        }
    }

    /// A notification about a file or server that could not be examined.
    struct Notification: Encodable {
        private let level = "error"
        private let message: Message
        private let locations: [Location]

        init(_ message: String, at location: Location) {
            self.message = Message(message)
            self.locations = [location]
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

        init(
            ruleID: String, ruleIndex: Int?, level: String, message: String, at location: Location,
            properties: [String: String]? = nil
        ) {
            self.ruleId = ruleID
            self.ruleIndex = ruleIndex
            self.level = level
            self.message = Message(message)
            self.locations = [location]
            self.properties = properties
        }
    }

    struct Location: Encodable {
        private let physicalLocation: PhysicalLocation
        private let logicalLocations: [LogicalLocation]?

        init(uri: String, region: Region?, logical: [String]?) {
            self.physicalLocation = PhysicalLocation(artifactLocation: ArtifactLocation(uri: uri), region: region)
            self.logicalLocations = logical.map { [LogicalLocation($0)] }
        }
    }

    struct PhysicalLocation: Encodable {
        let artifactLocation: ArtifactLocation
        /// The region, or `nil` if the file has no lines, as in a binary property list.
        let region: Region?
    }

    struct ArtifactLocation: Encodable {
        let uri: String
    }

    struct Region: Encodable {
        let startLine: Int
        let startColumn: Int
    }

    /// The keys that lead to the location.
    struct LogicalLocation: Encodable {
        private let name: String
        private let fullyQualifiedName: String

        init(_ path: [String]) {
            self.name = DisplayText.text(path.last ?? "")
            self.fullyQualifiedName = DisplayText.text(path.joined(separator: "/"))
        }
    }
}
