//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOHPACK
import ServerTrustNIO
import TestSupport
import Testing

/// A client of HTTP/2 in a tunnel of the proxy whose frames a test writes. One task uses it.
final class HTTP2FrameClient {
    /// What came of a response on a stream.
    struct Response {
        var status = ""
        /// The statuses of responses before the response.
        var early: [String] = []
        var fields: [(name: String, value: String)] = []
        var content = ByteBuffer()
        var trailers: [(name: String, value: String)] = []
        var isComplete = false
        /// The DATA frames that came.
        var contentFrames = 0
        /// The code of RST_STREAM.
        var reset: UInt32?

        var text: String { String(buffer: self.content) }
        var isOver: Bool { self.isComplete || self.reset != nil }

        func value(_ name: String) -> String? { self.fields.first { $0.name == name }?.value }
    }

    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    let stream: SecureStream
    private var octets = ByteBuffer()
    private var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
    private(set) var responses: [UInt32: Response] = [:]
    /// The code of GOAWAY, and the last stream that it names.
    private(set) var goodbye: (last: UInt32, code: UInt32)?
    /// How many GOAWAY frames came with an error.
    private(set) var failures = 0
    private(set) var settings: [UInt16: UInt32] = [:]
    /// By how many octets windows were opened for what is sent: of streams, and of the connection under 0.
    private(set) var windows: [UInt32: Int] = [:]
    /// Whether windows are opened again when content comes.
    var opensWindows = true

    /// A client that has said nothing yet.
    init(_ stream: SecureStream) { self.stream = stream }

    /// Opens a tunnel, and says what a client says first.
    init(_ scene: ProxyScene, settings: [(UInt16, UInt32)] = [], host: String = "server.test") async throws {
        self.stream = try await scene.tunnel(to: host, protocols: ["h2", "http/1.1"])
        try await self.send(Self.preface + TestFrame.settings(settings).octets)
    }

    func send(_ octets: [UInt8]) async throws { try await self.stream.write(ByteBuffer(bytes: octets)) }

    func send(_ frames: [TestFrame]) async throws { try await self.send(frames.octets) }

    /// The fields of a request.
    static func fields(
        _ method: String = "GET", _ path: String = "/", _ more: [(String, String)] = []
    ) -> [(String, String)] {
        [(":method", method), (":scheme", "https"), (":authority", "server.test"), (":path", path)] + more
    }

    /// Sends a request without content.
    func get(_ path: String = "/", _ more: [(String, String)] = [], on stream: UInt32) async throws {
        try await self.send([.headers(Self.fields("GET", path, more), on: stream, ends: true)])
    }

    /// The response on a stream, once it is over, one way or another.
    func response(on stream: UInt32) async throws -> Response {
        try await self.read { $0.responses[stream]?.isOver == true }
        return self.responses[stream] ?? Response()
    }

    /// Reads until something has come, or the connection has ended.
    func read(until isDone: (HTTP2FrameClient) -> Bool) async throws {
        while !isDone(self), try await self.step() {}
    }

    /// Reads to the end of the connection.
    func readToEnd() async {
        while (try? await self.step()) == true {}
    }

    /// Reads one frame.
    ///
    /// - Returns: Whether there was one.
    private func step() async throws -> Bool {
        while true {
            if let frame = self.frame() {
                try await self.take(frame)
                return true
            }
            guard let octets = try await self.stream.read() else { return false }
            self.octets.discardReadBytes()
            self.octets.writeImmutableBuffer(octets)
        }
    }

    private func frame() -> TestFrame? {
        guard let head = self.octets.getBytes(at: self.octets.readerIndex, length: 9) else { return nil }
        let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
        guard self.octets.readableBytes >= 9 + length else { return nil }
        self.octets.moveReaderIndex(forwardBy: 9)
        let stream = head[5...].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let payload = self.octets.readBytes(length: length) ?? []
        return TestFrame(type: head[3], flags: head[4], stream: stream, payload: payload)
    }

    private func take(_ frame: TestFrame) async throws {
        let isLast = frame.flags & TestFrame.endStream != 0
        switch frame.type {
        case 0:
            self.responses[frame.stream, default: Response()].content.writeBytes(frame.payload)
            self.responses[frame.stream]?.contentFrames += 1
            if isLast { self.responses[frame.stream]?.isComplete = true }
            guard self.opensWindows, !frame.payload.isEmpty else { return }
            let count = UInt32(frame.payload.count)
            try await self.send([.window(count)] + (isLast ? [] : [.window(count, on: frame.stream)]))
        case 1: try self.takeFields(frame, isLast: isLast)
        case 3: self.responses[frame.stream, default: Response()].reset = Self.number(frame.payload[...])
        case 4 where frame.flags & TestFrame.ack == 0:
            for start in stride(from: 0, to: frame.payload.count, by: 6) {
                let name = UInt16(frame.payload[start]) << 8 | UInt16(frame.payload[start + 1])
                self.settings[name] = Self.number(frame.payload[(start + 2)..<(start + 6)])
            }
            try await self.send([.settingsAck])
        case 7:
            let code = Self.number(frame.payload.dropFirst(4).prefix(4))
            self.goodbye = (Self.number(frame.payload.prefix(4)), code)
            if code != 0 { self.failures += 1 }
        case 8: self.windows[frame.stream, default: 0] += Int(Self.number(frame.payload[...]))
        default: break
        }
    }

    private func takeFields(_ frame: TestFrame, isLast: Bool) throws {
        var block = ByteBuffer(bytes: frame.payload)
        let fields = try self.decoder.decodeHeaders(from: &block).map { (name: $0.name, value: $0.value) }
        var response = self.responses[frame.stream] ?? Response()
        if let status = fields.first(where: { $0.name == ":status" })?.value {
            if status.hasPrefix("1") {
                response.early.append(status)
            } else {
                (response.status, response.fields) = (status, fields.filter { $0.name != ":status" })
            }
        } else {
            response.trailers = fields
        }
        response.isComplete = isLast
        self.responses[frame.stream] = response
    }

    private static func number(_ octets: ArraySlice<UInt8>) -> UInt32 { octets.reduce(0) { $0 << 8 | UInt32($1) } }
}
