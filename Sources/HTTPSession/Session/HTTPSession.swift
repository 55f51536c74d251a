//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
import HTTPTypes
public import NIOCore
import ServerTrust
import ServerTrustNIO

/// An HTTP session that sends requests only to servers that pass trust, pins and App Transport Security.
///
/// This holds for every connection, including those of redirects and proxies.
///
/// ```swift
/// let session = try HTTPSession(pins: ["api.example.com": [pin, backup]])
/// let (response, body) = try await session.data(from: "https://api.example.com/v1")
/// ```
///
/// A server that is refused receives a ClientHello and an alert, but no octet of a request and no client certificate. The error
/// contains the reason and the code that URLSession uses for it.
public final class HTTPSession: Sendable {
    let core: SessionCore

    /// Creates a session.
    ///
    /// - Parameter configuration: The configuration of trust and limits. The default is that of an app without exceptions
    ///   on an iPhone.
    public init(_ configuration: HTTPSessionConfiguration = HTTPSessionConfiguration()) {
        self.core = SessionCore(configuration)
    }

    /// Creates a session with pins.
    ///
    /// - Parameter pins: The pins of each host. A host is written as in `ServerTrustManager` and needs at least two pins, one of
    ///   them for a backup key. Each pin is written as `sha256/` and the digest in Base64. Other hosts are evaluated without pins.
    /// - Throws: `HostPatternError` or `PinError`. Their descriptions state the expected text.
    public convenience init(pins: [String: [String]]) throws {
        let evaluators = try pins.mapValues { texts in
            ServerTrustEvaluator.pins(try PinSet(texts.map { try Pin($0) }))
        }
        let manager = try ServerTrustManager(allHostsMustBeEvaluated: false, evaluators: evaluators)
        self.init(HTTPSessionConfiguration(serverTrust: manager))
    }

    /// The configuration of trust and limits.
    public var configuration: HTTPSessionConfiguration { self.core.configuration }

    /// Requests a resource and collects its content.
    ///
    /// - Parameter url: The URL of the resource.
    /// - Returns: The response of any status, and its content.
    /// - Throws: ``HTTPSessionError`` if there is no complete response.
    public func data(from url: String) async throws(HTTPSessionError) -> (HTTPSessionResponse, ByteBuffer) {
        try await self.data(for: try Self.request(url))
    }

    /// Sends a request and collects the content of the response.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response of any status, and its content.
    /// - Throws: ``HTTPSessionError`` if there is no complete response, or if its content exceeds
    ///   ``HTTPSessionConfiguration/Limits/dataSize``.
    public func data(
        for request: HTTPSessionRequest
    ) async throws(HTTPSessionError) -> (HTTPSessionResponse, ByteBuffer) {
        let (response, content) = try await self.bytes(for: request)
        let limit = self.configuration.limits.dataSize
        var data = ByteBuffer()
        while var octets = try await content.next() {
            guard octets.readableBytes <= limit - data.readableBytes else {
                throw HTTPSessionError(
                    .size, .dataLengthExceedsMaximum, url: response.url,
                    reason: "The response has more than \(limit) bytes.", remedy: "Read it as a stream.")
            }
            if data.readableBytes == 0 { data = octets } else { data.writeBuffer(&octets) }
        }
        return (response, data)
    }

    /// Sends a request and returns the content of the response as it arrives.
    ///
    /// - Parameter request: The request.
    /// - Returns: The response of any status, and its content. Read it to its end, or release it to close the connection.
    /// - Throws: ``HTTPSessionError`` if there is no response.
    public func bytes(
        for request: HTTPSessionRequest
    ) async throws(HTTPSessionError) -> (HTTPSessionResponse, HTTPContent) {
        try await self.open(request, decodes: self.core.configuration.decodesContent)
    }

    /// Sends a request and returns the response with its content.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - decodes: `true` if compressed content is decoded.
    func open(
        _ request: HTTPSessionRequest, decodes: Bool
    ) async throws(HTTPSessionError) -> (HTTPSessionResponse, HTTPContent) {
        let request = self.configured(request)
        guard let instrument = self.core.configuration.instrument else {
            return try await self.answer(request, decodes: decodes)
        }
        var traced = request
        let span = RequestSpan(instrument.begin(request, fields: &traced.fields))
        let begun = traced
        do {
            return try await SessionCore.$span.withValue(span) {
                try await self.answer(begun, decodes: decodes, span: span)
            }
        } catch {
            throw Self.sessionError(error, request.url)
        }
    }

    private func configured(_ request: HTTPSessionRequest) -> HTTPSessionRequest {
        guard !self.core.configuration.additionalFields.isEmpty else { return request }
        var request = request
        let taken = request.omittedFields.union(request.fields.map(\.name))
        for field in self.core.configuration.additionalFields where !taken.contains(field.name) {
            request.fields.append(field)
        }
        return request
    }

    private func answer(
        _ request: HTTPSessionRequest, decodes: Bool, span: RequestSpan? = nil
    ) async throws(HTTPSessionError) -> (HTTPSessionResponse, HTTPContent) {
        do {
            var run = RequestRun(self.core, request)
            let delivery = try await run.run()
            guard delivery.head.status != 101 || request.mayChangeProtocol else {
                throw HTTPSessionError(HTTPExchangeError.message(.unaskedProtocolChange), at: delivery.url)
            }
            let response = HTTPSessionResponse(
                status: delivery.head.status, fields: delivery.head.fields,
                headOctets: delivery.head.octets, url: delivery.url, connection: delivery.report)
            span?.respond(status: response.status)
            let content = try HTTPContent(
                delivery, decodes: decodes, takesOthers: request.fields.contains(.acceptEncoding),
                ratio: self.core.configuration.limits.decodingRatio, span: span)
            return (response, content)
        } catch {
            let error = Self.sessionError(error, request.url)
            span?.end(error)
            throw error
        }
    }

    private static func sessionError(_ error: any Error, _ url: HTTPURL) -> HTTPSessionError {
        switch error {
        case let error as HTTPSessionError: error
        case is CancellationError: .cancelled(url)
        default:
            HTTPSessionError(
                .connection, .networkConnectionLost, url: url,
                reason: "The request failed: \(TransportErrorText.text(of: error)).", cause: error)
        }
    }

    private static func request(_ url: String) throws(HTTPSessionError) -> HTTPSessionRequest {
        do {
            return try HTTPSessionRequest(url)
        } catch {
            throw HTTPSessionError(.url, .badURL, url: nil, reason: error.description, cause: error)
        }
    }
}
