//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reader of the fields of TLS's presentation language (RFC 8446 §3), which never reads past the end.
package struct OctetReader {
    private var rest: ArraySlice<UInt8>

    package init(_ bytes: ArraySlice<UInt8>) {
        self.rest = bytes
    }

    package var isAtEnd: Bool { self.rest.isEmpty }
    package var count: Int { self.rest.count }

    package mutating func readUInt8() throws(FlightError) -> UInt8 {
        guard let octet = self.rest.popFirst() else { throw .undecodable("a field is missing") }
        return octet
    }

    package mutating func readUInt16() throws(FlightError) -> UInt16 {
        let bytes = try self.read(2)
        return UInt16(bytes[bytes.startIndex]) << 8 | UInt16(bytes[bytes.startIndex + 1])
    }

    package mutating func readUInt24() throws(FlightError) -> Int {
        let high = try self.readUInt8()
        return Int(high) << 16 | Int(try self.readUInt16())
    }

    package mutating func read(_ count: Int) throws(FlightError) -> ArraySlice<UInt8> {
        guard count <= self.rest.count else { throw .undecodable("a field is longer than what holds it") }
        let bytes = self.rest.prefix(count)
        self.rest = self.rest.dropFirst(count)
        return bytes
    }

    /// Reads a vector with a length of one octet.
    package mutating func readVector8() throws(FlightError) -> ArraySlice<UInt8> {
        try self.read(Int(self.readUInt8()))
    }
    /// Reads a vector with a length of two octets.
    package mutating func readVector16() throws(FlightError) -> ArraySlice<UInt8> {
        try self.read(Int(self.readUInt16()))
    }
    /// Reads a vector with a length of three octets.
    package mutating func readVector24() throws(FlightError) -> ArraySlice<UInt8> { try self.read(self.readUInt24()) }

    package mutating func readRest() -> ArraySlice<UInt8> {
        defer { self.rest = self.rest.suffix(0) }
        return self.rest
    }

    package func finish() throws(FlightError) {
        guard self.rest.isEmpty else { throw .undecodable("bytes follow the last field") }
    }
}
