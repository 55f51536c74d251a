//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The rules of distinguished names on their encoded form: well-formedness, equality and hash.
///
/// Equality is RFC 5280 §7.1's: string types, case and white space do not matter. Apple compares PrintableStrings so and
/// every other type octet by octet, which fails two PKITS cases (4.3.10, 4.3.11 and their kin); chaining a name is only a hint for where to look
/// for a key, and the signature decides, so the wider rule is used for every profile.
enum DistinguishedName {
    /// Fails unless a range holds the content of an RDNSequence.
    ///
    /// - Returns: A hash that is the same for equal names.
    @discardableResult
    static func check(_ name: ByteRange, in bytes: Span<UInt8>) throws(DERError) -> UInt64 {
        var names = DERReader(name, in: bytes)
        var last: (first: Attribute, others: DERReader)?
        while !names.isAtEnd {
            var attributes = try names.nested(.set, in: bytes)
            guard !attributes.isAtEnd else { throw DERError(.invalidName, at: attributes.position) }
            last = (try Attribute(from: &attributes, in: bytes), attributes)
            while !attributes.isAtEnd { _ = try Attribute(from: &attributes, in: bytes) }
        }
        // The most specific relative name is what tells names apart; the others would only cost time.
        guard var last else { return 0 }
        var sum = last.first.quickHash(in: bytes)
        while !last.others.isAtEnd { sum &+= try Attribute(from: &last.others, in: bytes).quickHash(in: bytes) }
        return sum
    }

    /// Returns true for two writings of one name. Folds both: a search that repeats comparisons has a ``NameTable``.
    static func areEqual(
        _ left: ByteRange, in leftBytes: Span<UInt8>,
        _ right: ByteRange, in rightBytes: Span<UInt8>
    ) -> Bool {
        if equalBytes(left, in: leftBytes, right, in: rightBytes) { return true }
        return FoldedName(left, in: leftBytes) == FoldedName(right, in: rightBytes)
    }

    /// Whether two names of two certificates are the same name.
    static func areEqual(_ left: ByteRange, of leftBytes: [UInt8], _ right: ByteRange, of rightBytes: [UInt8]) -> Bool {
        Self.areEqual(left, in: leftBytes.span, right, in: rightBytes.span)
    }

    /// One attribute of a relative distinguished name.
    struct Attribute {
        let type: ByteRange
        let tag: DERTag
        let value: ByteRange

        init(from reader: inout DERReader, in bytes: Span<UInt8>) throws(DERError) {
            var pair = try reader.nested(.sequence, in: bytes)
            self.type = try pair.objectIdentifier(in: bytes)
            let value = try pair.next(in: bytes)
            try pair.finish()
            self.tag = value.tag
            self.value = value.content
        }

        /// How many characters the quick hash is made of.
        private static let quickHashLength = 12

        /// A hash of the last letters and digits: equal values have the same one, whatever string type they are in, and
        /// names that are not equal usually differ there.
        @inline(__always)
        func quickHash(in bytes: Span<UInt8>) -> UInt64 {
            guard self.tag != .bmpString, self.tag != .universalString else { return self.decodedHash(in: bytes) }
            var hash: UInt64 = 0
            var count = 0
            var index = self.value.upperBound
            while index > self.value.lowerBound, count < Self.quickHashLength {
                index &-= 1
                let octet = bytes[index] | 0x20
                guard octet < 0x80 else { return self.decodedHash(in: bytes) }
                guard octet.isFoldedLetterOrDigit else { continue }
                hash = hash &* 31 &+ UInt64(octet)
                count &+= 1
            }
            return hash
        }

        /// The same of characters that are more than one octet; those beyond ASCII count as letters.
        private func decodedHash(in bytes: Span<UInt8>) -> UInt64 {
            guard var characters = FoldedCharacters(tag: self.tag, content: self.value, in: bytes) else { return 0 }
            // The last letters so far, the oldest of them overwritten.
            var letters = [UInt64](repeating: 0, count: Self.quickHashLength)
            var count = 0
            while let character = characters.next(in: bytes) {
                let folded = character < 0x80 ? character | 0x20 : character
                let isPunctuation = folded < 0x80 && !UInt8(truncatingIfNeeded: folded).isFoldedLetterOrDigit
                guard !isPunctuation else { continue }
                letters[count % Self.quickHashLength] = UInt64(folded)
                count += 1
            }
            return (0..<min(count, Self.quickHashLength)).reduce(0) { hash, place in
                hash &* 31 &+ letters[(count - 1 - place) % Self.quickHashLength]
            }
        }
    }
}

extension UInt8 {
    /// Whether an ASCII octet with the bit of lower case set is that of a letter or digit. A few control characters come
    /// out as digits, in every encoding alike.
    @inline(__always)
    fileprivate var isFoldedLetterOrDigit: Bool { self &- 0x61 < 26 || self &- 0x30 < 10 }
}
