//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A strict decoder of standard Base64 (RFC 4648 §4) that takes one line at a time. It only ignores spaces and tabs.
struct Base64Decoder {
    private(set) var count = 0
    /// The decoded octets with spare room, as appending octets one by one takes longer than decoding.
    private var storage: [UInt8]
    private var buffer: UInt32 = 0
    private var bufferedBits = 0
    private var padding = 0

    init(capacity: Int) {
        self.storage = [UInt8](repeating: 0, count: capacity)
    }

    var output: [UInt8] { Array(self.storage[..<self.count]) }

    /// Decodes some characters. Returns `false` if one of them is not Base64.
    mutating func append(_ characters: ArraySlice<UInt8>) -> Bool {
        self.makeRoom(for: characters.count)
        let whole = self.bufferedBits == 0 && self.padding == 0 ? self.appendQuartets(of: characters) : 0
        return self.appendSingly(characters.dropFirst(whole))
    }

    private mutating func makeRoom(for characters: Int) {
        let size = self.storage.count
        guard self.count + characters > size else { return }
        self.storage.append(contentsOf: repeatElement(0, count: max(characters, size)))
    }

    /// Decodes groups of four characters, up to the first group with another character. Returns the number of decoded characters.
    private mutating func appendQuartets(of characters: ArraySlice<UInt8>) -> Int {
        let table = Self.values
        let (characters, values) = (characters.span, table.span)
        var (index, end) = (0, self.count)
        var output = self.storage.mutableSpan
        while characters.count - index >= 4 {
            let first = values[Int(characters[index])]
            let second = values[Int(characters[index + 1])]
            let third = values[Int(characters[index + 2])]
            let fourth = values[Int(characters[index + 3])]
            guard first | second | third | fourth < 64 else { break }
            output[end] = first << 2 | second >> 4
            output[end + 1] = second << 4 | third >> 2
            output[end + 2] = third << 6 | fourth
            index += 4
            end += 3
        }
        self.count = end
        return index
    }

    private mutating func appendSingly(_ characters: ArraySlice<UInt8>) -> Bool {
        for character in characters {
            let value = Self.values[Int(character)]
            if value < 64 {
                guard self.padding == 0 else { return false }
                self.buffer = self.buffer << 6 | UInt32(value)
                self.bufferedBits += 6
                guard self.bufferedBits >= 8 else { continue }
                self.bufferedBits -= 8
                self.storage[self.count] = UInt8(truncatingIfNeeded: self.buffer >> UInt32(self.bufferedBits))
                self.count += 1
            } else if character == UInt8(ascii: "=") {
                self.padding += 1
            } else if character != 0x20, character != 0x09 {
                return false
            }
        }
        return true
    }

    /// Returns `true` if the text is complete: its padding is right, and unused bits are zero.
    func finish() -> Bool {
        let leftover = self.buffer & (1 << UInt32(self.bufferedBits) - 1)
        let expectedPadding = self.bufferedBits == 0 ? 0 : self.bufferedBits / 2
        return self.bufferedBits < 6 && leftover == 0 && self.padding == expectedPadding
    }

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, character) in alphabet.utf8.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()
}
