//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// A challenge that a client can answer, with the scheme that its answer uses.
///
/// ``offers(in:target:allowed:)`` returns the offers of a response. Pass the chosen one to ``HTTPAuthenticator/answer(_:for:)``.
public struct HTTPAuthenticationOffer: Sendable {
    /// An authentication scheme.
    public enum Scheme: Sendable, Hashable {
        /// User name and password (RFC 7617).
        case basic
        /// A hash of user name, password and request (RFC 7616).
        case digest
        /// A token (RFC 6750).
        case bearer
    }

    /// The scheme of the answer.
    public let scheme: Scheme
    /// The challenge of the server or proxy.
    public let challenge: HTTPChallenge
    /// `true` if the credential was correct but its nonce too old, which is not a failure (RFC 7616 §3.3).
    public var isStale: Bool { self.digest?.isStale ?? false }
    /// The protection space of the credential, or `nil` if the challenge has no realm.
    public var realm: String? { self.challenge.realm }

    /// `true` if a digest must cover the content of the request, because the server accepts only `qop=auth-int`.
    public var coversContent: Bool {
        self.digest?.qualities.map { $0.contains(.authInt) && !$0.contains(.auth) } ?? false
    }

    let digest: DigestChallenge?

    private init?(_ challenge: HTTPChallenge) {
        switch challenge.scheme.lowercased() {
        case "basic": (self.scheme, self.digest) = (.basic, nil)
        case "bearer": (self.scheme, self.digest) = (.bearer, nil)
        case "digest":
            guard let digest = DigestChallenge(challenge) else { return nil }
            self.scheme = .digest
            self.digest = digest
        default: return nil
        }
        self.challenge = challenge
    }

    /// Returns the challenges of a response that can be answered, the strongest first.
    ///
    /// The order is Bearer, Digest with SHA-512-256, with SHA-256, with MD5, and Basic. Of two equally strong challenges, the
    /// server's first one comes first.
    ///
    /// - Parameters:
    ///   - fields: The header fields of the response.
    ///   - target: The sender of the challenges, a server or a proxy.
    ///   - allowed: The schemes that may be used.
    public static func offers(
        in fields: HTTPFields, target: HTTPAuthenticationTarget, allowed: HTTPAuthenticationSchemes
    ) -> [HTTPAuthenticationOffer] {
        HTTPChallenge.challenges(in: fields, target: target)
            .compactMap(HTTPAuthenticationOffer.init)
            .filter { allowed.contains($0.schemes) }
            .enumerated()
            .sorted { ($1.element.strength, $0.offset) < ($0.element.strength, $1.offset) }
            .map(\.element)
    }

    var schemes: HTTPAuthenticationSchemes {
        switch self.scheme {
        case .basic: .basic
        case .digest: .digest
        case .bearer: .bearer
        }
    }

    private var strength: Int {
        switch self.scheme {
        case .basic: 0
        case .digest: self.digest?.algorithm.hash.strength ?? 0
        case .bearer: 4
        }
    }
}
