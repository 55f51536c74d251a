//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A record as received (RFC 8446 §5.1).
package struct TLSRecord {
    /// The type, which may be unknown.
    package let type: UInt8
    /// The header: type, version and length.
    package let header: ArraySlice<UInt8>
    package let content: ArraySlice<UInt8>

    /// The maximum length in any version (RFC 5246 §6.2.3), in octets.
    package static let maximumLength = (1 << 14) + 2048
    /// The maximum number of records in an answer, enough for a long flight in records of one octet. A separate limit bounds the
    /// octets.
    package static let maximumCount = 16_384

    /// Returns `true` if the received part of a header is valid: a known type, and major version 3.
    static func canBegin(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let type = bytes.first else { return true }
        guard TLSContentType(rawValue: type) != nil else { return false }
        return bytes.dropFirst().first.map { $0 == 3 } ?? true
    }

    /// Takes the next record off the octets, or returns `nil` until it is complete.
    package static func next(_ rest: inout ArraySlice<UInt8>) throws(FlightError) -> TLSRecord? {
        guard rest.count >= 5 else { return nil }
        let start = rest.startIndex
        let length = Int(rest[start + 3]) << 8 | Int(rest[start + 4])
        guard length <= Self.maximumLength else { throw .recordTooLong(length) }
        guard rest.count >= 5 + length else { return nil }
        let record = TLSRecord(
            type: rest[start], header: rest[start..<start + 5], content: rest[start + 5..<start + 5 + length])
        rest = rest.dropFirst(5 + length)
        return record
    }
}
