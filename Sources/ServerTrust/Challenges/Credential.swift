//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A client certificate with the means to sign with its key: the equivalent of Apple's `SecIdentity`.
///
/// A conforming type may hold a key, a file, or a connection to an agent or a security module. This module only stores it in a
/// ``Credential`` and passes it on, and never accesses its key.
public protocol CredentialIdentity: Sendable {
    /// The client's certificate, followed by those that lead to its authority.
    var certificates: [Certificate] { get }
}

/// The answer to a challenge: the equivalent of `URLCredential`, as a value.
///
/// Its description, debug description and reflection show only the kind of credential. They show neither password nor user, as
/// tokens are also used as users.
public struct Credential: Sendable {
    /// The lifetime of a stored credential: `URLCredential.Persistence`, with its values. There is no storage in a cloud.
    public enum Persistence: Int, Sendable, Hashable, CaseIterable {
        /// The credential answers one challenge and is not stored.
        case none = 0
        /// The credential is kept in memory, for the lifetime of the program or the storage.
        case session = 1
        /// The credential is kept in storages that outlive the program.
        case permanent = 2
    }

    enum Content: Sendable {
        case password(String, user: String)
        case serverTrust(Trust)
        case clientIdentity(any CredentialIdentity)
    }

    let content: Content

    /// The lifetime of the credential in a storage.
    public let persistence: Persistence

    /// Creates a credential with a user and a password.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - password: The password.
    ///   - persistence: The lifetime of the credential in a storage.
    public init(user: String, password: String, persistence: Persistence) {
        self.content = .password(password, user: user)
        self.persistence = persistence
    }

    /// Creates a credential that accepts a server's certificates (`URLCredential(trust:)`). It answers one challenge and is never
    /// stored.
    ///
    /// - Parameter trust: The trust of the challenge. A trust with other certificates than the server sent does not answer the
    ///   challenge.
    public init(trust: Trust) {
        self.content = .serverTrust(trust)
        self.persistence = .none
    }

    /// Creates a credential with an identity of the client (`URLCredential(identity:certificates:persistence:)`).
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - persistence: The lifetime of the credential in a storage. Storages of this package keep identities in memory only.
    public init(identity: any CredentialIdentity, persistence: Persistence) {
        self.content = .clientIdentity(identity)
        self.persistence = persistence
    }

    /// The user, or `nil` for certificates.
    public var user: String? {
        guard case .password(_, let user) = self.content else { return nil }
        return user
    }

    /// The password, or `nil` for certificates.
    public var password: String? {
        guard case .password(let password, _) = self.content else { return nil }
        return password
    }

    /// `true` if the credential has a password.
    public var hasPassword: Bool { self.password != nil }

    /// The accepted trust of a server, or `nil` for other kinds.
    public var trust: Trust? {
        guard case .serverTrust(let trust) = self.content else { return nil }
        return trust
    }

    /// The identity of the client, or `nil` for other kinds.
    public var identity: (any CredentialIdentity)? {
        guard case .clientIdentity(let identity) = self.content else { return nil }
        return identity
    }

    /// Returns `true` if the credential fits the method of the space: a user with a password, an identity, or exactly the
    /// certificates that the server sent.
    ///
    /// - Parameter space: The space of the challenge.
    public func answers(_ space: ProtectionSpace) -> Bool {
        switch space.authenticationMethod {
        case .default, .httpBasic, .httpDigest, .htmlForm, .ntlm, .negotiate: self.hasPassword
        case .clientCertificate: self.identity?.certificates.isEmpty == false
        case .serverTrust: self.trust != nil && self.trust?.certificates == space.serverTrust?.certificates
        }
    }
}

extension Credential: Equatable {
    /// Returns `true` if both credentials have the same kind, content and persistence. Trust and identities are compared by their
    /// certificates.
    public static func == (left: Credential, right: Credential) -> Bool {
        left.persistence == right.persistence && left.content == right.content
    }
}

extension Credential.Content: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.password(let one, let user), .password(let other, let otherUser)):
            // Servers compare octets, while Unicode considers some different ones equal.
            one.utf8.elementsEqual(other.utf8) && user.utf8.elementsEqual(otherUser.utf8)
        case (.serverTrust(let one), .serverTrust(let other)): one.certificates == other.certificates
        case (.clientIdentity(let one), .clientIdentity(let other)): one.certificates == other.certificates
        case (.password, _), (.serverTrust, _), (.clientIdentity, _): false
        }
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind and persistence of the credential, without its content.
    public var description: String {
        let kind =
            switch self.content {
            case .password: "user and password"
            case .serverTrust: "server trust"
            case .clientIdentity: "client identity"
            }
        return "Credential(\(kind), persistence: \(self.persistence))"
    }

    /// The same as ``description``.
    public var debugDescription: String { self.description }

    /// A reflection without the content, for `dump` and for tools that log values.
    public var customMirror: Mirror { Mirror(self, children: ["persistence": self.persistence]) }
}
