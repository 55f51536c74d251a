//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOSSL
import ServerTrust
import ServerTrustTesting
import Synchronization
import TestSupport
import Testing

@testable import ServerTrustNIO

@Suite("Files that are followed", .timeLimit(.minutes(2)))
struct FileFollowerTests {
    @Test("A program does not begin with a file that is not usable", arguments: BadFile.allCases)
    func badBeginning(bad: BadFile) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path("roots.pem")
            try bad.put(at: path)
            let error = await #expect(throws: FollowedFileError.self) {
                try await FileFollower(clock: SteppedClock()).follow(.certificates(path)) { _ in
                    Issue.record("was applied")
                }
            }
            #expect(error?.path == path && error?.description.contains(path) == true, "\(error?.description ?? "")")
        }
    }

    @Test("A change that is not usable keeps the old state, and is told once", arguments: BadFile.allCases)
    func badChange(bad: BadFile) async throws {
        try await Followed.run { followed in
            try bad.put(at: followed.roots)
            for _ in 0..<4 { await followed.clock.step() }
            #expect(followed.applied == [["old"]])
            #expect(followed.problems.count == 1 && followed.problems.first?.contains(followed.roots) == true)
            try followed.write(["new"])
            for _ in 0..<2 { await followed.clock.step() }
            #expect(followed.applied == [["old"], ["new"]])
            try bad.put(at: followed.roots)
            for _ in 0..<3 { await followed.clock.step() }
            #expect(followed.problems.count == 2 && followed.applied.count == 2)
        }
    }

    @Test("A file that is still being written is left alone until it rests")
    func writing() async throws {
        try await Followed.run { followed in
            let whole = try Followed.pem(["new", "newer"])
            for count in stride(from: 100, to: whole.count, by: whole.count / 6) {
                try Data(whole.prefix(count)).write(to: URL(filePath: followed.roots))
                await followed.clock.step()
            }
            #expect(followed.applied == [["old"]] && followed.problems.isEmpty)
            try Data(whole).write(to: URL(filePath: followed.roots))
            await followed.clock.step()
            #expect(followed.applied == [["old"]])
            await followed.clock.step()
            #expect(followed.applied == [["old"], ["new", "newer"]])
        }
    }

    @Test("A file that is written again with the same content is not applied again")
    func sameContent() async throws {
        try await Followed.run { followed in
            try followed.restore()
            for _ in 0..<3 { await followed.clock.step() }
            #expect(followed.applied == [["old"]])
        }
    }

    @Test("A change that the program refuses is not in force, and another one may follow")
    func refused() async throws {
        try await Followed.run(refusing: ["bad"]) { followed in
            try followed.write(["bad"])
            for _ in 0..<4 { await followed.clock.step() }
            #expect(followed.problems == ["Refused()"] && followed.applied == [["old"]])
            try followed.restore()
            for _ in 0..<3 { await followed.clock.step() }
            #expect(followed.applied == [["old"]])
            try followed.write(["good"])
            for _ in 0..<2 { await followed.clock.step() }
            #expect(followed.applied == [["old"], ["good"]])
        }
    }

    @Test("Two files behind one link change together, as volumes of Kubernetes do")
    func link() async throws {
        try await withTemporaryFolder { folder in
            for (version, name) in [("1", "old"), ("2", "new")] {
                try FileManager.default.createDirectory(atPath: folder.path(version), withIntermediateDirectories: true)
                _ = try folder.file("\(version)/roots.pem", contents: try Followed.pem([name]))
                _ = try folder.file("\(version)/name", name)
            }
            try FileManager.default.createSymbolicLink(
                atPath: folder.path("data"), withDestinationPath: folder.path("1"))
            let clock = SteppedClock()
            let applied = AppliedNames()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await FileFollower(clock: clock).follow(
                        .certificates(folder.path("data/roots.pem")),
                        FollowedFile(folder.path("data/name")) { String(decoding: $0, as: UTF8.self) }
                    ) { roots, name in
                        applied.names.withLock { $0.append([roots[0].commonName ?? "", name]) }
                    }
                }
                await clock.isSleptOn()
                try FileManager.default.createSymbolicLink(
                    atPath: folder.path("next"), withDestinationPath: folder.path("2"))
                #expect(rename(folder.path("next"), folder.path("data")) == 0)
                for _ in 0..<2 { await clock.step() }
                group.cancelAll()
                try await group.waitForAll()
            }
            #expect(applied.names.withLock { $0 } == [["old", "old"], ["new", "new"]])
        }
    }

    @Test("A gate judges new connections by the file, and leaves open ones alone")
    func gate() async throws {
        let gate = try ClientTrustGate(try ClientFixture.settings { $0.anchors = .none })
        try await withTemporaryFolder { folder in
            let path = try folder.file("roots.pem", contents: try Followed.pem(["stranger"]))
            let clock = SteppedClock()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await FileFollower(clock: clock).follow(.certificates(path)) { roots in
                        try gate.update { $0.anchors = .only(roots) }
                    }
                }
                await clock.isSleptOn()
                try await GatedTestServer.with(gate) { server in
                    let good = try ClientFixture.good.get()
                    #expect(try await ClientTrustGateTests.talk(to: server.port, .tlsv13, good).isEmpty)
                    let root = try ClientFixture.authority.get().root
                    _ = try folder.file("roots.pem", contents: Array(root.pem.utf8))
                    for _ in 0..<2 { await clock.step() }
                    #expect(try await ClientTrustGateTests.talk(to: server.port, .tlsv13, good) == "hello\npong\n")
                    _ = try folder.file("roots.pem", contents: try Followed.pem(["stranger"]))
                    for _ in 0..<2 { await clock.step() }
                    #expect(try await ClientTrustGateTests.talk(to: server.port, .tlsv13, good).isEmpty)
                }
                group.cancelAll()
                try await group.waitForAll()
            }
        }
    }
}

