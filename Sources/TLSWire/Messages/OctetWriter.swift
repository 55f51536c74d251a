//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A writer of the fields of TLS's presentation language (RFC 8446 §3).
package struct OctetWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func write(_ octet: UInt8) { self.bytes.append(octet) }

    package mutating func write(_ number: UInt16) {
        self.bytes.append(UInt8(truncatingIfNeeded: number >> 8))
        self.bytes.append(UInt8(truncatingIfNeeded: number))
    }

    package mutating func write(_ bytes: some Sequence<UInt8>) { self.bytes.append(contentsOf: bytes) }

    /// Writes a vector with a length of one octet. Octets beyond 255 are cut off.
    package mutating func writeVector8(_ bytes: some Collection<UInt8>) {
        let fitting = bytes.prefix(Int(UInt8.max))
        self.write(UInt8(truncatingIfNeeded: fitting.count))
        self.write(fitting)
    }

    /// Writes a vector with a length of two octets. Octets beyond 65,535 are cut off.
    package mutating func writeVector16(_ bytes: some Collection<UInt8>) {
        let fitting = bytes.prefix(Int(UInt16.max))
        self.write(UInt16(truncatingIfNeeded: fitting.count))
        self.write(fitting)
    }

    /// Writes a vector of 16-bit numbers with its length in octets.
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
