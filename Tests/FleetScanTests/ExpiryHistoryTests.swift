//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import TestSupport
import Testing

@testable import FleetScan
@testable import ServerReports

/// What makes the history of a server hard to follow, alone and together.
private struct Hardship: OptionSet, CustomTestStringConvertible {
    let rawValue: Int

    /// A second machine of the same name and port has a certificate of the same beginning and another key, and is renewed in time.
    static let twin = Self(rawValue: 1)
    /// Each machine has an address of its own. Else both stand behind one, and answer in turns.
    static let addresses = Self(rawValue: 2)
    /// The clock runs backwards now and then, by up to a whole life, until the next look.
    static let clock = Self(rawValue: 4)
    /// The watch is restarted now and then, and between a renewal and the next look.
    static let restart = Self(rawValue: 8)

    static let all = (0..<16).map(Self.init)

    var testDescription: String {
        let names: [(Hardship, String)] = [
            (.twin, "twin"), (.addresses, "addresses"), (.clock, "clock"), (.restart, "restart"),
        ]
        return names.filter { self.contains($0.0) }.map(\.1).joined(separator: " ")
    }
}

/// One machine of a server, which is renewed with a new key.
private struct Machine {
    let name: String
    /// `true` if its first certificate is renewed only some time after its end.
    let isLate: Bool
    var start: Int64
    var generation = 0

    var digest: String { "\(self.name)\(self.generation)" }

    func end(of days: Int64) -> Int64 { self.start + days * ExpiryFixture.day }

    /// Renews the certificate when its time has come. ACME clients do so at a third of the life, those of short lives at half.
    mutating func renew(at now: Int64, days: Int64) -> Bool {
        let usual = days < 10 ? days * ExpiryFixture.day / 2 : days * ExpiryFixture.day / 3
        let isLate = self.isLate && self.generation == 0
        let due = self.end(of: days) + (isLate ? days * ExpiryFixture.day / 4 : -usual)
        guard now >= due else { return false }
        (self.start, self.generation) = (now, self.generation + 1)
        return true
    }
}

@Suite("The history of warnings")
struct ExpiryHistoryTests {
    @Test(
        "No alarm is lost and none is repeated, for two machines of a name, with a clock that runs backwards, and over restarts",
        arguments: Hardship.all, [6, 90] as [Int64])
    private func history(hardship: Hardship, days: Int64) throws {
        var seen: Set<String> = []
        for seed in 0..<12 {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("watch-\(UUID())").path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            var history = try History(hardship, days: days, seed: UInt64(seed), file: "\(folder)/state")
            for _ in 0..<130 { try history.step() }
            #expect(try history.given() == history.seen.sorted())
            seen.formUnion(history.seen)
        }
        // The late renewal was seen at every level, and the others at none.
        #expect(seen == ["a0 warning", "a0 critical", "a0 expired"])
    }
}

/// A watch of machines in a made-up time, and what is to be warned of.
private struct History {
    private let hardship: Hardship
    private let days: Int64
    private let file: String
    private let alarms: Alarms
    private var generator: SeededGenerator
    private var machines: [Machine]
    private var now = ExpiryFixture.start
    private var (silence, isBehind) = (Int64.min, false)
    private var warner: ExpiryWarner
    /// Each certificate with each level that it was seen at.
    private(set) var seen: Set<String> = []

    init(_ hardship: Hardship, days: Int64, seed: UInt64, file: String) throws {
        (self.hardship, self.days, self.file) = (hardship, days, file)
        self.alarms = try Alarms()
        self.generator = SeededGenerator(state: seed)
        self.machines = [Machine(name: "a", isLate: true, start: self.now)]
        if hardship.contains(.twin) { self.machines.append(Machine(name: "b", isLate: false, start: self.now)) }
        self.warner = ExpiryWarner(self.alarms.writer, try WarningMemory(file: file) { Issue.record("\($0)") })
    }

    /// Lets a part of the life pass, and looks at the machines.
    mutating func step() throws {
        self.now += self.days * ExpiryFixture.day / 80
        var isRenewed = false
        for index in self.machines.indices {
            isRenewed = self.machines[index].renew(at: self.now, days: self.days) || isRenewed
        }
        if self.hardship.contains(.restart), isRenewed || self.generator.chance(5) {
            self.warner.end(isComplete: self.generator.chance(2))
            self.warner = ExpiryWarner(self.alarms.writer, try WarningMemory(file: self.file) { Issue.record("\($0)") })
        }
        // For some rounds there is no answer, so that an end may be seen late.
        if self.generator.chance(12) {
            self.silence = self.now + Int64.random(in: 0...self.days * ExpiryFixture.day / 8, using: &self.generator)
        }
        guard self.now >= self.silence else { return }
        self.isBehind = self.hardship.contains(.clock) && !self.isBehind && self.generator.chance(3)
        // To any moment of a life, or to one after the end.
        let sinceEnd = self.now - self.machines[0].end(of: self.days)
        let most = sinceEnd > 0 && self.generator.chance(2) ? sinceEnd : self.days * ExpiryFixture.day
        let back = Int64.random(in: 0...most, using: &self.generator)
        try self.look(at: self.isBehind ? self.now - back : self.now)
    }

    private mutating func look(at moment: Int64) throws {
        var presented = self.machines.map { machine in
            (
                machine.name,
                ExpiryFixture.certificate(from: machine.start, days: self.days, at: moment, digest: machine.digest)
            )
        }
        presented.shuffle(using: &self.generator)
        for (_, certificate) in presented {
            if let level = certificate.expiry { self.seen.insert("\(certificate.sha256) \(level)") }
        }
        var record = ExpiryFixture.record(from: moment, days: self.days, at: moment, digest: "")
        if self.hardship.contains(.addresses) {
            record.addresses = try presented.map { name, certificate in
                try ExpiryFixture.address("192.0.2.\(name == "a" ? 1 : 2):443", certificate)
            }
            return try self.warner.receive(ScanResult(record: record))
        }
        // Behind one address, each look meets one of the machines.
        for (_, certificate) in presented {
            record.certificate = certificate
            try self.warner.receive(ScanResult(record: record))
        }
    }

    /// The warnings that were given, sorted.
    func given() throws -> [String] {
        zip(try self.alarms.values("certificate"), try self.alarms.levels()).map { "\($0) \($1)" }.sorted()
    }
}
