//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reader that builds the elements of an XML document (XML 1.0 §3).
///
/// The open elements are kept in an array and not on the call stack, so that deep nesting takes no more of the stack.
struct XMLReader {
    /// The maximum number of attributes, far above that of any configuration.
    private static let maximumAttributes = 64

    private var scanner: XMLScanner
    private var budget: DocumentBudget
    private var open: [OpenElement] = []

    private struct OpenElement {
        let name: Range<Int>
        let attributes: [String: String]
        let position: TextPosition
        let start: Int
        /// The end of the start tag.
        var contentStart: Int?
        var children: [XMLElementNode] = []
        var content: [UInt8] = []
    }

    init(_ bytes: [UInt8], _ limits: DocumentLimits) throws(DocumentError) {
        self.scanner = try XMLScanner(bytes)
        self.budget = DocumentBudget(limits)
    }

    /// Reads the document and returns its outermost element.
    mutating func document() throws(DocumentError) -> XMLElementNode {
        var prolog = XMLProlog()
        try prolog.skipBeforeElement(&self.scanner)
        try self.requireMarkup()
        let root = try self.element()
        try prolog.skipAfterElement(&self.scanner)
        guard self.scanner.next == nil else {
            throw self.scanner.malformed("there is something after the outermost element")
        }
        return root
    }

    private mutating func requireMarkup() throws(DocumentError) {
        guard self.scanner.next != nil else { throw DocumentError(.malformed("there is no element")) }
        guard self.scanner.next == UInt8(ascii: "<") else {
            throw self.scanner.malformed("there is text before the outermost element")
        }
        guard !self.scanner.isNext("</") else { throw self.scanner.malformed("this end tag has no start tag") }
        try self.requireNoDeclaration()
    }

    private mutating func element() throws(DocumentError) -> XMLElementNode {
        while true {
            var finished = try self.startTag()
            if finished == nil { finished = try self.restOfInnermost() }
            while let element = finished {
                guard !self.open.isEmpty else { return element }
                self.open[self.open.count - 1].children.append(element)
                finished = try self.restOfInnermost()
            }
        }
    }

    /// Continues in the innermost element. Returns the element if it ends, or `nil` if another begins in it.
    private mutating func restOfInnermost() throws(DocumentError) -> XMLElementNode? {
        while self.scanner.next != nil {
            if self.scanner.isNext("</") { return try self.endTag() }
            guard try self.readContent() else { return nil }
        }
        let name = self.open.last.map { DocumentError.quoted(self.scanner.text(of: $0.name)) } ?? ""
        throw DocumentError(.malformed("the element \(name) has no end"), self.open.last?.position)
    }
}

// MARK: Tags

extension XMLReader {
    /// Reads a start tag. Returns the element if the tag is also its end (XML 1.0 §3.1).
    private mutating func startTag() throws(DocumentError) -> XMLElementNode? {
        let (position, start) = (self.scanner.position(), self.scanner.offset)
        _ = self.scanner.take("<")
        guard let name = try self.scanner.name() else {
            throw DocumentError(.malformed("a \"<\" does not begin a tag. Write &lt;"), position)
        }
        try self.budget.spend(depth: self.open.count + 1, at: position)
        let attributes = try self.attributes(of: position)
        var element = OpenElement(name: name, attributes: attributes, position: position, start: start)
        if self.scanner.take("/>") { return self.node(element) }
        guard self.scanner.take(">") else { throw self.scanner.malformed("a start tag has no \">\" here") }
        element.contentStart = self.scanner.offset
        self.open.append(element)
        return nil
    }

    private mutating func attributes(of position: TextPosition) throws(DocumentError) -> [String: String] {
        var attributes: [String: String] = [:]
        while self.scanner.skipWhitespace(), let name = try self.scanner.name() {
            guard attributes.count < Self.maximumAttributes else {
                throw DocumentError(
                    .malformed("an element has more than \(Self.maximumAttributes) attributes"), position)
            }
            try self.budget.spend(depth: 1, at: position)
            try self.scanner.skipEqualsSign(after: "an attribute")
            let value = try self.attributeValue()
            guard attributes.updateValue(value, forKey: self.scanner.text(of: name)) == nil else {
                throw self.scanner.malformed("an attribute is there twice")
            }
        }
        return attributes
    }

