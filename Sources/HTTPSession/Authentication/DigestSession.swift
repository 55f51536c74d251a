//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes

/// The state that the digests of one protection space share: the nonce and its number of uses (RFC 7616 §3.4).
struct DigestSession: Sendable {
    private(set) var challenge: DigestChallenge
    private(set) var nonce: [UInt8]
    /// `true` if a request with the nonce was answered without another challenge.
    var isProven = false

    private var clientNonce: [UInt8]
    private var count: UInt32 = 0
    /// The key of `-sess`, which is computed once (RFC 7616 §3.4.2).
    private var sessionKey: [UInt8]?

    /// A user name and password as octets.
    struct Secret {
        let user: [UInt8]
        let password: [UInt8]
        /// The user name in UTF-8 if it is not ASCII, otherwise `nil`.
        let internationalUser: String?
    }

    init(_ challenge: DigestChallenge, clientNonce: String) {
        self.challenge = challenge
        self.nonce = challenge.nonce
        self.clientNonce = Array(clientNonce.utf8)
    }

    /// Replaces the nonce with the one that the server gave for the next request (RFC 7616 §3.5).
    mutating func renew(nonce: [UInt8], clientNonce: String) {
        self.nonce = nonce
        self.count = 0
        // The key of a session contains the first client nonce, which must not change.
        if self.sessionKey == nil { self.clientNonce = Array(clientNonce.utf8) }
    }

    /// Returns the value of a field that answers the challenge.
    ///
    /// - Returns: `nil` if the server requires a hash of content that is not available, or after 2³²−1 uses of a nonce.
    mutating func answer(_ request: AuthenticatedRequest, _ secret: Secret) -> (value: [UInt8], sent: SentDigest)? {
        let coverage = self.coverage(for: request.content)
        guard coverage != .impossible, self.count < UInt32.max else { return nil }
        self.count += 1
        let digits = String(self.count, radix: 16)
        let sent = SentDigest(
            algorithm: self.challenge.algorithm, key: self.key(secret), realm: self.challenge.realm, nonce: self.nonce,
            clientNonce: self.clientNonce, count: String(repeating: "0", count: 8 - digits.count) + digits,
            quality: coverage.quality, target: Array(request.target.utf8), wasProven: self.isProven)
        let response = sent.response(
            method: Array(request.method.rawValue.utf8), quality: sent.quality,
            contentDigest: sent.digest(of: request.content))
        guard let response else { return nil }
        return (self.field(secret, sent, response: response), sent)
    }

    private enum Coverage: Equatable {
        case quality(DigestChallenge.Quality)
        /// Method and target without `qop` and nonce count (RFC 2069 §2.1.2).
        case legacy
        case impossible

        var quality: DigestChallenge.Quality? {
            guard case .quality(let quality) = self else { return nil }
            return quality
        }
    }

    /// Returns the coverage of a digest. It covers the content if there is some, the server supports this, and a hash is available.
    private func coverage(for content: AuthenticatedRequest.Content) -> Coverage {
        guard let qualities = self.challenge.qualities else { return .legacy }
        let isOffered = (auth: qualities.contains(.auth), authInt: qualities.contains(.authInt))
        switch content {
        case .unavailable: return isOffered.auth ? .quality(.auth) : .impossible
        case .digests: return .quality(isOffered.authInt ? .authInt : .auth)
        case .octets(let octets):
            return .quality(isOffered.authInt && !(octets.isEmpty && isOffered.auth) ? .authInt : .auth)
        }
    }

    /// Returns the key `H(A1)` (RFC 7616 §3.4.2).
    private mutating func key(_ secret: Secret) -> [UInt8] {
        if let sessionKey = self.sessionKey { return sessionKey }
        let algorithm = self.challenge.algorithm
        let key = algorithm.digest([secret.user, self.challenge.realm, secret.password])
        guard algorithm.isSession else { return key }
        let sessionKey = algorithm.digest([key, self.nonce, self.clientNonce])
        self.sessionKey = sessionKey
        return sessionKey
    }

