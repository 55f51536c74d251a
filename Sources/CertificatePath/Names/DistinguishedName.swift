//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The rules for distinguished names in their encoded form: syntax, equality and hash.
///
/// Equality is that of RFC 5280 §7.1: string types, case and white space do not matter. Apple compares
/// PrintableStrings this way and every other type octet by octet, which fails PKITS 4.3.10, 4.3.11 and similar cases.
/// An equal name is only a hint for the search of the issuer's key, and the signature decides. Every profile therefore
/// uses the wider rule.
enum DistinguishedName {
    /// Throws unless a range holds the content of an RDNSequence.
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
        // The most specific relative name usually differs between names. Hashing the others would only cost time.
        guard var last else { return 0 }
        var sum = last.first.quickHash(in: bytes)
        while !last.others.isAtEnd { sum &+= try Attribute(from: &last.others, in: bytes).quickHash(in: bytes) }
        return sum
    }

    /// Returns `true` if two encodings are the same name. Folds both. A search that repeats comparisons uses a ``NameTable``.
    static func areEqual(
        _ left: ByteRange, in leftBytes: Span<UInt8>,
        _ right: ByteRange, in rightBytes: Span<UInt8>
    ) -> Bool {
        if equalBytes(left, in: leftBytes, right, in: rightBytes) { return true }
        return FoldedName(left, in: leftBytes) == FoldedName(right, in: rightBytes)
    }

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

        /// The number of characters in the quick hash.
        private static let quickHashLength = 12

        /// Returns a hash of the last letters and digits. Equal values have the same hash in every string type, and
        /// unequal names usually differ in these characters.
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

        /// Returns the same hash for characters of more than one octet. Those beyond ASCII count as letters.
        private func decodedHash(in bytes: Span<UInt8>) -> UInt64 {
            guard var characters = FoldedCharacters(tag: self.tag, content: self.value, in: bytes) else { return 0 }
            // A ring of the last letters.
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
    /// `true` if an ASCII octet with the lower-case bit set is a letter or digit. A few control characters become
    /// digits, in every encoding alike.
    @inline(__always)
    fileprivate var isFoldedLetterOrDigit: Bool { self &- 0x61 < 26 || self &- 0x30 < 10 }
}
