//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import ServerTrust

@Suite("Keeping credentials", .limitedConcurrency, .timeLimit(.minutes(10)))
struct CredentialStorageTests {
    private let folder: TemporaryFolder
    private var path: String { self.folder.path + "/passwords" }

    init() throws { self.folder = try TemporaryFolder() }

    /// The permissions of a file. Foundation reads them: which module declares `stat` depends on what else is compiled.
    private static func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func storages() throws -> [any CredentialStorage] {
        [MemoryCredentialStorage(), try FileCredentialStorage(path: self.path)]
    }

    private static let permanent = TestSpace.credential(persistence: .permanent)

    // MARK: What is refused

    @Test("What answers one challenge is not kept, and is an error")
    func notKept() async throws {
        let space = try TestSpace.basic()
        let chain = try TestChain()
        let refused: [(Credential, CredentialStorageError.Reason)] = [
            (TestSpace.credential(persistence: .none), .notPersistent),
            (Credential(trust: try TestTrust.trust(chain)), .serverTrust),
            (Credential(identity: TestIdentity(certificates: []), persistence: .session), .emptyIdentity),
        ]
        for storage in try self.storages() {
            for (credential, reason) in refused {
                await #expect(throws: CredentialStorageError(reason)) { try await storage.set(credential, for: space) }
                await #expect(throws: CredentialStorageError(reason)) {
                    try await storage.setDefaultCredential(credential, for: space)
                }
            }
            #expect(try await storage.proposedCredential(for: space) == nil)
        }
        let identity = Credential(
            identity: TestIdentity(certificates: [Certificate(chain.leaf)]), persistence: .permanent)
        await #expect(throws: CredentialStorageError(.permanentIdentity)) {
            try await FileCredentialStorage(path: self.path).set(identity, for: space)
        }
        #expect(!FileManager.default.fileExists(atPath: self.path))
    }

    @Test(
        "A file that is not for its user alone is refused, and stays as it is",
        arguments: [
            0o640, 0o604, 0o644, 0o660, 0o601, 0o666,
        ])
    func looseModes(mode: Int) async throws {
        let storage = try await self.stored()
        #expect(chmod(self.path, mode_t(mode)) == 0)
        try await self.expectRefusal(storage, .accessibleToOthers)
        #expect(try Self.mode(of: self.path) == mode)
    }

    @Test("A file of another user is refused", .enabled(if: geteuid() == 0, "needs root to make one"))
    func foreignOwner() async throws {
        let storage = try await self.stored()
        #expect(chown(self.path, 65_534, 65_534) == 0)
        try await self.expectRefusal(storage, .ownedByAnother)
    }

    @Test(
        "Symbolic links, folders and pipes are refused in the place of the file", arguments: ["link", "folder", "pipe"])
    func otherKinds(kind: String) async throws {
        let storage = try await self.stored()
        let other = self.folder.path + "/other"
        #expect(rename(self.path, other) == 0)
        switch kind {
        case "link": #expect(symlink(other, self.path) == 0)
        case "folder": #expect(mkdir(self.path, 0o700) == 0)
        default: #expect(mkfifo(self.path, 0o600) == 0)
        }
        try await self.expectRefusal(storage, kind == "link" ? .isLink : .notRegularFile)
    }

    @Test("A lock that is a symbolic link is refused, and what it leads to is not made")
    func linkedLock() async throws {
        let storage = try FileCredentialStorage(path: self.path)
        let target = self.folder.path + "/target"
        #expect(symlink(target, self.path + ".lock") == 0)
        await #expect(throws: CredentialStorageError(.file(FileError(self.path, .isLink)))) {
            try await storage.set(Self.permanent, for: try TestSpace.basic())
        }
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test("A draft that is a symbolic link is not written through")
    func linkedDraft() async throws {
        let target = try self.folder.write("target", "theirs")
        #expect(symlink(target, self.path + ".new") == 0)
        _ = try await self.stored()
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "theirs")
    }

    @Test("A folder that others can write to is refused")
    func looseFolder() async throws {
        let storage = try await self.stored()
        #expect(chmod(self.folder.path, 0o777) == 0)
        let expected = CredentialStorageError(.file(FileError(self.folder.path, .writableByOthers)))
        #expect(throws: expected) { try FileCredentialStorage(path: self.path) }
        #expect(throws: expected) { try storage.credentials(for: TestSpace.basic()) }
    }

    @Test("A file that is cut anywhere, or has one bit changed, is an error and not a password")
    func damage() async throws {
        let storage = try await self.stored()
        let contents = [UInt8](try Data(contentsOf: URL(fileURLWithPath: self.path)))
        let damaged = CredentialStorageError(.damaged(path: self.path))
        for index in contents.indices {
            var changed = contents
            changed[index] ^= 1
            for other in [Array(contents[..<index]), changed] {
                try self.overwrite(other)
                #expect(throws: damaged) { try storage.credentials(for: TestSpace.basic()) }
            }
        }
        await #expect(throws: damaged) { try await storage.set(Self.permanent, for: try TestSpace.basic()) }
        #expect(!"\(damaged)".contains("swordfish"))
    }

    // MARK: What is kept

    @Test("The first user is proposed, and without users the default", arguments: [0, 1])
    func proposals(index: Int) async throws {
        let storage = try self.storages()[index]
        let space = try TestSpace.basic()
        let fallback = TestSpace.credential("a-default", persistence: .permanent)
        try await storage.setDefaultCredential(fallback, for: space)
        #expect(try await storage.proposedCredential(for: space) == fallback)
        // In Unicode's order of scalars, and so of octets.
        for user in ["\u{E9}ve", "zoe", "Zoe", "bob"] {
            try await storage.set(TestSpace.credential(user, persistence: .permanent), for: space)
        }
        #expect(try await storage.credentials(for: space).map(\.user) == ["Zoe", "bob", "zoe", "\u{E9}ve"])
        #expect(try await storage.proposedCredential(for: space)?.user == "Zoe")
        #expect(try await storage.defaultCredential(for: space) == fallback)
        #expect(try await storage.credentials(for: TestSpace.basic("other.example.com")).isEmpty)
    }

    @Test("Names and realms that Unicode takes for one are two", arguments: [0, 1])
    func equivalence(index: Int) async throws {
        let storage = try self.storages()[index]
        var space = try TestSpace.basic()
        space.realm = "caf\u{E9}"
        for user in ["\u{E9}ve", "e\u{301}ve"] {
            try await storage.set(TestSpace.credential(user, password: user, persistence: .permanent), for: space)
        }
        let kept = try await storage.credentials(for: space)
        #expect(kept.count == 2 && kept[0] != kept[1])
        space.realm = "cafe\u{301}"
        #expect(try await storage.credentials(for: space).isEmpty)
    }

    @Test("What is removed is gone, the default of the same user too", arguments: [0, 1])
    func removal(index: Int) async throws {
        let storage = try self.storages()[index]
        let space = try TestSpace.basic()
        for credential in [Self.permanent, TestSpace.credential("bob", persistence: .permanent)] {
            try await storage.set(credential, for: space)
        }
        try await storage.setDefaultCredential(Self.permanent, for: space)
        try await storage.remove(TestSpace.credential(password: "another"), for: space)
        #expect(try await storage.credentials(for: space).map(\.user) == ["bob"])
        #expect(try await storage.defaultCredential(for: space) == nil)
    }

    @Test("A file has mode 0600, and keeps what is permanent for the next program")
    func persistence() async throws {
        let space = try TestSpace.basic()
        var proxy = try TestSpace.space(.httpDigest)
        (proxy.proxyType, proxy.protocol, proxy.port, proxy.realm) = (.https, nil, nil, nil)
        let storage = try FileCredentialStorage(path: self.path)
        try await storage.set(Self.permanent, for: space)
        try await storage.set(TestSpace.credential("bob"), for: space)
        try await storage.setDefaultCredential(Self.permanent, for: proxy)
        #expect(try Self.mode(of: self.path) == 0o600)
        #expect(try Self.mode(of: self.path + ".lock") == 0o600)
        #expect(try storage.credentials(for: space).map(\.user) == ["ada", "bob"])
        let next = try FileCredentialStorage(path: self.path)
        #expect(try next.credentials(for: space) == [Self.permanent])
        #expect(try next.defaultCredential(for: proxy) == Self.permanent)
        let text = try String(contentsOfFile: self.path, encoding: .utf8)
        #expect(text.contains("ada") && !text.contains("bob"))
    }

    @Test("The credential of the session stands before the permanent one, until that is set again")
    func sessions() async throws {
        let (storage, space) = (try await self.stored(), try TestSpace.basic())
        let session = TestSpace.credential(password: "for now")
        try await storage.set(session, for: space)
        #expect(try storage.credentials(for: space) == [session])
        #expect(try FileCredentialStorage(path: self.path).credentials(for: space) == [Self.permanent])
        let changed = TestSpace.credential(password: "new", persistence: .permanent)
        try await storage.set(changed, for: space)
        #expect(try storage.credentials(for: space) == [changed])
    }

    @Test("All who listen hear of each change, and of nothing else", arguments: [0, 1])
    func changes(index: Int) async throws {
        let storage = try self.storages()[index]
        let space = try TestSpace.basic()
        let streams = [storage.changes(), storage.changes()]
        let session = TestSpace.credential("bob")
        for _ in 0..<2 {
            // The second time nothing changes.
            try await storage.set(Self.permanent, for: space)
            try await storage.set(session, for: space)
            try await storage.setDefaultCredential(Self.permanent, for: space)
        }
        await #expect(throws: CredentialStorageError.self) {
            try await storage.set(TestSpace.credential(persistence: .none), for: space)
        }
        for _ in 0..<2 { try await storage.remove(session, for: space) }
        let last = try TestSpace.basic("last.example.com")
        try await storage.set(Self.permanent, for: last)
        for stream in streams {
            var spaces: [ProtectionSpace] = []
            for await change in stream {
                spaces.append(change.space)
                if change.space == last { break }
            }
            #expect(spaces == [space, space, space, space, last])
        }
    }

    @Test("A dump of a storage has no password in it")
    func dumps() async throws {
        for storage in try self.storages() {
            try await storage.set(Self.permanent, for: TestSpace.basic())
            var text = String(reflecting: storage)
            dump(storage, to: &text)
            #expect(!text.contains("swordfish"))
        }
    }

    // MARK: Crashes, full disks, other programs

    @Test("A crash at any step leaves the old passwords or the new ones")
    func crashes() async throws {
        let copies = try CopiedFolders(self.folder.path)
        let space = try TestSpace.basic()
        _ = try await self.stored()
        let storage = try FileCredentialStorage(path: self.path) { _ in try copies.copy() }
        // More than two pieces of the writer.
        let long = TestSpace.credential("bob", password: String(repeating: "x", count: 9_000), persistence: .permanent)
        try await storage.set(long, for: space)
        let states = try copies.paths.map { path in
            try FileCredentialStorage(path: path + "/passwords").credentials(for: space)
        }
        #expect(states.count == 7)
        #expect(states.dropLast().allSatisfy { $0 == [Self.permanent] } && states.last == [Self.permanent, long])
        // What was left behind does not hinder the next program.
        for path in copies.paths {
            let next = try FileCredentialStorage(path: path + "/passwords")
            try await next.set(long, for: space)
            #expect(try next.credentials(for: space) == [Self.permanent, long])
            #expect(!FileManager.default.fileExists(atPath: path + "/passwords.new"))
        }
    }

    @Test(
        "A disk that is full or broken is an error, and leaves no draft",
        arguments: [
            PrivateFile.Step.create, .write, .sync, .rename, .syncFolder,
        ])
    func fullDisk(step: PrivateFile.Step) async throws {
        _ = try await self.stored()
        let storage = try FileCredentialStorage(path: self.path) { if $0 == step { throw Errno.noSpace } }
        await #expect(throws: CredentialStorageError(.file(FileError(self.path, .system(ENOSPC))))) {
            try await storage.set(TestSpace.credential("bob", persistence: .permanent), for: try TestSpace.basic())
        }
        // When the folder is not known to be on the disk, the new contents are there, and the error says that they may go.
        let users = step == .syncFolder ? ["ada", "bob"] : ["ada"]
        #expect(try storage.credentials(for: TestSpace.basic()).map(\.user) == users)
        #expect(!FileManager.default.fileExists(atPath: self.path + ".new"))
    }

    @Test("Writers at once lose nothing of each other's")
    func writers() async throws {
        let space = try TestSpace.basic()
        let path = self.path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask {
                    let storage = try FileCredentialStorage(path: path)
                    try await storage.set(TestSpace.credential("user \(number)", persistence: .permanent), for: space)
                }
            }
            try await group.waitForAll()
        }
        #expect(try FileCredentialStorage(path: path).credentials(for: space).count == 24)
    }

    @Test(
        "Another process that holds the lock is waited for",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/flock")))
    func otherProcess() async throws {
        let storage = try await self.stored()
        let (held, goOn) = (self.folder.path + "/held", self.folder.path + "/go-on")
        // It ends by itself after a minute.
        let script = "touch \(held); for i in $(seq 600); do [ -e \(goOn) ] && break; sleep 0.1; done; rm \(held)"
        let other = try TestProcess(.init("/usr/bin/flock", [self.path + ".lock", "sh", "-c", script]))
        defer { _ = other }
        while !FileManager.default.fileExists(atPath: held) { try await Task.sleep(for: .milliseconds(5)) }
        let space = try TestSpace.basic()
        let setting = Task {
            try await storage.set(TestSpace.credential("bob", persistence: .permanent), for: space)
        }
        while !Self.isOpenHere(self.path + ".lock") { try await Task.sleep(for: .milliseconds(5)) }
        #expect(try storage.credentials(for: space) == [Self.permanent])
        #expect(FileManager.default.createFile(atPath: goOn, contents: nil))
        try await setting.value
        #expect(!FileManager.default.fileExists(atPath: held))
        #expect(try storage.credentials(for: space).count == 2)
    }

    @Test("A task that is cancelled does not wait for the lock")
    func cancelled() async throws {
        let (path, space) = (self.path, try TestSpace.basic())
        let storage = try await self.stored()
        let lock = try await PrivateFile(path).lock()
        defer { try? lock.close() }
        let setting = Task { try await storage.set(TestSpace.credential(persistence: .permanent), for: space) }
        setting.cancel()
        await #expect(throws: CredentialStorageError(.file(FileError(path, .busy)))) { try await setting.value }
    }

    // MARK: Helpers

    /// Whether this process has a file open: proc(5).
    private static func isOpenHere(_ path: String) -> Bool {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return files.contains {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
    }

    /// A storage whose file has one password in it.
    private func stored() async throws -> FileCredentialStorage {
        let storage = try FileCredentialStorage(path: self.path)
        try await storage.set(Self.permanent, for: TestSpace.basic())
        return storage
    }

    private func expectRefusal(_ storage: FileCredentialStorage, _ reason: FileError.Reason) async throws {
        let expected = CredentialStorageError(.file(FileError(self.path, reason)))
        let space = try TestSpace.basic()
        #expect(throws: expected) { try storage.credentials(for: space) }
        #expect(throws: expected) { try FileCredentialStorage(path: self.path) }
        await #expect(throws: expected) { try await storage.set(Self.permanent, for: space) }
        await #expect(throws: expected) { try await storage.remove(Self.permanent, for: space) }
    }

    private func overwrite(_ contents: [UInt8]) throws {
        let file = try FileDescriptor.open(FilePath(self.path), .writeOnly, options: [.truncate])
        try file.closeAfter { _ = try file.writeAll(contents) }
    }
}

/// Copies of a folder, as a crash would leave it.
private final class CopiedFolders: Sendable {
    private let source: String
    private let copies: TemporaryFolder
    private let count = Mutex(0)

    init(_ source: String) throws { (self.source, self.copies) = (source, try TemporaryFolder()) }

    var paths: [String] { (1...max(1, self.count.withLock { $0 })).map { "\(self.copies.path)/\($0)" } }

    func copy() throws {
        let number = self.count.withLock { count in
            count += 1
            return count
        }
        let path = try self.copies.folder("\(number)")
        for name in try FileManager.default.contentsOfDirectory(atPath: self.source) {
            try FileManager.default.copyItem(atPath: self.source + "/" + name, toPath: path + "/" + name)
        }
    }
}
