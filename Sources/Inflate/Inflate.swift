//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Decompresses data that are in memory as a whole: zlib streams, gzip files and plain DEFLATE.
///
/// Every function takes a limit, so that a small input cannot exhaust the memory. Each verifies the checksum and the length that
/// its format carries and refuses octets after the end of the data. For data that arrive piece by piece, use ``InflateStream``.
///
/// ```swift
/// let data = try Inflate.gzip(octets[...], limit: 16 << 20)
/// ```
public enum Inflate {
    /// Decompresses a zlib stream (RFC 1950) without a preset dictionary.
    ///
    /// - Parameters:
    ///   - octets: The stream, with nothing after it.
    ///   - limit: The maximum number of decompressed octets.
    /// - Throws: ``InflateError``.
    public static func zlib(_ octets: ArraySlice<UInt8>, limit: Int) throws(InflateError) -> [UInt8] {
        guard octets.count >= 6 else { throw .truncated }
        guard Self.isZlib(octets) else { throw .malformed }
        var inflater = Inflater(octets.dropFirst(2), limit: limit)
        let trailer = try inflater.run()
        guard trailer.count >= 4 else { throw .truncated }
        guard trailer.count == 4 else { throw .malformed }
        let checksum = trailer.reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        guard checksum == Checksum.adler32.of(inflater.output) else { throw .wrongChecksum }
        return inflater.output
    }

    /// Decompresses DEFLATE data without a header or a checksum (RFC 1951), the form that zip archives use.
    ///
    /// - Parameters:
    ///   - octets: The data, with nothing after them.
    ///   - limit: The maximum number of decompressed octets.
    /// - Throws: ``InflateError``.
    public static func raw(_ octets: ArraySlice<UInt8>, limit: Int) throws(InflateError) -> [UInt8] {
        var inflater = Inflater(octets, limit: limit)
        guard try inflater.run().isEmpty else { throw .malformed }
        return inflater.output
    }

    /// Decompresses a gzip file (RFC 1952) of one or several members.
    ///
    /// - Parameters:
    ///   - octets: The file.
    ///   - limit: The maximum number of decompressed octets of all members together.
    /// - Throws: ``InflateError``.
    public static func gzip(_ octets: ArraySlice<UInt8>, limit: Int) throws(InflateError) -> [UInt8] {
        var rest = octets
        var output: [UInt8] = []
        var members = 0
        repeat {
            members += 1
            guard members <= Self.maximumMembers else { throw .tooLarge }
            guard let content = try GzipHeader.content(of: rest) else { throw InflateError.truncated }
            var inflater = Inflater(content, limit: limit - output.count)
            let trailer = try inflater.run()
            guard trailer.count >= 8 else { throw .truncated }
            let numbers = trailer.prefix(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            guard UInt32(truncatingIfNeeded: numbers) == Checksum.crc32.of(inflater.output),
                numbers >> 32 == UInt64(UInt32(truncatingIfNeeded: inflater.output.count))
            else { throw .wrongChecksum }
            if output.isEmpty { output = inflater.output } else { output += inflater.output }
            rest = trailer.dropFirst(8)
        } while !rest.isEmpty
        return output
    }

    /// The maximum number of gzip members, far above the number in any real archive.
    private static let maximumMembers = 4_096

    /// Returns `true` if octets begin like a zlib stream without a preset dictionary (RFC 1950 §2.2).
    static func isZlib(_ octets: ArraySlice<UInt8>) -> Bool {
        guard octets.count >= 2 else { return false }
        let header = octets.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        let (method, window, hasDictionary) = (header >> 8 & 0xF, header >> 12, header & 0x20 != 0)
        return method == 8 && window <= 7 && header % 31 == 0 && !hasDictionary
    }

    /// Returns `true` if octets begin with the magic number of a gzip file.
    public static func isGzip(_ octets: ArraySlice<UInt8>) -> Bool { octets.starts(with: [0x1F, 0x8B]) }
}
