//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A challenge of Digest that can be answered (RFC 7616 §3.3).
struct DigestChallenge: Sendable {
    /// What a digest covers beside the user.
    enum Quality: String, Sendable {
        /// Method and target.
        case auth
        /// The content too.
        case authInt = "auth-int"
    }

    let realm: [UInt8]
    let nonce: [UInt8]
    let opaque: [UInt8]?
    let algorithm: DigestAlgorithm
    /// The algorithm as the server writes it; `nil` where it does not.
    let algorithmName: String?
    /// What the server lets a client choose from; `nil` for the form of RFC 2069, which has no choice.
    let qualities: [Quality]?
    /// The paths that the nonce is for; empty for all of the server.
    let domain: [String]
    /// Whether the credential was right and its nonce too old.
    let isStale: Bool
    /// Whether the user is sent as a hash (RFC 7616 §3.4.4).
    let hashesUser: Bool
    /// Whether the server says that it takes UTF-8 (RFC 7616 §4).
    let takesUTF8: Bool

    private static let maximumDomain = 32

    /// A challenge.
    ///
    /// - Parameter challenge: A challenge of any scheme.
    /// - Returns: `nil` for another scheme, without a nonce, for unknown algorithms, and where each `qop` is unknown.
    init?(_ challenge: HTTPChallenge) {
        guard challenge.scheme.lowercased() == "digest", let nonce = challenge.parameter("nonce"),
            let algorithm = DigestAlgorithm(challenge["algorithm"] ?? "MD5")
        else { return nil }
        self.nonce = nonce.octets
        self.algorithm = algorithm
        self.qualities = Self.qualities(challenge["qop"])
        // A session's key is made of a nonce of the client, which is sent with `qop` alone.
        guard self.qualities?.isEmpty != true, self.qualities != nil || !algorithm.isSession else { return nil }
        // Without a realm the empty one is meant, as curl reads it.
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
        // An empty list offers no choice, as if it were not there.
        return names.isEmpty ? nil : names.compactMap { Quality(rawValue: String($0)) }
    }

    private static func domain(_ list: String?) -> [String] {
        (list ?? "").split { $0 == " " || $0 == "\t" }.prefix(Self.maximumDomain).map(String.init)
    }

    /// Whether the server knows `username*`, which came with the newer hashes (RFC 7616 §3.4).
    var readsExtendedUser: Bool { self.takesUTF8 || self.algorithm.hash != .md5 }

    /// Whether the nonce may be sent to a target without being asked.
    ///
    /// - Parameter path: The path and query; `nil` for a target without them.
    func covers(_ path: Substring?) -> Bool {
        guard !self.domain.isEmpty else { return true }
        guard let path else { return false }
        return self.domain.contains { Self.isPrefix($0, of: path) }
    }

    /// Whether a path is the other or above it. URLs of other servers are no paths, so that they match nothing.
    private static func isPrefix(_ prefix: String, of path: Substring) -> Bool {
        guard prefix.utf8.first == UInt8(ascii: "/"), path.utf8.starts(with: prefix.utf8) else { return false }
        guard let next = path.utf8.dropFirst(prefix.utf8.count).first else { return true }
        return prefix.utf8.last == UInt8(ascii: "/") || "/?".utf8.contains(next)
    }
}
