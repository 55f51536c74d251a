//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A record as it came (RFC 8446 §5.1).
package struct TLSRecord {
    /// The type, which need not be a known one.
    package let type: UInt8
    /// The header: type, version and length.
    package let header: ArraySlice<UInt8>
    /// What is in it, in the clear or protected.
    package let content: ArraySlice<UInt8>

    /// RFC 5246 §6.2.3, the longest record of all versions.
    package static let maximumLength = (1 << 14) + 2048
    /// How many records are read of one answer: those of a long flight, each of a single octet. The octets have a limit besides.
    package static let maximumCount = 16_384

    /// Whether what there is of a record's header can be one: a known type, and major version 3.
    static func canBegin(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let type = bytes.first else { return true }
        guard TLSContentType(rawValue: type) != nil else { return false }
        return bytes.dropFirst().first.map { $0 == 3 } ?? true
    }

    /// Takes the next record off octets; `nil` when it has not come whole.
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
