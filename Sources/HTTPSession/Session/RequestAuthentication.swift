//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import HTTPTypes
import NIOCore
import ServerTrust
import ServerTrustNIO

/// The authentication of one request to its server, to the servers of redirects, and to a proxy.
struct RequestAuthentication {
    private let session: SessionCore
    private let url: HTTPURL
    /// The credential of the program, or `nil` if it sets none.
    private let own: HTTPRequestCredential?
    private let isForAnyOrigin: Bool
    /// `true` if the program has set the Authorization field. It must then answer challenges itself.
    private let hasField: Bool
    private let omitsField: Bool
    /// The authentication state for the server of the current step.
    private var server: AuthenticatedRequest?
    private var authenticator: SharedAuthenticator?
    private var exchange: AuthenticationExchange?
    private var proxy: AuthenticatedRequest?
    private var body = HTTPRequestBody.none
    private var answer: Answer?

    /// A field with which the request is sent again.
    enum Answer {
        case server(HTTPField)
        case proxy(HTTPField)
    }

    init(_ session: SessionCore, _ request: HTTPSessionRequest) {
        self.session = session
        self.url = request.url
        self.own = request.credential
        self.isForAnyOrigin = request.redirects.dangerouslySendsCredentialsToAnyOrigin
        self.hasField = request.fields.contains(.authorization)
        self.omitsField = request.omittedFields.contains(.authorization)
        self.exchange = session.configuration.challenges.map { AuthenticationExchange(ChallengeRouter(task: $0)) }
    }

    mutating func send(_ answer: Answer) { self.answer = answer }

    /// Resets the state for a redirect, because challenges belong to the previous server.
    mutating func moved() {
        self.server = nil
        self.authenticator = nil
        self.answer = nil
        self.proxy = nil
    }

    // MARK: Before a step

    /// Returns the Authorization field of the step.
    mutating func field(
        _ method: HTTPRequest.Method, target: String, _ body: HTTPRequestBody, at url: HTTPURL
    ) throws -> HTTPField? {
        self.body = body
        if case .server(let field)? = self.answer { return field }
        var request = AuthenticatedRequest(method: method, target: target, content: body.authenticatedContent)
        defer { self.server = request }
        guard let credential = self.credential(at: url) else { return nil }
        let authenticator = self.session.authenticators.authenticator(for: url.origin, isProxy: false, credential)
        self.authenticator = authenticator
        return try self.checked(url) { try authenticator.preemptive(for: &request) }
    }

    /// Returns the Proxy-Authorization field of the step, for a proxy that reads requests.
    mutating func proxyField(_ proxy: ProxyHop?) throws -> HTTPField? {
        if case .proxy(let field)? = self.answer { return field }
        guard let proxy, let credential = proxy.credential, let server else { return nil }
        var request = AuthenticatedRequest(method: server.method, target: server.target, content: server.content)
        defer { self.proxy = request }
        let authenticator = self.session.authenticators.authenticator(for: proxy.origin, isProxy: true, credential)
        return try self.checked(self.url) { try authenticator.preemptive(for: &request) }
    }

    /// Returns the credential for a URL. For the request's origin this is the program's credential or else the one in
    /// the request's URL.
    ///
    /// A credential in the URL of a redirect counts only if the program has set none at all, so that no server can
    /// choose the credential.
    private func credential(at url: HTTPURL) -> HTTPRequestCredential? {
        guard let own = self.own ?? Self.credential(self.url.userInformation) else {
            return self.hasField ? nil : Self.credential(url.userInformation)
        }
        let isForAnyOrigin = self.isForAnyOrigin && !own.isForOriginAlone
        return url.origin == self.url.origin || isForAnyOrigin ? own : nil
    }

    private static func credential(_ information: HTTPURL.UserInformation?) -> HTTPRequestCredential? {
        guard let information,
            let credential = try? HTTPCredential(user: information.user, password: information.password)
        else { return nil }
        var shown = HTTPRequestCredential(credential, schemes: [.basic, .digest], sendsBasicUnasked: true)
        shown.isForOriginAlone = true
        return shown
    }

    /// Returns `true` if a challenge is expected, because a credential exists but no field with it can be sent yet. Content that
    /// can be sent only once waits for the challenge.
    func awaitsChallenge(_ field: HTTPField?) -> Bool {
        field == nil && self.authenticator != nil && !self.hasField
    }

    // MARK: After a step

    /// Returns the field with which to send the request again, or `nil` if the response is to be delivered.
    mutating func answer(
        to head: ResponseHead, at url: HTTPURL, via proxy: ProxyHop?
    ) async throws -> Answer? {
        switch head.status {
        case 407: return try self.proxyAnswer(to: Self.response(head), at: url, via: proxy)
        case 401:
            guard !self.hasField, !self.omitsField else { return nil }
            return try await self.serverAnswer(to: Self.response(head), at: url)
        default: return nil
        }
    }

    private static func response(_ head: ResponseHead) -> HTTPResponse {
        HTTPResponse(status: .init(code: head.status), headerFields: head.fields)
    }

    private mutating func proxyAnswer(
        to response: HTTPResponse, at url: HTTPURL, via proxy: ProxyHop?
    ) throws -> Answer? {
        guard let proxy, let credential = proxy.credential, var request = self.proxy else { return nil }
        defer { self.proxy = request }
        let authenticator = self.session.authenticators.authenticator(for: proxy.origin, isProxy: true, credential)
        guard case .send(let field) = try self.checked(url, { try authenticator.respond(to: response, for: &request) })
        else { return nil }
        return .proxy(field)
    }

