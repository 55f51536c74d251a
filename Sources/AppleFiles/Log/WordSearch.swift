//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Finds the first of several words, and goes over what cannot hold one (S. Wu and U. Manber, "A fast algorithm for
/// multi-pattern searching", 1994).
struct WordSearch: Sendable {
    private let words: [[UInt8]]
    /// The length of the shortest word.
    private let length: Int
    /// The step at a window that ends with two octets, by ``key(_:_:)`` of those.
    private let steps: [UInt8]

    /// - Parameter words: At least one, of three octets or more each.
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

    /// The offset of the first word from an offset on; `nil` without one.
    func first(in octets: UnsafeRawBufferPointer, from start: Int) -> Int? {
        self.steps.withUnsafeBufferPointer { steps in
            var end = start + self.length - 1
            while end < octets.count {
                // Both octets in one load: this is all that is done for nearly every place.
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
