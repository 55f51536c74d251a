//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

/// A receiver that writes each result as a line of JSON.
struct NDJSONReceiver: ScanReceiver {
    let stream: ResultStream

    func receive(_ result: ScanResult) throws(SystemError) {
        try self.stream.write(try result.line())
    }

    func end(isComplete: Bool) {}
}

/// A receiver that writes each result as a line of text.
struct TextReceiver: ScanReceiver {
    let stream: ResultStream
    let style: TextStyle
    let criterion: ScanCriterion

    func receive(_ result: ScanResult) throws(SystemError) {
        try self.stream.write(ScanText(self.style).line(result.record, self.criterion) + "\n")
    }

    func end(isComplete: Bool) {}
}

/// A receiver that writes each result as a CSV record.
struct CSVReceiver: ScanReceiver {
    let stream: ResultStream
    private var isBegun = false

    init(stream: ResultStream) {
        self.stream = stream
    }

    mutating func receive(_ result: ScanResult) throws(SystemError) {
        try self.begin()
        try self.stream.write(CSVText.line(ScanCSV.fields(result.record)))
    }

    mutating func end(isComplete: Bool) throws(SystemError) { try self.begin() }

    private mutating func begin() throws(SystemError) {
        guard !self.isBegun else { return }
        self.isBegun = true
        try self.stream.write(CSVText.line(ScanCSV.header))
    }
}

/// The columns of the CSV output.
enum ScanCSV {
    static let header = [
        "line", "host", "port", "connect_to", "id", "ats", "fcp", "trust", "reasons", "message", "versions",
        "certificate", "issuer", "not_after", "days_left", "sha256", "address", "connections", "milliseconds", "date",
        "plist", "pins", "apple_data", "notes", "not_before", "percent_left", "expiry",
    ]
    /// The columns that all versions of the program have written.
    static let beginning = header.prefix(8).joined(separator: ",") + ","

    static func fields(_ record: ScanRecord) -> [String] {
        let certificate = record.certificate
        let finding = record.error ?? record.findings.first
        let id: String? =
            switch record.id {
            case .number(let number)?: "\(number)"
            case .text(let text)?: text
            case nil: nil
            }
        return [
            "\(record.line)", record.host ?? record.text ?? "", record.port.map { "\($0)" } ?? "",
            record.connectTo ?? "",
            id ?? "", record.outcome.ats, record.outcome.fcp ?? "", record.outcome.trust,
            record.reasons.joined(separator: " "), finding?.message ?? "", record.versions.joined(separator: " "),
            certificate?.subject ?? "", certificate?.issuer ?? "", certificate?.notAfter ?? "",
            certificate.map { "\($0.daysLeft)" } ?? "", certificate?.sha256 ?? "", record.address ?? "",
            "\(record.connections)", "\(record.milliseconds)", record.date, record.outcome.plist ?? "",
            record.outcome.pins ?? "", record.appleData ?? "", record.notes?.joined(separator: " ") ?? "",
            certificate?.notBefore ?? "", certificate?.percentLeft.map { "\($0)" } ?? "",
            certificate?.expiry?.rawValue ?? "",
        ]
    }
}
