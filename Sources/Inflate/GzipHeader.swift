//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The header of a gzip member (RFC 1952 §2.3).
enum GzipHeader {
    /// Returns the octets after the header.
    ///
    /// - Parameter octets: The member, or its beginning.
    /// - Returns: `nil` if the header is not complete.
    static func content(of octets: ArraySlice<UInt8>) throws(InflateError) -> ArraySlice<UInt8>? {
        guard octets.starts(with: [0x1F, 0x8B].prefix(octets.count)) else { throw .malformed }
        guard octets.count >= 10 else { return nil }
        let (method, flags) = (octets[octets.startIndex + 2], octets[octets.startIndex + 3])
        // The three highest flags are reserved.
        guard method == 8, flags & 0xE0 == 0 else { throw .malformed }
        var rest = octets.dropFirst(10)
        if flags & 0x04 != 0 {
            guard rest.count >= 2 else { return nil }
            let length = rest.prefix(2).reversed().reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 2 + length else { return nil }
            rest = rest.dropFirst(2 + length)
        }
        // A name and a comment, each terminated by a zero.
        for flag in [0x08, 0x10] as [UInt8] where flags & flag != 0 {
            guard let end = rest.firstIndex(of: 0) else { return nil }
            rest = rest[(end + 1)...]
        }
        guard flags & 0x02 != 0 else { return rest }
        guard rest.count >= 2 else { return nil }
        // The lower half of the CRC-32 of all octets before it.
        let written = rest.prefix(2).reversed().reduce(0 as UInt16) { $0 << 8 | UInt16($1) }
        let sum = Checksum.crc32.continued(Checksum.crc32.start, with: octets[..<rest.startIndex])
        guard UInt16(truncatingIfNeeded: sum) == written else { throw .wrongChecksum }
        return rest.dropFirst(2)
    }
}
