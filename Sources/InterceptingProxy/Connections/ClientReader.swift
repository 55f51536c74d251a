//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPExchange
import HTTPTypes
import NIOCore
import Synchronization

/// A reader of a client's requests that reads one part on demand. Only one task may read at a time.
final class ClientReader: Sendable {
    private struct State {
        var reader: RequestReader
        /// `true` if the current request was read to its end.
        var isAtEnd = true
        var size = 0
        var trailers = HTTPFields()
    }

    private let stream: ClientStream
    private let limits: InterceptingProxyConfiguration.Limits
    private let state: Mutex<State>

    init(_ stream: ClientStream, limits: InterceptingProxyConfiguration.Limits) {
        self.stream = stream
        self.limits = limits
        self.state = Mutex(State(reader: RequestReader(limits: Self.messageLimits(limits))))
    }

    /// Returns the message limits for requests over HTTP/1.1 and HTTP/2.
    static func messageLimits(_ limits: InterceptingProxyConfiguration.Limits) -> MessageLimits {
        var taken = MessageLimits.ofRequests
        (taken.headSize, taken.fieldCount) = (max(limits.headSize, 1), max(limits.fieldCount, 1))
        return taken
    }

    var isAtEnd: Bool { self.state.withLock { $0.isAtEnd } }

    /// `true` if there are unread octets after the current request.
    var hasRest: Bool { self.state.withLock { $0.reader.hasRest } }

    /// The number of octets of the request's content that were read.
    var size: Int { self.state.withLock { $0.size } }

    /// The trailer fields of the request, after it was read to its end.
    var trailers: HTTPFields { self.state.withLock { $0.trailers } }

    /// Returns the head of the next request, or `nil` at the end of the connection.
    ///
    /// - Throws: `HTTPRequestError`, or the error of the connection.
    func nextHead() async throws -> (RequestHead, MessageFraming)? {
        self.state.withLock { state in
            state.reader.begin()
            (state.isAtEnd, state.size, state.trailers) = (false, 0, [:])
        }
        var deadline: ContinuousClock.Instant?
        while true {
            if case .head(let head, let framing)? = try self.part() { return (head, framing) }
            // The time limit of a head starts at its first octet, so that a slow client cannot extend it.
            if deadline == nil, self.state.withLock({ $0.reader.hasBegun }) {
                deadline = .now + self.limits.headTime
            }
            let time = deadline.map { max($0 - .now, .zero) } ?? self.limits.idleTime
            guard let octets = try await self.stream.read(within: time) else {
                try self.state.withLock { try $0.reader.finish() }
                return nil
            }
            self.state.withLock { $0.reader.receive(octets) }
        }
    }

    /// Returns the next octets of content, or `nil` at the end of the request.
    ///
    /// - Throws: `HTTPRequestError`, or the error of the connection.
    func nextContent() async throws -> ByteBuffer? {
        while !self.isAtEnd {
            switch try self.part() {
            case .content(let octets)?: return octets
            case .end?: return nil
            case .head?: continue
            case nil: break
            }
            guard let octets = try await self.stream.read(within: self.limits.idleTime) else {
                try self.state.withLock { try $0.reader.finish() }
                throw ChannelError.eof
            }
            self.state.withLock { $0.reader.receive(octets) }
        }
        return nil
    }

    /// Returns the next octets of another protocol, or `nil` at the end of the connection.
    func nextOctets() async throws -> ByteBuffer? {
        let rest = self.state.withLock { $0.reader.takeRest() }
        let octets =
            rest.readableBytes > 0 ? rest : try await self.stream.read(within: self.limits.upgradedIdleTime)
        self.state.withLock { $0.size += octets?.readableBytes ?? 0 }
        return octets
    }

    private func part() throws -> RequestPart? {
        try self.state.withLock { state in
            let part = try state.reader.next()
            switch part {
            case .content(let octets)?: state.size += octets.readableBytes
            case .end(let trailers)?: (state.isAtEnd, state.trailers) = (true, trailers)
            case .head?, nil: break
            }
            return part
        }
    }
}
