//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import FleetScan
@testable import ServerReports

/// Bytes, and the lines that they are: text, whether it is too long, whether it is ended.
private let splits: [(String, [(String, Bool, Bool)])] = [
    ("", []), ("\n", [("", false, true)]), ("a", [("a", false, false)]),
    ("a\nb", [("a", false, true), ("b", false, false)]),
    ("a\r\nb\r\n", [("a", false, true), ("b", false, true)]), ("a\rb\n", [("a\rb", false, true)]),
    ("12345678\n", [("12345678", false, true)]), ("123456789\nb\n", [("12345678", true, true), ("b", false, true)]),
    ("1234567890123456789012345", [("12345678", true, false)]), ("\n\n", [("", false, true), ("", false, true)]),
]

@Suite("Lines of a list")
struct LineSplitterTests {
    @Test("Lines are the same however their bytes arrive, and no more is kept than is allowed", arguments: splits)
    private func lines(text: String, expected: [(String, Bool, Bool)]) {
        let bytes = Array(text.utf8)
        for size in 1...max(1, bytes.count) {
            let lines = Self.lines(bytes, size)
            #expect(lines.map { String(decoding: $0.bytes, as: UTF8.self) } == expected.map(\.0), "\(size)")
            #expect(lines.map(\.isTooLong) == expected.map(\.1), "\(size)")
            #expect(lines.map(\.isEnded) == expected.map(\.2), "\(size)")
            #expect(lines.map(\.number) == Array(1..<(expected.count + 1)), "\(size)")
            #expect(lines.last.map { $0.end == bytes.count } ?? true, "\(size)")
        }
    }

    private static func lines(_ bytes: [UInt8], _ size: Int) -> [LineSplitter.Line] {
        var splitter = LineSplitter(limit: 8)
        var lines: [LineSplitter.Line] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            splitter.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
            while let line = splitter.next() { lines.append(line) }
        }
        splitter.finish()
        while let line = splitter.next() { lines.append(line) }
        return lines
    }
}
