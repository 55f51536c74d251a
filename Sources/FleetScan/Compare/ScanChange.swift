//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust

/// The changes of one host between two results.
struct ScanChange: Encodable, Sendable {
    /// The kind of a change.
    enum Kind: String, Encodable, Sendable {
        case changed
        case appeared
        case disappeared
        case expiring
    }

    /// One changed value, with its old and new contents.
    struct Difference: Encodable, Sendable {
        let field: String
        let old: [String]
        let new: [String]
    }

    let format = "servertrust.scan-change/1"
    let kind: Kind
    let host: String?
    let port: Int?
    let id: ScanIdentifier?
    let name: String
    let date: String
    /// The criteria with a worse outcome than before.
    var worsened: Set<ScanCriterion> = []
    var changes: [Difference] = []
    /// The urgency of an end; `nil` of other kinds.
    var level: ExpiryLevel?
    /// The findings of the new result if an outcome is worse.
    var reasons: [ScanFinding] = []

    init(_ kind: Kind, _ record: ScanRecord) {
        self.kind = kind
        self.host = record.host
        self.port = record.port
        self.id = record.id
        self.name = record.name
        self.date = record.date
    }

    /// Returns the change as a line of JSON.
    func line() throws(SystemError) -> [UInt8] { try SystemError.only { try JSONText.line(self) + [0x0A] } }

    var isWorse: Bool { !self.worsened.isEmpty }

    private enum CodingKeys: String, CodingKey {
        case format, kind, level, server, host, port, id, date, isWorse, changes, reasons
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.format, forKey: .format)
        try container.encode(self.kind, forKey: .kind)
        try container.encodeIfPresent(self.level, forKey: .level)
        try container.encode(self.name, forKey: .server)
        try container.encodeIfPresent(self.host, forKey: .host)
        try container.encodeIfPresent(self.port, forKey: .port)
        try container.encodeIfPresent(self.id, forKey: .id)
        try container.encode(self.date, forKey: .date)
        try container.encode(self.isWorse, forKey: .isWorse)
        try container.encode(self.changes, forKey: .changes)
        try container.encode(self.reasons, forKey: .reasons)
    }
}

extension ScanChange {
    /// The questions of a comparison. A certificate that comes near its end has not changed.
    static let questions = ScanCriterion.allCases.filter { $0 != .expiry }

    /// Compares two results, or returns `nil` if they are equal.
    init?(
        from old: ScanRecord, to new: ScanRecord, questions: [ScanCriterion] = Self.questions
    ) {
        var differences = Self.answers(old, new, questions)
        Self.add("reasons", from: old.reasons.sorted(), to: new.reasons.sorted(), in: &differences)
        // A host that did not answer is unknown and not changed.
        if !old.versions.isEmpty, !new.versions.isEmpty { Self.addFacts(old, new, to: &differences) }
        guard !differences.isEmpty else { return nil }
        self.init(.changed, new)
        self.worsened = Self.worsened(old, new, questions)
        self.changes = differences
        self.reasons = self.isWorse ? new.findings : []
    }

    private static func answers(
        _ old: ScanRecord, _ new: ScanRecord, _ questions: [ScanCriterion]
    ) -> [Difference] {
        var differences: [Difference] = []
        for question in questions {
            guard let before = old.outcome(question), let after = new.outcome(question) else { continue }
            self.add(question.rawValue, from: [before], to: [after], in: &differences)
        }
        return differences
    }

    private static func addFacts(_ old: ScanRecord, _ new: ScanRecord, to differences: inout [Difference]) {
        self.add("versions", from: old.versions, to: new.versions, in: &differences)
        // Another plan probes for a different number of these.
        if old.plan == new.plan {
            self.add("cipherSuites", from: old.cipherSuites, to: new.cipherSuites, in: &differences)
            self.add("groups", from: old.groups, to: new.groups, in: &differences)
        }
        let certificates = (old.certificate, new.certificate)
        self.add("certificate", of: certificates, value: \.sha256, in: &differences)
        self.add("notAfter", of: certificates, value: \.notAfter, in: &differences)
        self.add("key", of: certificates, value: \.spkiSHA256, in: &differences)
        self.add("issuer", of: certificates, value: \.issuer, in: &differences)
        self.add(
            "chain", from: Array(old.chain.dropFirst()), to: Array(new.chain.dropFirst()), in: &differences)
    }

    private static func add(
        _ field: String, of certificates: (old: ScanCertificate?, new: ScanCertificate?),
        value: KeyPath<ScanCertificate, String>, in differences: inout [Difference]
    ) {
        self.add(
            field, from: certificates.old.map { [$0[keyPath: value]] } ?? [],
            to: certificates.new.map { [$0[keyPath: value]] } ?? [], in: &differences)
    }

    private static func add(
        _ field: String, from old: [String], to new: [String], in differences: inout [Difference]
    ) {
        if old != new { differences.append(Difference(field: field, old: old, new: new)) }
    }

    private static func worsened(
        _ old: ScanRecord, _ new: ScanRecord, _ questions: [ScanCriterion]
    ) -> Set<ScanCriterion> {
        Set(
            questions.filter { question in
                switch (old.outcome(question), new.outcome(question)) {
                case ("passed", let after?): after != "passed"
                // A host that had failed before it became unknown is not worse if it fails again.
                case ("unknown", "failed"): old.lastAnswers?.answer(question) != "failed"
                default: false
                }
            })
    }
}
