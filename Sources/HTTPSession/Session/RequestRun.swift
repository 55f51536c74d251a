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

/// One request of a program on its way: through challenges, redirects and closed connections, to the response that is delivered.
struct RequestRun {
    let session: SessionCore
    let request: HTTPSessionRequest
    let deadline: NIODeadline?

    // What the next step sends.
    private var url: HTTPURL
    private var method: HTTPRequest.Method
    private var body: HTTPRequestBody
    private var redirectCount = 0
    private var authentication: RequestAuthentication
    /// Whether content that can be sent once was left out of the last step, as a challenge was expected.
    private var heldContent = false
    private var sendsContent = false
    /// Whether the server may be asked for its consent before large content is sent.
    private var mayExpect = true
    /// Whether it was, in the last step.
    private var hasExpected = false
    /// Whether HTTP/2 cannot say the request.
    private var needsHTTP1: Bool
    /// The URL before a redirect.
    private var referringURL: HTTPURL?

    init(_ session: SessionCore, _ request: HTTPSessionRequest) {
        self.session = session
        self.request = request
        self.url = request.url
        self.body = request.body
        self.needsHTTP1 = request.upgradedOctets != nil
        self.method = request.redirects.rulesOfMethod ?? request.method
        let timeout = request.timeout ?? session.configuration.timeouts.total
        self.deadline = timeout.map { .now() + TimeAmount(min(max($0, .milliseconds(1)), .seconds(1 << 30))) }
        self.authentication = RequestAuthentication(session, request)
    }

    /// A response that is delivered, with its content to be read.
    struct Delivery {
        let head: ResponseHead
        let content: ResponseContent
        let url: HTTPURL
        let report: ConnectionReport
        let method: HTTPRequest.Method
        /// Proofs of who answers, to be held against the content.
        var proofs: [PendingProof] = []
    }

    mutating func run() async throws -> Delivery {
        while true {
            var step = try await self.step()
            if let field = try await self.authentication.answer(to: step.head, at: step.url, via: step.report.hop) {
                try await self.repeatStep(step, with: field)
                continue
            }
            step.proofs = try self.authentication.check(step.head, at: step.url, via: step.report.hop)
            if self.heldContent, step.head.status < 300 {
                // The server asked for nothing, and has not seen the content yet.
                self.sendsContent = true
                try await self.discard(step)
                continue
            }
            if step.head.status == 417, self.hasExpected, self.body.isReplayable {
                // A server that does not take the expectation is asked without it (RFC 9110 §10.1.1).
                self.mayExpect = false
                try await self.discard(step)
                continue
            }
            guard let redirect = try self.redirect(step), await self.isFollowed(redirect, from: step) else {
                return step
            }
            try await self.follow(redirect, from: step)
        }
    }

    // MARK: One step

    /// Sends the request as it is now, on a connection of the pool; again on another one where that one was closed.
    private mutating func step() async throws -> Delivery {
        var attempt = 0
        while true {
            var exchange = try self.prepare()
            let (connection, isReused) = try await self.session.connection(
                for: exchange.key, self.url, until: self.deadline, on: self.request.eventLoop)
            // Over HTTP/2 a server can end the content with the stream, and leave the connection as it is.
            if connection.isShared { exchange.asksForConsent = false }
            self.hasExpected = exchange.addsExpectation
            do {
                return try await self.send(exchange, on: connection, isReused: isReused)
            } catch let error as HTTPExchangeError {
                attempt += 1
                switch error {
                case .http11Required: self.session.requireHTTP1(at: self.url.origin)
                case .onlyHTTP1: self.needsHTTP1 = true
                default: break
                }
                guard self.maySendAgain(after: error, isReused: isReused),
                    attempt <= self.session.configuration.limits.retries
                else {
                    throw HTTPSessionError(error, at: self.url)
                }
                self.session.report(.retrying(self.url))
            }
        }
    }

    /// A request may be sent again that changes nothing, or the same when it comes twice (RFC 9110 §9.2.2), and that no answer
    /// has begun to.
    private func maySendAgain(after error: HTTPExchangeError, isReused: Bool) -> Bool {
        let isIdempotent = [.get, .head, .options, .trace, .put, .delete].contains(self.sentMethod)
        guard self.body.isReplayable else { return false }
        switch error {
        // The server says that it has done nothing (RFC 9113 §8.7), or has nothing of it.
        case .notProcessed, .http11Required, .onlyHTTP1: return true
        case .message, .closed, .connection, .timedOut, .answeredEarly, .violation:
            return error.isUnanswered && isReused && isIdempotent
        }
    }

