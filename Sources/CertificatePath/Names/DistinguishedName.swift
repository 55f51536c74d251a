//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The rules of distinguished names on their encoded form: well-formedness, equality, hash, and prefixes.
///
/// Equality is RFC 5280 §7.1's: string types, case and white space do not matter. Apple compares PrintableStrings so and
/// every other type octet by octet, which fails two PKITS cases (4.3.10, 4.3.11 and their kin); chaining a name is only a hint for where to look
/// for a key, and the signature decides, so the wider rule is used for every profile.
enum DistinguishedName {
    /// The most attributes one relative name may have and still be compared without regard to their order.
    private static let maximumAttributes = 16

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

    /// Whether two well-formed names are the same name.
    static func areEqual(
        _ left: ByteRange, in leftBytes: Span<UInt8>,
        _ right: ByteRange, in rightBytes: Span<UInt8>
    ) -> Bool {
        if equalBytes(left, in: leftBytes, right, in: rightBytes) { return true }
        let comparison = try? Self.compare(prefix: left, in: leftBytes, with: right, in: rightBytes)
        return comparison == .equal
    }

    /// Whether two well-formed names of two certificates are the same name.
    static func areEqual(_ left: ByteRange, of leftBytes: [UInt8], _ right: ByteRange, of rightBytes: [UInt8]) -> Bool {
        Self.areEqual(left, in: leftBytes.span, right, in: rightBytes.span)
    }

    /// Whether a name lies in the subtree below another: equal to it, or longer with its relative names in front
    /// (RFC 5280 §7.1).
    static func isWithin(
        _ name: ByteRange, in nameBytes: Span<UInt8>,
        subtree: ByteRange, in subtreeBytes: Span<UInt8>
    ) -> Bool {
        let comparison = try? Self.compare(prefix: subtree, in: subtreeBytes, with: name, in: nameBytes)
        return comparison == .equal || comparison == .prefix
    }

    private enum Comparison { case equal, prefix, different }

    private static func compare(
        prefix: ByteRange, in prefixBytes: Span<UInt8>,
        with name: ByteRange, in nameBytes: Span<UInt8>
    ) throws(DERError) -> Comparison {
        var left = DERReader(prefix, in: prefixBytes)
        var right = DERReader(name, in: nameBytes)
        while !left.isAtEnd {
            guard !right.isAtEnd else { return .different }
            let leftSet = try left.next(.set, in: prefixBytes)
            let rightSet = try right.next(.set, in: nameBytes)
            guard try Self.areEqualSets(leftSet.content, prefixBytes, rightSet.content, nameBytes) else {
                return .different
            }
        }
        return right.isAtEnd ? .equal : .prefix
    }

    /// A relative name is a set. One attribute, the usual case, is compared directly; more, in any order.
    private static func areEqualSets(
        _ left: ByteRange, _ leftBytes: Span<UInt8>,
        _ right: ByteRange, _ rightBytes: Span<UInt8>
    ) throws(DERError) -> Bool {
        if equalBytes(left, in: leftBytes, right, in: rightBytes) { return true }
        var leftReader = DERReader(left, in: leftBytes)
        var rightReader = DERReader(right, in: rightBytes)
        let leftFirst = try Attribute(from: &leftReader, in: leftBytes)
        let rightFirst = try Attribute(from: &rightReader, in: rightBytes)
        if leftReader.isAtEnd, rightReader.isAtEnd {
            return Attribute.areEqual(leftFirst, leftBytes, rightFirst, rightBytes)
        }
        return try Self.areEqualInAnyOrder(
            DERReader(left, in: leftBytes), leftBytes, DERReader(right, in: rightBytes), rightBytes)
    }

    private static func areEqualInAnyOrder(
        _ left: DERReader, _ leftBytes: Span<UInt8>,
        _ right: DERReader, _ rightBytes: Span<UInt8>
    ) throws(DERError) -> Bool {
        var (leftReader, rightReader) = (left, right)
        var unmatched: [Attribute] = []
        while !rightReader.isAtEnd, unmatched.count <= Self.maximumAttributes {
            unmatched.append(try Attribute(from: &rightReader, in: rightBytes))
        }
        guard unmatched.count <= Self.maximumAttributes else { return false }
        while !leftReader.isAtEnd {
            let attribute = try Attribute(from: &leftReader, in: leftBytes)
            guard let index = Self.firstIndex(of: attribute, leftBytes, among: unmatched, rightBytes) else {
                return false
            }
            unmatched.remove(at: index)
        }
        return unmatched.isEmpty
    }

    private static func firstIndex(
        of attribute: Attribute, _ bytes: Span<UInt8>, among others: [Attribute], _ otherBytes: Span<UInt8>
    ) -> Int? {
        for index in others.indices where Attribute.areEqual(attribute, bytes, others[index], otherBytes) {
            return index
        }
        return nil
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
            (self.tag, self.value) = (value.tag, value.content)
        }

        static func areEqual(
            _ left: Attribute, _ leftBytes: Span<UInt8>, _ right: Attribute, _ rightBytes: Span<UInt8>
        ) -> Bool {
            guard equalBytes(left.type, in: leftBytes, right.type, in: rightBytes) else { return false }
            guard var leftCharacters = FoldedCharacters(tag: left.tag, content: left.value, in: leftBytes),
                var rightCharacters = FoldedCharacters(tag: right.tag, content: right.value, in: rightBytes)
            else {
                return left.tag == right.tag && equalBytes(left.value, in: leftBytes, right.value, in: rightBytes)
            }
            while let character = leftCharacters.next(in: leftBytes) {
                guard character == rightCharacters.next(in: rightBytes) else { return false }
            }
            return rightCharacters.next(in: rightBytes) == nil
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
            var letters: [UInt32] = []
            while let character = characters.next(in: bytes) {
                let folded = character < 0x80 ? character | 0x20 : character
                let isPunctuation = folded < 0x80 && !UInt8(truncatingIfNeeded: folded).isFoldedLetterOrDigit
                if !isPunctuation { letters.append(folded) }
            }
            return letters.suffix(Self.quickHashLength).reversed().reduce(0) { $0 &* 31 &+ UInt64($1) }
        }

        func hash(in bytes: Span<UInt8>) -> UInt64 {
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            for index in self.type.lowerBound..<self.type.upperBound {
                hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3
            }
            if var characters = FoldedCharacters(tag: self.tag, content: self.value, in: bytes) {
                while let character = characters.next(in: bytes) {
                    hash = (hash ^ UInt64(character)) &* 0x0000_0100_0000_01B3
                }
            } else {
                for index in self.value.lowerBound..<self.value.upperBound {
                    hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3
                }
            }
            return hash
        }
    }
}

extension UInt8 {
    /// Whether an ASCII octet with the bit of lower case set is that of a letter or digit. A few control characters come
    /// out as digits, in every encoding alike.
    @inline(__always)
    fileprivate var isFoldedLetterOrDigit: Bool { self &- 0x61 < 26 || self &- 0x30 < 10 }
}
