//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// A challenge that a client can answer.
public struct HTTPAuthenticationOffer: Sendable {
    /// How a credential is shown.
    public enum Scheme: Sendable, Hashable {
        /// User and password (RFC 7617).
        case basic
        /// A hash over user, password and request (RFC 7616).
        case digest
        /// A token (RFC 6750).
        case bearer
    }

    /// How the credential is shown.
    public let scheme: Scheme
    /// The challenge.
    public let challenge: HTTPChallenge
    /// Whether the server says that the credential was right and its nonce too old, which is not a failure (RFC 7616 §3.3).
    public var isStale: Bool { self.digest?.isStale ?? false }
    /// The part of the server that the credential is for; `nil` without a realm.
    public var realm: String? { self.challenge.realm }

    /// Whether a digest has to cover the content of the request: `qop=auth-int` is all that the server takes.
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

    /// The challenges of a response that can be answered, the strongest first: Bearer, then Digest with SHA-512-256, with
    /// SHA-256, with MD5, then Basic. Of two that are equally strong, the one that the server prefers is first.
    ///
    /// - Parameters:
    ///   - fields: The header fields of the response.
    ///   - target: Whether the server or a proxy asks.
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
