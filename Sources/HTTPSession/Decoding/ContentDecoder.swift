//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Inflate
import NIOCore
import ServerTrustNIO
import Synchronization

/// A decoder for the content codings of a response (RFC 9110 §8.4), which decodes octets as they arrive.
final class ContentDecoder: Sendable {
    private struct State {
        /// The stream of each coding, the outermost first.
        var streams: [InflateStream]
        /// The number of octets that each stream has decoded.
        var decoded: [Int]
        var received = 0

        init(_ streams: [InflateStream]) {
            self.streams = streams
            self.decoded = [Int](repeating: 0, count: streams.count)
        }
    }

    private let state: Mutex<State>
    private let ratio: Int
    private let url: HTTPURL

    /// The maximum number of codings, the same as in curl.
    private static let maximumCodings = 5
    /// The number of octets up to which any ratio is allowed.
    private static let unboundedSize = 1 << 20

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - fields: The values of the Content-Encoding fields.
    ///   - ratio: The maximum ratio of decoded to received size.
    ///   - url: The URL of the response, for errors.
    ///   - takesOthers: `true` if content with another coding is delivered without decoding.
    /// - Returns: `nil` if nothing is to be decoded.
    /// - Throws: ``HTTPSessionError`` for a coding that was not requested.
    init?(_ fields: [String], ratio: Int, url: HTTPURL, takesOthers: Bool) throws(HTTPSessionError) {
        var streams: [InflateStream] = []
        for field in fields {
            for element in field.split(separator: ",") {
                switch element.filter({ $0 != " " && $0 != "\t" }).lowercased() {
                case "", "identity", "none": continue
                case "gzip", "x-gzip": streams.append(InflateStream(.gzip, limit: .max))
                case "deflate": streams.append(InflateStream(.deflate, limit: .max))
                case let name:
                    if takesOthers { return nil }
                    if name == "br" {
                        throw Self.error(
                            "The response is compressed with Brotli, which was not asked for.", url, cause: nil)
                    }
                    throw Self.error("The response has a content coding that was not asked for.", url, cause: nil)
                }
            }
        }
        guard !streams.isEmpty else { return nil }
        guard streams.count <= Self.maximumCodings else {
            throw Self.error("The response has more than \(Self.maximumCodings) content codings.", url, cause: nil)
        }
        self.ratio = max(1, ratio)
        self.url = url
        self.state = Mutex(State(streams.reversed()))
    }

    func receive(_ octets: ByteBuffer) {
        self.state.withLock { state in
            state.received += octets.readableBytes
            state.streams[0].receive(octets.readableBytesView)
        }
    }

    /// Returns the next decoded octets, or `nil` if more input is needed.
    func next() throws(HTTPSessionError) -> ByteBuffer? {
        do {
            return try self.state.withLock { state in
                try self.next(from: state.streams.count - 1, &state).map { ByteBuffer(bytes: $0) }
            }
        } catch {
            throw Self.error(error, self.url)
        }
    }

    /// Checks that the content is complete. Empty content is valid in any coding, because responses without content may
    /// have the field.
    func finish() throws(HTTPSessionError) {
        do {
            try self.state.withLock { state in
                guard state.received > 0 else { return }
                for stream in state.streams { try stream.finish() }
            }
        } catch {
            throw Self.error(error, self.url)
        }
    }

    private func next(from index: Int, _ state: inout State) throws -> ArraySlice<UInt8>? {
        while true {
            if let octets = try state.streams[index].next() {
                state.decoded[index] += octets.count
                try self.checkSize(state.decoded[index], received: state.received)
                return octets
            }
            guard index > 0, let octets = try self.next(from: index - 1, &state) else { return nil }
            state.streams[index].receive(octets)
        }
    }

    /// Checks the size of one coding against the ratio. Each coding is checked, because decoding costs time even if the next
    /// coding yields little.
    private func checkSize(_ decoded: Int, received: Int) throws(InflateError) {
        let allowed = received.multipliedReportingOverflow(by: self.ratio)
        guard decoded <= Self.unboundedSize || allowed.overflow || decoded <= allowed.partialValue else {
            throw .tooLarge
        }
    }

    private static func error(_ error: any Error, _ url: HTTPURL) -> HTTPSessionError {
        if case InflateError.tooLarge = error {
            return HTTPSessionError(
                .size, .dataLengthExceedsMaximum, url: url,
                reason: "The content of the response grows too much as it is decompressed.",
                remedy: "Ask for it without compression.", cause: error)
        }
        return Self.error("The compressed content of the response is damaged or cut.", url, cause: error)
    }

    private static func error(_ reason: String, _ url: HTTPURL, cause: (any Error)?) -> HTTPSessionError {
        HTTPSessionError(
            .content, .cannotDecodeContentData, url: url, reason: reason,
            remedy: "Ask for it without compression, or have the server corrected.", cause: cause)
    }
}
