//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

extension PinningDialect {
    /// Guesses the dialect of a file by words that only one dialect has. Returns `nil` if the file has no such words, or if a
    /// property list has the pins of two dialects, which both apply to the app.
    ///
    /// The guess spares people an option. The reader of the guessed dialect still checks the file.
    ///
    /// - Parameter bytes: The contents of the file.
    public static func detected(in bytes: [UInt8]) -> PinningDialect? {
        let sections = Self.sections(of: bytes)
        guard sections.count < 2 else { return nil }
        if let dialect = sections.first { return dialect }
        let searched = bytes.prefix(Self.searched)
        for (word, dialect) in Self.words where searched.contains(word) { return dialect }
        guard searched.contains("sha256/") || searched.contains("sha1/") else { return nil }
        // No source code begins with `{"`. The JSON reader reports a missing format name.
        if Self.looksLikeJSON(bytes) { return .json }
        return searched.hasCurlPin ? .curl : .okhttp
    }

    /// Returns `true` if a property list may have both `NSPinnedDomains` and TrustKit pins.
    package static func hasTwoSections(_ bytes: [UInt8]) -> Bool {
        Self.sections(of: bytes).count == 2
    }

    /// Returns the dialects of the sections of a property list, or of a fragment of one.
    private static func sections(of bytes: [UInt8]) -> Set<PinningDialect> {
        guard Self.mayBePropertyList(bytes), let list = try? PropertyListDocument.parse(bytes) else {
            let searched = bytes.prefix(Self.searched)
            return Set(Self.sections.filter { searched.contains($0.key) }.values)
        }
        var (found, open) = (Set<PinningDialect>(), [list])
        while let node = open.popLast() {
            for entry in node.dictionary ?? [] {
                if let dialect = Self.sections[entry.key] { found.insert(dialect) }
                open.append(entry.value)
            }
            open += node.array ?? []
        }
        return found
    }

    /// Returns `true` if the beginning is one of a property list or of a fragment of one. Other large files, such as pages, are not
    /// parsed.
    private static func mayBePropertyList(_ bytes: [UInt8]) -> Bool {
        let beginning = bytes.prefix(1_024)
        let isObject = beginning.first { $0 > 0x20 && $0 < 0x80 } == UInt8(ascii: "{")
        return isObject || ["bplist", "plist", "<dict", "<key"].contains { beginning.contains($0) }
    }

    private static let sections: [String: PinningDialect] = [
        "NSPinnedDomains": .ios, "TSKPinnedDomains": .trustkit,
    ]

    /// Returns `true` if the text begins with a JSON object and a quoted name.
    private static func looksLikeJSON(_ bytes: [UInt8]) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0).lazy.filter { $0 > 0x20 }
        return text.starts(with: "{\"".utf8)
    }

    private static let searched = 4 << 20

    /// The words of each dialect, the most reliable first. Bare pins are checked last, because they may occur in comments of
    /// other dialects.
    private static let words: [(String, PinningDialect)] = [
        ("servertrust.pins/", .json), ("<network-security-config", .android), ("TSKPinnedDomains", .trustkit),
        ("NSPinnedDomains", .ios), ("pinnedpubkey", .curl),
    ]
}

extension ArraySlice<UInt8> {
    fileprivate func contains(_ word: String) -> Bool { self.end(of: Array(word.utf8)) != nil }

    /// Returns the index after the first occurrence of a word. The standard library's search takes ten times as long.
    private func end(of word: [UInt8]) -> Int? {
        guard let first = word.first else { return self.startIndex }
        var rest = self
        while let place = rest.firstIndex(of: first) {
            rest = rest[place...]
            guard rest.count >= word.count else { return nil }
            if rest.prefix(word.count).elementsEqual(word) { return place + word.count }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// `true` if there is a pin with curl's two slashes. The second slash may also be the first of the digest's 44 characters, as
    /// in one digest of 64. The `=` at the end of the digest then comes one character sooner.
    fileprivate var hasCurlPin: Bool {
        let word = Array("sha256//".utf8)
        var rest = self
        while let end = rest.end(of: word) {
            rest = rest[end...]
            if rest.dropFirst(43).first == UInt8(ascii: "=") { return true }
        }
        return false
    }
}
