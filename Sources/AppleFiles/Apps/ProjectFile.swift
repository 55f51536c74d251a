//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ConfigurationDocuments

/// An Xcode project file (project.pbxproj) with the settings that generate an Info.plist: `INFOPLIST_KEY_…` and `INFOPLIST_FILE`.
struct ProjectFile {
    private let path: String
    private var scanner: OpenStepScanner

    /// The largest project file that is read, in octets.
    static let maximumSize = 32 << 20
    private static let maximumSettings = 10_000
    private static let maximumValues = 100

    init(_ path: String, _ octets: [UInt8]) { (self.path, self.scanner) = (path, OpenStepScanner(octets)) }

    static func isProject(_ octets: [UInt8]) -> Bool { octets.starts(with: "// !$*UTF8*$!".utf8) }

    /// Returns the settings as an Info.plist. The Info.plist files of the project are separate files, which the note names.
    func propertyList() throws(InfoPropertyListError) -> AppPropertyList {
        var scanner = self.scanner
        var entries: [DocumentEntry] = []
        var files: [String] = []
        var knownFiles: Set<String> = []
        while let word = try scanner.nextWord() {
            let isKey = word.text.hasPrefix(Self.keyPrefix)
            guard isKey || word.text == "INFOPLIST_FILE", scanner.takeEquals() else { continue }
            let value = try scanner.value(depth: 0)
            guard entries.count + files.count < Self.maximumSettings else {
                throw InfoPropertyListError("the project has more than \(Self.maximumSettings) settings", at: nil)
            }
            if isKey {
                let key = String(word.text.dropFirst(Self.keyPrefix.count))
                entries.append(DocumentEntry(key: key, keyPosition: word.position, value: value))
            } else if let file = value.string, knownFiles.insert(file).inserted {
                files.append(file)
            }
        }
        let note =
            files.isEmpty
            ? "The project makes its Info.plist of these settings alone."
            : "The project's Info.plists: \(files.joined(separator: ", ")). They hold beside these settings."
        let result = AppPropertyList.result { () throws(InfoPropertyListError) in
            try InfoPropertyList(DocumentNode(.dictionary(Self.joined(entries)), at: nil))
        }
        return AppPropertyList(self.path, .project, result: result, note: note)
    }

    private static let keyPrefix = "INFOPLIST_KEY_"

    /// Merges the settings of all configurations and removes duplicates.
    ///
    /// Xcode writes keys of a dictionary with an underscore in between: `NSAppTransportSecurity_NSAllowsArbitraryLoads`.
    private static func joined(_ entries: [DocumentEntry]) -> [DocumentEntry] {
        var joined: [DocumentEntry] = []
        let prefix = "NSAppTransportSecurity_"
        var nested: [DocumentEntry] = []
        var known: [String: [DocumentNode]] = [:]
        for entry in entries {
            let isNested = entry.key.hasPrefix(prefix)
            let key = isNested ? String(entry.key.dropFirst(prefix.count)) : entry.key
            let plain = DocumentEntry(key: key, keyPosition: entry.keyPosition, value: entry.value)
            // A key has at most one value for each configuration, and a project has few configurations.
            let values = known[entry.key] ?? []
            guard values.count < Self.maximumValues, !values.contains(where: { $0.value == entry.value.value }) else {
                continue
            }
            known[entry.key] = values + [entry.value]
            if isNested { nested.append(plain) } else { joined.append(plain) }
        }
        if let first = nested.first {
            let value = DocumentNode(.dictionary(nested), at: first.keyPosition)
            joined.append(DocumentEntry(key: "NSAppTransportSecurity", keyPosition: first.keyPosition, value: value))
        }
        return joined
    }
}

/// A scanner for OpenStep property lists: words, quoted strings, `{ key = value; }` and `( value, value )`.
struct OpenStepScanner {
    private let octets: [UInt8]
    private var offset = 0
    private var cursor: TextCursor
    private var nodes = 0

    private static let maximumDepth = 32
    private static let maximumNodes = 100_000

    init(_ octets: [UInt8]) { (self.octets, self.cursor) = (octets, TextCursor(octets)) }

