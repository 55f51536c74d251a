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

/// The processing of one request, with challenges, redirects and closed connections, up to the response that is delivered.
struct RequestRun {
    let session: SessionCore
    let request: HTTPSessionRequest
    let deadline: NIODeadline?

    // The properties of the next step.
    private var url: HTTPURL
    private var method: HTTPRequest.Method
    private var body: HTTPRequestBody
    private var redirectCount = 0
    private var authentication: RequestAuthentication
    /// `true` if content that can be sent only once was left out of the last step, because a challenge was expected.
    private var heldContent = false
    private var sendsContent = false
    /// `true` if the session may send `Expect: 100-continue` with large content.
    private var mayExpect = true
    /// `true` if the last step sent it.
    private var hasExpected = false
    /// `true` if HTTP/2 cannot express the request.
    private var needsHTTP1: Bool
    /// The URL before the last redirect, for the Referer field.
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

    /// A response to deliver, with its unread content.
    struct Delivery {
        let head: ResponseHead
        let content: ResponseContent
        let url: HTTPURL
        let report: ConnectionReport
        let method: HTTPRequest.Method
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
                // The server requested no credential, but has not received the content yet.
                self.sendsContent = true
                try await self.discard(step)
                continue
            }
            if step.head.status == 417, self.hasExpected, self.body.isReplayable {
                // A server that does not support the expectation receives the request without it (RFC 9110 §10.1.1).
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

    /// Sends the request in its current state, and sends it again on another connection if the first one was closed.
    private mutating func step() async throws -> Delivery {
        var attempt = 0
        while true {
            var exchange = try self.prepare()
            let (connection, isReused) = try await self.session.connection(
                for: exchange.key, self.url, until: self.deadline, on: self.request.eventLoop)
            // Over HTTP/2 a server can refuse content by closing the stream, without closing the connection.
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

    /// Returns `true` if a failed request may be sent again.
    ///
    /// This is the case if the server did not process it. Otherwise the request must be idempotent (RFC 9110 §9.2.2), its
    /// connection must have been used before, and no response may have begun.
    private func maySendAgain(after error: HTTPExchangeError, isReused: Bool) -> Bool {
        let isIdempotent = [.get, .head, .options, .trace, .put, .delete].contains(self.sentMethod)
        guard self.body.isReplayable else { return false }
        switch error {
        // The server states that it did not process the request (RFC 9113 §8.7), or has received nothing of it.
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
        // A proxy forwards the path, which the server compares with the digest. The complete URL, which the proxy receives,
        // is not covered.
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

    /// The fields of the program for the current step.
    private var namedFields: HTTPFields {
        var fields = self.request.fields
        if self.heldContent { fields[.contentLength] = nil }
        if let referringURL {
            // An `https` URL must not be revealed without TLS (RFC 9110 §10.1.3).
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
        // Empty content that is sent while a challenge is expected does not count as progress.
        request.progress = self.heldContent ? nil : self.request.progress
        request.consentTimeout = self.session.configuration.timeouts.expectation
        return request
    }

    /// The method on the request line. It is the program's own if redirects follow the rules of another method.
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

    /// The origin of cookies. If the program sets a Host field, its host counts, because the server sees that one.
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

    /// Reads the rest of a response that is not delivered, to reuse its connection. If the content is truncated, only the
    /// connection is lost, as in curl, because the complete head is sufficient.
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
