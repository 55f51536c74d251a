//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads text as JSON by the grammar of RFC 8259 and nothing besides: what is handed on as it was written has to be what
/// every reader takes, and decoders look only at what they need.
struct JSONSyntax {
    private let bytes: [UInt8]
    private var position = 0
    /// What closes each array and object that is open. Kept here and not by calls, as lists come from anywhere.
    private var open: [Unicode.Scalar] = []

    private init(_ text: String) {
        self.bytes = Array(text.utf8)
    }

    /// Where text stops being JSON; `nil` when all of it is one value.
    static func fault(in text: String) -> Substring? {
        var syntax = JSONSyntax(text)
        return syntax.readText() ? nil : text[text.utf8.index(text.startIndex, offsetBy: syntax.position)...]
    }

    /// RFC 8259 §2.
    private mutating func readText() -> Bool {
        while true {
            self.skipSpace()
            if self.take("[") {
                self.open.append("]")
                self.skipSpace()
                guard self.next == "]" else { continue }
            } else if self.take("{") {
                self.open.append("}")
                self.skipSpace()
                if self.next != "}" {
                    guard self.readName() else { return false }
                    continue
                }
            } else if !self.readScalar() {
                return false
            }
            self.close()
            guard let closing = self.open.last else { return self.position == self.bytes.count }
            guard self.take(","), closing == "]" || self.readName() else { return false }
        }
    }

    /// Closes what ends here.
    private mutating func close() {
        self.skipSpace()
        while let closing = self.open.last, self.take(closing) {
            self.open.removeLast()
            self.skipSpace()
        }
    }

    /// The name of a member, and its colon (§4).
    private mutating func readName() -> Bool {
        self.skipSpace()
        guard self.readString() else { return false }
        self.skipSpace()
        return self.take(":")
    }

    private mutating func readScalar() -> Bool {
        switch self.next {
        case "\"": self.readString()
        case "t": self.take(word: "true")
        case "f": self.take(word: "false")
        case "n": self.take(word: "null")
        default: self.readNumber()
        }
    }

    /// §6.
    private mutating func readNumber() -> Bool {
        _ = self.take("-")
        guard self.take("0") || self.takeDigits() else { return false }
        if self.take("."), !self.takeDigits() { return false }
        guard self.take("e") || self.take("E") else { return true }
        _ = self.take("+") || self.take("-")
        return self.takeDigits()
    }

    /// §7.
    private mutating func readString() -> Bool {
        guard self.take("\"") else { return false }
        while let next, next.value >= 0x20 {
            if self.take("\"") { return true }
            if !self.take("\\") {
                self.position += 1
            } else if self.take("u") {
                for _ in 0..<4 where !self.takeHexadecimalDigit() { return false }
            } else {
                guard "\"\\/bfnrt".unicodeScalars.contains(where: { self.take($0) }) else { return false }
            }
        }
        return false
    }
}

// MARK: - Bytes

extension JSONSyntax {
    /// The next byte; those of characters beyond ASCII are as good as any others.
    private var next: Unicode.Scalar? {
        self.position < self.bytes.count ? Unicode.Scalar(self.bytes[self.position]) : nil
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard self.next == scalar else { return false }
        self.position += 1
        return true
    }

    private mutating func take(word: String) -> Bool {
        guard self.bytes[self.position...].starts(with: word.utf8) else { return false }
        self.position += word.utf8.count
        return true
    }

    private mutating func takeDigits() -> Bool {
        let start = self.position
        while let next, ("0"..."9").contains(next) { self.position += 1 }
        return self.position > start
    }

    private mutating func takeHexadecimalDigit() -> Bool {
        guard let next, next.properties.isASCIIHexDigit else { return false }
        self.position += 1
        return true
    }

    /// The space of JSON, and no other (§2).
    private mutating func skipSpace() {
        while let next, next == " " || next == "\t" || next == "\r" || next == "\n" { self.position += 1 }
    }
}
