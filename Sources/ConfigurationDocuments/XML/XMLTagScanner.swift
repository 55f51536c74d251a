//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Goes from one `<` to the next.
struct XMLTagScanner {
    private(set) var tags: [XMLOutline.Tag] = []
    private(set) var hidden: [Range<Int>] = []

    private let bytes: [UInt8]
    private var offset = 0
    private var cursor: TextCursor
    private var budget: DocumentBudget
    /// The start tags, by their indices, that have no end yet.
    private var open: [Int] = []
    private var hasDocumentType = false

    /// libxml2 compares every attribute of an element with every other.
    private static let maximumAttributes = 64

    init(_ bytes: [UInt8], _ limits: DocumentLimits) {
        self.bytes = bytes
        self.cursor = TextCursor(bytes)
        self.budget = DocumentBudget(limits)
    }

    mutating func nextMarkup() -> Int? {
        guard let start = self.bytes[self.offset...].firstIndex(of: UInt8(ascii: "<")) else { return nil }
        self.offset = start
        return start
    }

    mutating func skipMarkup(at start: Int) throws(DocumentError) {
        let position = self.cursor.advance(to: start)
        if self.isNext("<!--") {
            try self.skip("<!--", through: "-->", "a comment", position)
        } else if self.isNext("<![CDATA[") {
            try self.skip("<![CDATA[", through: "]]>", "a CDATA section", position)
        } else if self.isNext("<?") {
            try self.skipInstruction(from: start, position)
        } else if self.isNext("<!DOCTYPE") {
            try self.skipDocumentType(from: start, position)
        } else if self.isNext("<!") {
            throw DocumentError(self.isNext("<!ENTITY") ? .hasDocumentType : .malformed("this is no XML"), position)
        } else if self.isNext("</") {
            try self.skip("</", through: ">", "an end tag", position)
            guard self.open.popLast() != nil else {
                throw DocumentError(.malformed("this end tag has no start tag"), position)
            }
        } else {
            try self.skipStartTag(from: start, position)
        }
    }

    func finish() throws(DocumentError) {
        if let unfinished = self.open.last {
            let tag = self.tags[unfinished]
            let name = String(decoding: self.bytes[tag.name], as: UTF8.self)
            throw DocumentError(.malformed("the element \(DocumentError.quoted(name)) has no end"), tag.position)
        }
        guard !self.tags.isEmpty else { throw DocumentError(.malformed("there is no element")) }
    }

    private func isNext(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { self.bytes[self.offset...].starts(with: $0) }
    }

    private mutating func skip(
        _ prefix: StaticString, through suffix: StaticString, _ what: String, _ position: TextPosition
    ) throws(DocumentError) {
        self.offset += prefix.utf8CodeUnitCount
        while self.offset < self.bytes.count {
            if self.isNext(suffix) {
                self.offset += suffix.utf8CodeUnitCount
                return
            }
            self.offset += 1
        }
        throw DocumentError(.malformed("\(what) has no end"), position)
    }
}

// MARK: Tags

extension XMLTagScanner {
    private mutating func skipStartTag(from start: Int, _ position: TextPosition) throws(DocumentError) {
        let name = self.name(from: start + 1)
        guard !name.isEmpty else { throw DocumentError(.malformed("a \"<\" begins no tag; write &lt;"), position) }
        self.offset = name.upperBound
        try self.budget.spend(depth: self.open.count + 1, at: position)
        let attributes = try self.skipAttributes("a start tag", position)
        guard attributes <= Self.maximumAttributes else {
            throw DocumentError(.malformed("an element has more than \(Self.maximumAttributes) attributes"), position)
        }
        for _ in 0..<attributes { try self.budget.spend(depth: 1, at: position) }
        // After skipAttributes the offset is behind the ">".
        if self.bytes[self.offset - 2] != UInt8(ascii: "/") { self.open.append(self.tags.count) }
        self.tags.append(XMLOutline.Tag(name: name, position: position))
    }

    private func name(from start: Int) -> Range<Int> {
        guard start < self.bytes.count, self.bytes[start].beginsXMLName else { return start..<start }
        let end = self.bytes[start...].firstIndex {
            $0.isWhitespace || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "<")
        }
        return start..<(end ?? self.bytes.count)
    }

    /// Goes behind the `>` that is in no quotes and returns how many quoted values came before it.
    private mutating func skipAttributes(_ what: String, _ position: TextPosition) throws(DocumentError) -> Int {
        var quote: UInt8?
        var count = 0
        while self.offset < self.bytes.count {
            let byte = self.bytes[self.offset]
            self.offset += 1
            if byte == UInt8(ascii: "<") {
                throw DocumentError(.malformed("\(what) has a \"<\" in it; write &lt;"), position)
            } else if let current = quote {
                if byte == current { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
                count += 1
            } else if byte == UInt8(ascii: "[") {
                throw DocumentError(.hasDocumentType, position)
            } else if byte == UInt8(ascii: ">") {
                return count
            }
        }
        throw DocumentError(.malformed("\(what) has no end"), position)
    }

    private mutating func skipDocumentType(from start: Int, _ position: TextPosition) throws(DocumentError) {
        guard self.tags.isEmpty, !self.hasDocumentType else {
            throw DocumentError(.malformed("a document type is not at the beginning"), position)
        }
        self.offset = start + 9
        _ = try self.skipAttributes("a document type", position)
        self.hasDocumentType = true
        self.hidden.append(start..<self.offset)
    }

    /// Hides an instruction: `XMLParser` crashes on one that has nothing but a name.
    private mutating func skipInstruction(from start: Int, _ position: TextPosition) throws(DocumentError) {
        try self.skip("<?", through: "?>", "a processing instruction", position)
        let instruction = self.bytes[start..<self.offset]
        if instruction.starts(with: "<?xml".utf8), instruction[start + 5].isWhitespace {
            guard start == 0 else {
                throw DocumentError(.malformed("an XML declaration is not at the very beginning"), position)
            }
            return try self.checkEncoding(instruction, position)
        }
        // Blanks would become part of an element's text.
        guard self.open.isEmpty else {
            throw DocumentError(.unsupported("a processing instruction is in an element; remove it"), position)
        }
        self.hidden.append(start..<self.offset)
    }

    /// libxml2 would follow the declaration and not the bytes, which are known to be UTF-8.
    private func checkEncoding(_ declaration: ArraySlice<UInt8>, _ position: TextPosition) throws(DocumentError) {
        let text = String(decoding: declaration, as: UTF8.self).lowercased()
        guard let label = text.firstRange(of: "encoding") else { return }
        let name = text[label.upperBound...].drop { $0.isWhitespace || $0 == "=" || $0 == "\"" || $0 == "'" }
        guard ["utf-8", "utf8", "us-ascii"].contains(name.prefix { $0 != "\"" && $0 != "'" }) else {
            throw DocumentError(.notUTF8, position)
        }
    }
}

extension UInt8 {
    /// Whether a name may begin with it, or, above ASCII, perhaps with the character it is part of.
    fileprivate var beginsXMLName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...: true
        default: false
        }
    }
}
