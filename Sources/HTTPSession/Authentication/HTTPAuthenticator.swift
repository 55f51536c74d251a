//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// An authenticator that answers the challenges of one server or proxy with Basic, Digest or Bearer.
///
/// It uses no connection and works with any HTTP client. Keep one for each origin or proxy and each credential: it stores the
/// server's nonce, so that later requests need no challenge. Never use it for another origin.
///
/// ```swift
/// var authenticator = HTTPAuthenticator(credential, allowed: [.digest])
/// var request = AuthenticatedRequest(method: .get, target: "/secret")
/// let field = try authenticator.preemptive(for: &request)
/// // Send the request with the field, if there is one. Then, for each response:
/// switch try authenticator.respond(to: response, for: &request) {
/// case .send(let field): …  // Repeat the request with this field.
/// case .deliver: try authenticator.check(response, for: request)
/// }
/// ```
public struct HTTPAuthenticator: Sendable {
    /// The schemes that may be used.
    public let allowed: HTTPAuthenticationSchemes
    /// The recipient of the credential, a server or a proxy.
    public let target: HTTPAuthenticationTarget
    /// The encoding of user name and password, unless the server asks for UTF-8.
    public var encoding = HTTPCredentialEncoding.utf8
    /// `true` if Basic is sent before the server requests it, as curl's `--user` does.
    ///
    /// - Warning: Every server that receives a request then receives the password.
    public var sendsBasicUnasked = false
    /// The generator of client nonces (`cnonce`, RFC 7616 §3.4). The default generates 128 random bits in hexadecimal digits.
    /// Others are meant for tests.
    public var makeClientNonce: @Sendable () -> String = Self.randomNonce

    private let credential: HTTPCredential
    private var digest: DigestSession?
    /// The folders for which the server requested Basic.
    private var basicFolders: [String] = []
    private var basicTakesUTF8 = false

    /// The maximum number of credentials sent with one request, so that no server can repeat its challenge endlessly.
    private static let maximumAnswers = 5
    private static let maximumFolders = 16

    /// Creates an authenticator without stored challenges.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - allowed: The schemes that may be used.
    ///   - target: The recipient of the credential, a server or a proxy.
    public init(
        _ credential: HTTPCredential, allowed: HTTPAuthenticationSchemes, target: HTTPAuthenticationTarget = .server
    ) {
        self.credential = credential
        self.target = target
        self.allowed = allowed.intersection(credential.schemes)
    }

    // MARK: Before a challenge

    /// Returns the field for a request before a challenge.
    ///
    /// It contains a token, a digest with a nonce of an earlier response, or Basic if the server requested it for the same folder
    /// (RFC 7617 §2.2).
    ///
    /// - Parameter request: The request, which stores the credential that is sent.
    /// - Returns: The field, or `nil` if the request must wait for a challenge.
    /// - Throws: ``HTTPAuthenticationError`` if the credential cannot be encoded.
    public mutating func preemptive(for request: inout AuthenticatedRequest) throws(HTTPAuthenticationError)
        -> HTTPField?
    {
        if self.allowed.contains(.bearer) { return self.bearer(&request) }
        if let digest = self.digest, self.target == .proxy || digest.challenge.covers(request.path) {
            return try self.digestField(&request)
        }
        guard self.allowed.contains(.basic), self.sendsBasicUnasked || self.isInBasicFolder(request) else { return nil }
        return try self.basic(&request)
    }

    private func isInBasicFolder(_ request: AuthenticatedRequest) -> Bool {
        guard self.target == .server else { return !self.basicFolders.isEmpty }
        guard let path = request.path else { return false }
        return self.basicFolders.contains { path.utf8.starts(with: $0.utf8) }
    }

    // MARK: After a challenge

    /// The decision about a response.
    public enum Outcome: Sendable {
        /// Repeat the request with this field in place of the previous one.
        case send(HTTPField)
        /// Deliver the response to the caller.
        case deliver(DeliveryReason)
    }

    /// The reason that a response is delivered.
    public enum DeliveryReason: String, Sendable, Hashable, CaseIterable {
        /// The response requests no credential.
        case notAsked = "not-asked"
        /// The response has no challenge of an allowed and known scheme that can be answered.
        case noUsableChallenge = "no-usable-challenge"
        /// The response rejects the credential that was sent.
        case credentialRefused = "credential-refused"
        /// The maximum number of credentials was sent with the request.
        case tooManyChallenges = "too-many-challenges"
    }