    private mutating func prepare() throws -> WireRequest {
        var key = try self.session.key(
            for: self.url, isAtOrigin: self.isAtOrigin, overHTTP1: self.needsHTTP1,
            changesProtocol: self.request.changesProtocol || self.request.upgradedOctets != nil)
        let toProxy = key.readsRequests
        // A proxy passes the path on, which the server compares with what a digest covers: not the URL that the proxy gets.
        let authorization = try self.authentication.field(
            self.sentMethod, target: self.url.target, self.body, at: self.url)
        self.heldContent =
            !self.sendsContent && !self.body.isReplayable && self.authentication.awaitsChallenge(authorization)
        let body = self.heldContent ? HTTPRequestBody.octets(ByteBuffer()) : self.body
        let own = RequestFields.Own(
            authorization: authorization,
            proxyAuthorization: toProxy ? try self.authentication.proxyField(key.proxy) : nil,
            cookie: self.session.configuration.cookies?.field(for: self.cookieOrigin),
            userAgent: self.session.configuration.userAgent,
            acceptsCompressed: self.session.configuration.decodesContent)
        let fields = try RequestFields(
            named: self.namedFields, omitted: self.request.omittedFields, method: self.sentMethod, url: self.url,
            isAtOrigin: self.isAtOrigin, hadContent: self.request.body.isPresent
        )
        .fields(own, content: body, toProxy: toProxy)
        key.owner = self.request.connectionOwner ?? (fields.authenticateConnection ? ConnectionOwner() : nil)
        return try self.wireRequest(fields, body, key: key)
    }

    /// The fields of the program for this step.
    private var namedFields: HTTPFields {
        var fields = self.request.fields
        if self.heldContent { fields[.contentLength] = nil }
        if let referringURL {
            // What was loaded inside TLS is not told without it (RFC 9110 §10.1.3).
            let isHidden = referringURL.scheme == .https && self.url.scheme == .http
            fields[.referer] = isHidden ? nil : referringURL.description
        }
        return fields
    }

    private func wireRequest(
        _ fields: HTTPFields, _ body: HTTPRequestBody, key: ConnectionKey
    ) throws -> WireRequest {
        let toProxy = key.readsRequests
        let target = toProxy ? "\(self.url.scheme.rawValue)://\(self.url.authority)\(self.url.target)" : self.url.target
        var request = WireRequest(key: key, target: target, method: self.sentMethod, fields: fields, body: body)
        request.asksForConsent = self.mayExpect && !self.request.omittedFields.contains(.expect)
        request.upgradedOctets = self.request.upgradedOctets
        request.changesProtocol = self.request.changesProtocol
        request.trailers = self.request.trailers
        request.eventLoop = self.request.eventLoop
        // What stands in place of content that waits for a challenge is no part of it.
        request.progress = self.heldContent ? nil : self.request.progress
        request.consentTimeout = self.session.configuration.timeouts.expectation
        return request
    }

    /// The word on the request line: the program's own, where redirects follow the rules of another method.
    private var sentMethod: HTTPRequest.Method {
        self.request.redirects.rulesOfMethod == nil ? self.method : self.request.method
    }

    private func send(_ exchange: WireRequest, on connection: HTTPConnection, isReused: Bool) async throws -> Delivery {
        guard let wire = exchange.written else {
            self.session.configuration.pool.release(connection, isReusable: true)
            throw HTTPSessionError(.url, .badURL, url: self.url, reason: "The URL cannot be put on a request line.")
        }
        let content = ResponseContent(connection, pool: self.session.configuration.pool)
        content.close(at: self.deadline)
        self.session.report(.request(method: self.sentMethod, url: self.url, fields: wire.fields.withoutSecrets))
        do {
            let head = try await content.begin(wire.request, upload: wire.upload) { head in
                let fields = head.fields.withoutSecrets
                self.session.report(.informational(status: head.status, fields: fields))
                self.request.informational?(head.status, fields)
            }
            self.session.report(
                .response(status: head.status, fields: head.fields.withoutSecrets, url: self.url))
            self.session.configuration.cookies?.store(head.fields, from: self.cookieOrigin)
            var report = connection.report
            report.isReused = isReused
            return Delivery(head: head, content: content, url: self.url, report: report, method: self.sentMethod)
        } catch {
            content.giveBack(isReusable: false)
            throw content.sessionError(error, at: self.url)
        }
    }

