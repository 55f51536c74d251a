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

/// One request of a client, and the response of a server that the gate lets through, or the refusal.
struct ProxyExchange: Sendable {
    let proxy: ProxyCore
    let stream: ClientStream
    let reader: ClientReader
    let connection: Int
    let head: RequestHead
    let framing: MessageFraming
    let url: HTTPURL
    /// The protocol that the client asks for in place of HTTP; `nil` for HTTP.
    let upgrade: ProxyUpgrade?

    /// Answers the request.
    ///
    /// - Returns: Whether another request may follow on the connection.
    /// - Throws: The error of the client's connection, or of a response that was cut: the client's connection must end then.
    func run() async throws -> Bool {
        let upload = ProxyUpload(self.reader, self.stream, expectsContinue: self.head.expectsContinue)
        // In a task of its own: a client that goes away ends it, also while nothing comes from the server.
        let task = Task { try await self.answer(upload) }
        upload.onEnd { task.cancel() }
        self.stream.onClose { task.cancel() }
        defer { self.stream.onClose(nil) }
        if self.framing == .none || self.framing == .length(0) { try await upload.skip() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func answer(_ upload: ProxyUpload) async throws -> Bool {
        var record = ProxiedRequest(
            start: Date(), connection: self.connection, method: self.head.method, scheme: self.url.scheme.rawValue,
            host: self.url.host, port: self.url.port)
        defer {
            upload.agree(false)
            record.requestSize = self.reader.size
            self.proxy.report(.request(record))
        }
        let (response, content): (HTTPSessionResponse, HTTPContent)
        do {
            let stream = self.stream
            let receive: @Sendable (Int, HTTPFields) -> Void = { stream.send(ProxyAnswer.informational($0, $1)) }
            (response, content) = try await InformationalRelay.$receive.withValue(receive) {
                try await self.proxy.session.bytes(for: self.request(upload))
            }
        } catch {
            guard let error = error as? HTTPSessionError, !Task.isCancelled else { throw CancellationError() }
            let gateError = error.cause as? ServerTrustGateError
            record.exception = gateError?.verdict.requirements.exception?.name
            return try await self.refuse(Refusal(error), upload, &record)
        }
        guard response.status != 407 || response.connection.proxy == nil else {
            return try await self.refuse(.upstreamAsks, upload, &record)
        }
        record.verdict = .trusted
        record.exception = response.connection.gated.verdict.requirements.exception?.name
        return try await self.deliver(response, content, upload, &record)
    }

    private func request(_ upload: ProxyUpload) -> HTTPSessionRequest {
        var request = HTTPSessionRequest(self.url, method: self.head.method)
        request.fields = ForwardedFields.request(self.head.fields)
        // The client has left out what it has left out.
        request.omittedFields = [.accept, .acceptEncoding, .userAgent]
        request.redirects = .none
        if let upgrade {
            ProxyUpgrade.add(upgrade.text, to: &request.fields)
            request.upgradedOctets = { upload.upgradedOctets }
        }
        switch self.framing {
        case .none, .untilClose: break
        case .length(0): request.body = .octets(ByteBuffer())
        case .length(let length):
            request.body = .stream(length: length, isReplayable: false) { upload.octets }
            // The client says itself whether it waits for consent.
            if !self.head.expectsContinue { request.omittedFields.insert(.expect) }
        case .chunked: request.body = .stream(length: nil, isReplayable: false) { upload.octets }
        }
        return request
    }

    // MARK: Refusals

    private func refuse(
        _ refusal: Refusal, _ upload: ProxyUpload, _ record: inout ProxiedRequest
    ) async throws -> Bool {
        record.verdict = refusal.isOfTrust ? .refused : .failed
        (record.status, record.rule) = (refusal.answer.status, refusal.answer.code)
        record.reason = refusal.answer.reason
        record.appleCode = refusal.answer.urlError?.rawValue
        let keeps = self.keepsConnection(upload)
        let answer = ProxyAnswer(refusal, to: self.head, keepsConnection: keeps)
        try await self.stream.write(answer.octets, within: self.patience)
        record.isComplete = true
        if !keeps { await self.stream.drain() }
        return keeps
    }

    // MARK: Responses

    private var patience: Duration { self.proxy.configuration.limits.idleTime }

    /// A request whose content was not read to its end would be read as the next request.
    private func keepsConnection(_ upload: ProxyUpload) -> Bool {
        upload.beginResponse() && self.head.keepsConnection && !self.proxy.clients.isStopping
    }

    private func deliver(
        _ response: HTTPSessionResponse, _ content: HTTPContent, _ upload: ProxyUpload,
        _ record: inout ProxiedRequest
    ) async throws -> Bool {
        if response.status == 101, let upgrade, upgrade.isMet(by: response.fields) {
            return try await self.passOctets(response, content, upload, &record)
        }
        guard response.status >= 200 else { throw Self.unaskedUpgrade }
        let keeps = self.keepsConnection(upload)
        let framing = try self.framing(of: response)
        record.status = response.status
        let reason = ProxyAnswer.reason(inHead: response.head)
        try await self.stream.write(
            ProxyAnswer.head(response.status, reason: reason, framing.fields, keepsConnection: keeps),
            within: self.patience)
        while let octets = try await content.next() {
            guard octets.readableBytes > 0 else { continue }
            record.responseSize += octets.readableBytes
            try await self.stream.write(framing.isChunked ? Self.chunk(octets) : octets, within: self.patience)
        }
        if framing.isChunked { try await self.stream.write(Self.end(content.trailers), within: self.patience) }
        record.isComplete = true
        if !keeps { await self.stream.drain() }
        return keeps
    }

    private static let unaskedUpgrade = Refusal(
        502, "unasked-upgrade", reason: "The server changes to another protocol, which was not asked for.",
        remedy: "Have the server corrected.", proxyStatus: "http_upgrade_failed")

    /// Passes the octets of another protocol both ways, until one side ends.
    private func passOctets(
        _ response: HTTPSessionResponse, _ content: HTTPContent, _ upload: ProxyUpload,
        _ record: inout ProxiedRequest
    ) async throws -> Bool {
        var fields = ForwardedFields.response(response.fields)
        ProxyUpgrade.add(response.fields[.upgrade] ?? "", to: &fields)
        record.status = 101
        let head = ProxyAnswer.head(
            101, reason: ProxyAnswer.reason(inHead: response.head), fields, keepsConnection: true)
        try await self.stream.write(head, within: self.patience)
        upload.agree(true)
        do {
            while let octets = try await content.next() {
                record.responseSize += octets.readableBytes
                try await self.stream.write(octets, within: self.patience)
            }
        } catch is HTTPSessionError {
            // The client has ended it, or the server without a farewell: the protocol says which of its messages are whole.
        }
        record.isComplete = true
        return false
    }

    /// The fields of the response with those that frame it for the client.
    private func framing(of response: HTTPSessionResponse) throws -> (fields: HTTPFields, isChunked: Bool) {
        var fields = ForwardedFields.response(response.fields)
        let isChunkedByServer = response.fields.contains(.transferEncoding)
        // The session has read it, so that all its values agree; a chunked response has the length of its chunks.
        let length = isChunkedByServer ? nil : response.fields[.contentLength]?.split(separator: ",").first
        if let length, response.status != 204 { fields[.contentLength] = String(length.trimmingBlanks()) }
        let hasContent = self.head.method != .head && ![204, 304].contains(response.status)
        guard hasContent, length == nil else { return (fields, false) }
        fields[.transferEncoding] = "chunked"
        return (fields, true)
    }

    private static func chunk(_ octets: ByteBuffer) -> ByteBuffer {
        var chunk = ByteBuffer(string: String(octets.readableBytes, radix: 16) + "\r\n")
        var octets = octets
        chunk.writeBuffer(&octets)
        chunk.writeStaticString("\r\n")
        return chunk
    }

    private static func end(_ trailers: HTTPFields?) -> ByteBuffer {
        var end = ByteBuffer(staticString: "0\r\n")
        for field in ForwardedFields.trailers(trailers ?? [:]) {
            end.writeString(field.name.rawName + ": ")
            field.withUnsafeBytesOfValue { _ = end.writeBytes($0) }
            end.writeStaticString("\r\n")
        }
        end.writeStaticString("\r\n")
        return end
    }
}
