//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension PinningDialect {
    /// What a file is written in, told by words that only one dialect has; `nil` when there is none.
    ///
    /// A guess to spare people an option. Whatever is guessed, the reader of that dialect has the last word.
    ///
    /// - Parameter bytes: The contents of the file.
    public static func detected(in bytes: [UInt8]) -> PinningDialect? {
        // The words of a property list stand in its binary form as they are.
        for (word, dialect) in Self.words where bytes.prefix(Self.searched).contains(word) {
            guard dialect == .json else { return dialect }
            return bytes.first { $0 > 0x20 } == UInt8(ascii: "{") ? .json : .yaml
        }
        return nil
    }

    private static let searched = 4 << 20

    /// In the order of how sure they make: curl's and OkHttp's pins may stand in comments of the others.
    private static let words: [(String, PinningDialect)] = [
        ("servertrust.pins/", .json), ("<network-security-config", .android), ("TSKPinnedDomains", .trustkit),
        ("NSPinnedDomains", .ios), ("pinnedpubkey", .curl), ("sha256//", .curl), ("sha256/", .okhttp),
        ("sha1/", .okhttp),
    ]
}

extension ArraySlice<UInt8> {
    fileprivate func contains(_ word: String) -> Bool { self.firstRange(of: Array(word.utf8)) != nil }
}
