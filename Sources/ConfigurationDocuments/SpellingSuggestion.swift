//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A suggestion for a misspelled word.
package enum SpellingSuggestion {
    /// Returns the word closest to a text, or `nil` if more than two letters differ. Of several equally close words the first wins.
    package static func closest(to text: String, in words: [String]) -> String? {
        let text = Array(text.utf8.prefix(Self.maximumLength + 1))
        guard text.count <= Self.maximumLength else { return nil }
        var nearest: (word: String, distance: Int)?
        for word in words {
            let distance = Self.distance(text, Array(word.utf8))
            // Short words are close to any text.
            guard distance <= 2, distance * 2 < word.utf8.count, distance < nearest?.distance ?? .max else { continue }
            nearest = (word, distance)
        }
        return nearest?.word
    }

    /// The maximum length of a text in bytes, longer than any key.
    private static let maximumLength = 64

    /// Returns the number of letters to change, add, remove, or swap with the next (optimal string alignment), ignoring case.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard abs(left.count - right.count) <= 2 else { return .max }
        let (left, right) = (left.map(\.lowercased), right.map(\.lowercased))
        var (before, above) = ([Int](), Array(0...right.count))
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var least = min(above[column] + (isSame ? 0 : 1), above[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    least = min(least, before[column - 1] + 1)
                }
                current.append(least)
            }
            (before, above) = (above, current)
        }
        return above[right.count]
    }
}

extension UInt8 {
    fileprivate var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
