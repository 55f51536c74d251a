//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOCore
import ServerTrustNIO

/// A request in the form in which it is sent: its head and the way its content follows.
struct WireRequest {
    let key: ConnectionKey
    let target: String
    let method: HTTPRequest.Method
    let fields: HTTPFields
    let body: HTTPRequestBody
    /// `true` if the session may send `Expect: 100-continue` with large content (RFC 9110 §10.1.1).
    var asksForConsent = true
    /// A closure that returns the octets of a requested protocol, or `nil` if no protocol is requested.
    var upgradedOctets: (@Sendable () -> HTTPRequestBody.Octets)?
    /// A closure that returns the trailer fields after all content was sent.
    var trailers: (@Sendable () -> HTTPFields)?
    /// The event loop on which the content is read, or `nil` for a thread of Swift concurrency.
    var eventLoop: (any EventLoop)?
    var progress: (@Sendable (HTTPUploadProgress) -> Void)?
    /// `true` if a protocol is requested and its octets are written later.
    var changesProtocol = false
    /// The time to wait for 100 (Continue).
    var consentTimeout = Duration.seconds(1)

    /// The size in octets above which content is sent with `Expect: 100-continue`, the same as in curl.
    private static let largeSize = 1 << 20

    init(key: ConnectionKey, target: String, method: HTTPRequest.Method, fields: HTTPFields, body: HTTPRequestBody) {
        self.key = key
        self.target = target
        self.method = method
        self.fields = fields
        self.body = body
    }

    /// `true` if the session adds the Expect field, which the program has not set.
    var addsExpectation: Bool {
        self.asksForConsent && !self.fields.contains(.expect) && (self.body.length ?? 0) > Self.largeSize
    }

    /// The parts of a request. The upload is `nil` if the content is sent together with the head.
    struct Written {
        let request: ExchangeRequest
        let fields: HTTPFields
        let upload: RequestUpload?
    }

    /// The parts of the request, or `nil` if the target is not valid on a request line.
    var written: Written? {
        var fields = self.fields
        if self.addsExpectation { fields[.expect] = "100-continue" }
        guard let head = RequestHead(self.method, target: self.target, fields: fields) else { return nil }
        var request = ExchangeRequest(head)
        if !fields.contains(.hostName) { request.authority = self.key.origin.authority }
        if let upgradedOctets {
            request.content = .upgrade
            return Written(
                request: request, fields: fields,
                upload: RequestUpload(octets: upgradedOctets(), eventLoop: self.eventLoop))
        }
        if self.changesProtocol {
            request.content = .upgrade
            return Written(request: request, fields: fields, upload: nil)
        }
        let isChunked = fields.contains(.transferEncoding)
        let expects = fields[.expect]?.lowercased() == "100-continue"
        guard let octets = self.streamedContent(isChunked: isChunked, expects: expects) else {
            if case .octets(let octets) = self.body.storage { request.content = .octets(octets) }
            return Written(request: request, fields: fields, upload: nil)
        }
        request.content = .later(isChunked: isChunked)
        request.continueTimeout = expects ? self.consentTimeout : nil
        let length = isChunked ? nil : fields[.contentLength].flatMap { Int($0) } ?? self.body.length
        return Written(
            request: request, fields: fields,
            upload: RequestUpload(
                octets: octets, length: length, eventLoop: self.eventLoop, trailers: self.trailers,
                progress: self.progress))
    }

    /// Returns the octets in pieces, so that progress can be reported.
    private static func pieces(of octets: ByteBuffer) -> HTTPRequestBody.Octets {
        HTTPRequestBody.Octets { continuation in
            var rest = octets
            while let piece = rest.readSlice(length: min(rest.readableBytes, Self.pieceSize)), piece.readableBytes > 0 {
                continuation.yield(piece)
            }
            continuation.finish()
        }
    }

    private static let pieceSize = 256 << 10

    /// Returns the content to send after the head, or `nil` if it is sent together with the head or there is none.
    private func streamedContent(isChunked: Bool, expects: Bool) -> HTTPRequestBody.Octets? {
        switch self.body.storage {
        case .none: return nil
        case .stream(_, _, let make): return make()
        case .octets(let octets):
            guard isChunked || expects || self.progress != nil || octets.readableBytes > Self.largeSize else {
                return nil
            }
            return Self.pieces(of: octets)
        }
    }
}
