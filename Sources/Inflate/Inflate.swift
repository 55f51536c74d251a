//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads the formats around DEFLATE.
public enum Inflate {
    /// Decompresses a zlib stream (RFC 1950) without a preset dictionary.
    ///
    /// - Parameters:
    ///   - octets: The stream, with nothing after it.
    ///   - limit: The most octets that may come of it.
    /// - Throws: ``InflateError``.
    public static func zlib(_ octets: ArraySlice<UInt8>, limit: Int) throws(InflateError) -> [UInt8] {
        guard octets.count >= 6 else { throw .truncated }
        let header = octets.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        let (method, window, hasDictionary) = (header >> 8 & 0xF, header >> 12, header & 0x20 != 0)
        guard method == 8, window <= 7, header % 31 == 0, !hasDictionary else { throw .malformed }
        var inflater = Inflater(octets.dropFirst(2), limit: limit)
        let trailer = try inflater.run()
        guard trailer.count >= 4 else { throw .truncated }
        guard trailer.count == 4 else { throw .malformed }
        let checksum = trailer.reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        guard checksum == Self.adler32(inflater.output) else { throw .wrongChecksum }
        return inflater.output
    }

    /// Decompresses a gzip file (RFC 1952), of one member or several.
    ///
    /// - Parameters:
    ///   - octets: The file.
    ///   - limit: The most octets that may come of it.
    /// - Throws: ``InflateError``.
    public static func gzip(_ octets: ArraySlice<UInt8>, limit: Int) throws(InflateError) -> [UInt8] {
        var rest = octets
        var output: [UInt8] = []
        var members = 0
        repeat {
            members += 1
            guard members <= Self.maximumMembers else { throw .tooLarge }
            var inflater = Inflater(try Self.gzipContent(rest), limit: limit - output.count)
            let trailer = try inflater.run()
            guard trailer.count >= 8 else { throw .truncated }
            let numbers = trailer.prefix(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            guard UInt32(truncatingIfNeeded: numbers) == Self.crc32(inflater.output),
                numbers >> 32 == UInt64(UInt32(truncatingIfNeeded: inflater.output.count))
            else { throw .wrongChecksum }
            if output.isEmpty { output = inflater.output } else { output += inflater.output }
            rest = trailer.dropFirst(8)
        } while !rest.isEmpty
        return output
    }

    /// More than any archive of one thing has.
    private static let maximumMembers = 4_096

    /// Whether octets begin as a gzip file does.
    public static func isGzip(_ octets: ArraySlice<UInt8>) -> Bool { octets.starts(with: [0x1F, 0x8B]) }

    /// What follows a member's header (RFC 1952 §2.3).
    private static func gzipContent(_ octets: ArraySlice<UInt8>) throws(InflateError) -> ArraySlice<UInt8> {
        guard Self.isGzip(octets) else { throw .malformed }
        guard octets.count >= 18 else { throw .truncated }
        let (method, flags) = (octets[octets.startIndex + 2], octets[octets.startIndex + 3])
        // The three highest flags are reserved.
        guard method == 8, flags & 0xE0 == 0 else { throw .malformed }
        var rest = octets.dropFirst(10)
        if flags & 0x04 != 0 {
            let length = rest.prefix(2).reversed().reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(2 + length)
        }
        // A name and a comment, each with a zero behind it.
        for flag in [0x08, 0x10] as [UInt8] where flags & flag != 0 {
            guard let end = rest.firstIndex(of: 0) else { throw .truncated }
            rest = rest[(end + 1)...]
        }
        return flags & 0x02 == 0 ? rest : rest.dropFirst(2)
    }

    // MARK: Checksums

    private static func adler32(_ octets: [UInt8]) -> UInt32 {
        var (low, high) = (1 as UInt32, 0 as UInt32)
        // So many octets that neither sum overflows before it is reduced.
        var start = 0
        while start < octets.count {
            let end = min(start + 5_552, octets.count)
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

    private static func crc32(_ octets: [UInt8]) -> UInt32 {
        let table = Self.crcTable
        return ~octets.reduce(.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
    }
}