    /// Answers a response that requests a credential, with the strongest scheme that it offers.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - request: The request that the response belongs to.
    /// - Returns: The decision about the response. A response that requests no credential is delivered.
    /// - Throws: ``HTTPAuthenticationError`` if the credential cannot be encoded as the server requires.
    public mutating func respond(
        to response: HTTPResponse, for request: inout AuthenticatedRequest
    ) throws(HTTPAuthenticationError) -> Outcome {
        guard response.status == self.target.status else { return .deliver(.notAsked) }
        let offers = HTTPAuthenticationOffer.offers(
            in: response.headerFields, target: self.target, allowed: self.allowed)
        guard !offers.isEmpty else {
            self.forget(request)
            return .deliver(.noUsableChallenge)
        }
        for offer in offers {
            guard !self.isRefusal(offer, of: request) else {
                self.forget(request)
                return .deliver(.credentialRefused)
            }
            guard request.answerCount < Self.maximumAnswers else { return .deliver(.tooManyChallenges) }
            if let field = try self.answer(offer, for: &request) { return .send(field) }
        }
        return .deliver(.noUsableChallenge)
    }

    /// Answers an offer that the caller has chosen.
    ///
    /// - Parameters:
    ///   - offer: An offer of the response.
    ///   - request: The request that the response belongs to.
    /// - Returns: The field to send, or `nil` if the scheme is not allowed or a digest must cover content that is not available.
    /// - Throws: ``HTTPAuthenticationError`` if the credential cannot be encoded as the server requires.
    public mutating func answer(
        _ offer: HTTPAuthenticationOffer, for request: inout AuthenticatedRequest
    ) throws(HTTPAuthenticationError) -> HTTPField? {
        guard self.allowed.contains(offer.schemes) else { return nil }
        let field: HTTPField?
        switch offer.digest {
        case let challenge?:
            self.digest = DigestSession(challenge, clientNonce: self.makeClientNonce())
            field = try self.digestField(&request)
        case nil where offer.scheme == .bearer: field = self.bearer(&request)
        case nil:
            self.basicTakesUTF8 = offer.challenge["charset"]?.lowercased() == "utf-8"
            field = try self.basic(&request)
            self.remember(request)
        }
        if field != nil { request.answerCount += 1 }
        return field
    }

    /// Returns `true` if a challenge rejects the credential, and not only the scheme or nonce with which it was sent.
    private func isRefusal(_ offer: HTTPAuthenticationOffer, of request: AuthenticatedRequest) -> Bool {
        switch (request.sent, offer.digest) {
        case (.digest(let sent), let challenge?):
            // Another realm has other users. A new nonce for one that was accepted before means that it is too old,
            // even without `stale`.
            return !challenge.isStale && sent.realm == challenge.realm
                && !(sent.wasProven && sent.nonce != challenge.nonce)
        case (.basic, nil): return offer.scheme == .basic
        case (.bearer, nil): return offer.scheme == .bearer
        default: return false
        }
    }

    /// Forgets the state of a rejected credential, so that it is not sent again without a challenge.
    private mutating func forget(_ request: AuthenticatedRequest) {
        switch request.sent {
        case .digest(let sent) where sent.nonce == self.digest?.nonce: self.digest = nil
        case .basic: self.basicFolders = []
        default: break
        }
    }

    /// Stores the folder of a path, for which Basic is sent without a challenge from now on (RFC 7617 §2.2).
    private mutating func remember(_ request: AuthenticatedRequest) {
        let path = request.path.map { $0.prefix { $0 != "?" } } ?? "/"
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
        guard !self.basicFolders.contains(folder), self.basicFolders.count < Self.maximumFolders else { return }
        self.basicFolders.append(folder)
    }

    // MARK: After the answer

    /// Checks a delivered response for a proof that the server knows the password, and stores the nonce for the next request.
    ///
    /// Both are in `Authentication-Info` or `Proxy-Authentication-Info` (RFC 7616 §3.5).
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - content: The content of the response. Without it, a proof that covers it is not checked: see
    ///     ``contentProof(in:mayHaveTrailers:for:)``.
    ///   - request: The request that the response belongs to.
    /// - Returns: `true` if the server proved that it knows the password. Most servers send no proof.
    /// - Throws: ``HTTPAuthenticationError`` if the response does not come from a server that knows the password.
    @discardableResult
    public mutating func check(
        _ response: HTTPResponse, content: AuthenticatedRequest.Content = .unavailable,
        for request: AuthenticatedRequest
    ) throws(HTTPAuthenticationError) -> Bool {
        // A proxy that requests a credential has not forwarded the request to the server.
        guard response.status != self.target.status, response.status != .proxyAuthenticationRequired,
            case .digest(let sent) = request.sent
        else { return false }
        do {
            let info = try AuthenticationInfo.read(response.headerFields, name: self.target.infoField)
            let isProven =
                try info.map { info throws(HTTPAuthenticationError) in
                    try sent.check(info, contentDigest: sent.digest(of: content))
                } ?? false
            guard self.digest?.nonce == sent.nonce else { return isProven }
            self.digest?.isProven = true
            if let next = info?.nextNonce { self.digest?.renew(nonce: next, clientNonce: self.makeClientNonce()) }
            return isProven
        } catch {
            self.forget(request)
            throw error
        }
    }

