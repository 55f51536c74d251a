//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// Shows a credential to one server or proxy, as it asks: Basic, Digest or Bearer. It needs no connection, and goes with any
/// client.
///
/// Keep one for each origin, or proxy, and credential: it knows the server's nonce, so that later requests need no challenge.
/// Never use it for another origin.
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
    /// Whether a server or a proxy is meant.
    public let target: HTTPAuthenticationTarget
    /// How user and password become octets where the server does not ask for UTF-8.
    public var encoding = HTTPCredentialEncoding.utf8
    /// Whether Basic is sent before a server asks for it, as curl's `--user` does.
    ///
    /// - Warning: Any server that is asked gets the password then.
    public var sendsBasicUnasked = false
    /// Makes the client's nonces (`cnonce`, RFC 7616 §3.4): 128 random bits in hexadecimal digits. Others are for tests.
    public var makeClientNonce: @Sendable () -> String = Self.randomNonce

    private let credential: HTTPCredential
    private var digest: DigestSession?
    /// The folders for which the server asked for Basic.
    private var basicFolders: [String] = []
    private var basicTakesUTF8 = false

    /// The most credentials that are sent with one request, so that no server keeps asking.
    private static let maximumAnswers = 5
    private static let maximumFolders = 16

    /// An authenticator that no server has asked yet.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - allowed: The schemes that may be used.
    ///   - target: Whether a server or a proxy is meant.
    public init(
        _ credential: HTTPCredential, allowed: HTTPAuthenticationSchemes, target: HTTPAuthenticationTarget = .server
    ) {
        self.credential = credential
        self.target = target
        self.allowed = allowed.intersection(credential.schemes)
    }

    // MARK: Before a challenge

    /// The field that a request has before the server asks: a token, a digest with a nonce that the server gave before, or
    /// Basic where the server asked for it in the same folder (RFC 7617 §2.2).
    ///
    /// - Parameter request: The request.
    /// - Returns: The field; `nil` when a challenge is to be awaited.
    /// - Throws: ``HTTPAuthenticationError`` where the credential cannot be written as it has to be.
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

    /// What becomes of a response.
    public enum Outcome: Sendable {
        /// The request is repeated with this field in place of the one before.
        case send(HTTPField)
        /// The response is the answer.
        case deliver(DeliveryReason)
    }

    /// Why a response is delivered.
    public enum DeliveryReason: String, Sendable, Hashable, CaseIterable {
        /// It does not ask for a credential.
        case notAsked = "not-asked"
        /// It asks in no way that is allowed and understood.
        case noUsableChallenge = "no-usable-challenge"
        /// It refuses the credential that was sent.
        case credentialRefused = "credential-refused"
        /// It asks as often as credentials are sent with one request.
        case tooManyChallenges = "too-many-challenges"
    }

    /// Answers a response that asks for a credential, with the strongest of the schemes that it offers.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - request: The request that it belongs to.
    /// - Returns: What becomes of it. Responses that do not ask are delivered.
    /// - Throws: ``HTTPAuthenticationError`` where the credential cannot be written as the server asks for it.
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

    /// Answers an offer that the caller chose.
    ///
    /// - Parameters:
    ///   - offer: An offer of the response.
    ///   - request: The request that the response belongs to.
    /// - Returns: The field to send; `nil` for a scheme that is not allowed, and where a digest has to cover content that is not
    ///   at hand.
    /// - Throws: ``HTTPAuthenticationError`` where the credential cannot be written as the server asks for it.
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

    /// Whether a challenge says that the credential is wrong, and not only that it was sent in another way.
    private func isRefusal(_ offer: HTTPAuthenticationOffer, of request: AuthenticatedRequest) -> Bool {
        switch (request.sent, offer.digest) {
        case (.digest(let sent), let challenge?):
            // Another realm has other users. A nonce that was taken before is too old, even if the server does not say so.
            return !challenge.isStale && sent.realm == challenge.realm
                && !(sent.wasProven && sent.nonce != challenge.nonce)
        case (.basic, nil): return offer.scheme == .basic
        case (.bearer, nil): return offer.scheme == .bearer
        default: return false
        }
    }

    /// What was refused is not sent again unasked.
    private mutating func forget(_ request: AuthenticatedRequest) {
        switch request.sent {
        case .digest(let sent) where sent.nonce == self.digest?.nonce: self.digest = nil
        case .basic: self.basicFolders = []
        default: break
        }
    }

    /// Remembers the folder of a path, for which Basic is sent unasked from now on (RFC 7617 §2.2).
    private mutating func remember(_ request: AuthenticatedRequest) {
        let path = request.path.map { $0.prefix { $0 != "?" } } ?? "/"
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
        guard !self.basicFolders.contains(folder), self.basicFolders.count < Self.maximumFolders else { return }
        self.basicFolders.append(folder)
    }

    // MARK: After the answer

    /// Takes note of a response that is delivered: a proof that the server knows the password is checked, and the nonce for
    /// the next request is kept (`Authentication-Info`, `Proxy-Authentication-Info`, RFC 7616 §3.5).
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - content: The content of the response. Without it, a proof that covers it is not checked: see
    ///     ``contentProof(in:for:)``.
    ///   - request: The request that it belongs to.
    /// - Returns: Whether the server proved that it knows the password. Most do not try.
    /// - Throws: ``HTTPAuthenticationError``; the response is not the server's that knows the password.
    @discardableResult
    public mutating func check(
        _ response: HTTPResponse, content: AuthenticatedRequest.Content = .unavailable,
        for request: AuthenticatedRequest
    ) throws(HTTPAuthenticationError) -> Bool {
        // A proxy that asks for a credential has passed nothing on to the server.
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

    /// Takes note of the trailers of a response that is delivered, where servers may give the nonce for the next request
    /// (RFC 7616 §3.5). Hold the proof of the response against them first: see ``contentProof(in:mayHaveTrailers:for:)``.
    ///
    /// - Parameters:
    ///   - trailers: The fields behind the content.
    ///   - request: The request that the response belongs to.
    /// - Throws: ``HTTPAuthenticationError/malformedInfo``
    public mutating func note(
        trailers: HTTPFields, for request: AuthenticatedRequest
    ) throws(HTTPAuthenticationError) {
        guard case .digest(let sent) = request.sent, self.digest?.nonce == sent.nonce,
            let next = try AuthenticationInfo.read(trailers, name: self.target.infoField)?.nextNonce
        else { return }
        self.digest?.renew(nonce: next, clientNonce: self.makeClientNonce())
    }

    /// The proof of a response that covers its content, for content that comes in pieces. Ask after ``check(_:content:for:)``.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - mayHaveTrailers: Whether trailers can follow the content, in which a proof may stand.
    ///   - request: The request that it belongs to.
    /// - Returns: `nil` where no proof covers the content.
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
        // A proxy that indexed it could be asked whether a guess is right (RFC 7541 §7.1.3).
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
    /// What it is for, without the credential.
    public var description: String { "HTTPAuthenticator(\(self.target), \(self.credential))" }

    /// The same as ``description``.
    public var debugDescription: String { self.description }

    /// A reflection without the credential and what was computed from it.
    public var customMirror: Mirror { Mirror(self, children: ["target": self.target]) }
}
