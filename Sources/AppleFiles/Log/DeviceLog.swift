//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The servers of a device's log with their faults, the worst first.
package struct DeviceLog: Sendable {
    /// One kind of fault of one server.
    package struct Finding: Sendable {
        package let fault: LoggedFault
        /// The number of lines with this fault that end the connection.
        package fileprivate(set) var errors = 0
        /// The number of lines with this fault after which the connection continues.
        package fileprivate(set) var warnings = 0
        /// The times of the first and the last line as the log writes them, or `nil` if the lines have no time.
        package fileprivate(set) var times: (first: String, last: String)?
        /// The chain that the server sent, or an empty array if no line has it.
        package fileprivate(set) var chain: [NamedCertificate] = []

        /// The number of lines with this fault.
        package var count: Int { self.errors + self.warnings }
    }

    /// A server and its faults, the worst first.
    package struct Server: Sendable {
        /// The name or address, with a port if the log has one. `nil` for lines that name no server.
        package let name: String?
        package let findings: [Finding]

        /// The number of lines that end a connection.
        var errors: Int { self.findings.reduce(0) { $0 + $1.errors } }
        /// The number of lines about this server.
        package var count: Int { self.findings.reduce(0) { $0 + $1.count } }
    }

    /// The number of octets read.
    package internal(set) var size = 0
    /// Lines of a known kind in an unknown wording, each with its number of occurrences. Each digit is replaced with #.
    package private(set) var unknown: [(text: String, count: Int)] = []
    /// The number of lines left out because a limit was reached: the limit of unknown lines, or the limit of faults.
    package private(set) var leftOut = 0

    private var findings: [String?: [LoggedFault: Finding]] = [:]
    private var faults = 0

    private static let maximumFaults = 20_000
    private static let maximumUnknown = 100

    package var isEmpty: Bool { self.findings.isEmpty }

    /// The servers, the worst first: sorted by the number of lines that end a connection, by the number of all lines, and by name.
    package var servers: [Server] {
        self.findings.map { name, findings in
            Server(
                name: name,
                findings: findings.values.map { (finding: $0, text: "\($0.fault)") }.sorted { left, right in
                    (right.finding.errors, right.finding.count, left.text)
                        < (left.finding.errors, left.finding.count, right.text)
                }.map(\.finding))
        }.sorted { left, right in
            // Lines that name no server come last, because a reader cannot act on them.
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
