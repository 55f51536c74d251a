//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import HTTPSession
import HTTPTypes
import NIOCore
import ServerReports
import ServerTrust
import ServerTrustNIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The handling of one client request: the response of a trusted server, or a refusal.
struct ProxyExchange: Sendable {
    let proxy: ProxyCore
    let lane: any ClientLane
    let connection: Int
    let owned: OwnedConnections
    let head: RequestHead
    let framing: MessageFraming
    let url: HTTPURL
    /// The protocol that the client requests in place of HTTP, or `nil` for HTTP.
    let upgrade: ProxyUpgrade?
    /// A closure that cancels the task that handles the request, if it handles no other one. If it is `nil`, a new task is created.
    var cancel: (@Sendable () -> Void)?

    /// Answers the request.
    ///
    /// - Throws: The error of the client's connection, or of a truncated response, which must be truncated for the client as well.
    func run() async throws {
        let upload = ProxyUpload(
            self.lane, expectsContinue: self.head.expectsContinue, upgrades: self.upgrade != nil)
        defer { upload.agree(false) }
        guard let cancel else { return try await self.answerInTask(upload) }
        // The end of the client cancels the request, even while the server sends nothing.
        self.lane.onEnd(cancel)
        defer { self.lane.onEnd(nil) }
        if self.isEmpty { try await upload.skip() }
        try await self.answer(upload)
    }

    /// `true` if the request has no content. On an HTTP/2 stream, the octets of another protocol follow the head as content.
    private var isEmpty: Bool { (self.framing == .none || self.framing == .length(0)) && self.upgrade?.key == nil }

