//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A checksum of zlib or gzip, computed piece by piece.
enum Checksum: Sendable {
    /// The Adler-32 of zlib (RFC 1950 §8.2).
    case adler32
    /// The CRC-32 of gzip (RFC 1952 §8).
    case crc32

    var start: UInt32 { self == .adler32 ? 1 : 0 }

    func of(_ octets: [UInt8]) -> UInt32 { self.continued(self.start, with: octets[...]) }

    func continued(_ sum: UInt32, with octets: ArraySlice<UInt8>) -> UInt32 {
        switch self {
        case .adler32: Self.adler32(sum, octets)
        case .crc32: Self.crc32(sum, octets)
        }
    }

    private static func adler32(_ sum: UInt32, _ octets: ArraySlice<UInt8>) -> UInt32 {
        var (low, high) = (sum & 0xFFFF, sum >> 16)
        // The number of octets for which neither sum can overflow before it is reduced.
        var start = octets.startIndex
        while start < octets.endIndex {
            let end = min(start + 5_552, octets.endIndex)
            for octet in octets[start..<end] {
                low &+= UInt32(octet)
                high &+= low
            }
            (low, high, start) = (low % 65_521, high % 65_521, end)
        }
        return high << 16 | low
    }

    private static let crcTable: [UInt32] = (0..<256).map { octet in
        (0..<8).reduce(UInt32(octet)) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1 }
    }

    private static func crc32(_ sum: UInt32, _ octets: ArraySlice<UInt8>) -> UInt32 {
        let table = Self.crcTable
        return ~octets.reduce(~sum) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }
}
