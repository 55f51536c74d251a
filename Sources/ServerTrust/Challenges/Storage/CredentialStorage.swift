//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Keeps credentials by space: `URLCredentialStorage`, as a protocol that a keyring can have.
///
/// Spaces are told apart by host, port, protocol, realm, method and proxy. What is kept for one space is for no other.
public protocol CredentialStorage: Sendable {
    /// The credentials for a space, sorted by the octets of their users.
    ///
    /// - Parameter space: The space.
    /// - Throws: An error when they cannot be read; that there are no credentials is an empty list.
    func credentials(for space: ProtectionSpace) async throws -> [Credential]

    /// Keeps a credential. One of the same user goes.
    ///
    /// - Parameters:
    ///   - credential: A user and a password, or an identity.
    ///   - space: The space.
    /// - Throws: An error when it is not kept, ``Credential/Persistence/none`` and a server's trust among others.
    func set(_ credential: Credential, for space: ProtectionSpace) async throws

    /// Removes a credential, the default one too if it is of the same user.
    ///
    /// - Parameters:
    ///   - credential: The credential. Its user counts, and not its password.
    ///   - space: The space.
    /// - Throws: An error when it is still there.
    func remove(_ credential: Credential, for space: ProtectionSpace) async throws

    /// The credential that was set as the default of a space; `nil` without one.
    ///
    /// - Parameter space: The space.
    /// - Throws: An error when it cannot be read.
    func defaultCredential(for space: ProtectionSpace) async throws -> Credential?

    /// Sets the default of a space: what is proposed where no credential is kept for a user.
    ///
    /// - Parameters:
    ///   - credential: A user and a password, or an identity.
    ///   - space: The space.
    /// - Throws: An error when it is not kept.
    func setDefaultCredential(_ credential: Credential, for space: ProtectionSpace) async throws

    /// Changes from now on (`NSURLCredentialStorageChangedNotification`). Each call gives a stream of its own, which keeps the
    /// last 256 changes that are not read.
    func changes() -> AsyncStream<CredentialChange>
}

extension CredentialStorage {
    /// The credential to propose in a challenge: that of the first user, and without users the default one.
    ///
    /// - Parameter space: The space.
    /// - Throws: An error when it cannot be read.
    public func proposedCredential(for space: ProtectionSpace) async throws -> Credential? {
        if let first = try await self.credentials(for: space).first { return first }
        return try await self.defaultCredential(for: space)
    }
}

/// Something changed in what is kept for a space.
public struct CredentialChange: Sendable, Hashable {
    /// The space.
    public let space: ProtectionSpace

    /// A change.
    ///
    /// - Parameter space: The space.
    public init(space: ProtectionSpace) { self.space = space }
}

/// Why credentials are not kept, or cannot be read. Nothing of a credential is in it.
public struct CredentialStorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Why.
    public enum Reason: Sendable, Hashable {
        /// The persistence of the credential is ``Credential/Persistence/none``.
        case notPersistent
        /// Servers' trust is never kept: it answers one challenge.
        case serverTrust
        /// The file keeps passwords only; identities are kept for the session.
        case permanentIdentity
        /// The identity has no certificates, by which it would be found.
        case emptyIdentity
        /// The contents of the file are not what this package wrote.
        case damaged(path: String)
        /// The file cannot be read or written.
        case file(FileError)
    }

    /// Why.
    public let reason: Reason

    init(_ reason: Reason) { self.reason = reason }

    /// What is wrong and what to do about it.
    public var description: String {
        switch self.reason {
        case .notPersistent:
            "a credential that is not persistent cannot be kept: make its persistence session or permanent"
        case .serverTrust: "the trust of a server is not kept: anchors and exceptions are"
        case .permanentIdentity: "a client identity is not written to a file: give it persistence session"
        case .emptyIdentity: "a client identity without certificates is not kept: give it its certificate"
        case .damaged(let path):
            "\(path) is damaged: take it from a backup, or remove it and enter the passwords again"
        case .file(let error): error.description
        }
    }
}
