//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Foundation
import ReportSupport
import ServerTrust
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports

@Suite("Warnings before certificates end")
struct ExpiryWarnerTests {
    private static let (day, start) = (ExpiryFixture.day, ExpiryFixture.start)

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
                try warner.receive(ExpiryFixture.result(from: issued, days: days, at: now, digest: "\(renewal)"))
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
            try warner.receive(
                ExpiryFixture.result(from: Self.start, days: days, at: Self.start + hour * 3_600, digest: "a"))
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
            try warner.receive(ExpiryFixture.result(from: Self.start, days: 90, at: now, digest: "old"))
            try warner.receive(ExpiryFixture.result(from: now, days: 90, at: now, digest: "new"))
            // The same name and beginning of the validity, and another key.
            try warner.receive(ExpiryFixture.result(from: Self.start, days: 90, at: now, digest: "twin"))
        }
        #expect(try alarms.levels() == ["warning", "warning"])
        #expect(try alarms.values("certificate") == ["old", "twin"])
    }

    @Test("Each address of a name is warned of, with its address and its own certificate")
    func addresses() throws {
        let alarms = try Alarms()
        let warner = ExpiryWarner(alarms.writer)
        let now = Self.start + 85 * Self.day
        var record = ExpiryFixture.record(from: now, days: 90, at: now, digest: "new")
        record.addresses = [
            try ExpiryFixture.address(
                "192.0.2.1:443", ExpiryFixture.certificate(from: now, days: 90, at: now, digest: "new")),
            try ExpiryFixture.address(
                "192.0.2.2:443", ExpiryFixture.certificate(from: Self.start, days: 90, at: now, digest: "old")),
            try ExpiryFixture.address("192.0.2.3:443", nil),
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
                ExpiryFixture.result(from: Self.start, days: 90, at: Self.start + day * Self.day, digest: "a"))
        }
        #expect(try alarms.levels() == ["warning", "critical", "expired"])
    }

    @Test("A clock far ahead silences no later warning, and the end is reported again when it comes")
    func clockAhead() throws {
        let alarms = try Alarms()
        let warner = ExpiryWarner(alarms.writer)
        for day in [70, 70 + 365, 71, 85, 91, 92] as [Int64] {
            try warner.receive(
                ExpiryFixture.result(from: Self.start, days: 90, at: Self.start + day * Self.day, digest: "a"))
        }
        #expect(try alarms.levels() == ["warning", "expired", "critical", "expired"])
    }

    @Test("A clock that runs backwards by days after the end repeats nothing, whatever it says then")
    func clockBehind() throws {
        let alarms = try Alarms()
        let warner = ExpiryWarner(alarms.writer)
        for day in [95, 92, 98, 91, 60, 99, 93, 97] as [Int64] {
            try warner.receive(
                ExpiryFixture.result(from: Self.start, days: 90, at: Self.start + day * Self.day, digest: "a"))
        }
        #expect(try alarms.levels() == ["expired"])
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
                ExpiryFixture.result(
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

    @Test("A save that fails is told with each warning, and not with each look")
    func failingSave() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path("state/file")
            try FileManager.default.createDirectory(atPath: folder.path("state"), withIntermediateDirectories: true)
            let complaints = Mutex(0)
            let memory = try WarningMemory(file: path) { _ in complaints.withLock { $0 += 1 } }
            try FileManager.default.removeItem(atPath: folder.path("state"))
            let warner = ExpiryWarner(try Alarms().writer, memory)
            for _ in 0..<20 {
                for (digest, start) in [("old", Self.start), ("new", Self.start + 75 * Self.day)] {
                    let now = Self.start + 75 * Self.day
                    try warner.receive(ExpiryFixture.result(from: start, days: 90, at: now, digest: digest))
                }
            }
            #expect(complaints.withLock { $0 } == 1)
        }
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
                ExpiryFixture.result(from: Self.start, days: 90, at: Self.start + day * Self.day, digest: "a"))
        }
        #expect(try alarms.levels() == ["warning", "warning", "critical"])
    }

    @Test("A clock far ahead, and a restart before the end comes: it is reported again, once")
    func restartAfterClockAhead() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("watch-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let alarms = try Alarms()
        for day in [435, 50, 91, 92] as [Int64] {
            let warner = ExpiryWarner(alarms.writer, try WarningMemory(file: path) { Issue.record("\($0)") })
            try warner.receive(
                ExpiryFixture.result(from: Self.start, days: 90, at: Self.start + day * Self.day, digest: "a"))
            warner.end(isComplete: true)
        }
        #expect(try alarms.levels() == ["expired", "expired"])
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
        let full = ExpiryWarner(try ExpiryFixture.full(), memory)
        let due = ExpiryFixture.result(from: Self.start, days: 90, at: Self.start + 80 * Self.day, digest: "a")
        #expect(throws: SystemError.self) { try full.receive(due) }
        try ExpiryWarner(closed, memory).receive(due)
        #expect(closed.written.all == 1)
    }

    @Test("The memory is bounded, and forgets first what was not seen for the longest time")
    func capacity() throws {
        let memory = WarningMemory()
        let record = ExpiryFixture.record(from: Self.start, days: 90, at: Self.start, digest: "x")
        func warned(_ index: Int) -> WarnedCertificate {
            WarnedCertificate(
                record, address: nil,
                ExpiryFixture.certificate(from: Self.start, days: 90, at: Self.start, digest: "\(index)"))
        }
        for index in 0...WarningMemory.capacity {
            memory.remember(warned(index), .warning, at: 0)
            if index == WarningMemory.capacity / 2 { #expect(!memory.isNew(warned(0), .warning, at: 0)) }
        }
        #expect(!memory.isNew(warned(0), .warning, at: 0) && memory.isNew(warned(1), .warning, at: 0))
        #expect(!memory.isNew(warned(WarningMemory.capacity), .warning, at: 0))
    }

    @Test("The file never has more than the next start reads, and keeps the warnings that were seen last")
    func fileSize() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("watch-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let maximumSize = 40_000
        func memory() throws -> WarningMemory {
            try WarningMemory(file: path, maximumSize: maximumSize) { Issue.record("\($0)") }
        }
        func warned(_ index: Int) -> WarnedCertificate {
            // Names at their longest, and characters that JSON escapes.
            let record = passingRecord {
                $0.host = String(repeating: "a.", count: 126) + "b"
                $0.sni = String(repeating: "\"", count: 253)
            }
            return WarnedCertificate(
                record, address: nil,
                ExpiryFixture.certificate(from: Self.start, days: 90, at: Self.start, digest: "\(index)"))
        }
        let first = try memory()
        for index in 0..<200 {
            for level in ExpiryLevel.allCases { first.remember(warned(index), level, at: 0) }
        }
        first.save()
        let size = try #require(
            try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber)
        #expect(size.intValue <= maximumSize && size.intValue > maximumSize / 2)
        let next = try memory()
        #expect(!next.isNew(warned(199), .expired, at: 0) && next.isNew(warned(0), .expired, at: 0))
        // Without another limit, and with one that is too large, it is that of reading.
        let usual = try WarningMemory(file: path) { Issue.record("\($0)") }
        let large = try WarningMemory(file: path, maximumSize: .max) { Issue.record("\($0)") }
        #expect([usual, large].allSatisfy { $0.maximumSize == BoundedFile.maximumSize })
    }

    // MARK: Metrics

    @Test("The metrics of a certificate stay when it has expired, and while its server does not answer")
    func metrics() throws {
        let board = MetricsBoard(interval: .seconds(60))
        board.take(ExpiryFixture.record(from: Self.start, days: 90, at: Self.start + 91 * Self.day, digest: "a"))
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
        var record = ExpiryFixture.record(from: Self.start, days: 90, at: Self.start, digest: "a")
        record.postQuantum = true
        record.addresses = try ["192.0.2.1:443", "192.0.2.2:443"].map {
            try ExpiryFixture.address(
                $0, ExpiryFixture.certificate(from: Self.start, days: 90, at: Self.start, digest: $0))
        }
        board.take(record)
        #expect(board.text.contains("expiry_level{host=\"a.test\",port=\"443\",address=\"192.0.2.2:443\"} 0\n"))
        #expect(board.text.contains("servertrust_host_post_quantum{host=\"a.test\",port=\"443\"} 1\n"))
        _ = try prometheusNames(in: board.text)
    }
}
