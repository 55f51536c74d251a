//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A certificate of the client with the means to sign with its key: what `SecIdentity` is on Apple's systems.
///
/// What it holds is its own matter: a key, a file, or the way to an agent or a security module. Here it has a place in a
/// ``Credential`` and is handed on; its key is never asked for.
public protocol CredentialIdentity: Sendable {
    /// The client's certificate, and those that lead to its authority.
    var certificates: [Certificate] { get }
}

/// What answers a challenge: `URLCredential`, as a value.
///
/// Its description, its debug description and its reflection say of what kind it is, and nothing of what it holds: neither
/// password nor user, for which tokens are used as well.
public struct Credential: Sendable {
    /// How long a credential is kept: `URLCredential.Persistence`, with its values. Nothing is kept in a cloud.
    public enum Persistence: Int, Sendable, Hashable, CaseIterable {
        /// It answers one challenge.
        case none = 0
        /// It is kept in memory, as long as the program or the storage lives.
        case session = 1
        /// It is kept by storages that outlive the program.
        case permanent = 2
    }

    enum Content: Sendable {
        case password(String, user: String)
        case serverTrust(Trust)
        case clientIdentity(any CredentialIdentity)
    }

    let content: Content

    /// How long it is kept.
    public let persistence: Persistence

    /// A user and a password.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - password: The password.
    ///   - persistence: How long it is kept.
    public init(user: String, password: String, persistence: Persistence) {
        self.content = .password(password, user: user)
        self.persistence = persistence
    }

    /// The certificates of a server, accepted (`URLCredential(trust:)`). They answer one challenge and are never kept.
    ///
    /// - Parameter trust: The trust of the challenge. With other certificates than the server sent it does not answer it.
    public init(trust: Trust) {
        self.content = .serverTrust(trust)
        self.persistence = .none
    }

    /// An identity of the client (`URLCredential(identity:certificates:persistence:)`).
    ///
    /// - Parameters:
    ///   - identity: The identity.
    ///   - persistence: How long it is kept. Storages of this package keep identities in memory only.
    public init(identity: any CredentialIdentity, persistence: Persistence) {
        self.content = .clientIdentity(identity)
        self.persistence = persistence
    }

    /// The user; `nil` for certificates.
    public var user: String? {
        guard case .password(_, let user) = self.content else { return nil }
        return user
    }

    /// The password; `nil` for certificates.
    public var password: String? {
        guard case .password(let password, _) = self.content else { return nil }
        return password
    }

    /// Whether there is a password.
    public var hasPassword: Bool { self.password != nil }

    /// The certificates of a server that are accepted; `nil` for others.
    public var trust: Trust? {
        guard case .serverTrust(let trust) = self.content else { return nil }
        return trust
    }

    /// The identity of the client; `nil` for others.
    public var identity: (any CredentialIdentity)? {
        guard case .clientIdentity(let identity) = self.content else { return nil }
        return identity
    }

    /// Whether it answers a challenge: a user with a password, an identity, or the very certificates that the server sent, by
    /// the method of the space.
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
    /// Whether two credentials are of one kind, hold the same, and are kept for as long. Trust and identities are compared by
    /// their certificates.
    public static func == (left: Credential, right: Credential) -> Bool {
        left.persistence == right.persistence && left.content == right.content
    }
}

extension Credential.Content: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.password(let one, let user), .password(let other, let otherUser)):
            // Servers compare octets, and Unicode takes different ones for equal.
            one.utf8.elementsEqual(other.utf8) && user.utf8.elementsEqual(otherUser.utf8)
        case (.serverTrust(let one), .serverTrust(let other)): one.certificates == other.certificates
        case (.clientIdentity(let one), .clientIdentity(let other)): one.certificates == other.certificates
        case (.password, _), (.serverTrust, _), (.clientIdentity, _): false
        }
    }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Of what kind it is and how long it is kept, without what it holds.
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

    /// A reflection without what it holds, for `dump` and for tools that log values.
    public var customMirror: Mirror { Mirror(self, children: ["persistence": self.persistence]) }
}
