//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOCore
import Synchronization

/// One request on an HTTP/1.1 connection and the response to it.
final class HTTP1Lane: ClientLane {
    private struct State {
        /// `true` if the end of the client must be detected.
        var isWatched = false
        var isChunked = false
        /// `true` if the response tells the client that the connection closes.
        var closes = false
        var keepsConnection = false
        /// Octets that are held back and sent together with the following ones.
        var kept = ByteBuffer()
    }

    private let stream: ClientStream
    private let reader: ClientReader
    private let head: RequestHead
    private let proxy: ProxyCore
    private let state = Mutex(State())

    init(_ stream: ClientStream, _ reader: ClientReader, head: RequestHead, proxy: ProxyCore) {
        self.stream = stream
        self.reader = reader
        self.head = head
        self.proxy = proxy
    }

    let version = ProxiedRequest.Version.http1

    var eventLoop: any EventLoop { self.stream.channel.eventLoop }

    var keepsConnection: Bool { self.state.withLock { $0.keepsConnection } }

    // MARK: Request

    var requestSize: Int { self.reader.size }

    var requestTrailers: HTTPFields { self.reader.trailers }

    func nextContent() async throws -> ByteBuffer? {
        if let octets = try await self.reader.nextContent() { return octets }
        if self.state.withLock({ $0.isWatched }) { self.stream.watch() }
        return nil
    }

    func nextOctets() async throws -> ByteBuffer? { try await self.reader.nextOctets() }

    func onEnd(_ ended: (@Sendable () -> Void)?) {
        self.state.withLock { $0.isWatched = ended != nil }
        self.stream.onClose(ended)
    }

    // MARK: Response

    private var patience: Duration { self.proxy.configuration.limits.idleTime }

    func send(informational status: Int, _ fields: HTTPFields) {
        let response = ClientResponse(status: status, fields: fields, content: .none)
        self.stream.send(HTTP1Response.head(response, closes: false))
    }

    func begin(_ response: ClientResponse) async throws {
        var fields = response.fields
        let isChunked = [.octets, .empty].contains(response.content) && !fields.contains(.contentLength)
        if isChunked { fields[.transferEncoding] = "chunked" }
        let isUpgrade = response.content == .upgrade
        // If the content of a request was not read to its end, the rest would be read as the next request.
        let keeps =
            self.reader.isAtEnd && self.head.keepsConnection && !self.proxy.clients.isStopping && !isUpgrade
        let closes = !keeps && !isUpgrade
        self.state.withLock { ($0.isChunked, $0.closes, $0.keepsConnection) = (isChunked, closes, keeps) }
        let head = ClientResponse(
            status: response.status, reason: response.reason, fields: fields, content: response.content)
        self.state.withLock { $0.kept = HTTP1Response.head(head, closes: closes) }
    }

    func write(_ octets: ByteBuffer) async throws {
        let large = self.state.withLock { state -> ByteBuffer? in
            let octets = state.isChunked ? HTTP1Response.chunk(octets) : octets
            guard state.kept.readableBytes + octets.readableBytes > Self.keptSize else {
                state.kept.writeImmutableBuffer(octets)
                return nil
            }
            return octets
        }
        guard let large else { return }
        if let kept = self.takeKept() { self.stream.send(kept) }
        try await self.stream.write(large, within: self.patience)
    }

    /// The maximum size of the octets held back: one TLS record (RFC 8446 §5.1).
    private static let keptSize = 16 << 10

    private func takeKept() -> ByteBuffer? {
        let kept = self.state.withLock { state in
            defer { state.kept = ByteBuffer() }
            return state.kept
        }
        return kept.readableBytes > 0 ? kept : nil
    }

    func flush() async throws {
        guard let kept = self.takeKept() else { return }
        try await self.stream.write(kept, within: self.patience)
    }

    func finish(_ trailers: HTTPFields) async throws {
        let closes = self.state.withLock { state in
            if state.isChunked { state.kept.writeImmutableBuffer(HTTP1Response.end(trailers)) }
            return state.closes
        }
        try await self.flush()
        if closes { await self.stream.drain() }
    }
}
