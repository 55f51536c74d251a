//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Inflate

/// Compressed data: nothing grows beyond its limit, and what was read is what was meant.
///
/// An input is an octet that chooses the format, and the data.
enum CompressionTarget {
    private static let limit = 1 << 18

    static func run(_ bytes: [UInt8], _ findings: inout Findings) {
        guard let kind = bytes.first else { return }
        let data = bytes.dropFirst()
        func read(_ limit: Int) throws(InflateError) -> [UInt8] {
            kind % 2 == 0 ? try Inflate.zlib(data, limit: limit) : try Inflate.gzip(data, limit: limit)
        }
        let whole = try? read(self.limit)
        guard let contents = whole else { return }
        findings.expect(self.stream(kind, data) == contents, "other contents as a stream")
        findings.expect(contents.count <= self.limit, "more than the limit")
        findings.expect((try? read(contents.count)) == contents, "other contents with the limit they need")
        findings.expect(contents.isEmpty || (try? read(contents.count - 1)) == nil, "more than a lower limit")
        guard contents.count < 65_536 else { return }
        let stored = try? Inflate.zlib(self.stored(contents)[...], limit: contents.count)
        findings.expect(stored == contents, "other contents where they are stored as they are")
    }

    /// What comes of data in pieces; `nil` where they cannot be read.
    private static func stream(_ kind: UInt8, _ data: ArraySlice<UInt8>) -> [UInt8]? {
        var stream = InflateStream(kind % 2 == 0 ? .deflate : .gzip, limit: self.limit)
        var contents: [UInt8] = []
        do throws(InflateError) {
            for start in stride(from: data.startIndex, to: data.endIndex, by: 1 + Int(kind / 2)) {
                stream.receive(data[start..<min(start + 1 + Int(kind / 2), data.endIndex)])
                while let octets = try stream.next() { contents += octets }
            }
            try stream.finish()
            return contents
        } catch {
            return nil
        }
    }

    /// A zlib stream of one block that stores octets (RFC 1950 §2.2, RFC 1951 §3.2.4).
    private static func stored(_ octets: [UInt8]) -> [UInt8] {
        var (low, high) = (1, 0)
        for octet in octets {
            low = (low + Int(octet)) % 65_521
            high = (high + low) % 65_521
        }
        func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }
        let length = number(octets.count)
        return [0x78, 0x01, 1, length[1], length[0], ~length[1], ~length[0]] + octets + number(high) + number(low)
    }

    /// What zlib and gzip write: a code of its own, the fixed one, and a file.
    static func seeds() -> [[UInt8]] {
        [
            [0] + [
                120, 218, 43, 201, 72, 85, 72, 44, 45, 201, 200, 47, 202, 44, 169, 84, 40, 206, 76, 207, 43, 214, 81,
                40, 1, 10, 230, 228, 167, 43, 20, 20, 229, 231, 102, 22, 167, 66, 69, 146, 115, 50, 83, 243, 74, 20,
                146, 243, 75, 243, 74, 138, 173, 193, 66, 163, 58, 7, 155, 78, 6, 70, 38, 102, 22, 86, 54, 118, 14, 78,
                46, 110, 30, 94, 62, 126, 1, 65, 33, 97, 17, 81, 49, 113, 9, 73, 41, 105, 25, 89, 57, 121, 5, 69, 37,
                101, 21, 85, 53, 117, 13, 77, 45, 109, 29, 93, 61, 125, 3, 67, 35, 99, 19, 83, 51, 115, 11, 75, 43, 107,
                27, 91, 59, 123, 0, 153, 106, 178, 113,
            ],
            [0] + [120, 1, 75, 76, 74, 78, 132, 162, 20, 0, 29, 225, 4, 154],
            [1] + [
                31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 84, 200, 77, 205, 77, 74, 45, 82, 200, 79, 83, 72, 84, 72, 203,
                204, 73, 5, 0, 15, 16, 168, 249, 18, 0, 0, 0,
            ],
            [0] + self.stored(Array("stored".utf8)), [0] + self.stored([]),
            // Nothing, by the fixed code.
            [0, 0x78, 0x9C, 0x03, 0, 0, 0, 0, 1],
        ]
    }
}
