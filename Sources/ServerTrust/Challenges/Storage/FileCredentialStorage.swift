//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
    private let session = MemoryCredentialStorage()
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
        for credential in self.session.credentials(for: space) {
            entry.credentials[try credential.storedName] = credential
        }
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
        if credential.persistence == .permanent {
            try await self.change(space) { $0.credentials[name] = credential }
            self.session.removeUser(of: credential, for: space)
        } else {
            try self.session.set(credential, for: space)
        }
        self.broadcast.send(CredentialChange(space: space))
    }

    /// Removes a credential from the file and from memory.
    ///
    /// - Parameters:
    ///   - credential: The credential. Its user counts, and not its password.
    ///   - space: The space.
    /// - Throws: ``CredentialStorageError`` when it is still there.
    public func remove(_ credential: Credential, for space: ProtectionSpace) async throws(CredentialStorageError) {
        try await self.change(space) { $0.remove(credential) }
        self.session.remove(credential, for: space)
        self.broadcast.send(CredentialChange(space: space))
    }

    /// The default of a space: the session's, and without one the permanent one.
    ///
    /// - Parameter space: The space.
    /// - Throws: ``CredentialStorageError`` when the file cannot be used.
    public func defaultCredential(for space: ProtectionSpace) throws(CredentialStorageError) -> Credential? {
        let permanent = try self.table()[space].defaultCredential
        return self.session.defaultCredential(for: space) ?? permanent
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
        if credential.persistence == .permanent {
            try await self.change(space) { $0.defaultCredential = credential }
            self.session.removeDefault(for: space)
        } else {
            try self.session.setDefaultCredential(credential, for: space)
        }
        self.broadcast.send(CredentialChange(space: space))
    }

    /// Changes from now on that are made by this object.
    public func changes() -> AsyncStream<CredentialChange> { self.broadcast.stream() }

    // MARK: The file

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

    /// Changes what other programs may have changed since it was read.
    private func change(
        _ space: ProtectionSpace, _ body: (inout CredentialTable.Entry) -> Void
    ) async throws(CredentialStorageError) {
        do {
            let lock = try await self.file.lock()
            defer { try? lock.close() }
            let before = try self.table()
            var after = before
            body(&after[space])
            if after != before { try self.file.replace(with: CredentialDocument(after).contents) }
        } catch let error as CredentialStorageError {
            throw error
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
