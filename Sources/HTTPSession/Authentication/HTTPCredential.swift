//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A credential for a server or proxy: a user name with a password, or a token.
///
/// Its description, debug description and mirror reveal neither.
public struct HTTPCredential: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        /// The text is not encoded yet, because the encoding depends on the server.
        case password(String, user: String)
        case token(String)
    }

    let content: Content

    /// Creates a credential of user name and password, for Basic and Digest.
    ///
    /// - Parameters:
    ///   - user: The user name. For Basic it must not contain a colon (RFC 7617 §2).
    ///   - password: The password.
    /// - Throws: ``HTTPAuthenticationError/controlCharacter`` for control characters, which no scheme allows (RFC 7617 §2,
    ///   RFC 8265 §4).
    public init(user: String, password: String) throws(HTTPAuthenticationError) {
        guard !Self.hasControl(user), !Self.hasControl(password) else { throw .controlCharacter }
        self.content = .password(password, user: user)
    }

    /// Creates a credential of a token, for Bearer.
    ///
    /// - Parameter token: The token from the authorization server.
    /// - Throws: ``HTTPAuthenticationError/invalidToken`` for characters that tokens must not have (`b64token`, RFC 6750 §2.1).
    public init(token: String) throws(HTTPAuthenticationError) {
        let value = token.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        guard !value.isEmpty, value.allSatisfy(FieldText.isToken68Octet) else { throw .invalidToken }
        self.content = .token(token)
    }

    /// The user name and password, for protocols that send them unencoded, or `nil` for a token.
    package var userAndPassword: (user: String, password: String)? {
        guard case .password(let password, let user) = self.content else { return nil }
        return (user, password)
    }

    /// Returns `true` if a text contains a control character: C0, DEL or C1.
    private static func hasControl(_ text: String) -> Bool {
        text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }

    /// Returns `true` if both credentials have the same octets, which servers compare.
    public static func == (left: HTTPCredential, right: HTTPCredential) -> Bool {
        switch (left.content, right.content) {
        case (.password(let one, let user), .password(let other, let otherUser)):
            one.utf8.elementsEqual(other.utf8) && user.utf8.elementsEqual(otherUser.utf8)
        case (.token(let one), .token(let other)): one == other
        case (.password, _), (.token, _): false
        }
    }

    var schemes: HTTPAuthenticationSchemes {
        switch self.content {
        case .password: [.basic, .digest]
        case .token: .bearer
        }
    }
}

extension HTTPCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the credential, without its contents.
    public var description: String {
        switch self.content {
        case .password: "HTTPCredential(user and password)"
        case .token: "HTTPCredential(token)"
        }
    }

    /// The same text as ``description``.
    public var debugDescription: String { self.description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A set of authentication schemes.
public struct HTTPAuthenticationSchemes: OptionSet, Sendable, Hashable {
    /// The bits of the set.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// User name and password, which an attacker on the network can read without TLS (RFC 7617).
    public static let basic = HTTPAuthenticationSchemes(rawValue: 1)
    /// A hash of user name, password and request (RFC 7616).
    public static let digest = HTTPAuthenticationSchemes(rawValue: 2)
    /// A token (RFC 6750).
    public static let bearer = HTTPAuthenticationSchemes(rawValue: 4)
}

/// The encoding of user names and passwords for servers that do not declare UTF-8.
public enum HTTPCredentialEncoding: Sendable, Hashable {
    /// UTF-8, which most servers accept.
    case utf8
    /// ISO 8859-1, for old servers. A server that declares `charset="UTF-8"` still receives UTF-8.
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
