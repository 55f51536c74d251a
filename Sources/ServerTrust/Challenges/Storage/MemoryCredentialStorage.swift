//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// A storage that keeps credentials in memory, for its own lifetime.
///
/// Use it for tests, and for programs that store no passwords.
public final class MemoryCredentialStorage: CredentialStorage {
    private let table = Mutex(CredentialTable())
    private let broadcast = CredentialBroadcast()

    /// Creates an empty storage.
    public init() {}

    /// Returns the credentials for a space, sorted by the octets of their users.
    ///
    /// - Parameter space: The space.
    public func credentials(for space: ProtectionSpace) -> [Credential] {
        self.table.withLock { $0[space].sorted }
    }

    /// Stores a credential, and replaces one of the same user.
    ///
    /// - Parameters:
    ///   - credential: A user and a password, or an identity.
    ///   - space: The space.
    /// - Throws: ``CredentialStorageError`` if the credential is not stored.
    public func set(_ credential: Credential, for space: ProtectionSpace) throws(CredentialStorageError) {
        let name = try credential.storedName
        self.change(space) { $0.credentials[name] = credential }
    }

    /// Removes a credential, and also the default credential if it has the same user.
    ///
    /// - Parameters:
    ///   - credential: The credential. It is found by its user, not by its password.
    ///   - space: The space.
    public func remove(_ credential: Credential, for space: ProtectionSpace) {
        self.change(space) { $0.remove(credential) }
    }

    /// Returns the default credential of a space, or `nil` if there is none.
    ///
    /// - Parameter space: The space.
    public func defaultCredential(for space: ProtectionSpace) -> Credential? {
        self.table.withLock { $0[space].defaultCredential }
    }

    /// Sets the default credential of a space.
    ///
    /// - Parameters:
    ///   - credential: A user and a password, or an identity.
    ///   - space: The space.
    /// - Throws: ``CredentialStorageError`` if the credential is not stored.
    public func setDefaultCredential(
        _ credential: Credential, for space: ProtectionSpace
    ) throws(CredentialStorageError) {
        _ = try credential.storedName
        self.change(space) { $0.defaultCredential = credential }
    }

    /// Returns a stream of changes from now on.
    public func changes() -> AsyncStream<CredentialChange> { self.broadcast.stream() }

    private func change(_ space: ProtectionSpace, _ body: (inout CredentialTable.Entry) -> Void) {
        guard self.table.withLock({ $0.change(space, body) }) else { return }
        self.broadcast.send(CredentialChange(space: space))
    }
}

extension MemoryCredentialStorage: CustomReflectable {
    /// A reflection without the credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
