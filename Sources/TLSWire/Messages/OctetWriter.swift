//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Writes the fields of TLS's presentation language (RFC 8446 §3).
package struct OctetWriter {
    /// What has been written.
    package private(set) var bytes: [UInt8] = []

    /// A writer that has written nothing.
    package init() {}

    package mutating func write(_ octet: UInt8) { self.bytes.append(octet) }

    package mutating func write(_ number: UInt16) {
        self.bytes.append(UInt8(truncatingIfNeeded: number >> 8))
        self.bytes.append(UInt8(truncatingIfNeeded: number))
    }

    package mutating func write(_ bytes: some Sequence<UInt8>) { self.bytes.append(contentsOf: bytes) }

    /// A vector whose length is written into one octet before it; what does not fit is cut off.
    package mutating func writeVector8(_ bytes: some Collection<UInt8>) {
        let fitting = bytes.prefix(Int(UInt8.max))
        self.write(UInt8(truncatingIfNeeded: fitting.count))
        self.write(fitting)
    }

    /// A vector whose length is written into two octets before it; what does not fit is cut off.
    package mutating func writeVector16(_ bytes: some Collection<UInt8>) {
        let fitting = bytes.prefix(Int(UInt16.max))
        self.write(UInt16(truncatingIfNeeded: fitting.count))
        self.write(fitting)
    }

    /// A vector of two-octet numbers, whose length in octets is written before it.
    package mutating func writeVector16(_ numbers: some Collection<UInt16>) {
        self.writeVector16(Self.octets(of: numbers))
    }

    package static func octets(of numbers: some Collection<UInt16>) -> [UInt8] {
        var writer = OctetWriter()
        writer.bytes.reserveCapacity(2 * numbers.count)
        for number in numbers { writer.write(number) }
        return writer.bytes
    }
}
