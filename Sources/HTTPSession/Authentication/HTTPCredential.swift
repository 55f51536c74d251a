//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What shows a server or proxy who a client is: a user with a password, or a token.
///
/// Its description, its debug description and its reflection hold nothing of either.
public struct HTTPCredential: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// Octets would be too early: servers choose the encoding.
        case password(String, user: String)
        case token(String)
    }

    let content: Content

    /// A user with a password, for Basic and Digest.
    ///
    /// - Parameters:
    ///   - user: The user. Basic has no way to write a colon in it (RFC 7617 §2).
    ///   - password: The password.
    /// - Throws: ``HTTPAuthenticationError/controlCharacter``: no scheme allows them (RFC 7617 §2, RFC 8265 §4).
    public init(user: String, password: String) throws(HTTPAuthenticationError) {
        guard !Self.hasControl(user), !Self.hasControl(password) else { throw .controlCharacter }
        self.content = .password(password, user: user)
    }

    /// A token, for Bearer.
    ///
    /// - Parameter token: The token, as the authorization server gave it.
    /// - Throws: ``HTTPAuthenticationError/invalidToken`` for characters that no token has (`b64token`, RFC 6750 §2.1).
    public init(token: String) throws(HTTPAuthenticationError) {
        let value = token.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        guard !value.isEmpty, value.allSatisfy(FieldText.isToken68Octet) else { throw .invalidToken }
        self.content = .token(token)
    }

    /// The user and the password, for protocols that send them as they are; `nil` for a token.
    package var userAndPassword: (user: String, password: String)? {
        guard case .password(let password, let user) = self.content else { return nil }
        return (user, password)
    }

    /// C0, DEL and C1.
    private static func hasControl(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    /// Whether servers, which compare octets, take both for the same.
    public static func == (left: HTTPCredential, right: HTTPCredential) -> Bool {
        switch (left.content, right.content) {
        case (.password(let one, let user), .password(let other, let otherUser)):
            one.utf8.elementsEqual(other.utf8) && user.utf8.elementsEqual(otherUser.utf8)
        case (.token(let one), .token(let other)): one == other
        case (.password, _), (.token, _): false
        }
    }

    /// The schemes that it can answer.
    var schemes: HTTPAuthenticationSchemes {
        switch self.content {
        case .password: [.basic, .digest]
        case .token: .bearer
        }
    }
}

extension HTTPCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Of what kind it is, without what it holds.
    public var description: String {
        switch self.content {
        case .password: "HTTPCredential(user and password)"
        case .token: "HTTPCredential(token)"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { self.description }

    /// A reflection without what it holds.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Ways to show a credential.
public struct HTTPAuthenticationSchemes: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// The schemes of some bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// User and password, which every machine on the way can read without TLS (RFC 7617).
    public static let basic = HTTPAuthenticationSchemes(rawValue: 1)
    /// A hash over user, password and request (RFC 7616).
    public static let digest = HTTPAuthenticationSchemes(rawValue: 2)
    /// A token (RFC 6750).
    public static let bearer = HTTPAuthenticationSchemes(rawValue: 4)
}

/// How users and passwords become octets where a server does not say that it takes UTF-8.
public enum HTTPCredentialEncoding: Sendable, Hashable {
    /// UTF-8, as most servers take it.
    case utf8
    /// ISO 8859-1, for old servers. A server that asks for UTF-8 (`charset="UTF-8"`) still gets it.
    case latin1

    func octets(_ text: String) throws(HTTPAuthenticationError) -> [UInt8] {
        guard self == .latin1 else { return Array(text.utf8) }
        var octets: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard let octet = UInt8(exactly: scalar.value) else { throw .notLatin1 }
            octets.append(octet)
        }
        return octets
    }
}
