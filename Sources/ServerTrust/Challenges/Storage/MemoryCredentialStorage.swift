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
    public func credentials(for space: ProtectionSpace) -> [Credential] {
        self.table.withLock { $0[space].sorted }
    }

    /// Keeps a credential.
    public func set(_ credential: Credential, for space: ProtectionSpace) throws(CredentialStorageError) {
        let name = try credential.storedName
        self.change(space) { $0.credentials[name] = credential }
    }

    /// Removes a credential.
    public func remove(_ credential: Credential, for space: ProtectionSpace) {
        self.change(space) { $0.remove(credential) }
    }

    /// The default of a space.
    public func defaultCredential(for space: ProtectionSpace) -> Credential? {
        self.table.withLock { $0[space].defaultCredential }
    }

    /// Sets the default of a space.
    public func setDefaultCredential(
        _ credential: Credential, for space: ProtectionSpace
    ) throws(CredentialStorageError) {
        _ = try credential.storedName
        self.change(space) { $0.defaultCredential = credential }
    }

    /// Changes from now on.
    public func changes() -> AsyncStream<CredentialChange> { self.broadcast.stream() }

    /// Removes a user's credential and leaves the default, which may be the same user's.
    func removeUser(of credential: Credential, for space: ProtectionSpace) {
        guard let name = try? credential.name else { return }
        self.change(space) { $0.credentials[name] = nil }
    }

    /// Removes the default of a space.
    func removeDefault(for space: ProtectionSpace) { self.change(space) { $0.defaultCredential = nil } }

    private func change(_ space: ProtectionSpace, _ body: (inout CredentialTable.Entry) -> Void) {
        let hasChanged = self.table.withLock { table in
            let before = table[space]
            body(&table[space])
            return table[space] != before
        }
        if hasChanged { self.broadcast.send(CredentialChange(space: space)) }
    }
}

extension MemoryCredentialStorage: CustomReflectable {
    /// A reflection without what is kept.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
