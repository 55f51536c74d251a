//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrustTesting
import TestSupport
import Testing

/// Rows that are asked about together, and the servers behind them.
enum DoorTable: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case faults = "every certificate fault"
    case chains = "chains in each state of sending"
    case staples = "stapled responses"
    case wildcards = "wildcards over public suffixes"
    case wildcardsAlone = "wildcards over public suffixes, where no list is installed"
    case keyUsages = "key usages that TLS refuses"
    case pins = "pins"
    case spellings = "names in every spelling"
    case noHost = "a name that is no host"
    case flights = "hostile flights"
    case handshakes = "groups, signatures, suites and client certificates"
    case redirects = "redirects of every status"

    var testDescription: String { self.rawValue }

    /// The tables whose servers can run on this machine. In continuous integration all of them must.
    static let available = Self.allCases.filter { $0.programs.allSatisfy(Self.isRunning) }

    /// Returns `true` if a program is installed, or has to be.
    static func isRunning(_ program: String) -> Bool {
        ProcessInfo.processInfo.environment["CI"] != nil || CommandLineTool.installed(program) != nil
    }

    /// The programs that the servers, or the commands, are run by.
    private var programs: [String] {
        switch self {
        case .staples, .keyUsages, .handshakes, .redirects: ["openssl"]
        case .wildcardsAlone: ["unshare"]
        case .faults, .chains, .wildcards, .pins, .spellings, .noHost, .flights: []
        }
    }

    /// Starts the servers, and tells the root and the rows.
    func with(_ body: (TestCertificate, [DoorRow]) async throws -> Void) async throws {
        switch self {
        case .faults: try await FaultRows.with(body)
        case .chains: try await ChainRows.with(body)
        case .staples: try await StapleRows.with(body)
        case .wildcards, .wildcardsAlone: try await NameRows.withWildcards(body)
        case .keyUsages: try await KeyUsageRows.with(body)
        case .pins: try await PinRows.with(body)
        case .spellings: try await NameRows.withSpellings(body)
        case .noHost: try await NameRows.withoutHost(body)
        case .flights: try await HostileRows.with(body)
        case .handshakes: try await HandshakeRows.with(body)
        case .redirects: try await RedirectRows.with(body)
        }
    }
}

extension DoorTable {
    /// Asks every door about every row, and compares the answers.
    func check() async throws {
        try await self.with { root, rows in
            self.checkCells(rows)
            try await DoorScene.with(root.pem, rows.map(\.target), hidesSuffixes: self == .wildcardsAlone) { scene in
                var scene = scene
                scene.plan = self == .faults ? "standard" : "ats"
                for door in Door.allCases { try await Self.check(door, rows, scene) }
            }
        }
    }

    /// The callback for other clients alone cannot see something: an issuer to fetch, and a stapled response.
    private func checkCells(_ rows: [DoorRow]) {
        let unseen = rows.flatMap(\.cells).filter { if case .cannotSee = $0.value { true } else { false } }
        let known: [Door]? = [.chains: [.callback], .staples: [.callback]][self]
        #expect(unseen.map(\.key) == known ?? [], "\(self)")
    }

    private static func check(_ door: Door, _ rows: [DoorRow], _ scene: DoorScene) async throws {
        let asked = rows.filter { row in door.questions.contains { row.expected(of: door, $0) != nil } }
        // Without pins this door is `check` again.
        guard !asked.isEmpty, door != .checkPins || scene.hasPins else { return }
        guard door != .proxy || Self.isRunning("curl") else { return }
        var scene = scene
        scene.targets = asked.map(\.target)
        let answers = try await door.ask(scene)
        #expect(answers.count == asked.count, "\(door)")
        for (row, evidence) in zip(asked, answers) {
            for (question, evidence) in evidence { Self.compare(row, door, question, evidence) }
        }
    }

    private static func compare(_ row: DoorRow, _ door: Door, _ question: DoorQuestion, _ evidence: DoorEvidence) {
        guard let expected = row.expected(of: door, question) else { return }
        #expect(expected.verdict != .refused || expected.code != nil, "\(row.name) has a code of its reason")
        let answer = DoorAnswer(evidence)
        let isRight = answer.isAsExpected(expected) && row.isSaid(by: door, evidence)
        let comment: Comment = "\(row.name), \(door), \(question): \(answer), not \(expected). \(evidence)"
        #expect(isRight, comment)
    }
}
