//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A distinguished name with everything gone that does not matter for its equality (RFC 5280 §7.1): string types, case,
/// white space, and the order of the attributes within a relative name.
///
/// Equal names have equal octets, so that names are looked up and compared without folding them again. Making one takes
/// n log n time in the size of the name, whatever it holds.
struct FoldedName: Sendable, Hashable {
    private(set) var octets: [UInt8] = []
    /// The ends of the relative names in ``octets``.
    private(set) var ends: [Int] = []

    /// Folds a name. One that cannot be read equals only itself, octet by octet.
    init(_ name: ByteRange, in bytes: Span<UInt8>) {
        self.octets.reserveCapacity(name.count + 16)
        do {
            var names = DERReader(name, in: bytes)
            while !names.isAtEnd {
                var attributes = try names.nested(.set, in: bytes)
                self.append(try Self.fold(&attributes, in: bytes))
            }
        } catch {
            // No name that can be read begins so: its first octets count the attributes of a relative name.
            (self.octets, self.ends) = ([0xFF], [])
            for index in name.lowerBound..<name.upperBound { self.octets.append(bytes[index]) }
        }
    }

    /// Whether the name is equal to another, or longer with the other's relative names in front (RFC 5280 §7.1).
    func isWithin(_ subtree: FoldedName) -> Bool {
        let count = subtree.octets.count
        guard self.octets.count != count else { return self == subtree }
        return (count == 0 || self.ends.contains(count)) && self.octets.starts(with: subtree.octets)
    }

    private static func fold(_ reader: inout DERReader, in bytes: Span<UInt8>) throws(DERError) -> [[UInt8]] {
        var attributes: [[UInt8]] = []
        while !reader.isAtEnd {
            let attribute = try DistinguishedName.Attribute(from: &reader, in: bytes)
            var folded: [UInt8] = []
            folded.reserveCapacity(attribute.type.count + attribute.value.count + 8)
            Self.append(attribute.type.count, to: &folded)
            for index in attribute.type.lowerBound..<attribute.type.upperBound { folded.append(bytes[index]) }
            attribute.appendValue(in: bytes, to: &folded)
            attributes.append(folded)
        }
        return attributes.count > 1 ? attributes.sorted { $0.lexicographicallyPrecedes($1) } : attributes
    }

    /// Lengths stand before everything, so that no name is the beginning of another by chance.
    private mutating func append(_ attributes: [[UInt8]]) {
        Self.append(attributes.count, to: &self.octets)
        for attribute in attributes {
            Self.append(attribute.count, to: &self.octets)
            self.octets += attribute
        }
        self.ends.append(self.octets.count)
    }

    private static func append(_ count: Int, to octets: inout [UInt8]) {
        for shift in [24, 16, 8, 0] { octets.append(UInt8(truncatingIfNeeded: count &>> shift)) }
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
        while let character = characters.next(in: bytes) {
            if character < 0x80 {
                folded.append(UInt8(truncatingIfNeeded: character))
            } else {
                folded.append(0x80 | UInt8(truncatingIfNeeded: character &>> 24))
                for shift: UInt32 in [16, 8, 0] { folded.append(UInt8(truncatingIfNeeded: character &>> shift)) }
            }
        }
    }
}
