//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Puts the elements `XMLParser` reports together, each with the place its outline has for it.
final class XMLTreeBuilder: NSObject, XMLParserDelegate {
    private struct OpenElement {
        let name: String
        let attributes: [String: String]
        let position: TextPosition
        var children: [XMLElementNode] = []
        var content = ""
    }

    private let bytes: [UInt8]
    private let outline: XMLOutline
    private var next = 0
    private var open: [OpenElement] = []
    private var root: XMLElementNode?
    private var failure: DocumentError?

    init(_ bytes: [UInt8], _ outline: XMLOutline) {
        self.bytes = bytes
        self.outline = outline
    }

    /// The tree, once the parser is done: it returns normally from documents that it did not finish.
    func finish() throws(DocumentError) -> XMLElementNode {
        if let failure = self.failure { throw failure }
        guard let root = self.root, self.open.isEmpty, self.next == self.outline.tags.count else {
            throw DocumentError(.malformed("the XML is not well-formed"), self.open.last?.position)
        }
        return root
    }

    private func fail(_ parser: XMLParser, _ error: DocumentError) {
        // The first fault is the one to correct, what follows comes of it.
        if self.failure == nil { self.failure = error }
        parser.abortParsing()
    }
}

// MARK: What the parser reports

extension XMLTreeBuilder {
    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        guard self.failure == nil else { return }
        guard self.next < self.outline.tags.count,
            self.bytes[self.outline.tags[self.next].name].elementsEqual(name.utf8)
        else {
            return self.fail(parser, DocumentError(.malformed("the XML is not well-formed"), self.place(parser)))
        }
        let position = self.outline.tags[self.next].position
        self.next += 1
        self.open.append(OpenElement(name: name, attributes: attributes, position: position))
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        guard self.failure == nil, let element = self.open.popLast() else { return }
        let node = XMLElementNode(
            name: element.name, attributes: element.attributes, children: element.children, content: element.content,
            position: element.position
        )
        if self.open.isEmpty {
            self.root = self.root ?? node
        } else {
            self.open[self.open.count - 1].children.append(node)
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        guard !self.open.isEmpty else { return }
        self.open[self.open.count - 1].content += string
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        guard !self.open.isEmpty else { return }
        self.open[self.open.count - 1].content += String(decoding: block, as: UTF8.self)
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        let code = (error as NSError).code
        guard !Self.isAboutNamespaces(code) else { return }
        self.fail(parser, DocumentError(.malformed(Self.detail(of: code)), self.place(parser)))
    }

    /// Where the parser is, which is behind the fault, on its line or a later one.
    private func place(_ parser: XMLParser) -> TextPosition {
        TextPosition(line: max(parser.lineNumber, 1), column: max(parser.columnNumber, 1))
    }
}

// MARK: libxml2's error codes

extension XMLTreeBuilder {
    /// Undeclared prefixes and relative namespaces are warnings to whoever does not use namespaces.
    ///
    /// XML_WAR_NS_URI, XML_WAR_NS_URI_RELATIVE and XML_NS_ERR_*.
    private static func isAboutNamespaces(_ code: Int) -> Bool {
        code == 99 || code == 100 || (200...205).contains(code)
    }

    /// The frequent ones in words, by their numbers in libxml2's xmlerror.h.
    private static func detail(of code: Int) -> String {
        switch code {
        case 5: "there is something after the outermost element"
        case 9: "a character is not allowed in XML"
        case 26, 27: "an entity is not declared (XML itself knows &lt; &gt; &amp; &quot; and &apos;)"
        case 23: "a reference has no \";\", or a \"&\" should be &amp;"
        case 38: "a \"<\" is in an attribute; write &lt;"
        case 39, 40, 41: "an attribute has no value in quotes"
        case 42: "an attribute is there twice"
        case 62: "text contains \"]]>\""
        case 65: "white space is missing, for instance between attributes"
        case 73: "a tag has no \">\""
        case 76: "an end tag does not fit its start tag"
        case 77: "a tag has no end"
        default: "the XML is not well-formed (libxml2 error \(code))"
        }
    }
}
