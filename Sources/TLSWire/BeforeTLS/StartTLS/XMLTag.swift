//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A tag of XML, reduced to the parts that a negotiation compares.
struct XMLTag: Hashable {
    /// The name without its prefix.
    let name: String
    let text: String
    /// `true` for `</name>`.
    let isClosing: Bool
    /// `true` for `<name/>`.
    let isEmpty: Bool
    /// `true` for `<?name?>`.
    let isInstruction: Bool

    init(_ bytes: ArraySlice<UInt8>) {
        self.isClosing = bytes.first == UInt8(ascii: "/")
        self.isInstruction = bytes.first == UInt8(ascii: "?")
        self.isEmpty = bytes.last == UInt8(ascii: "/")
        self.text = String(decoding: bytes, as: UTF8.self)
        let name = bytes.drop { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            .prefix { !$0.isXMLSpace && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
        self.name = String(printable: local)
    }
}

extension NegotiationInput {
    /// Consumes the next tag and the white space before it, or returns `nil` until the tag is complete.
    ///
    /// - Parameter allowsText: `true` to skip text before the tag, which is an error otherwise.
    mutating func tag(allowsText: Bool) throws(NegotiationError) -> XMLTag? {
        let isText: (UInt8) -> Bool = { allowsText ? $0 != UInt8(ascii: "<") : $0.isXMLSpace }
        self.drop(self.rest.prefix(while: isText).count)
        guard let first = self.rest.first else { return nil }
        guard first == UInt8(ascii: "<") else {
            throw .unexpected((0x15...0x16).contains(first) ? "a record of TLS" : "")
        }
        let inner = self.rest.dropFirst()
        // RFC 6120 §11.1: no comments, no sections, no document type.
        guard inner.first != UInt8(ascii: "!") else { throw .unexpected("") }
        let end = Self.endOfTag(inner)
        guard inner[..<(end ?? inner.endIndex)].count < Self.pieceLimit else { throw .tooMuch(limit: Self.pieceLimit) }
        guard let end else { return nil }
        let tag = XMLTag(inner[..<end])
        self.drop(inner[...end].count + 1)
        return tag
    }

    /// Returns the index of the first closing bracket outside quotes.
    private static func endOfTag(_ bytes: ArraySlice<UInt8>) -> Int? {
        var quote: UInt8?
        for (index, byte) in zip(bytes.indices, bytes) {
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return index
            }
        }
        return nil
    }
}

extension UInt8 {
    fileprivate var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A }
}
