//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A canonical Huffman code, made from the lengths of its words (RFC 1951 §3.2.2).
struct HuffmanCode: Sendable {
    /// The longest word.
    static let maximumLength = 15
    /// Words of up to so many bits are looked up at once.
    private static let tableBits = 9

    /// How many words have each length.
    private var counts = [Int](repeating: 0, count: Self.maximumLength + 1)
    /// The symbols, by the order of their words.
    private var symbols: [UInt16] = []
    /// For the next bits of the input: length and symbol of the word that they begin with; length 0 for longer words.
    private var table = [(length: UInt8, symbol: UInt16)](repeating: (0, 0), count: 1 << Self.tableBits)

    /// A code; `nil` for lengths that no code has.
    ///
    /// - Parameters:
    ///   - lengths: The length of each symbol's word, 0 through 15; 0 for a symbol without one.
    ///   - mayBeIncomplete: Whether it may have no word, or a single one of one bit (§3.2.7, on distances).
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

    /// The bits of a word in the order of the input, which has the first one lowest.
    private static func reversed(_ word: Int, _ length: Int) -> Int {
        (0..<length).reduce(0) { $0 << 1 | (word >> $1) & 1 }
    }

    /// Reads one symbol.
    ///
    /// - Throws: ``InflateError`` when the input ends, or begins with no word of the code.
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
