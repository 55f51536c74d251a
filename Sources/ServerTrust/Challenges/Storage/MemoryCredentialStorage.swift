//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Keeps credentials in memory, as long as it lives itself.
public final class MemoryCredentialStorage: CredentialStorage {
    private let table = Mutex(CredentialTable())
    private let broadcast = CredentialBroadcast()

    /// An empty storage.
    public init() {}

    /// The credentials for a space, sorted by the octets of their users.
    ///
    /// - Parameter space: The space.
    public func credentials(for space: ProtectionSpace) -> [Credential] {
        self.table.withLock { $0[space].sorted }
    }

    /// Keeps a credential. One of the same user goes.
    ///
    /// - Parameters:
    ///   - credential: A user and a password, or an identity.
    ///   - space: The space.
    /// - Throws: ``CredentialStorageError`` when it is not kept.
    public func set(_ credential: Credential, for space: ProtectionSpace) throws(CredentialStorageError) {
        let name = try credential.storedName
        self.change(space) { $0.credentials[name] = credential }
    }

    /// Removes a credential, the default one too if it is of the same user.
    ///
    /// - Parameters:
    ///   - credential: The credential. Its user counts, and not its password.
    ///   - space: The space.
    public func remove(_ credential: Credential, for space: ProtectionSpace) {
        self.change(space) { $0.remove(credential) }
    }

    /// The default of a space; `nil` without one.
    ///
    /// - Parameter space: The space.
    public func defaultCredential(for space: ProtectionSpace) -> Credential? {
        self.table.withLock { $0[space].defaultCredential }
    }

    /// Sets the default of a space.
    ///
    /// - Parameters:
    ///   - credential: A user and a password, or an identity.
    ///   - space: The space.
    /// - Throws: ``CredentialStorageError`` when it is not kept.
    public func setDefaultCredential(
        _ credential: Credential, for space: ProtectionSpace
    ) throws(CredentialStorageError) {
        _ = try credential.storedName
        self.change(space) { $0.defaultCredential = credential }
    }

    /// Changes from now on.
    public func changes() -> AsyncStream<CredentialChange> { self.broadcast.stream() }

    private func change(_ space: ProtectionSpace, _ body: (inout CredentialTable.Entry) -> Void) {
        guard self.table.withLock({ $0.change(space, body) }) else { return }
        self.broadcast.send(CredentialChange(space: space))
    }
}

extension MemoryCredentialStorage: CustomReflectable {
    /// A reflection without what is kept.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