    private mutating func serverAnswer(to response: HTTPResponse, at url: HTTPURL) async throws -> Answer? {
        guard var request = self.server else { return nil }
        try await self.hashContent(for: response, &request, at: url)
        guard let authenticator else { return try await self.handledAnswer(to: response, at: url, &request) }
        defer { self.server = request }
        guard case .send(let field) = try self.checked(url, { try authenticator.respond(to: response, for: &request) })
        else { return nil }
        return .server(field)
    }

    /// Hashes streamed content if a digest must cover it.
    private func hashContent(
        for response: HTTPResponse, _ request: inout AuthenticatedRequest, at url: HTTPURL
    ) async throws {
        guard case .unavailable = request.content, case .stream(_, true, let octets) = self.body.storage,
            HTTPAuthenticationOffer.offers(in: response.headerFields, target: .server, allowed: .digest)
                .contains(where: \.coversContent)
        else { return }
        var digests = ContentDigests()
        do {
            for try await octets in octets() { octets.withUnsafeReadableBytes { digests.receive($0) } }
        } catch {
            throw HTTPSessionError(
                .requestBody, .requestBodyStreamExhausted, url: url,
                reason: "The content of the request cannot be read: \(error)".asSentence,
                remedy: "Check where it comes from.",
                cause: error)
        }
        request.content = .digests(digests)
    }

    /// Passes the challenge to the program's handler, with the stored credential as a proposal.
    private mutating func handledAnswer(
        to response: HTTPResponse, at url: HTTPURL, _ request: inout AuthenticatedRequest
    ) async throws -> Answer? {
        guard var exchange = self.exchange else { return nil }
        defer { self.exchange = exchange }
        let offers = HTTPAuthenticationOffer.offers(
            in: response.headerFields, target: .server, allowed: [.basic, .digest])
        var challenges: [AuthenticationChallenge] = []
        for offer in offers { challenges.append(try await self.challenge(offer, response, at: url)) }
        let isStale = offers.first?.isStale ?? false
        switch await exchange.outcome(of: challenges, isStale: isStale) {
        case .performDefaultHandling, .continueWithoutCredential: return nil
        case .cancel(let error):
            throw HTTPSessionError(
                .authentication, .userCancelledAuthentication, url: url, reason: error.description, cause: error)
        case .useCredential(let credential, let space):
            guard
                let offer = offers.first(where: { $0.method == space.authenticationMethod && $0.realm == space.realm }),
                let user = credential.user, let password = credential.password
            else { return nil }
            let shown = HTTPRequestCredential(
                try self.checked(url) { try HTTPCredential(user: user, password: password) },
                schemes: [.basic, .digest])
            let authenticator = self.session.authenticators.authenticator(for: url.origin, isProxy: false, shown)
            defer { self.server = request }
            let field = try self.checked(url) { try authenticator.answer(offer, for: &request) }
            return field.map(Answer.server)
        }
    }

    private func challenge(
        _ offer: HTTPAuthenticationOffer, _ response: HTTPResponse, at url: HTTPURL
    ) async throws -> AuthenticationChallenge {
        let space = ProtectionSpace(
            host: url.host, port: url.port, protocol: url.scheme == .https ? .https : .http, realm: offer.realm,
            method: offer.method)
        let proposed = try await self.session.configuration.credentialStorage?.proposedCredential(for: space)
        return AuthenticationChallenge(
            space, proposedCredential: proposed,
            failureResponse: FailureResponse(
                statusCode: response.status.code,
                headers: response.headerFields.map { FailureResponse.Field($0.name.rawName, $0.value) }))
    }

    /// Checks a response that is not a challenge for a proof of the server or proxy, and stores the nonce for the next request.
    ///
    /// - Returns: The proofs that cover the content, which is still to be read.
    func check(_ head: ResponseHead, at url: HTTPURL, via proxy: ProxyHop?) throws -> [PendingProof] {
        guard self.authenticator != nil || proxy != nil else { return [] }
        let response = Self.response(head)
        let mayHaveTrailers = head.majorVersion > 1 || head.fields.contains(.transferEncoding)
        return try self.checked(url) {
            try self.shown(to: proxy).compactMap { authenticator, request in
                try authenticator.check(response, for: request)
                return authenticator.contentProof(in: response, mayHaveTrailers: mayHaveTrailers, for: request).map {
                    PendingProof(proof: $0, authenticator: authenticator, request: request)
                }
            }
        }
    }

    /// Returns the authenticators of the step: that of the server, and that of a proxy that reads requests.
    private func shown(to proxy: ProxyHop?) -> [(SharedAuthenticator, AuthenticatedRequest)] {
        var shown: [(SharedAuthenticator, AuthenticatedRequest)] = []
        if let authenticator, let server { shown.append((authenticator, server)) }
        if let proxy, let credential = proxy.credential, let asked = self.proxy {
            let authenticators = self.session.authenticators
            shown.append((authenticators.authenticator(for: proxy.origin, isProxy: true, credential), asked))
        }
        return shown
    }

    private func checked<Value>(_ url: HTTPURL, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            throw HTTPSessionError(
                .authentication, .userAuthenticationRequired, url: url, reason: "\(error)", cause: error)
        }
    }
}

extension HTTPAuthenticationOffer {
    fileprivate var method: AuthenticationMethod { self.scheme == .digest ? .httpDigest : .httpBasic }
}

extension HTTPRequestBody {
    fileprivate var authenticatedContent: AuthenticatedRequest.Content {
        switch self.storage {
        case .none: .none
        case .octets(let octets): .octets(Array(octets.readableBytesView))
        case .stream: .unavailable
        }
    }
}
