//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The header of an HTTP/2 frame (RFC 9113 §4.1).
package struct HTTP2FrameHead: Sendable, Equatable {
    /// The size of a frame header in octets.
    package static let size = 9
    /// The size of the client's connection preface in octets (§3.4).
    package static let prefaceSize = 24

    // The types of frames (§6).
    package static let data: UInt8 = 0
    package static let headers: UInt8 = 1
    package static let reset: UInt8 = 3
    package static let settings: UInt8 = 4
    package static let goAway: UInt8 = 7

    /// The size of the payload in octets.
    package let length: Int
    package let type, flags: UInt8
    package let stream: UInt32

    package init(length: Int = 0, type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0) {
        self.length = length
        self.type = type
        self.flags = flags
        self.stream = stream
    }

    /// Reads the frame header at the beginning of octets, or returns `nil` if there are too few.
    package init?(_ octets: some Collection<UInt8>) {
        guard octets.count >= Self.size else { return nil }
        var rest = octets.makeIterator()
        func number(_ size: Int) -> UInt32 {
            (0..<size).reduce(0) { number, _ in number << 8 | UInt32(rest.next() ?? 0) }
        }
        self.length = Int(number(3))
        self.type = UInt8(number(1))
        self.flags = UInt8(number(1))
        self.stream = number(4) & 0x7FFF_FFFF
    }

    package var octets: [UInt8] {
        let size = (0..<3).map { UInt8(truncatingIfNeeded: self.length >> (16 - 8 * $0)) }
        return size + [self.type, self.flags] + (0..<4).map { UInt8(truncatingIfNeeded: self.stream >> (24 - 8 * $0)) }
    }
}
