//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension PinningDialect {
    /// What a file is written in, told by words that only one dialect has; `nil` without such words, and for a property list with
    /// the pins of two dialects, which both hold for the app.
    ///
    /// A guess to spare people an option. Whatever is guessed, the reader of that dialect has the last word.
    ///
    /// - Parameter bytes: The contents of the file.
    public static func detected(in bytes: [UInt8]) -> PinningDialect? {
        // The words of a property list stand in its binary form as they are.
        let searched = bytes.prefix(Self.searched)
        guard !Self.hasTwoSections(bytes) else { return nil }
        for (word, dialect) in Self.words where searched.contains(word) { return dialect }
        guard searched.contains("sha256/") || searched.contains("sha1/") else { return nil }
        // No code begins so: the reader of JSON says what an object without its format lacks.
        if Self.looksLikeJSON(bytes) { return .json }
        return searched.hasCurlPin ? .curl : .okhttp
    }

    /// Whether a property list may have pins of Apple's systems beside those of TrustKit.
    package static func hasTwoSections(_ bytes: [UInt8]) -> Bool {
        let searched = bytes.prefix(Self.searched)
        return searched.contains("TSKPinnedDomains") && searched.contains("NSPinnedDomains")
    }

    /// Whether an object begins with a name in quotation marks.
    private static func looksLikeJSON(_ bytes: [UInt8]) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0).lazy.filter { $0 > 0x20 }
        return text.starts(with: "{\"".utf8)
    }

    private static let searched = 4 << 20

    /// In the order of how sure they make. Pins alone come last: they may stand in comments of the others.
    private static let words: [(String, PinningDialect)] = [
        ("servertrust.pins/", .json), ("<network-security-config", .android), ("TSKPinnedDomains", .trustkit),
        ("NSPinnedDomains", .ios), ("pinnedpubkey", .curl),
    ]
}

extension ArraySlice<UInt8> {
    fileprivate func contains(_ word: String) -> Bool { self.end(of: Array(word.utf8)) != nil }

    /// Returns the place behind the first of some octets. The standard library's search takes ten times as long for each.
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

    /// Whether there is a pin with curl's two slashes. The second may be the first of the digest's 44 characters, as one
    /// digest in 64 has it; then the `=` at their end comes a character sooner.
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
