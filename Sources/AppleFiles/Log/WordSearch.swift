//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A search for the first of several words that skips positions at which no word can start (S. Wu and U. Manber, "A fast algorithm
/// for multi-pattern searching", 1994).
struct WordSearch: Sendable {
    private let words: [[UInt8]]
    private let length: Int
    /// The number of octets to skip for the last two octets of a window, indexed by ``key(_:_:)``.
    private let steps: [UInt8]

    /// Creates a search.
    ///
    /// - Parameter words: One or more words of at least three octets each.
    init(_ words: [String]) {
        self.words = words.map { Array($0.utf8) }
        self.length = min(self.words.map(\.count).min() ?? 3, 255)
        var steps = [UInt8](repeating: UInt8(self.length - 1), count: 1 << 16)
        for word in self.words {
            for end in 1..<self.length {
                let key = Self.key(word[end - 1], word[end])
                steps[key] = min(steps[key], UInt8(self.length - 1 - end))
            }
        }
        self.steps = steps
    }

    /// Returns the offset of the first occurrence of a word at or after `start`, or `nil` if there is none.
    func first(in octets: UnsafeRawBufferPointer, from start: Int) -> Int? {
        self.steps.withUnsafeBufferPointer { steps in
            var end = start + self.length - 1
            while end < octets.count {
                // One load reads both octets. For nearly every position this is the only work.
                let pair = UInt16(littleEndian: octets.loadUnaligned(fromByteOffset: end - 1, as: UInt16.self))
                let step = Int(steps[Int(pair)])
                if step > 0 {
                    end += step
                } else {
                    let offset = end - self.length + 1
                    if self.begins(in: octets, at: offset) { return offset }
                    end += 1
                }
            }
            return nil
        }
    }

    private func begins(in octets: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        self.words.contains { word in
            word.count <= octets.count - offset && word.indices.allSatisfy { octets[offset + $0] == word[$0] }
        }
    }

    private static func key(_ first: UInt8, _ second: UInt8) -> Int { Int(first) | Int(second) << 8 }
}
