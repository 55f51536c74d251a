//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A frame of HTTP/2 as octets, right or wrong (RFC 9113 §4.1).
package struct TestFrame: Sendable {
    package var type: UInt8
    package var flags: UInt8 = 0
    package var stream: UInt32 = 0
    package var payload: [UInt8] = []

    package init(type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
        self.type = type
        self.flags = flags
        self.stream = stream
        self.payload = payload
    }

    package static let endStream: UInt8 = 0x1
    package static let ack: UInt8 = 0x1
    package static let endHeaders: UInt8 = 0x4

    package var octets: [UInt8] {
        let count = self.payload.count
        return [UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF), self.type, self.flags]
            + Self.octets(self.stream) + self.payload
    }

    package static func octets(_ number: UInt32) -> [UInt8] {
        [UInt8(number >> 24), UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
    }

    package static func data(_ text: String, on stream: UInt32, ends: Bool = true) -> TestFrame {
        TestFrame(type: 0, flags: ends ? Self.endStream : 0, stream: stream, payload: Array(text.utf8))
    }

    /// Fields, each as a literal that is not kept (RFC 7541 §6.2.2).
    package static func headers(_ fields: [(String, String)], on stream: UInt32, ends: Bool = false) -> TestFrame {
        var payload: [UInt8] = []
        for (name, value) in fields { payload += [0] + Self.text(name) + Self.text(value) }
        return TestFrame(
            type: 1, flags: Self.endHeaders | (ends ? Self.endStream : 0), stream: stream, payload: payload)
    }

    package static func priority(on stream: UInt32) -> TestFrame {
        TestFrame(type: 2, stream: stream, payload: Self.octets(0) + [16])
    }

    package static func reset(_ code: UInt32, on stream: UInt32) -> TestFrame {
        TestFrame(type: 3, stream: stream, payload: Self.octets(code))
    }

    package static func settings(_ values: [(UInt16, UInt32)] = []) -> TestFrame {
        var payload: [UInt8] = []
        for (name, value) in values { payload += [UInt8(name >> 8), UInt8(name & 0xFF)] + Self.octets(value) }
        return TestFrame(type: 4, payload: payload)
    }

    package static let settingsAck = TestFrame(type: 4, flags: ack)

    package static func push(on stream: UInt32) -> TestFrame {
        let fields = Self.headers(
            [(":method", "GET"), (":scheme", "https"), (":authority", "server.test"), (":path", "/")], on: 2)
        return TestFrame(type: 5, flags: Self.endHeaders, stream: stream, payload: Self.octets(2) + fields.payload)
    }

    package static let ping = TestFrame(type: 6, payload: [UInt8](repeating: 7, count: 8))

    package static func goAway(last: UInt32, _ code: UInt32 = 0) -> TestFrame {
        TestFrame(type: 7, payload: Self.octets(last) + Self.octets(code))
    }

    package static func window(_ increment: UInt32, on stream: UInt32 = 0) -> TestFrame {
        TestFrame(type: 8, stream: stream, payload: Self.octets(increment))
    }

    /// A text with its length, which has more than one octet from 127 on (RFC 7541 §5.1).
    private static func text(_ text: String) -> [UInt8] {
        let octets = Array(text.utf8)
        guard octets.count >= 127 else { return [UInt8(octets.count)] + octets }
        var (rest, length) = (octets.count - 127, [UInt8(127)])
        while rest >= 128 {
            length.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return length + [UInt8(rest)] + octets
    }
}

extension [TestFrame] {
    package var octets: [UInt8] { self.flatMap(\.octets) }

    /// A response with content.
    package static func response(
        _ content: String = "hello", status: String = "200", fields: [(String, String)] = [], on stream: UInt32
    ) -> [TestFrame] {
        [.headers([(":status", status)] + fields, on: stream), .data(content, on: stream)]
    }
}
