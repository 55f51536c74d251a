//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A table of credentials by space.
struct CredentialTable: Sendable, Equatable {
    /// The credentials of a space.
    struct Entry: Sendable, Equatable {
        var credentials: [[UInt8]: Credential] = [:]
        var defaultCredential: Credential?

        var isEmpty: Bool { self.credentials.isEmpty && self.defaultCredential == nil }

        var sorted: [Credential] {
            self.credentials.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        }

        /// Removes the credential with the name of the given one, and a default with this name.
        mutating func remove(_ credential: Credential) {
            guard let name = try? credential.name else { return }
            self.credentials[name] = nil
            if let other = self.defaultCredential, (try? other.name) == name { self.defaultCredential = nil }
        }
    }

    var entries: [ProtectionSpace.Key: Entry] = [:]

    subscript(_ space: ProtectionSpace) -> Entry {
        get { self.entries[space.key] ?? Entry() }
        set { self.entries[space.key] = newValue.isEmpty ? nil : newValue }
    }

    /// Changes the credentials of a space.
    ///
    /// - Returns: `true` if they differ from before.
    mutating func change(_ space: ProtectionSpace, _ body: (inout Entry) -> Void) -> Bool {
        let before = self[space]
        body(&self[space])
        return self[space] != before
    }
}

extension Credential {
    /// The key of the credential within its space: the octets of its user, or a digest of its certificate. Two users are different
    /// even if Unicode considers their names equal.
    var name: [UInt8] {
        get throws(CredentialStorageError) {
            switch self.content {
            case .password(_, let user): return Array(user.utf8)
            case .serverTrust: throw CredentialStorageError(.serverTrust)
            case .clientIdentity(let identity):
                guard let leaf = identity.certificates.first else { throw CredentialStorageError(.emptyIdentity) }
                return leaf.sha256Fingerprint
            }
        }
    }

    /// The ``name`` of a credential that may be stored.
    var storedName: [UInt8] {
        get throws(CredentialStorageError) {
            let name = try self.name
            guard self.persistence != .none else { throw CredentialStorageError(.notPersistent) }
            return name
        }
    }
}
