//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization
import SystemPackage

/// Keeps credentials in a file of the user's own, and those of the session in memory.
///
/// The file is made with mode 0600. One that others have permissions for, that belongs to another user or that is a symbolic
/// link is refused, and so is a folder that others can write to. A change is written beside the file and takes its place as a
/// whole, so that a crash leaves the old contents or the new ones. Programs may share the file: each change is made to what
/// the others wrote. The passwords are not encrypted: who can read as the user, or the disk, has them.
///
/// Each question reads the file. ``changes()`` tells of the changes that are made by this object.
public final class FileCredentialStorage: CredentialStorage {
    private let file: PrivateFile
    private let session = Mutex(CredentialTable())
    private let broadcast = CredentialBroadcast()

    /// A storage in a file.
    ///
    /// - Parameter path: The file. It is made with the first permanent credential, and its folder now, for this user alone.
    /// - Throws: ``CredentialStorageError`` when the folder cannot be used, or the file is there and cannot be used.
    public convenience init(path: String) throws(CredentialStorageError) {
        try self.init(path: path, before: { _ in })
    }

    init(
        path: String, before: @escaping @Sendable (PrivateFile.Step) throws -> Void
    ) throws(CredentialStorageError) {
        do {
            self.file = try PrivateFile(path, before: before)
        } catch {
            throw CredentialStorageError(.file(error))
        }
        _ = try self.table()
    }

    /// The credentials for a space, sorted by the octets of their users. One of the session stands for the permanent one of
    /// the same user.
    ///
    /// - Parameter space: The space.
    /// - Throws: ``CredentialStorageError`` when the file cannot be used.
    public func credentials(for space: ProtectionSpace) throws(CredentialStorageError) -> [Credential] {
        var entry = try self.table()[space]
        entry.credentials.merge(self.session.withLock { $0[space].credentials }) { _, ofSession in ofSession }
        return entry.sorted
    }

    /// Keeps a credential: a permanent one in the file, others in memory.
    ///
    /// - Parameters:
    ///   - credential: A user and a password; an identity, for the session.
    ///   - space: The space.
    /// - Throws: ``CredentialStorageError`` when it is not kept.
    public func set(_ credential: Credential, for space: ProtectionSpace) async throws(CredentialStorageError) {
        let name = try self.storedName(of: credential)
        let isPermanent = credential.persistence == .permanent
        try await self.change(
            space, permanent: isPermanent ? { $0.credentials[name] = credential } : nil,
            session: { $0.credentials[name] = isPermanent ? nil : credential })
    }

    /// Removes a credential from the file and from memory.
    ///
    /// - Parameters:
    ///   - credential: The credential. Its user counts, and not its password.
    ///   - space: The space.
    /// - Throws: ``CredentialStorageError`` when it is still there.
    public func remove(_ credential: Credential, for space: ProtectionSpace) async throws(CredentialStorageError) {
        try await self.change(space, permanent: { $0.remove(credential) }, session: { $0.remove(credential) })
    }

    /// The default of a space: the session's, and without one the permanent one.
    ///
    /// - Parameter space: The space.
    /// - Throws: ``CredentialStorageError`` when the file cannot be used.
    public func defaultCredential(for space: ProtectionSpace) throws(CredentialStorageError) -> Credential? {
        let permanent = try self.table()[space].defaultCredential
        return self.session.withLock { $0[space].defaultCredential } ?? permanent
    }

    /// Sets the default of a space: a permanent one in the file, others in memory.
    ///
    /// - Parameters:
    ///   - credential: A user and a password; an identity, for the session.
    ///   - space: The space.
    /// - Throws: ``CredentialStorageError`` when it is not kept.
    public func setDefaultCredential(
        _ credential: Credential, for space: ProtectionSpace
    ) async throws(CredentialStorageError) {
        _ = try self.storedName(of: credential)
        let isPermanent = credential.persistence == .permanent
        try await self.change(
            space, permanent: isPermanent ? { $0.defaultCredential = credential } : nil,
            session: { $0.defaultCredential = isPermanent ? nil : credential })
    }

    /// Changes from now on that are made by this object.
    public func changes() -> AsyncStream<CredentialChange> { self.broadcast.stream() }

    // MARK: Changes

    private typealias Change = (inout CredentialTable.Entry) -> Void

    /// Changes the file first: when that fails, nothing has changed.
    private func change(
        _ space: ProtectionSpace, permanent: Change?, session: Change
    ) async throws(CredentialStorageError) {
        var hasChanged = false
        if let permanent { hasChanged = try await self.changeFile(space, permanent) }
        if self.session.withLock({ $0.change(space, session) }) { hasChanged = true }
        if hasChanged { self.broadcast.send(CredentialChange(space: space)) }
    }

    /// Changes what other programs may have changed since it was read.
    private func changeFile(
        _ space: ProtectionSpace, _ body: Change
    ) async throws(CredentialStorageError) -> Bool {
        do {
            let lock = try await self.file.lock()
            defer { try? lock.close() }
            var table = try self.table()
            let hasChanged = table.change(space, body)
            if hasChanged { try self.file.replace(with: CredentialDocument(table).contents) }
            return hasChanged
        } catch let error as CredentialStorageError {
            throw error
        } catch let error as FileError {
            throw CredentialStorageError(.file(error))
        } catch {
            throw CredentialStorageError(.damaged(path: self.file.path))
        }
    }

    private func storedName(of credential: Credential) throws(CredentialStorageError) -> [UInt8] {
        let name = try credential.storedName
        guard credential.persistence != .permanent || credential.hasPassword else {
            throw CredentialStorageError(.permanentIdentity)
        }
        return name
    }

    private func table() throws(CredentialStorageError) -> CredentialTable {
        do {
            guard let contents = try self.file.read() else { return CredentialTable() }
            return try CredentialDocument(contents).table
        } catch let error as FileError {
            throw CredentialStorageError(.file(error))
        } catch {
            throw CredentialStorageError(.damaged(path: self.file.path))
        }
    }
}

extension FileCredentialStorage: CustomReflectable {
    /// A reflection without what is kept.
    public var customMirror: Mirror { Mirror(self, children: ["path": self.file.path]) }
}