    private func answerInTask(_ upload: ProxyUpload) async throws {
        let executor = EventLoopExecutor(self.lane.eventLoop)
        let task = Task(executorPreference: executor) { try await self.answer(upload) }
        self.lane.onEnd { task.cancel() }
        defer { self.lane.onEnd(nil) }
        if self.isEmpty { try await upload.skip() }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func answer(_ upload: ProxyUpload) async throws {
        var record = ProxiedRequest(
            start: Date(), connection: self.connection, version: self.lane.version, method: self.head.method,
            server: .init(self.url.origin))
        defer {
            upload.agree(false)
            record.requestSize = self.lane.requestSize
            self.proxy.report(.request(record))
        }
        if ForwardingLimit(self.head)?.left == 0 { return try await self.answerAsLast(upload, &record) }
        let (response, content): (HTTPSessionResponse, HTTPContent)
        do {
            (response, content) = try await self.proxy.session(for: self.url.host).bytes(for: self.request(upload))
        } catch {
            guard !Task.isCancelled else { throw CancellationError() }
            let gateError = error.cause as? ServerTrustGateError
            record.exception = gateError?.verdict.requirements.exception?.name
            return try await self.refuse(self.proxy.refusal(error), upload, &record)
        }
        guard response.status != 407 || !response.connection.hasProxy else {
            return try await self.refuse(.upstreamAsks, upload, &record)
        }
        record.verdict = .trusted
        record.exception = response.connection.exceptionName
        record.note = TrustNote(onSuite: response.connection.gated.cipherSuite)?.description
        do {
            try await self.deliver(response, content, upload, &record)
        } catch let error as HTTPSessionError where !Task.isCancelled {
            (record.reason, record.appleCode) = (error.reason, error.code.rawValue)
            throw error
        }
    }

    private func request(_ upload: ProxyUpload) -> HTTPSessionRequest {
        var request = HTTPSessionRequest(self.url, method: self.head.method)
        request.fields = ForwardedFields.request(self.head.fields)
        if let limit = ForwardingLimit(self.head) { request.fields[.maxForwards] = limit.next }
        request.eventLoop = self.lane.eventLoop
        request.connectionOwner = self.owned.owner(for: request.fields)
        // Fields that the client has omitted must not be added.
        request.omittedFields = self.isAnsweredForClient ? Self.omittedFields : Self.omittedFieldsAndCredential
        (request.redirects, request.deliversUnaskedChange) = (.none, true)
        request.trailers = { upload.trailers }
        request.informational = { [lane = self.lane] status, fields in
            // The proxy itself sends 100 (Continue) to the client.
            if status != 100 { lane.send(informational: status, ForwardedFields.informational(fields)) }
        }
        if let upgrade {
            request.fields.upgrade(to: upgrade.text)
            if let key = upgrade.key { request.fields[.secWebSocketKey] = key.text }
            request.upgradedOctets = { upload.upgradedOctets }
        }
        switch self.framing {
        case .none, .untilClose: break
        case .length(0): request.body = .octets(ByteBuffer())
        case .length(let length):
            request.body = .stream(length: length, isReplayable: false) { upload.octets }
            // The client decides about `Expect: 100-continue`.
            if !self.head.expectsContinue { request.omittedFields.insert(.expect) }
        case .chunked: request.body = .stream(length: nil, isReplayable: false) { upload.octets }
        }
        return request
    }

    private static let omittedFields: Set<HTTPField.Name> = [.accept, .acceptEncoding, .userAgent]
    private static let omittedFieldsAndCredential = Self.omittedFields.union([.authorization])

    /// `true` if the proxy may answer the server's request for a user name and password.
    ///
    /// Streamed content cannot be sent again, and a page of another site must not act as the user.
    private var isAnsweredForClient: Bool {
        guard self.proxy.configuration.challenges != nil else { return false }
        let hasContent = self.framing != .none && self.framing != .length(0)
        guard !hasContent, self.upgrade == nil else { return false }
        let fields = self.head.fields
        let sites = fields.filter { $0.name.canonicalName == "sec-fetch-site" }.map(\.value)
        let origins = fields[values: .origin]
        return sites.allSatisfy(["none", "same-origin"].contains)
            && origins.allSatisfy { $0.lowercased() == "\(self.url.origin)" }
    }

    // MARK: Refusals

    private func refuse(
        _ refusal: Refusal, _ upload: ProxyUpload, _ record: inout ProxiedRequest
    ) async throws {
        let refusal = refusal.spelled(by: self.proxy.configuration.spelling)
        record.note(refusal)
        upload.beginResponse()
        try await self.lane.send(ProxyAnswer(refusal, to: self.head))
        record.isComplete = true
    }

    /// Answers a request with a Max-Forwards of 0. TRACE is refused and not reflected.
    private func answerAsLast(_ upload: ProxyUpload, _ record: inout ProxiedRequest) async throws {
        guard self.head.method == .options else { return try await self.refuse(.reflection, upload, &record) }
        upload.beginResponse()
        record.status = 200
        try await self.lane.begin(ClientResponse(status: 200, fields: [:], content: .empty))
        try await self.lane.finish([:])
        record.isComplete = true
    }

    // MARK: Responses

    private func deliver(
        _ response: HTTPSessionResponse, _ content: HTTPContent, _ upload: ProxyUpload,
        _ record: inout ProxiedRequest
    ) async throws {
        if response.status == 101, let upgrade, upgrade.isMet(by: response.fields) {
            return try await self.passOctets(response, content, upload, &record)
        }
        guard response.status >= 200 else {
            record.note(Self.unaskedUpgrade)
            record.verdict = .trusted
            throw Self.unaskedUpgrade
        }
        upload.beginResponse()
        let hasContent = self.head.method != .head && ![204, 304].contains(response.status)
        record.status = response.status
        try await self.lane.begin(
            ClientResponse(
                status: response.status, reason: HTTP1Response.reason(inHead: response.headOctets),
                fields: Self.fields(of: response),
                content: hasContent ? (content.isKnownToBeEmpty ? .empty : .octets) : .none))
        try await self.pass(content, &record)
        try await self.lane.finish(ForwardedFields.trailers(content.trailers ?? [:]))
        record.isComplete = true
    }

    private static let unaskedUpgrade = Refusal(
        502, .unaskedUpgrade, reason: "The server changes to another protocol, which was not asked for.",
        remedy: "Have the server corrected.", proxyStatus: "http_upgrade_failed")

    /// Passes the octets of another protocol in both directions until one side ends.
    private func passOctets(
        _ response: HTTPSessionResponse, _ content: HTTPContent, _ upload: ProxyUpload,
        _ record: inout ProxiedRequest
    ) async throws {
        var fields = ForwardedFields.response(response.fields)
        fields.upgrade(to: response.fields[.upgrade] ?? "")
        record.status = self.lane.version == .http2 ? 200 : 101
        let reason = HTTP1Response.reason(inHead: response.headOctets)
        try await self.lane.begin(ClientResponse(status: 101, reason: reason, fields: fields, content: .upgrade))
        upload.agree(true)
        do {
            try await self.pass(content, &record)
        } catch is HTTPSessionError {
            // The client has closed the connection, or the server has without a TLS closure alert. The protocol
            // itself detects truncation.
        }
        try await self.lane.finish([:])
        record.isComplete = true
    }

    private func pass(_ content: HTTPContent, _ record: inout ProxiedRequest) async throws {
        while true {
            // Octets held back are sent before the proxy waits for the server.
            if !content.isAtHand { try await self.lane.flush() }
            guard let octets = try await content.next() else { return }
            guard octets.readableBytes > 0 else { continue }
            record.responseSize += octets.readableBytes
            try await self.lane.write(octets)
        }
    }

    /// Returns the fields of the response with its content length if it is known.
    private static func fields(of response: HTTPSessionResponse) -> HTTPFields {
        var fields = ForwardedFields.response(response.fields)
        let isChunkedByServer = response.fields.contains(.transferEncoding)
        // The session has verified that all values agree. The length of a chunked response is not known in advance.
        let lengths = isChunkedByServer ? nil : response.fields.text(of: .contentLength)
        if let length = lengths?.utf8.split(separator: UInt8(ascii: ",")).first, response.status != 204 {
            // `ForwardedFields` omits this field.
            fields.append(HTTPField(name: .contentLength, value: String(Substring(length).trimmingBlanks())))
        }
        return fields
    }
}
