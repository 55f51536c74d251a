//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ReportSupport
import ServerTrust
import SystemPackage
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports

@Suite("Warnings before certificates end")
struct ExpiryWarnerTests {
    private static let day: Int64 = 86_400
    private static let start: Int64 = 1_780_000_000

    // MARK: Renewals

    @Test(
        "A hundred renewals raise no false alarm, and each one that is missed raises one",
        arguments: [6, 45, 90, 200, 398])
    func renewals(days: Int64) throws {
        let alarms = try Alarms()
        let warner = ExpiryWarner(alarms.writer)
        var generator = SeededGenerator(state: UInt64(days))
        // Clients of ACME renew at a third of the life, those of certificates below ten days at half; others forty days before.
        let usual = days < 10 ? days * Self.day / 2 : days > 90 ? 40 * Self.day : days * Self.day / 3
        var (now, missed) = (Self.start, 0)
        for renewal in 0..<100 {
            let end = now + days * Self.day
            let issued = now
            let late = Int64.random(in: 0...Self.day, using: &generator)
            let due = end - usual + late
            let isMissed = renewal % 10 == 9
            if isMissed { missed += 1 }
            var seen = false
            while isMissed ? !seen : now < due {
                let before = alarms.count
                try warner.receive(Self.result(from: issued, days: days, at: now, digest: "\(renewal)"))
                seen = alarms.count > before
                now += 3_600
            }
        }
        #expect(alarms.count == missed && missed == 10)
    }

    @Test(
        "A certificate that is never renewed is warned of once at each level",
        arguments: [
            (6, ["warning", "critical", "expired"]), (90, ["warning", "critical", "expired"]),
            (200, ["warning", "critical", "expired"]),
            // Below thirty days there is less than a tenth left already.
            (398, ["critical", "expired"]),
        ] as [(Int64, [String])])
    func levels(days: Int64, levels: [String]) throws {
        let alarms = try Alarms()
        let warner = ExpiryWarner(alarms.writer)
        for hour in 0..<(days + 3) * 24 {
            try warner.receive(Self.result(from: Self.start, days: days, at: Self.start + hour * 3_600, digest: "a"))
        }
        #expect(try alarms.levels() == levels)
    }

    // MARK: What tells certificates apart

    @Test("Of two machines of one name, one renewed, the other is warned of, once, in whatever order they answer")
    func machines() throws {
        let alarms = try Alarms()
        let warner = ExpiryWarner(alarms.writer)
        let now = Self.start + 80 * Self.day
        for _ in 0..<20 {
            try warner.receive(Self.result(from: Self.start, days: 90, at: now, digest: "old"))
            try warner.receive(Self.result(from: now, days: 90, at: now, digest: "new"))
            // The same name and beginning of the validity, and another key.
            try warner.receive(Self.result(from: Self.start, days: 90, at: now, digest: "twin"))
        }
        #expect(try alarms.levels() == ["warning", "warning"])
        #expect(try alarms.values("certificate") == ["old", "twin"])
    }

    @Test("Each address of a name is warned of, with its address and its own certificate")
    func addresses() throws {
        let alarms = try Alarms()
        let warner = ExpiryWarner(alarms.writer)
        let now = Self.start + 85 * Self.day
        var record = Self.record(from: now, days: 90, at: now, digest: "new")
        record.addresses = [
            try Self.address("192.0.2.1:443", Self.certificate(from: now, days: 90, at: now, digest: "new")),
            try Self.address("192.0.2.2:443", Self.certificate(from: Self.start, days: 90, at: now, digest: "old")),
            try Self.address("192.0.2.3:443", nil),
        ]
        for _ in 0..<3 { try warner.receive(ScanResult(record: record)) }
        #expect(try alarms.values("address") == ["192.0.2.2:443"] && alarms.values("certificate") == ["old"])
    }

    @Test("A clock that runs backwards and forwards again loses no warning and repeats none")
    func clock() throws {
        let alarms = try Alarms()
        let warner = ExpiryWarner(alarms.writer)
        for day in [60, 75, 60, 10, 75, 85, 70, 85, -5, 95, 20, 95] as [Int64] {
            try warner.receive(
                Self.result(from: Self.start, days: 90, at: Self.start + day * Self.day, digest: "a"))
        }
        #expect(try alarms.levels() == ["warning", "critical", "expired"])
    }

