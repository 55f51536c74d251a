//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if YAML

import ConfigurationDocuments

/// Refuses what Yams must not see: aliases together with keys that are collections, many keys within keys, and brackets
/// within hundreds of brackets.
///
/// Yams compares a mapping's keys while it reads, and an alias as a key is compared with all that it stands for, which
/// twenty lines can make more than a machine can hold; a key within a key is compared with every one around it. Aliases
/// among values cost nothing before they are walked over. What only looks like it, in a comment or a quoted text, is
/// refused as well: nothing else is known about the text yet.
enum YAMLPreflight {
    /// The most `?` that may begin a key; only those can make a key longer than 1,024 characters.
    private static let maximumExplicitKeys = 8
    /// The most brackets that may be open.
    private static let maximumBrackets = 128

    static func check(_ bytes: [UInt8]) throws(DocumentError) {
        var explicitKeys = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "?") && Self.mayBeginToken(at: index, bytes) {
            explicitKeys += 1
            guard explicitKeys > Self.maximumExplicitKeys else { continue }
            throw DocumentError(
                .unsupported("more than \(Self.maximumExplicitKeys) keys are written with \"?\"; write \"key: value\""),
                TextCursor.position(of: index, in: bytes)
            )
        }
        try Self.checkAliases(bytes)
        try Self.checkBrackets(bytes)
    }

    /// For every token libyaml walks over all collections that are open in brackets. Brackets in texts count as
    /// well: no text leaves hundreds of them open.
    private static func checkBrackets(_ bytes: [UInt8]) throws(DocumentError) {
        var depth = 0
        for (offset, byte) in bytes.enumerated() {
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(0, depth - 1)
            default: continue
            }
            guard depth > Self.maximumBrackets else { continue }
            throw DocumentError(.tooDeep(limit: Self.maximumBrackets), TextCursor.position(of: offset, in: bytes))
        }
    }

    private static func checkAliases(_ bytes: [UInt8]) throws(DocumentError) {
        guard Self.hasName(after: UInt8(ascii: "&"), bytes), Self.hasName(after: UInt8(ascii: "*"), bytes),
            let offset = Self.firstCollectionKey(in: bytes)
        else { return }
        throw DocumentError(
            .unsupported("aliases and keys that are not plain texts are not read together; write the keys out"),
            TextCursor.position(of: offset, in: bytes)
        )
    }

    private static func hasName(after indicator: UInt8, _ bytes: [UInt8]) -> Bool {
        zip(bytes, bytes.dropFirst()).contains { $0 == indicator && $1.isAnchorCharacter }
    }

    /// Where there is a `?` that may begin a key, or a `:` after what may be an alias or the end of a collection.
    private static func firstCollectionKey(in bytes: [UInt8]) -> Int? {
        bytes.indices.first { index in
            switch bytes[index] {
            case UInt8(ascii: "?"): Self.mayBeginToken(at: index, bytes)
            case UInt8(ascii: ":"): Self.mayFollowCollection(at: index, bytes)
            default: false
            }
        }
    }

    private static func mayBeginToken(at index: Int, _ bytes: [UInt8]) -> Bool {
        index == 0 || bytes[index - 1].isWhitespace || "[]{},:-?\"'".utf8.contains(bytes[index - 1])
            // The last octet of U+0085, U+2028 and U+2029, which libyaml takes for ends of lines.
            || [0x85, 0xA8, 0xA9].contains(bytes[index - 1])
    }

    private static func mayFollowCollection(at index: Int, _ bytes: [UInt8]) -> Bool {
        // libyaml takes only what is on the same line, and 1,024 characters back, for a key.
        let line = bytes[max(0, index - 4_096)..<index].reversed().drop { $0 == 0x20 || $0 == 0x09 }
        guard let last = line.first else { return false }
        if last == UInt8(ascii: "]") || last == UInt8(ascii: "}") { return true }
        return line.first { !$0.isAnchorCharacter } == UInt8(ascii: "*")
    }
}

extension UInt8 {
    /// Whether libyaml takes it for a part of an anchor's name.
    fileprivate var isAnchorCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: false
        }
    }
}

#endif
