//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reply of one or more lines that begins with a code of three digits (RFC 5321 §4.2, RFC 959 §4.2).
struct CodedReply: Hashable, Sendable {
    let code: Int
    /// The lines without the code before them.
    let lines: [String]

    /// The reply for display: the code and the last line, which usually has the reason.
    var text: String { "\(self.code) \(self.lines.last ?? "")" }

    func lists(_ word: String) -> Bool {
        self.lines.contains { $0.split(separator: " ").first?.uppercased() == word }
    }
}

/// A reader of replies with codes, line by line.
struct CodedReplyReader: Sendable {
    private var code: Int?
    private var lines: [String] = []

    mutating func reply(_ input: inout NegotiationInput) throws(NegotiationError) -> CodedReply? {
        while let line = try input.line(where: Self.isRefusal) {
            let start = Self.start(of: line)
            guard let code = self.code ?? start?.code else { throw .unexpected(String(printable: line)) }
            // RFC 959 allows lines without the code in the middle of a reply.
            self.lines.append(String(printable: start?.code == code ? line.dropFirst(4) : line[...]))
            self.code = code
            if let start, start.code == code, start.isLast {
                defer { self = Self() }
                return CodedReply(code: code, lines: self.lines)
            }
        }
        return nil
    }

    /// Returns `true` for codes that begin with 4 or 5, which refuse (RFC 5321 §4.2.1, RFC 959 §4.2.1, RFC 3977 §3.2).
    private static func isRefusal(_ beginning: ArraySlice<UInt8>) -> Bool {
        guard beginning.count > 3, let start = Self.start(of: Array(beginning.prefix(4))) else { return false }
        return (400...599).contains(start.code)
    }

    private static func start(of line: [UInt8]) -> (code: Int, isLast: Bool)? {
        let digits = line.prefix(3)
        let separator = line.count > 3 ? line[3] : UInt8(ascii: " ")
        guard digits.count == 3, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        guard separator == UInt8(ascii: " ") || separator == UInt8(ascii: "-") else { return nil }
        return (digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }, separator == UInt8(ascii: " "))
    }
}
