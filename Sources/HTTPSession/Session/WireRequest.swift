//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOCore
import ServerTrustNIO

/// A request as it goes on the wire: its head, and how its content follows.
struct WireRequest {
    let key: ConnectionKey
    let target: String
    let method: HTTPRequest.Method
    let fields: HTTPFields
    let body: HTTPRequestBody
    /// Whether the server is asked for its consent before large content is sent (RFC 9110 §10.1.1).
    var asksForConsent = true
    /// The octets of another protocol that is asked for; `nil` where no protocol is asked for.
    var upgradedOctets: (@Sendable () -> HTTPRequestBody.Octets)?
    /// The fields behind the content, once all of it is sent.
    var trailers: (@Sendable () -> HTTPFields)?
    /// The event loop that content is read on; `nil` for a thread of Swift's tasks.
    var eventLoop: (any EventLoop)?
    /// Hears how far the content is.
    var progress: (@Sendable (HTTPUploadProgress) -> Void)?
    /// Whether a protocol is asked for whose octets are written later.
    var changesProtocol = false
    /// The time that the server has for it.
    var consentTimeout = Duration.seconds(1)

    /// Content of more octets is sent only with the server's consent, as with curl.
    private static let largeSize = 1 << 20

    init(key: ConnectionKey, target: String, method: HTTPRequest.Method, fields: HTTPFields, body: HTTPRequestBody) {
        self.key = key
        self.target = target
        self.method = method
        self.fields = fields
        self.body = body
    }

    /// Whether the expectation is the session's, and not a field of the program.
    var addsExpectation: Bool {
        self.asksForConsent && !self.fields.contains(.expect) && (self.body.length ?? 0) > Self.largeSize
    }

    /// A request with content that is sent beside reading the response, where it is not sent with the head.
    struct Written {
        let request: ExchangeRequest
        let fields: HTTPFields
        let upload: RequestUpload?
    }

    /// The request in its parts; `nil` for a target that does not fit on a request line.
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

    /// Octets in pieces that a progress can be told of.
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

    /// Content that follows the head; `nil` where it goes with it, or there is no content.
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
