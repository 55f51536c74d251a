//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The servers of a device's log and their faults, the worst first.
package struct DeviceLog: Sendable {
    /// One kind of fault of one server.
    package struct Finding: Sendable {
        /// The fault.
        package let fault: LoggedFault
        /// The lines that say so and end the connection.
        package fileprivate(set) var errors = 0
        /// The lines that say so and let the connection go on.
        package fileprivate(set) var warnings = 0
        /// The time of the first and of the last such line, as it is written; `nil` where lines have none.
        package fileprivate(set) var times: (first: String, last: String)?
        /// The chain that the server sent, where a line has it.
        package fileprivate(set) var chain: [NamedCertificate] = []

        /// The lines together.
        package var count: Int { self.errors + self.warnings }
    }

    /// A server and its faults, the worst first.
    package struct Server: Sendable {
        /// The name or address, perhaps with a port; `nil` for lines that name no server.
        package let name: String?
        /// The faults.
        package let findings: [Finding]

        /// The lines that end a connection.
        var errors: Int { self.findings.reduce(0) { $0 + $1.errors } }
        /// All lines.
        package var count: Int { self.findings.reduce(0) { $0 + $1.count } }
    }

    /// The octets that were read.
    package internal(set) var size = 0
    /// Lines of a kind that is known in words that are not, each with how often it came; digits are written as #.
    package private(set) var unknown: [(text: String, count: Int)] = []
    /// Lines of unknown words beyond those, and about servers beyond the most that are kept.
    package private(set) var leftOut = 0

    private var findings: [String?: [LoggedFault: Finding]] = [:]
    private var faults = 0

    private static let maximumFaults = 20_000
    private static let maximumUnknown = 100

    /// True if the log has no fault.
    package var isEmpty: Bool { self.findings.isEmpty }

    /// The servers, the worst first: by how many lines end a connection, then by all lines, then by name.
    package var servers: [Server] {
        self.findings.map { name, findings in
            Server(
                name: name,
                findings: findings.values.map { (finding: $0, text: "\($0.fault)") }.sorted { left, right in
                    (right.finding.errors, right.finding.count, left.text)
                        < (left.finding.errors, left.finding.count, right.text)
                }.map(\.finding))
        }.sorted { left, right in
            // Lines that name no server come last: a reader cannot act on them.
            if (left.name == nil) != (right.name == nil) { return right.name == nil }
            return (right.errors, right.count, left.name ?? "") < (left.errors, left.count, right.name ?? "")
        }
    }

    mutating func add(_ record: LoggedRecord, at time: String?) {
        if self.findings[record.server]?[record.fault] == nil {
            guard self.faults < Self.maximumFaults else {
                self.leftOut += 1
                return
            }
            self.faults += 1
        }
        var finding = self.findings[record.server]?[record.fault] ?? Finding(fault: record.fault)
        if record.isWarning { finding.warnings += 1 } else { finding.errors += 1 }
        if let time { finding.times = (finding.times?.first ?? time, time) }
        if finding.chain.isEmpty { finding.chain = record.chain }
        self.findings[record.server, default: [:]][record.fault] = finding
    }

    mutating func addUnknown(_ line: String) {
        let text = String(line.map { $0.isASCII && $0.isNumber ? "#" : $0 })
        if let index = self.unknown.firstIndex(where: { $0.text == text }) {
            self.unknown[index].count += 1
        } else if self.unknown.count < Self.maximumUnknown {
            self.unknown.append((text, 1))
        } else {
            self.leftOut += 1
        }
    }
}