    /// Returns the next word or quoted string and skips everything else. Returns `nil` at the end.
    mutating func nextWord() throws(InfoPropertyListError) -> (text: String, position: TextPosition)? {
        while true {
            self.skipSpace()
            guard let octet = self.next else { return nil }
            if octet == UInt8(ascii: "\"") || Self.isOfWord(octet) {
                let start = self.offset
                let text = try self.text()
                // Positions are computed only for the few words that need one.
                guard text.hasPrefix("INFOPLIST_") else { return (text, TextPosition(line: 0, column: 0)) }
                return (text, self.cursor.advance(to: start))
            }
            self.offset += 1
        }
    }

    mutating func takeEquals() -> Bool {
        self.skipSpace()
        guard self.next == UInt8(ascii: "=") else { return false }
        self.offset += 1
        return true
    }

    mutating func value(depth: Int) throws(InfoPropertyListError) -> DocumentNode {
        self.nodes += 1
        guard depth < Self.maximumDepth, self.nodes < Self.maximumNodes else {
            throw InfoPropertyListError("the project nests too deep. Let Xcode write it again", at: nil)
        }
        self.skipSpace()
        let position = self.cursor.advance(to: self.offset)
        switch self.next {
        case UInt8(ascii: "{"): return DocumentNode(.dictionary(try self.entries(depth)), at: position)
        case UInt8(ascii: "("): return DocumentNode(.array(try self.elements(depth)), at: position)
        default: return DocumentNode(.string(try self.text()), at: position)
        }
    }

    private mutating func entries(_ depth: Int) throws(InfoPropertyListError) -> [DocumentEntry] {
        self.offset += 1
        var entries: [DocumentEntry] = []
        while true {
            self.skipSpace()
            if self.take("}") { return entries }
            let position = self.cursor.advance(to: self.offset)
            let key = try self.text()
            guard self.takeEquals() else { throw self.malformed }
            entries.append(DocumentEntry(key: key, keyPosition: position, value: try self.value(depth: depth + 1)))
            self.skipSpace()
            guard self.take(";") else { throw self.malformed }
        }
    }

    private mutating func elements(_ depth: Int) throws(InfoPropertyListError) -> [DocumentNode] {
        self.offset += 1
        var elements: [DocumentNode] = []
        while true {
            self.skipSpace()
            if self.take(")") { return elements }
            elements.append(try self.value(depth: depth + 1))
            self.skipSpace()
            if !self.take(",") {
                guard self.take(")") else { throw self.malformed }
                return elements
            }
        }
    }

    private mutating func text() throws(InfoPropertyListError) -> String {
        guard let first = self.next else { throw self.malformed }
        guard first == UInt8(ascii: "\"") else {
            let word = self.octets[self.offset...].prefix(while: Self.isOfWord)
            guard !word.isEmpty else { throw self.malformed }
            self.offset += word.count
            return String(decoding: word, as: UTF8.self)
        }
        self.offset += 1
        var text: [UInt8] = []
        while let octet = self.next, octet != UInt8(ascii: "\"") {
            self.offset += 1
            if octet == UInt8(ascii: "\\"), let escaped = self.next {
                text.append(escaped == UInt8(ascii: "n") ? 0x0A : escaped)
                self.offset += 1
            } else {
                text.append(octet)
            }
        }
        guard self.take("\"") else { throw self.malformed }
        return String(decoding: text, as: UTF8.self)
    }

    private var next: UInt8? { self.offset < self.octets.count ? self.octets[self.offset] : nil }

    private mutating func take(_ sign: Unicode.Scalar) -> Bool {
        guard self.next == UInt8(ascii: sign) else { return false }
        self.offset += 1
        return true
    }

    private var malformed: InfoPropertyListError {
        InfoPropertyListError(
            "the project is not written as Xcode writes it. Let Xcode write it again",
            at: TextCursor.position(of: self.offset, in: self.octets))
    }

    /// Skips white space and comments.
    private mutating func skipSpace() {
        while let octet = self.next {
            if octet <= 0x20 {
                self.offset += 1
            } else if self.octets[self.offset...].starts(with: "/*".utf8) {
                self.offset += 2
                while self.offset < self.octets.count, !self.octets[self.offset...].starts(with: "*/".utf8) {
                    self.offset += 1
                }
                self.offset = min(self.offset + 2, self.octets.count)
            } else if self.octets[self.offset...].starts(with: "//".utf8) {
                while let octet = self.next, octet != 0x0A {
                    _ = octet
                    self.offset += 1
                }
            } else {
                return
            }
        }
    }

    private static func isOfWord(_ octet: UInt8) -> Bool {
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/"),
            UInt8(ascii: "$"), UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "+"):
            true
        default: false
        }
    }
}
