//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import HTTPExchange
public import HTTPTypes
public import NIOCore
import ServerTrustNIO

/// The content of a response, as it comes. One task reads it.
///
/// The server is read from only as fast as this is. A content that nothing refers to anymore takes its connection along.
public struct HTTPContent: AsyncSequence, Sendable {
    /// What is read at a time.
    public typealias Element = ByteBuffer
    /// Why there is no more.
    public typealias Failure = HTTPSessionError

    private let content: ResponseContent
    private let decoder: ContentDecoder?
    let url: HTTPURL
    private let proofs: ContentProofs?
    private let span: RequestSpan?

    /// - Parameters:
    ///   - delivery: The response.
    ///   - decodes: Whether compressed content is decompressed.
    ///   - takesOthers: Whether the program asked for codings of its own choice, which are left as they are.
    ///   - ratio: How many times as large as what came the content may become.
    ///   - span: What follows the request.
    init(_ delivery: RequestRun.Delivery, decodes: Bool, takesOthers: Bool, ratio: Int, span: RequestSpan?) throws {
        self.content = delivery.content
        self.url = delivery.url
        self.span = span
        // What a proof covers in place of the content that HEAD leaves out is not at hand.
        self.proofs = delivery.method == .head ? nil : ContentProofs(delivery.proofs)
        let hasContent = delivery.method != .head && ![204, 304].contains(delivery.head.status)
        self.decoder =
            decodes && hasContent
            ? try ContentDecoder(
                delivery.head.fields[values: .contentEncoding], ratio: ratio, url: delivery.url,
                takesOthers: takesOthers) : nil
    }

    /// The fields behind the content; `nil` before its end.
    public var trailers: HTTPFields? { self.content.trailers }

    /// Whether no octet and no trailer comes, as far as is known already.
    package var isKnownToBeEmpty: Bool { self.content.isKnownToBeEmpty }

    /// Whether more of what came is there, or its end, so that ``next()`` need not wait for the server.
    package var isAtHand: Bool { self.decoder == nil && self.content.isAtHand }

    /// The next octets; `nil` at the end.
    ///
    /// - Throws: ``HTTPSessionError``: a content that is cut is an error, and never an end.
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

    /// Sends octets of the protocol that the server has agreed to; `nil` ends them.
    func write(_ octets: ByteBuffer?) async throws(HTTPSessionError) {
        do {
            try await self.content.write(octets)
        } catch {
            throw self.sessionError(error)
        }
    }

    /// Ends everything.
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

    /// The next octets as they came.
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

    /// Reads from where the content is.
    public func makeAsyncIterator() -> Iterator { Iterator(content: self) }

    /// Reads a content.
    public struct Iterator: AsyncIteratorProtocol {
        let content: HTTPContent

        /// The next octets; `nil` at the end.
        ///
        /// - Throws: ``HTTPSessionError``
        public func next() async throws(HTTPSessionError) -> ByteBuffer? { try await self.content.next() }

        /// The next octets; `nil` at the end.
        ///
        /// - Throws: ``HTTPSessionError``
        public func next(
            isolation actor: isolated (any Actor)?
        ) async throws(HTTPSessionError) -> ByteBuffer? { try await self.content.next() }
    }
}
