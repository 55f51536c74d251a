//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A storage of credentials by protection space: the equivalent of `URLCredentialStorage`, as a protocol that a keyring can
/// implement.
///
/// Spaces are distinguished by host, port, protocol, realm, method and proxy. A stored credential is used for its own space only.
public protocol CredentialStorage: Sendable {
    /// Returns the credentials for a space, sorted by the octets of their users.
    ///
    /// - Parameter space: The space.
    /// - Throws: An error if the credentials cannot be read. If there are none, the result is empty.
    func credentials(for space: ProtectionSpace) async throws -> [Credential]

    /// Stores a credential, and replaces one of the same user.
    ///
    /// - Parameters:
    ///   - credential: A user and a password, or an identity.
    ///   - space: The space.
    /// - Throws: An error if the credential is not stored, for example one with ``Credential/Persistence/none`` or a server's
    ///   trust.
    func set(_ credential: Credential, for space: ProtectionSpace) async throws

    /// Removes a credential, and also the default credential if it has the same user.
    ///
    /// - Parameters:
    ///   - credential: The credential. It is found by its user, not by its password.
    ///   - space: The space.
    /// - Throws: An error if the credential is not removed.
    func remove(_ credential: Credential, for space: ProtectionSpace) async throws

    /// Returns the default credential of a space, or `nil` if there is none.
    ///
    /// - Parameter space: The space.
    /// - Throws: An error if the credential cannot be read.
    func defaultCredential(for space: ProtectionSpace) async throws -> Credential?

    /// Sets the default credential of a space, which is proposed if no user's credential is stored.
    ///
    /// - Parameters:
    ///   - credential: A user and a password, or an identity.
    ///   - space: The space.
    /// - Throws: An error if the credential is not stored.
    func setDefaultCredential(_ credential: Credential, for space: ProtectionSpace) async throws

    /// Returns a stream of changes from now on (`NSURLCredentialStorageChangedNotification`). Each call returns a new stream, which
    /// buffers the last 256 unread changes.
    func changes() -> AsyncStream<CredentialChange>
}

extension CredentialStorage {
    /// Returns the credential to propose in a challenge: that of the first user, or else the default credential.
    ///
    /// - Parameter space: The space.
    /// - Throws: An error if the credentials cannot be read.
    public func proposedCredential(for space: ProtectionSpace) async throws -> Credential? {
        if let first = try await self.credentials(for: space).first { return first }
        return try await self.defaultCredential(for: space)
    }
}

/// A change of the stored credentials of a space.
///
/// It does not name the credential. Read the space again for its current credentials.
public struct CredentialChange: Sendable, Hashable {
    /// The space.
    public let space: ProtectionSpace

    /// Creates a change.
    ///
    /// - Parameter space: The space.
    public init(space: ProtectionSpace) { self.space = space }
}

/// The reason why credentials are not stored or cannot be read. It contains no part of a credential.
///
/// The description says how to solve the problem.
public struct CredentialStorageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of reasons.
    public enum Reason: Sendable, Hashable {
        /// The persistence of the credential is ``Credential/Persistence/none``.
        case notPersistent
        /// The credential is a server's trust, which answers one challenge and is never stored.
        case serverTrust
        /// The storage writes only passwords to its file. Identities are kept for the session.
        case permanentIdentity
        /// The identity has no certificate by which to find it.
        case emptyIdentity
        /// The file was damaged, or not written by this package.
        case damaged(path: String)
        /// The file cannot be read or written.
        case file(FileError)
    }

    /// The reason.
    public let reason: Reason

    init(_ reason: Reason) { self.reason = reason }

    /// The fault and its remedy, in a sentence.
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
