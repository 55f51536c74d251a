//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The normal form in which Apple's systems compare names: PrintableStrings in upper case without superfluous spaces, and all
/// other types of strings unchanged.
enum NormalizedName {
    /// Returns the normal form of a name.
    ///
    /// - Parameter name: The DER encoding of a name from a certificate.
    /// - Returns: The normal form, or `nil` if the bytes are not a name.
    static func sequence(_ name: [UInt8]) -> [UInt8]? {
        guard let sets = TLV.all(in: name[...])?.first, sets.tag == Self.sequenceTag else { return nil }
        guard let relative = TLV.all(in: sets.content) else { return nil }
        var content: [UInt8] = []
        for set in relative {
            guard let attributes = TLV.all(in: set.content) else { return nil }
            var normal: [UInt8] = []
            for attribute in attributes {
                guard let parts = TLV.all(in: attribute.content), parts.count == 2 else { return nil }
                normal += TLV.encoded(attribute.tag, parts[0].encoded + Self.value(parts[1]))
            }
            content += TLV.encoded(set.tag, normal)
        }
        return TLV.encoded(sets.tag, content)
    }

    private static func value(_ value: TLV) -> [UInt8] {
        guard value.tag == Self.printableStringTag else { return value.encoded }
        let words = value.content.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: true)
        let text = words.joined(separator: [UInt8(ascii: " ")])
        return TLV.encoded(value.tag, text.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 })
    }

    private static let sequenceTag: UInt8 = 0x30
    private static let printableStringTag: UInt8 = 0x13
}

/// A DER element. The input comes from certificates, which have already been parsed.
struct TLV {
    let tag: UInt8
    let content: ArraySlice<UInt8>

    var encoded: [UInt8] { Self.encoded(self.tag, self.content) }

    /// Returns all elements of a sequence, or `nil` if bytes are left over.
    static func all(in octets: ArraySlice<UInt8>) -> [TLV]? {
        var (rest, elements) = (octets, [TLV]())
        while !rest.isEmpty {
            guard let tag = rest.popFirst(), let count = Self.length(&rest), count <= rest.count else { return nil }
            elements.append(TLV(tag: tag, content: rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return elements
    }

    private static func length(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard let first = rest.popFirst() else { return nil }
        guard first >= 0x80 else { return Int(first) }
        let size = Int(first & 0x7F)
        guard (1...4).contains(size), rest.count >= size else { return nil }
        let length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(size)
        return length
    }

    static func encoded(_ tag: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