    /// Reads a value and replaces every white space character with a space (XML 1.0 §3.3.3).
    private mutating func attributeValue() throws(DocumentError) -> String {
        guard let mark = self.scanner.next, self.scanner.take("\"") || self.scanner.take("'") else {
            throw self.scanner.malformed("an attribute has no value in quotation marks")
        }
        var value: [UInt8] = []
        while true {
            let plain = self.scanner.skip { $0 == mark || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }
            value += self.scanner.bytes(of: plain).normalizedLineEnds.map { $0.isWhitespace ? 0x20 : $0 }
            if self.scanner.next == UInt8(ascii: "&") {
                value += String(Character(try self.scanner.reference())).utf8
            } else if self.scanner.next == mark {
                _ = self.scanner.take("\"") || self.scanner.take("'")
                return String(decoding: value, as: UTF8.self)
            } else {
                let isEnd = self.scanner.next == nil
                throw self.scanner.malformed(isEnd ? "a tag has no end" : "a \"<\" is in an attribute. Write &lt;")
            }
        }
    }

    private mutating func endTag() throws(DocumentError) -> XMLElementNode {
        let (position, contentEnd) = (self.scanner.position(), self.scanner.offset)
        _ = self.scanner.take("</")
        // XML compares names by their bytes. Swift's strings are equal in more cases.
        guard let name = try self.scanner.name(), let element = self.open.last,
            self.scanner.bytes(of: name).elementsEqual(self.scanner.bytes(of: element.name))
        else { throw DocumentError(.malformed("an end tag does not fit its start tag"), position) }
        self.scanner.skipWhitespace()
        guard self.scanner.take(">") else { throw DocumentError(.malformed("an end tag has no \">\""), position) }
        self.open.removeLast()
        return self.node(element, contentEnd: contentEnd)
    }

    private func node(_ element: OpenElement, contentEnd: Int? = nil) -> XMLElementNode {
        XMLElementNode(
            name: self.scanner.text(of: element.name), attributes: element.attributes, children: element.children,
            content: String(decoding: element.content, as: UTF8.self), position: element.position,
            range: element.start..<self.scanner.offset,
            inside: element.contentStart.flatMap { start in contentEnd.map { start..<$0 } })
    }
}

// MARK: Content

extension XMLReader {
    /// Reads the next piece of content. Returns `false` if a start tag is next.
    private mutating func readContent() throws(DocumentError) -> Bool {
        if self.scanner.next == UInt8(ascii: "&") {
            self.add(String(Character(try self.scanner.reference())).utf8)
        } else if self.scanner.next != UInt8(ascii: "<") {
            try self.readText()
        } else if self.scanner.isNext("<!--") {
            try XMLProlog.skipComment(&self.scanner)
        } else if self.scanner.isNext("<![CDATA[") {
            try self.readSection()
        } else if self.scanner.isNext("<?") {
            throw DocumentError(
                .unsupported("a processing instruction is in an element. Remove it"), self.scanner.position())
        } else {
            try self.requireNoDeclaration()
            return false
        }
        return true
    }

    private mutating func readText() throws(DocumentError) {
        let text = self.scanner.skip { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }
        let bytes = self.scanner.bytes(of: text)
        // §2.4: for compatibility with SGML.
        guard !bytes.hasSectionEnd else {
            throw self.scanner.malformed("text contains \"]]>\"")
        }
        self.add(bytes.normalizedLineEnds)
    }

    private mutating func readSection() throws(DocumentError) {
        let position = self.scanner.position()
        _ = self.scanner.take("<![CDATA[")
        guard let text = self.scanner.skip(through: "]]>") else {
            throw DocumentError(.malformed("a CDATA section has no end"), position)
        }
        self.add(self.scanner.bytes(of: text).normalizedLineEnds)
    }

    private mutating func add(_ bytes: some Sequence<UInt8>) {
        self.open[self.open.count - 1].content += bytes
    }

    private mutating func requireNoDeclaration() throws(DocumentError) {
        guard self.scanner.isNext("<!") else { return }
        guard !self.scanner.isNext("<!ENTITY") else {
            throw DocumentError(.hasDocumentType, self.scanner.position())
        }
        throw self.scanner.malformed("this is not XML")
    }
}

extension ArraySlice<UInt8> {
    /// `true` if "]]>" is among the bytes. The standard library's general search took most of the reading time.
    fileprivate var hasSectionEnd: Bool {
        var brackets = 0
        for byte in self {
            if byte == UInt8(ascii: ">"), brackets >= 2 { return true }
            brackets = byte == UInt8(ascii: "]") ? brackets + 1 : 0
        }
        return false
    }

    /// The text with LF in place of each CRLF and each lone CR (XML 1.0 §2.11).
    fileprivate var normalizedLineEnds: [UInt8] {
        guard self.contains(0x0D) else { return Array(self) }
        var result: [UInt8] = []
        var previous: UInt8?
        for byte in self {
            if byte != 0x0A || previous != 0x0D { result.append(byte == 0x0D ? 0x0A : byte) }
            previous = byte
        }
        return result
    }
}
