//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// Finds the string literals of `.add("…", "…")` in Kotlin or Java source code, and reports pins elsewhere in it.
///
/// The scanner recognizes comments and literals only. Any other syntax next to a pin is an error.
struct OkHttpSourceScanner {
    private enum Token: Equatable {
        case string(String)
        case word(String)
        case sign(UInt8)
    }

    private(set) var log: DiagnosticLog
    private let source: SourceText
    private let bytes: [UInt8]
    private var index = 0
    private var cursor: TextCursor
    private var isAfterNew = false
    private var languages: Set<OkHttpSource.Language> = []

    init(_ source: SourceText, _ log: DiagnosticLog) {
        self.source = source
        self.bytes = source.bytes
        self.log = log
        self.cursor = TextCursor(source.file)
    }

    /// The language of the keywords found by ``calls()``, or `nil` if it found keywords of both languages or none.
    var language: OkHttpSource.Language? { self.languages.count == 1 ? self.languages.first : nil }

    /// Returns the literals of each call, in order.
    mutating func calls() -> [[OkHttpReader.Word]] {
        var calls: [[OkHttpReader.Word]] = []
        var isAfterDot = false
        while let (token, position) = self.next() {
            if isAfterDot, token == .word(OkHttpWord.method), self.peeksParenthesis() {
                _ = self.next()
                if let arguments = self.arguments(position) { calls.append(arguments) }
                isAfterDot = false
                continue
            }
            self.checkIsNoPin(token, position)
            self.noteLanguage(token)
            isAfterDot = token == .sign(UInt8(ascii: "."))
        }
        return calls
    }

    private mutating func noteLanguage(_ token: Token) {
        if self.isAfterNew, token == .word("CertificatePinner") { self.languages.insert(.java) }
        if token == .word("val") || token == .word("fun") { self.languages.insert(.kotlin) }
        self.isAfterNew = token == .word("new")
    }

    /// Returns the comma-separated literals up to the closing parenthesis.
    private mutating func arguments(_ call: TextPosition) -> [OkHttpReader.Word]? {
        var arguments: [OkHttpReader.Word] = []
        var wantsComma = false
        while let (token, position) = self.next() {
            switch token {
            case .sign(UInt8(ascii: ")")) where !arguments.isEmpty: return arguments
            case .sign(UInt8(ascii: ",")) where wantsComma: wantsComma = false
            case .string(let text) where !wantsComma:
                arguments.append((text, position))
                wantsComma = true
            default:
                self.log.add(
                    .missingValue, "An argument of .add( is not a string literal.",
                    remedy: "Write the host and the pins themselves, and nothing else with .add(.", at: position)
                self.checkIsNoPin(token, position)
                return nil
            }
        }
        self.log.add(.malformedDocument, "A call of .add( has no end.", remedy: "Copy it again, whole.", at: call)
        return nil
    }

    /// Reports a pin outside a call, where it has no effect.
    private mutating func checkIsNoPin(_ token: Token, _ position: TextPosition) {
        switch token {
        case .string(let text) where Array(text.utf8).contains(OkHttpWord.pinPrefix.utf8): break
        case .word(let text) where OkHttpWord.pinPrefix.hasPrefix(text) && text.utf8.count > 3: break
        default: return
        }
        self.log.add(
            .invalidPin, "A pin is not an argument of .add(.",
            remedy: "Write it there as a string literal, or remove it.",
            at: position)
    }
}

// MARK: Tokens

extension OkHttpSourceScanner {
    private mutating func next() -> (Token, TextPosition)? {
        self.skip()
        guard self.index < self.bytes.count else { return nil }
        let (byte, position) = (self.bytes[self.index], self.position)
        if byte == UInt8(ascii: "\"") { return (.string(self.literal(byte, position)), position) }
        if byte == UInt8(ascii: "'") { return (.word(self.literal(byte, position)), position) }
        guard byte.isWordCharacter else {
            self.index += 1
            return (.sign(byte), position)
        }
        let word = self.bytes[self.index...].prefix { $0.isWordCharacter }
        self.index = word.endIndex
        return (.word(word.text), position)
    }

    private var position: TextPosition {
        mutating get { self.cursor.advance(to: self.source.offset(of: self.index)) }
    }

    private mutating func peeksParenthesis() -> Bool {
        self.skip()
        return self.index < self.bytes.count && self.bytes[self.index] == UInt8(ascii: "(")
    }

    /// Skips white space and comments.
    private mutating func skip() {
        while self.index < self.bytes.count {
            let rest = self.bytes[self.index...]
            if rest.starts(with: "//".utf8) {
                let (start, position) = (self.index, self.position)
                self.index = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? self.bytes.count
                self.log.checkComment(self.bytes[start..<self.index], at: position)
            } else if rest.starts(with: "/*".utf8) {
                self.skipBlockComment()
            } else if rest.first?.isSpace == true {
                self.index += 1
            } else {
                return
            }
        }
    }

    private mutating func skipBlockComment() {
        let (start, position) = (self.index, self.position)
        self.index += 2
        while self.index < self.bytes.count {
            if self.bytes[self.index...].starts(with: "*/".utf8) {
                self.index += 2
                self.log.checkComment(self.bytes[start..<self.index], at: position)
                return
            }
            self.index += 1
        }
        self.log.add(.malformedDocument, "A comment has no end.", remedy: "Add */ to it.", at: position)
    }

    /// Reads a string literal. Neither hosts nor pins contain a backslash or a Kotlin template.
    private mutating func literal(_ quote: UInt8, _ position: TextPosition) -> String {
        let content = self.bytes[(self.index + 1)...].prefix { $0 != quote && $0 != 0x0A && $0 != 0x0D }
        self.index = content.endIndex
        if content.contains(UInt8(ascii: "\\")) {
            self.log.add(.invalidValue, "A literal has a backslash.", remedy: "Write it without.", at: position)
        }
        guard self.index < self.bytes.count, self.bytes[self.index] == quote else {
            self.log.add(
                .malformedDocument, "A literal has no end on its line.", remedy: "Copy it again, whole.", at: position)
            return content.text
        }
        self.index += 1
        return content.text
    }
}

extension UInt8 {
    fileprivate var isWordCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), 0x80...: true
        default: false
        }
    }
}
