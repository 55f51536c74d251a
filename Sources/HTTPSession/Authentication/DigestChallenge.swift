//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A Digest challenge that can be answered (RFC 7616 §3.3).
struct DigestChallenge: Sendable {
    /// The quality of protection, which determines the data that a digest covers.
    enum Quality: String, Sendable {
        /// The digest covers method and target.
        case auth
        /// The digest also covers the content.
        case authInt = "auth-int"
    }

    let realm: [UInt8]
    let nonce: [UInt8]
    let opaque: [UInt8]?
    let algorithm: DigestAlgorithm
    /// The algorithm as the server writes it, or `nil` if the parameter is absent.
    let algorithmName: String?
    /// The qualities that the server offers, or `nil` for the form of RFC 2069, which offers none.
    let qualities: [Quality]?
    /// The paths for which the nonce is valid. Empty for the whole server.
    let domain: [String]
    /// `true` if the credential was correct but its nonce too old.
    let isStale: Bool
    /// `true` if the user name is sent as a hash (RFC 7616 §3.4.4).
    let hashesUser: Bool
    /// `true` if the server accepts UTF-8 (RFC 7616 §4).
    let takesUTF8: Bool

    private static let maximumDomain = 32

    /// Reads a challenge.
    ///
    /// - Parameter challenge: A challenge of any scheme.
    /// - Returns: `nil` for another scheme, a missing nonce, an unknown algorithm, or if every `qop` is unknown.
    init?(_ challenge: HTTPChallenge) {
        guard challenge.scheme.lowercased() == "digest", let nonce = challenge.parameter("nonce"),
            let algorithm = DigestAlgorithm(challenge["algorithm"] ?? "MD5")
        else { return nil }
        self.nonce = nonce.octets
        self.algorithm = algorithm
        self.qualities = Self.qualities(challenge["qop"])
        // The key of a session requires a client nonce, which is sent only with `qop`.
        guard self.qualities?.isEmpty != true, self.qualities != nil || !algorithm.isSession else { return nil }
        // A missing realm is treated as an empty one, as curl does.
        self.realm = challenge.parameter("realm")?.octets ?? []
        self.opaque = challenge.parameter("opaque")?.octets
        self.algorithmName = challenge["algorithm"]
        self.domain = Self.domain(challenge["domain"])
        self.isStale = challenge["stale"]?.lowercased() == "true"
        self.hashesUser = challenge["userhash"]?.lowercased() == "true"
        self.takesUTF8 = challenge["charset"]?.lowercased() == "utf-8"
    }

    private static func qualities(_ list: String?) -> [Quality]? {
        guard let list else { return nil }
        let names = list.lowercased().split { ", \t".contains($0) }
        // An empty list is treated as an absent one.
        return names.isEmpty ? nil : names.compactMap { Quality(rawValue: String($0)) }
    }

    private static func domain(_ list: String?) -> [String] {
        (list ?? "").split { $0 == " " || $0 == "\t" }.prefix(Self.maximumDomain).map(String.init)
    }

    /// `true` if the server knows `username*`, which was introduced with the newer hashes (RFC 7616 §3.4).
    var readsExtendedUser: Bool { self.takesUTF8 || self.algorithm.hash != .md5 }

    /// Returns `true` if the nonce may be used for a target without another challenge.
    ///
    /// - Parameter path: The path and query, or `nil` for a target without them.
    func covers(_ path: Substring?) -> Bool {
        guard !self.domain.isEmpty else { return true }
        guard let path else { return false }
        return self.domain.contains { Self.isPrefix($0, of: path) }
    }

    /// Returns `true` if a prefix equals the path or is one of its parents. URLs of other servers are not paths and match nothing.
    private static func isPrefix(_ prefix: String, of path: Substring) -> Bool {
        guard prefix.utf8.first == UInt8(ascii: "/"), path.utf8.starts(with: prefix.utf8) else { return false }
        guard let next = path.utf8.dropFirst(prefix.utf8.count).first else { return true }
        return prefix.utf8.last == UInt8(ascii: "/") || "/?".utf8.contains(next)
    }
}
