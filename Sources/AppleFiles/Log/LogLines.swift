//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The lines of the part of a log that is in memory.
struct LogLines {
    private let octets: UnsafeRawBufferPointer

    init(_ octets: UnsafeRawBufferPointer) { self.octets = octets }

    private static let newline = UInt8(ascii: "\n")

    /// Returns the start of the line that contains an offset.
    func start(of offset: Int, within limit: Int) -> Int {
        var start = offset
        while start > 0, offset - start < limit, self.octets[start - 1] != Self.newline { start -= 1 }
        return start
    }

    /// Returns the end of the line that contains an offset: its line break, or the end of the buffer.
    func end(from offset: Int, within limit: Int) -> Int {
        var end = min(offset, self.octets.count)
        while end < self.octets.count, end - offset < limit, self.octets[end] != Self.newline { end += 1 }
        return end
    }

    /// Returns `true` if the next line belongs to the same message.
    func hasMore(at end: Int) -> Bool { end < self.octets.count && !self.beginsRecord(at: end + 1) }

    /// Returns the end of a message: before the line that starts another one, or after the line that closes the brace of an error.
    func endOfRecord(from start: Int, within limit: Int) -> Int {
        var (end, depth) = (start, 0)
        while end - start < limit, self.hasMore(at: end) {
            let next = self.end(from: end + 1, within: limit)
            depth = self.octets[end..<next].reduce(depth, Self.depth)
            end = next
            // The opening brace of the error is before the start.
            if depth < 0 { break }
        }
        return end
    }

    private static func depth(_ depth: Int, _ octet: UInt8) -> Int {
        octet == UInt8(ascii: "{") ? depth + 1 : octet == UInt8(ascii: "}") ? depth - 1 : depth
    }

    /// Returns lines as one message: without quotation marks at their beginning, joined with spaces, and with JSON escapes decoded.
    func text(_ start: Int, _ end: Int) -> String {
        var text = ""
        for line in self.octets[start..<end].split(separator: Self.newline) {
            let line = line.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ">") }
            let plain = line.last == 0x0D ? line.dropLast() : line
            if !text.isEmpty { text += " " }
            text += String(decoding: plain, as: UTF8.self)
        }
        return text.utf8.contains(UInt8(ascii: "\\")) ? Self.unescaped(text) : text
    }

    /// Returns `true` if the next line continues the list of certificates of a trust failure.
    func continuesChecks(at end: Int) -> Bool {
        let next = self.octets.dropFirst(end + 1).prefix(16).drop { " \t>".utf8.contains($0) }
        return ["[leaf ", "[root ", "[ca"].contains { next.starts(with: $0.utf8) }
    }

    /// Returns `true` if a line starts a new message: it begins with a date or with JSON, or it is empty.
    func beginsRecord(at start: Int) -> Bool {
        let line = self.octets.dropFirst(start).prefix(64).drop { " \t>".utf8.contains($0) }
        guard let first = line.first, first != Self.newline else { return true }
        if first == UInt8(ascii: "{") || Self.hasDate(line) { return true }
        return Self.beginnings.contains { line.starts(with: $0.utf8) }
    }

    private static let beginnings = [
        "Task <", "Connection ", "Error [ATS", "Warning [ATS", "Trust evaluate", "ATS failed", "NSURLSession/",
        "Result :",
        "Error Domain=", "boringssl_",
    ]

    /// Returns the date and time of day to the second that a line begins with or has under `timestamp`.
    func time(at start: Int) -> String? {
        var line = self.octets.dropFirst(start).prefix(4_096).prefix { $0 != Self.newline }.drop { $0 == 0x20 }
        if line.first == UInt8(ascii: "{"), let range = line.firstRange(of: "\"timestamp\"".utf8) {
            line = line[range.upperBound...].drop { " :\"".utf8.contains($0) }
        }
        guard Self.hasDate(line), line.count >= 19 else { return nil }
        let time = line.prefix(19)
        return time.allSatisfy { "0123456789-: T".utf8.contains($0) } ? String(decoding: time, as: UTF8.self) : nil
    }

    private static func hasDate(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        let date = Array(line.prefix(10))
        return date.count == 10
            && date.enumerated().allSatisfy { index, octet in
                index == 4 || index == 7 ? octet == UInt8(ascii: "-") : (0x30...0x39).contains(octet)
            }
    }

    /// Returns the title of the nscurl test that a line belongs to.
    func testTitle(before end: Int, within limit: Int) -> String? {
        let lines = self.octets[max(0, end - limit)..<end].split(separator: Self.newline)
        guard let mark = lines.lastIndex(where: { $0.elementsEqual("---".utf8) }), mark + 1 < lines.count else {
            return nil
        }
        return String(decoding: lines[mark + 1].prefix(200), as: UTF8.self)
    }

    /// Returns the message of a line without the prefix of the log, cut to 200 characters.
    static func message(in text: String) -> String {
        let starts = [
            "Error [ATS", "Warning [ATS", "[ATS", "Trust evaluate", "Connection ", "Task <", "The server cert",
        ]
        let start = starts.lazy.compactMap { text.firstRange(of: $0)?.lowerBound }.first ?? text.startIndex
        return String(text[start...].prefix(200))
    }

    /// Decodes the escapes of a JSON string. Unknown escapes are left as they are.
    private static func unescaped(_ text: String) -> String {
        var result: [UInt8] = []
        var rest = Substring(text).utf8
        while let octet = rest.popFirst() {
            guard octet == UInt8(ascii: "\\"), let escape = rest.first else {
                result.append(octet)
                continue
            }
            switch escape {
            case UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"): result.append(escape)
            case UInt8(ascii: "n"), UInt8(ascii: "t"): result.append(0x20)
            case UInt8(ascii: "u"):
                let digits = String(decoding: rest.dropFirst().prefix(4), as: UTF8.self)
                guard let scalar = UInt32(digits, radix: 16).flatMap(UnicodeScalar.init) else {
                    result.append(octet)
                    continue
                }
                result.append(contentsOf: String(Character(scalar)).utf8)
                rest = rest.dropFirst(4)
            default:
                result.append(octet)
                continue
            }
            rest = rest.dropFirst()
        }
        return String(decoding: result, as: UTF8.self)
    }
}
