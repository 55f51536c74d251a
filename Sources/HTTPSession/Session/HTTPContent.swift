//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
public import HTTPTypes
public import NIOCore
import ServerTrustNIO

/// The content of a response, as a sequence of buffers that arrive from the server.
///
/// Only one task may read it. The session reads from the server only as fast as the task does. If the content is released before
/// its end, its connection is closed.
public struct HTTPContent: AsyncSequence, Sendable {
    /// The type of the elements.
    public typealias Element = ByteBuffer
    /// The type of the error that ends the sequence.
    public typealias Failure = HTTPSessionError

    private let content: ResponseContent
    private let decoder: ContentDecoder?
    let url: HTTPURL
    private let proofs: ContentProofs?
    private let span: RequestSpan?

    /// Creates the content of a response.
    ///
    /// - Parameters:
    ///   - delivery: The response.
    ///   - decodes: `true` if compressed content is decoded.
    ///   - takesOthers: `true` if the program has requested codings itself. Content with an unknown coding is then not decoded.
    ///   - ratio: The maximum ratio of decoded to received size.
    ///   - span: The span of the request, or `nil` if it is not traced.
    init(_ delivery: RequestRun.Delivery, decodes: Bool, takesOthers: Bool, ratio: Int, span: RequestSpan?) throws {
        self.content = delivery.content
        self.url = delivery.url
        self.span = span
        // For HEAD, a proof covers the content that the response omits and cannot be checked.
        self.proofs = delivery.method == .head ? nil : ContentProofs(delivery.proofs)
        let hasContent = delivery.method != .head && ![204, 304].contains(delivery.head.status)
        self.decoder =
            decodes && hasContent
            ? try ContentDecoder(
                delivery.head.fields[values: .contentEncoding], ratio: ratio, url: delivery.url,
                takesOthers: takesOthers) : nil
    }

    /// The trailer fields, or `nil` before the end of the content.
    public var trailers: HTTPFields? { self.content.trailers }

    /// `true` if the response has neither content nor trailers and its end has already arrived.
    package var isKnownToBeEmpty: Bool { self.content.isKnownToBeEmpty }

    /// `true` if more content or its end has already arrived, so that ``next()`` does not wait for the server.
    package var isAtHand: Bool { self.decoder == nil && self.content.isAtHand }

    /// Returns the next octets, or `nil` at the end.
    ///
    /// - Throws: ``HTTPSessionError`` if the content cannot be read. Truncated content is an error and never an end.
    public func next() async throws(HTTPSessionError) -> ByteBuffer? {
        do {
            let octets = try await self.decoded()
            if let octets { self.span?.deliver(octets: octets.readableBytes) } else { self.span?.end(nil) }
            return octets
        } catch {
            self.content.giveBack(isReusable: false)
            let error = self.sessionError(error)
            self.span?.end(error)
            throw error
        }
    }

    /// Sends octets of another protocol that the server has accepted. `nil` ends this direction.
    func write(_ octets: ByteBuffer?) async throws(HTTPSessionError) {
        do {
            try await self.content.write(octets)
        } catch {
            throw self.sessionError(error)
        }
    }

    func close() { self.content.giveBack(isReusable: false) }

    private func decoded() async throws -> ByteBuffer? {
        guard let decoder else { return try await self.received() }
        while true {
            if let decoded = try decoder.next() { return decoded }
            guard let octets = try await self.received() else {
                try decoder.finish()
                return nil
            }
            decoder.receive(octets)
        }
    }

    /// Returns the next octets before decoding.
    private func received() async throws -> ByteBuffer? {
        let octets = try await self.content.next()
        guard let proofs else { return octets }
        if let octets {
            proofs.receive(octets)
        } else {
            try proofs.check(self.url, trailers: self.trailers ?? [:])
        }
        return octets
    }

    private func sessionError(_ error: any Error) -> HTTPSessionError {
        switch self.content.sessionError(error, at: self.url) {
        case let error as HTTPSessionError: error
        case let error as HTTPExchangeError: HTTPSessionError(error, at: self.url)
        case let error:
            HTTPSessionError(
                .response, .networkConnectionLost, url: self.url,
                reason: "The connection broke: \(TransportErrorText.text(of: error)).",
                cause: error)
        }
    }

    /// Returns an iterator that continues at the current position of the content.
    public func makeAsyncIterator() -> Iterator { Iterator(content: self) }

    /// An iterator over the buffers of a content.
    public struct Iterator: AsyncIteratorProtocol {
        let content: HTTPContent

        /// Returns the next octets, or `nil` at the end.
        ///
        /// - Throws: ``HTTPSessionError`` if the content cannot be read.
        public func next() async throws(HTTPSessionError) -> ByteBuffer? { try await self.content.next() }

        /// Returns the next octets, or `nil` at the end.
        ///
        /// - Throws: ``HTTPSessionError`` if the content cannot be read.
        public func next(
            isolation actor: isolated (any Actor)?
        ) async throws(HTTPSessionError) -> ByteBuffer? { try await self.content.next() }
    }
}
