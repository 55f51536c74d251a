//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization
import SystemPackage

/// A storage that keeps permanent credentials in a file of the user, and those of the session in memory.
///
/// The file is created with mode 0600. It is refused if it has permissions for others, belongs to another user, or is a symbolic
/// link. Its folder is refused if others can write to it. A change is written to a second file, which then replaces the first as a
/// whole, so that a crash leaves the old contents or the new ones. Programs may share the file: each change applies to the current
/// contents. The passwords are not encrypted: every process with the user's rights, or with access to the disk, can read them.
///
/// Each call reads the file. ``changes()`` only reports changes made by this object.
public final class FileCredentialStorage: CredentialStorage {
    private let file: PrivateFile
    private let session = Mutex(CredentialTable())
    private let broadcast = CredentialBroadcast()

    /// Creates a storage in a file.
    ///
    /// - Parameter path: The file. It is created with the first permanent credential. Its folder is created immediately, for this
    ///   user only.
    /// - Throws: ``CredentialStorageError`` if the folder or an existing file cannot be used.
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

    /// Returns the credentials for a space, sorted by the octets of their users. A credential of the session replaces the permanent
    /// one of the same user.
    ///
    /// - Parameter space: The space.
    /// - Throws: ``CredentialStorageError`` if the file cannot be used.
    public func credentials(for space: ProtectionSpace) throws(CredentialStorageError) -> [Credential] {
        var entry = try self.table()[space]
        entry.credentials.merge(self.session.withLock { $0[space].credentials }) { _, ofSession in ofSession }
        return entry.sorted
    }

    /// Stores a credential: a permanent one in the file, others in memory.
    ///
    /// - Parameters:
    ///   - credential: A user and a password, or for the session an identity.
    ///   - space: The space.
    /// - Throws: ``CredentialStorageError`` if the credential is not stored.
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
    ///   - credential: The credential. It is found by its user, not by its password.
    ///   - space: The space.
    /// - Throws: ``CredentialStorageError`` if the credential is not removed.
    public func remove(_ credential: Credential, for space: ProtectionSpace) async throws(CredentialStorageError) {
        try await self.change(space, permanent: { $0.remove(credential) }, session: { $0.remove(credential) })
    }

    /// Returns the default credential of a space: the session's, or else the permanent one.
    ///
    /// - Parameter space: The space.
    /// - Throws: ``CredentialStorageError`` if the file cannot be used.
    public func defaultCredential(for space: ProtectionSpace) throws(CredentialStorageError) -> Credential? {
        let permanent = try self.table()[space].defaultCredential
        return self.session.withLock { $0[space].defaultCredential } ?? permanent
    }

    /// Sets the default credential of a space: a permanent one in the file, others in memory.
    ///
    /// - Parameters:
    ///   - credential: A user and a password, or for the session an identity.
    ///   - space: The space.
    /// - Throws: ``CredentialStorageError`` if the credential is not stored.
    public func setDefaultCredential(
        _ credential: Credential, for space: ProtectionSpace
    ) async throws(CredentialStorageError) {
        _ = try self.storedName(of: credential)
        let isPermanent = credential.persistence == .permanent
        try await self.change(
            space, permanent: isPermanent ? { $0.defaultCredential = credential } : nil,
            session: { $0.defaultCredential = isPermanent ? nil : credential })
    }

    /// Returns a stream of changes from now on that are made by this object.
    public func changes() -> AsyncStream<CredentialChange> { self.broadcast.stream() }

    // MARK: Changes

    private typealias Change = (inout CredentialTable.Entry) -> Void

    /// Changes the file first, so that nothing has changed if that fails.
    private func change(
        _ space: ProtectionSpace, permanent: Change?, session: Change
    ) async throws(CredentialStorageError) {
        var hasChanged = false
        if let permanent { hasChanged = try await self.changeFile(space, permanent) }
        if self.session.withLock({ $0.change(space, session) }) { hasChanged = true }
        if hasChanged { self.broadcast.send(CredentialChange(space: space)) }
    }

    /// Changes the file under its lock, based on the current contents, which other programs may have changed.
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
    /// A reflection without the credentials.
    public var customMirror: Mirror { Mirror(self, children: ["path": self.file.path]) }
}
