//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A distinguished name in the form that decides its equality (RFC 5280 §7.1).
///
/// String types, case, white space and the order of the attributes within a relative name are gone. Equal names have
/// equal octets, so names are looked up and compared without folding them again. Folding a name takes n log n time in
/// its size, whatever it contains.
struct FoldedName: Sendable {
    private(set) var octets: [UInt8] = []
    /// The ends of the relative names in ``octets``. Equal octets have equal ends.
    private(set) var ends: [Int] = []
    /// The ranges of the attributes of the relative name that is being folded.
    private var attributes: [Range<Int>] = []

    /// Folds a name. A name that cannot be parsed equals only itself, octet by octet.
    init(_ name: ByteRange, in bytes: Span<UInt8>) {
        self.octets.reserveCapacity(name.count + 16)
        do {
            var names = DERReader(name, in: bytes)
            while !names.isAtEnd {
                var attributes = try names.nested(.set, in: bytes)
                try self.append(&attributes, in: bytes)
            }
        } catch {
            // No parsed name begins with 0xFF: its first octets count the attributes of a relative name.
            self.octets = [0xFF]
            self.ends = []
            for index in name.lowerBound..<name.upperBound { self.octets.append(bytes[index]) }
        }
    }

    /// Returns `true` if the name begins with all relative names of another (RFC 5280 §7.1). Equal names are within each other.
    func isWithin(_ subtree: FoldedName) -> Bool {
        let count = subtree.octets.count
        guard self.octets.count != count else { return self == subtree }
        return (count == 0 || self.ends.contains(count)) && self.octets.starts(with: subtree.octets)
    }

    /// Appends a relative name. Every part has its length in front, so that no name is the prefix of another by chance.
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
        // A copy of these attributes only. Copying the whole name for each relative name would take quadratic time.
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
        // The octets in one call. `Array` would hash them one by one.
        unsafe self.octets.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension DistinguishedName.Attribute {
    /// Appends a value. A mark before it distinguishes a string from another value with the same octets.
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

    /// Appends a character as UTF-8 does, so that no two sequences of characters have the same octets. A value that is
    /// no scalar follows the mark 0xFF.
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
