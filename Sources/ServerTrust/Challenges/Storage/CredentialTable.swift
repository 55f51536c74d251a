//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Credentials by space.
struct CredentialTable: Sendable, Equatable {
    /// What is kept for a space.
    struct Entry: Sendable, Equatable {
        /// By ``Credential/storedName``.
        var credentials: [[UInt8]: Credential] = [:]
        var defaultCredential: Credential?

        var isEmpty: Bool { self.credentials.isEmpty && self.defaultCredential == nil }

        var sorted: [Credential] {
            self.credentials.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
        }

        /// Removes what is kept by the name of a credential.
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

    /// Changes what is kept for a space.
    ///
    /// - Returns: Whether it is now another than before.
    mutating func change(_ space: ProtectionSpace, _ body: (inout Entry) -> Void) -> Bool {
        let before = self[space]
        body(&self[space])
        return self[space] != before
    }
}

extension Credential {
    /// What it is kept by among those of its space: the octets of its user, or a digest of its certificate. Two users are two,
    /// even if Unicode takes their names for one.
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

    /// ``name``, where the credential is to be kept at all.
    var storedName: [UInt8] {
        get throws(CredentialStorageError) {
            let name = try self.name
            guard self.persistence != .none else { throw CredentialStorageError(.notPersistent) }
            return name
        }
    }
}