    @Test("A clock far ahead silences no later warning, and the end is reported again when it comes")
    func clockAhead() throws {
        let alarms = try Alarms()
        let warner = ExpiryWarner(alarms.writer)
        for day in [70, 70 + 365, 71, 85, 91, 92] as [Int64] {
            try warner.receive(
                Self.result(from: Self.start, days: 90, at: Self.start + day * Self.day, digest: "a"))
        }
        #expect(try alarms.levels() == ["warning", "expired", "critical", "expired"])
    }

    // MARK: Restarts

    @Test("A restart with a state file neither loses nor repeats a warning; the file is its owner's alone")
    func restart() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("watch-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("state").path
        let alarms = try Alarms()
        for (day, digest) in [(60, "a"), (75, "a"), (75, "a"), (75, "b"), (85, "a"), (85, "b"), (85, "a")] {
            // Each look is another process.
            let warner = ExpiryWarner(alarms.writer, try WarningMemory(file: path) { Issue.record("\($0)") })
            try warner.receive(
                Self.result(
                    from: Self.start, days: 90, at: Self.start + Int64(day) * Self.day, digest: digest))
        }
        #expect(try alarms.levels() == ["warning", "warning", "critical", "critical"])
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["state"])
    }

    @Test(
        "A state file that holds something else is an error, and stays as it is",
        arguments: ["hello", "{}", #"{"format":"servertrust.watch-state/2","warned":[]}"#, "\u{0}"])
    func otherFile(contents: String) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("watch-\(UUID())").path
        try contents.write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: FleetError.self) { try WarningMemory(file: path) { _ in } }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == contents)
    }

    @Test("Levels of another rule are forgotten, those that no rule changes are kept")
    func otherRule() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("watch-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let alarms = try Alarms()
        for (percent, day) in [(90, 70), (90, 71), (25, 72), (25, 73), (25, 85), (90, 86)] as [(Int, Int64)] {
            let memory = try WarningMemory(file: path, threshold: ExpiryThreshold(percent: percent)) {
                Issue.record("\($0)")
            }
            try ExpiryWarner(alarms.writer, memory).receive(
                Self.result(from: Self.start, days: 90, at: Self.start + day * Self.day, digest: "a"))
        }
        #expect(try alarms.levels() == ["warning", "warning", "critical"])
    }

    @Test("A state file that others can read or write is not believed", arguments: [0o644, 0o666, 0o620])
    func othersFile(mode: Int) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("watch-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        _ = try WarningMemory(file: path) { Issue.record("\($0)") }
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        #expect(throws: FleetError.self) { try WarningMemory(file: path) { _ in } }
    }

    @Test("A state file in a folder that is not there, and a folder in its place, are errors at once")
    func unwritable() {
        #expect(throws: FleetError.self) { try WarningMemory(file: "/nonexistent/folder/state") { _ in } }
        #expect(throws: FleetError.self) { try WarningMemory(file: "/tmp") { _ in } }
    }

    @Test("A warning that could not be written is given again")
    func unwrittenWarning() throws {
        let memory = WarningMemory()
        let closed = ChangeWriter(
            try ResultStream.replacing(Descriptor.temporary(), "none", kinds: []), nil, criterion: .ats)
        let full = ExpiryWarner(try Self.full(), memory)
        let due = Self.result(from: Self.start, days: 90, at: Self.start + 80 * Self.day, digest: "a")
        #expect(throws: SystemError.self) { try full.receive(due) }
        try ExpiryWarner(closed, memory).receive(due)
        #expect(closed.written.all == 1)
    }

    @Test("The memory is bounded, and forgets first what was not seen for the longest time")
    func capacity() throws {
        let memory = WarningMemory()
        let record = Self.record(from: Self.start, days: 90, at: Self.start, digest: "x")
        func warned(_ index: Int) -> WarnedCertificate {
            WarnedCertificate(
                record, address: nil, Self.certificate(from: Self.start, days: 90, at: Self.start, digest: "\(index)"))
        }
        for index in 0...WarningMemory.capacity {
            memory.remember(warned(index), .warning, at: 0)
            if index == WarningMemory.capacity / 2 { #expect(!memory.isNew(warned(0), .warning, at: 0)) }
        }
        #expect(!memory.isNew(warned(0), .warning, at: 0) && memory.isNew(warned(1), .warning, at: 0))
        #expect(!memory.isNew(warned(WarningMemory.capacity), .warning, at: 0))
    }

    // MARK: Metrics

    @Test("The metrics of a certificate stay when it has expired, and while its server does not answer")
    func metrics() throws {
        let board = MetricsBoard(interval: .seconds(60))
        board.take(Self.record(from: Self.start, days: 90, at: Self.start + 91 * Self.day, digest: "a"))
        let names = [
            "not_before_timestamp_seconds{host=\"a.test\",port=\"443\"} 1780000000\n",
            "not_after_timestamp_seconds{host=\"a.test\",port=\"443\"} 1787776000\n",
            "lifetime_seconds{host=\"a.test\",port=\"443\"} 7776000\n",
            "expiry_level{host=\"a.test\",port=\"443\"} 3\n",
        ]
        for name in names { #expect(board.text.contains("servertrust_certificate_\(name)"), "\(board.text)") }
        board.finish(ScanTally(), .zero)
        board.take(passingRecord { $0.certificate = nil })
        for name in names { #expect(board.text.contains("servertrust_certificate_\(name)"), "\(name)") }
        _ = try prometheusNames(in: board.text)
    }

    @Test("Several addresses of a name have series of their own, and post-quantum keys one of the host")
    func addressMetrics() throws {
        let board = MetricsBoard(interval: .seconds(60))
        var record = Self.record(from: Self.start, days: 90, at: Self.start, digest: "a")
        record.postQuantum = true
        record.addresses = try ["192.0.2.1:443", "192.0.2.2:443"].map {
            try Self.address($0, Self.certificate(from: Self.start, days: 90, at: Self.start, digest: $0))
        }
        board.take(record)
        #expect(board.text.contains("expiry_level{host=\"a.test\",port=\"443\",address=\"192.0.2.2:443\"} 0\n"))
        #expect(board.text.contains("servertrust_host_post_quantum{host=\"a.test\",port=\"443\"} 1\n"))
        _ = try prometheusNames(in: board.text)
    }
}

extension ExpiryWarnerTests {
    private static func certificate(from start: Int64, days: Int64, at now: Int64, digest: String) -> ScanCertificate {
        let life = CertificateLife(
            notBefore: Timestamp(secondsSinceEpoch: start),
            notAfter: Timestamp(secondsSinceEpoch: start + days * Self.day), date: Timestamp(secondsSinceEpoch: now))
        var certificate = ScanCertificate(
            subject: "x", issuer: "y", notAfter: "\(life.notAfter)", daysLeft: Int(life.secondsLeft / Self.day),
            key: "EC", sha256: digest, spkiSHA256: digest)
        certificate.notBefore = "\(life.notBefore)"
        certificate.percentLeft = life.percentLeft
        certificate.expiry = ExpiryThreshold.default.level(of: life)
        return certificate
    }

    private static func record(from start: Int64, days: Int64, at now: Int64, digest: String) -> ScanRecord {
        passingRecord {
            $0.certificate = Self.certificate(from: start, days: days, at: now, digest: digest)
            $0.date = Date(timeIntervalSince1970: Double(now)).formatted(.iso8601)
        }
    }

    private static func result(from start: Int64, days: Int64, at now: Int64, digest: String) -> ScanResult {
        ScanResult(record: Self.record(from: start, days: days, at: now, digest: digest))
    }

    private static func address(_ text: String, _ certificate: ScanCertificate?) throws -> JSONAddress {
        struct Address: Encodable {
            let address: String
            var outcomes: [String: String] = [:]
            var versions: [String] = []
            let certificate: ScanCertificate?
        }
        let json = try JSONEncoder().encode(Address(address: text, certificate: certificate))
        return try JSONDecoder().decode(JSONAddress.self, from: json)
    }

    /// A writer to a device that is always full.
    private static func full() throws -> ChangeWriter {
        let device = try Descriptor.writing("/dev/full")
        return ChangeWriter(try ResultStream.replacing(device, "/dev/full", kinds: []), nil, criterion: .ats)
    }

    /// The warnings that were written.
    private struct Alarms {
        let writer: ChangeWriter
        private let file: Descriptor

        init() throws {
            self.file = try Descriptor.temporary()
            self.writer = ChangeWriter(
                try ResultStream.replacing(self.file, "none", kinds: []), nil, criterion: .ats)
        }

        var count: Int { self.writer.written.all }

        func levels() throws -> [String] { try self.documents().compactMap { $0["level"]?.string } }

        func values(_ field: String) throws -> [String] {
            try self.documents().compactMap { document in
                let change = document["changes"]?.elements.first { $0["field"]?.string == field }
                return change?["new"]?.elements.first?.string
            }
        }

        private func documents() throws -> [JSONValue] {
            let bytes = try self.file.read(self.file.size ?? 0, at: 0)
            return try bytes.split(separator: 0x0A).map { try JSONDecoder().decode(JSONValue.self, from: Data($0)) }
        }
    }
}
