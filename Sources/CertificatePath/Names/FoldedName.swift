//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A distinguished name with everything gone that does not matter for its equality (RFC 5280 §7.1): string types, case,
/// white space, and the order of the attributes within a relative name.
///
/// Equal names have equal octets, so that names are looked up and compared without folding them again. Making one takes
/// n log n time in the size of the name, whatever it holds.
struct FoldedName: Sendable {
    private(set) var octets: [UInt8] = []
    /// The ends of the relative names in ``octets``, which follow from them.
    private(set) var ends: [Int] = []
    /// The places of the attributes of one relative name, while it is folded.
    private var attributes: [Range<Int>] = []

    /// Folds a name. One that cannot be read equals only itself, octet by octet.
    init(_ name: ByteRange, in bytes: Span<UInt8>) {
        self.octets.reserveCapacity(name.count + 16)
        do {
            var names = DERReader(name, in: bytes)
            while !names.isAtEnd {
                var attributes = try names.nested(.set, in: bytes)
                try self.append(&attributes, in: bytes)
            }
        } catch {
            // No name that can be read begins so: its first octets count the attributes of a relative name.
            self.octets = [0xFF]
            self.ends = []
            for index in name.lowerBound..<name.upperBound { self.octets.append(bytes[index]) }
        }
    }

    /// Whether the name is equal to another, or longer with the other's relative names in front (RFC 5280 §7.1).
    func isWithin(_ subtree: FoldedName) -> Bool {
        let count = subtree.octets.count
        guard self.octets.count != count else { return self == subtree }
        return (count == 0 || self.ends.contains(count)) && self.octets.starts(with: subtree.octets)
    }

    /// Lengths stand before everything, so that no name is the beginning of another by chance.
    private mutating func append(_ reader: inout DERReader, in bytes: Span<UInt8>) throws(DERError) {
        self.attributes.removeAll(keepingCapacity: true)
        let start = self.beginLength()
        while !reader.isAtEnd {
            let attribute = try DistinguishedName.Attribute(from: &reader, in: bytes)
            let place = self.beginLength()
            self.set(attribute.type.count, at: self.beginLength())
            for index in attribute.type.lowerBound..<attribute.type.upperBound { self.octets.append(bytes[index]) }
            attribute.appendValue(in: bytes, to: &self.octets)
            self.set(self.octets.count - place - Self.lengthSize, at: place)
            self.attributes.append(place..<self.octets.count)
        }
        self.set(self.attributes.count, at: start)
        self.sortAttributes()
        self.ends.append(self.octets.count)
    }

    private mutating func sortAttributes() {
        guard let start = self.attributes.first?.lowerBound, self.attributes.count > 1 else { return }
        // A copy of these attributes alone: one of the name for each relative name would cost its square.
        let folded = Array(self.octets[start...])
        let places = self.attributes.map { $0.lowerBound - start..<$0.upperBound - start }
        let sorted = places.sorted { folded[$0].lexicographicallyPrecedes(folded[$1]) }
        guard sorted != places else { return }
        self.octets.removeSubrange(start...)
        for place in sorted { self.octets += folded[place] }
    }

    private static let lengthSize = 4

    private mutating func beginLength() -> Int {
        defer { for _ in 0..<Self.lengthSize { self.octets.append(0) } }
        return self.octets.count
    }

    private mutating func set(_ length: Int, at place: Int) {
        for index in 0..<Self.lengthSize {
            self.octets[place + index] = UInt8(truncatingIfNeeded: length &>> (24 &- 8 &* index))
        }
    }
}

extension FoldedName: Hashable {
    static func == (left: FoldedName, right: FoldedName) -> Bool { left.octets == right.octets }

    func hash(into hasher: inout Hasher) {
        // As a whole: the array would be hashed octet by octet.
        unsafe self.octets.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension DistinguishedName.Attribute {
    /// A mark before the value keeps a string from being taken for another value with the same octets.
    fileprivate func appendValue(in bytes: Span<UInt8>, to folded: inout [UInt8]) {
        guard var characters = FoldedCharacters(tag: self.tag, content: self.value, in: bytes) else {
            folded.append(1)
            folded.append(self.tag.octet)
            for index in self.value.lowerBound..<self.value.upperBound { folded.append(bytes[index]) }
            return
        }
        folded.append(0)
        while let character = characters.next(in: bytes) { Self.append(character, to: &folded) }
    }

    /// As UTF-8 does, so that no two sequences of characters have the same octets. What is no scalar has a mark of its own.
    @inline(__always)
    private static func append(_ character: UInt32, to folded: inout [UInt8]) {
        guard character >= 0x80 else { return folded.append(UInt8(truncatingIfNeeded: character)) }
        if character < 0x800 {
            folded.append(0xC0 | UInt8(truncatingIfNeeded: character &>> 6))
        } else if character < 0x1_0000 {
            folded.append(0xE0 | UInt8(truncatingIfNeeded: character &>> 12))
            folded.append(0x80 | UInt8(truncatingIfNeeded: character &>> 6) & 0x3F)
        } else {
            folded.append(0xFF)
            for shift: UInt32 in [24, 16, 8] { folded.append(UInt8(truncatingIfNeeded: character &>> shift)) }
            return folded.append(UInt8(truncatingIfNeeded: character))
        }
        folded.append(0x80 | UInt8(truncatingIfNeeded: character) & 0x3F)
    }
}