    /// Stores the nonce for the next request from the trailers of a delivered response (RFC 7616 §3.5).
    ///
    /// Check the proof of the response against the trailers first: see ``contentProof(in:mayHaveTrailers:for:)``.
    ///
    /// - Parameters:
    ///   - trailers: The trailer fields.
    ///   - request: The request that the response belongs to.
    /// - Throws: ``HTTPAuthenticationError/malformedInfo`` if the field is malformed or too long.
    public mutating func note(
        trailers: HTTPFields, for request: AuthenticatedRequest
    ) throws(HTTPAuthenticationError) {
        guard case .digest(let sent) = request.sent, self.digest?.nonce == sent.nonce,
            let next = try AuthenticationInfo.read(trailers, name: self.target.infoField)?.nextNonce
        else { return }
        self.digest?.renew(nonce: next, clientNonce: self.makeClientNonce())
    }

    /// Returns the proof of a response that covers its content, for content that arrives in pieces.
    ///
    /// Call this after ``check(_:content:for:)``.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - mayHaveTrailers: `true` if trailers, which may contain a proof, can follow the content.
    ///   - request: The request that the response belongs to.
    /// - Returns: The proof, or `nil` if no proof can cover the content.
    public func contentProof(
        in response: HTTPResponse, mayHaveTrailers: Bool = false, for request: AuthenticatedRequest
    ) -> ResponseContentProof? {
        guard response.status != self.target.status, response.status != .proxyAuthenticationRequired,
            case .digest(let sent) = request.sent
        else { return nil }
        let info = try? AuthenticationInfo.read(response.headerFields, name: self.target.infoField)
        return ResponseContentProof(
            info, of: sent, infoField: self.target.infoField, mayHaveTrailers: mayHaveTrailers)
    }

    // MARK: Fields

    private func basic(_ request: inout AuthenticatedRequest) throws(HTTPAuthenticationError) -> HTTPField? {
        guard case .password(let password, let user) = self.credential.content else { return nil }
        guard !user.utf8.contains(UInt8(ascii: ":")) else { throw .colonInUser }
        let octets = try self.octets("\(user):\(password)", isUTF8: self.basicTakesUTF8)
        request.sent = .basic
        return self.field(Array("Basic ".utf8) + Base64Text.encode(octets))
    }

    private func bearer(_ request: inout AuthenticatedRequest) -> HTTPField? {
        guard case .token(let token) = self.credential.content else { return nil }
        request.sent = .bearer
        return self.field(Array("Bearer \(token)".utf8))
    }

    private mutating func digestField(
        _ request: inout AuthenticatedRequest
    ) throws(HTTPAuthenticationError) -> HTTPField? {
        guard case .password(let password, let user) = self.credential.content, let challenge = self.digest?.challenge
        else { return nil }
        let secret = DigestSession.Secret(
            user: try self.octets(user, isUTF8: challenge.takesUTF8),
            password: try self.octets(password, isUTF8: challenge.takesUTF8),
            internationalUser: challenge.readsExtendedUser && !user.utf8.allSatisfy { $0 < 0x80 } ? user : nil)
        guard let (value, sent) = self.digest?.answer(request, secret) else {
            self.digest = nil
            return nil
        }
        request.sent = .digest(sent)
        return self.field(value)
    }

    private func octets(_ text: String, isUTF8: Bool) throws(HTTPAuthenticationError) -> [UInt8] {
        try (isUTF8 ? .utf8 : self.encoding).octets(text)
    }

    private func field(_ value: [UInt8]) -> HTTPField {
        var field = HTTPField(name: self.target.credentialField, value: value)
        // If a proxy indexed the field, its compression would reveal if a guess is correct (RFC 7541 §7.1.3).
        field.indexingStrategy = .disallow
        return field
    }

    private static let randomNonce: @Sendable () -> String = {
        var generator = SystemRandomNumberGenerator()
        let octets = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return String(decoding: DigestAlgorithm.hexadecimal(octets), as: UTF8.self)
    }
}

extension HTTPAuthenticator: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A description with the target, without the credential.
    public var description: String { "HTTPAuthenticator(\(self.target), \(self.credential))" }

    /// The same text as ``description``.
    public var debugDescription: String { self.description }

    /// A mirror with the target, without the credential and the values computed from it.
    public var customMirror: Mirror { Mirror(self, children: ["target": self.target]) }
}