    /// Where cookies are from and for: the host that the program names in a Host field is the one that the server sees.
    private var cookieOrigin: CookieOrigin {
        let named = self.isAtOrigin ? self.request.fields[.hostName] : nil
        guard let named, let authority = try? Authority(named[...]) else { return self.url.cookieOrigin }
        return CookieOrigin(scheme: self.url.scheme.rawValue, host: authority.host, path: String(self.url.path))
    }

    // MARK: After a response

    private var isAtOrigin: Bool {
        self.url.origin == self.request.url.origin || self.request.redirects.dangerouslySendsCredentialsToAnyOrigin
    }

    private mutating func repeatStep(_ step: Delivery, with field: RequestAuthentication.Answer) async throws {
        guard self.heldContent || self.body.isReplayable else { throw self.unrepeatable() }
        self.sendsContent = true
        self.session.report(.challenged(status: step.head.status, step.url.origin))
        try await self.discard(step)
        self.authentication.send(field)
    }

    private func redirect(_ step: Delivery) throws -> Redirect? {
        let policy = self.request.redirects
        guard policy.areFollowed else { return nil }
        let redirect: Redirect?
        do {
            redirect = try Redirect(
                step.head, to: step.url, method: self.method, keepingPost: policy.statusesKeepingPost)
        } catch {
            throw HTTPSessionError(
                .redirect, .redirectToNonExistentLocation, url: step.url,
                reason: "The server redirects to no place: \(error).",
                remedy: "Have its Location field corrected.", cause: error)
        }
        guard let redirect else { return nil }
        guard self.redirectCount < policy.maximumCount else {
            throw HTTPSessionError(
                .redirect, .httpTooManyRedirects, url: step.url,
                reason: "The server redirects more than \(policy.maximumCount) times.", remedy: "Look for a loop.")
        }
        guard step.url.scheme == .http || redirect.url.scheme == .https || policy.allowsDowngrade else {
            throw HTTPSessionError(
                .plainHTTP, .appTransportSecurityRequiresSecureConnection, url: redirect.url,
                reason: "The server redirects from https to http.", remedy: "Have it redirect to https.")
        }
        return redirect
    }

    /// What the program says about a redirect.
    private func isFollowed(_ redirect: Redirect, from step: Delivery) async -> Bool {
        guard let decide = self.request.followsRedirect else { return true }
        let sentMethod = self.request.redirects.rulesOfMethod == nil ? redirect.method : self.request.method
        return await decide(
            HTTPRedirect(
                status: step.head.status, source: step.url, destination: redirect.url, method: sentMethod))
    }

    private mutating func follow(_ redirect: Redirect, from step: Delivery) async throws {
        guard !redirect.keepsContent || self.heldContent || self.body.isReplayable else { throw self.unrepeatable() }
        self.session.report(.redirected(from: step.url, to: redirect.url, status: step.head.status))
        try await self.discard(step)
        self.redirectCount += 1
        if self.request.redirects.setsReferer { self.referringURL = step.url }
        self.url = redirect.url
        self.method = redirect.method
        if !redirect.keepsContent { self.body = .none }
        self.authentication.moved()
    }

    private func unrepeatable() -> HTTPSessionError {
        HTTPSessionError(
            .requestBody, .requestBodyStreamExhausted, url: self.url,
            reason: "The content of the request has to be sent again, and cannot be.",
            remedy: "Give it as a file, or answer the challenge at once.")
    }

    /// Reads the rest of a response that is not delivered, to use its connection again. Its head came whole, and says all that
    /// counts: a content that is cut costs the connection alone, as with curl.
    private func discard(_ step: Delivery) async throws {
        do {
            _ = try await step.content.discard(upTo: self.session.configuration.limits.discardedSize)
        } catch {
            step.content.giveBack(isReusable: false)
            let error = step.content.sessionError(error, at: step.url)
            guard let error = error as? HTTPExchangeError else { throw error }
            guard error.isEndOfConnection else { throw HTTPSessionError(error, at: step.url) }
        }
    }
}
