//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A canonical Huffman code, built from the lengths of its words (RFC 1951 §3.2.2).
struct HuffmanCode: Sendable {
    /// The length of the longest word, in bits.
    static let maximumLength = 15
    /// The longest word that the table resolves in one step, in bits.
    private static let tableBits = 9

    private var counts = [Int](repeating: 0, count: Self.maximumLength + 1)
    private var symbols: [UInt16] = []
    /// The length and the symbol of the word that the next bits begin with. The length is 0 for words too long for the table.
    private var table = [(length: UInt8, symbol: UInt16)](repeating: (0, 0), count: 1 << Self.tableBits)

    /// Creates a code, or returns `nil` if no code has these lengths.
    ///
    /// - Parameters:
    ///   - lengths: The length of each symbol's word, 0 through 15. A symbol of length 0 has no word.
    ///   - mayBeIncomplete: `true` if the code may have no word, or a single word of one bit (§3.2.7, on distances).
    init?(lengths: some Collection<UInt8>, mayBeIncomplete: Bool = true) {
        for length in lengths { self.counts[Int(length)] += 1 }
        let words = lengths.count - self.counts[0]
        self.counts[0] = 0
        var unused = 1
        for count in self.counts.dropFirst() {
            unused = unused * 2 - count
            guard unused >= 0 else { return nil }
        }
        let isSmall = words == 0 || (words == 1 && self.counts[1] == 1)
        guard unused == 0 || (mayBeIncomplete && isSmall) else { return nil }
        self.sort(lengths)
        self.fillTable(lengths)
    }

    private mutating func sort(_ lengths: some Collection<UInt8>) {
        var offsets = [0, 0]
        for count in self.counts.dropFirst() { offsets.append((offsets.last ?? 0) + count) }
        self.symbols = [UInt16](repeating: 0, count: offsets.last ?? 0)
        for (symbol, length) in lengths.enumerated() where length != 0 {
            self.symbols[offsets[Int(length)]] = UInt16(symbol)
            offsets[Int(length)] += 1
        }
    }

    private mutating func fillTable(_ lengths: some Collection<UInt8>) {
        var (word, index) = (0, 0)
        for length in 1...Self.tableBits {
            for _ in 0..<self.counts[length] {
                let reversed = Self.reversed(word, length)
                for entry in stride(from: reversed, to: self.table.count, by: 1 << length) {
                    self.table[entry] = (UInt8(length), self.symbols[index])
                }
                (word, index) = (word + 1, index + 1)
            }
            word <<= 1
        }
    }

    /// Reverses the bits of a word, as the input has the first bit lowest.
    private static func reversed(_ word: Int, _ length: Int) -> Int {
        (0..<length).reduce(0) { $0 << 1 | (word >> $1) & 1 }
    }

    /// Reads one symbol.
    ///
    /// - Throws: ``InflateError`` if the input ends, or if it does not begin with a word of the code.
    func symbol(_ input: inout BitReader) throws(InflateError) -> Int {
        let entry = self.table[input.peek(Self.tableBits)]
        guard entry.length == 0 else {
            try input.skip(Int(entry.length))
            return Int(entry.symbol)
        }
        var (word, first, index) = (0, 0, 0)
        for count in self.counts.dropFirst() {
            word |= try input.bits(1)
            if word - count < first { return Int(self.symbols[index + word - first]) }
            index += count
            first = (first + count) << 1
            word <<= 1
        }
        throw .malformed
    }
}