/// A file that cannot be used.
enum BadFile: CaseIterable {
    case missing, empty, junk, halfBlock, folder, tooLarge

    func put(at path: String) throws {
        try? FileManager.default.removeItem(atPath: path)
        let pem = try Followed.pem(["half"])
        switch self {
        case .missing: break
        case .empty: try Data().write(to: URL(filePath: path))
        case .junk: try Data("no certificate".utf8).write(to: URL(filePath: path))
        case .halfBlock: try Data(pem.prefix(pem.count / 2)).write(to: URL(filePath: path))
        case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        case .tooLarge:
            let file = try #require(fopen(path, "w"))
            defer { fclose(file) }
            #expect(ftruncate(fileno(file), 33 << 20) == 0)
        }
    }
}

/// The names that were applied, in order.
private final class AppliedNames: Sendable {
    let names = Mutex<[[String]]>([])
}

/// A follower of one file of certificates, whose steps the test makes.
private struct Followed: Sendable {
    struct Refused: Error {}

    private final class Log: Sendable {
        let applied = AppliedNames()
        let problems = Mutex<[String]>([])
    }

    let clock = SteppedClock()
    let roots: String
    private let old: [UInt8]
    private let log = Log()

    var applied: [[String]] { self.log.applied.names.withLock { $0 } }
    var problems: [String] { self.log.problems.withLock { $0 } }

    func write(_ names: [String]) throws { try self.write(try Self.pem(names)) }

    private func write(_ pem: [UInt8]) throws {
        try? FileManager.default.removeItem(atPath: self.roots)
        try Data(pem).write(to: URL(filePath: self.roots))
    }

    /// Writes the content of the beginning.
    func restore() throws { try self.write(self.old) }

    static func pem(_ names: [String]) throws -> [UInt8] {
        try names.flatMap { Array(try TestAuthority(root: .root(commonName: $0)).root.pem.utf8) }
    }

    /// Runs a test with a follower that has applied the certificate `old`.
    static func run(refusing refused: [String] = [], _ body: (Followed) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let followed = Followed(roots: folder.path("roots.pem"), old: try Self.pem(["old"]))
            try followed.restore()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await followed.follow(refusing: refused) }
                await followed.clock.isSleptOn()
                try await body(followed)
                group.cancelAll()
                try await group.waitForAll()
            }
        }
    }

    private init(roots: String, old: [UInt8]) {
        self.roots = roots
        self.old = old
    }

    private func follow(refusing refused: [String]) async throws {
        let follower = FileFollower(clock: self.clock) { event in
            if case .kept(let error) = event { self.log.problems.withLock { $0.append("\(error)") } }
        }
        try await follower.follow(.certificates(self.roots)) { certificates in
            let names = certificates.map { $0.commonName ?? "" }
            guard names != refused else { throw Refused() }
            self.log.applied.names.withLock { $0.append(names) }
        }
    }
}