    /// Returns the field with its parameters in curl's order. `algorithm`, `qop`, `nc` and `userhash` are not quoted
    /// (RFC 7616 §3.4).
    private func field(_ secret: Secret, _ sent: SentDigest, response: [UInt8]) -> [UInt8] {
        var text = FieldWriter("Digest")
        if self.challenge.hashesUser {
            text.add("username", quoted: self.challenge.algorithm.digest([secret.user, self.challenge.realm]))
        } else if let user = secret.internationalUser {
            text.add("username*", token: ExtendedValue.text(user))
        } else {
            text.add("username", quoted: secret.user)
        }
        text.add("realm", quoted: self.challenge.realm)
        text.add("nonce", quoted: self.nonce)
        text.add("uri", quoted: sent.target)
        if let quality = sent.quality {
            text.add("cnonce", quoted: sent.clientNonce)
            text.add("nc", token: sent.count)
            text.add("qop", token: quality.rawValue)
        }
        text.add("response", quoted: response)
        if let opaque = self.challenge.opaque { text.add("opaque", quoted: opaque) }
        if let name = self.challenge.algorithmName { text.add("algorithm", token: name) }
        if self.challenge.hashesUser { text.add("userhash", token: "true") }
        return text.octets
    }
}

/// A digest that was sent, for comparison with the server's response.
struct SentDigest: Sendable {
    let algorithm: DigestAlgorithm
    /// The key `H(A1)`.
    let key: [UInt8]
    let realm: [UInt8]
    let nonce: [UInt8]
    let clientNonce: [UInt8]
    let count: String
    let quality: DigestChallenge.Quality?
    let target: [UInt8]
    /// `true` if the server had accepted the nonce before.
    let wasProven: Bool

    /// Compares the values in a server's response with those that were sent.
    ///
    /// - Parameters:
    ///   - info: The authentication info of the response.
    ///   - contentDigest: The hash of the response's content, or `nil` if it is not available.
    /// - Returns: `true` if the server proved that it knows the password.
    /// - Throws: ``HTTPAuthenticationError`` if a value or the proof is wrong.
    func check(
        _ info: AuthenticationInfo, contentDigest: @autoclosure () -> [UInt8]?
    ) throws(HTTPAuthenticationError) -> Bool {
        guard info.count ?? self.count == self.count, info.clientNonce ?? self.clientNonce == self.clientNonce else {
            throw .infoOfAnotherRequest
        }
        guard let proof = info.responseDigest else { return false }
        let quality = self.quality(of: info)
        guard info.quality == nil || self.quality != nil && quality != nil else { throw .wrongResponseDigest }
        let digest = quality == .authInt ? contentDigest() : nil
        guard quality != .authInt || digest != nil else { return false }
        try self.verify(proof, quality, contentDigest: digest)
        return true
    }

    /// Returns the quality of a proof, which may differ from the one that the client used.
    ///
    /// The result is `nil` for an unknown name and for the form of RFC 2069.
    func quality(of info: AuthenticationInfo) -> DigestChallenge.Quality? {
        guard let name = info.quality else { return self.quality }
        return DigestChallenge.Quality(rawValue: name)
    }

    /// Compares a proof with the one that is computed from the password.
    func verify(
        _ proof: [UInt8], _ quality: DigestChallenge.Quality?, contentDigest: [UInt8]?
    ) throws(HTTPAuthenticationError) {
        let expected = self.response(method: [], quality: quality, contentDigest: contentDigest)
        guard let expected else { throw .wrongResponseDigest }
        let folded = proof.map { (0x41...0x46).contains($0) ? $0 | 0x20 : $0 }
        guard folded.count == expected.count else { throw .wrongResponseDigest }
        // All octets are compared, so that the time does not reveal the number of correct ones.
        guard zip(folded, expected).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0 else { throw .wrongResponseDigest }
    }

    func digest(of content: AuthenticatedRequest.Content) -> [UInt8]? {
        switch content {
        case .octets(let octets): self.algorithm.digest(of: octets)
        case .digests(let digests): digests.digest(by: self.algorithm)
        case .unavailable: nil
        }
    }

    /// Returns the `request-digest`, or `rspauth` if the method is empty (RFC 7616 §3.4.1, §3.5).
    ///
    /// - Returns: `nil` if the digest covers content that is not available.
    func response(
        method: [UInt8], quality: DigestChallenge.Quality?, contentDigest: @autoclosure () -> [UInt8]?
    ) -> [UInt8]? {
        guard let quality else {
            return self.algorithm.digest([self.key, self.nonce, self.algorithm.digest([method, self.target])])
        }
        var covered = [method, self.target]
        if quality == .authInt {
            guard let digest = contentDigest() else { return nil }
            covered.append(digest)
        }
        return self.algorithm.digest([
            self.key, self.nonce, Array(self.count.utf8), self.clientNonce, Array(quality.rawValue.utf8),
            self.algorithm.digest(covered),
        ])
    }
}
