//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import Testing

private let malformed = [
    "<a>", "<a", "<a b", "<a><b></a>", "</a>", "<a></b>", "<a/><b/>", "<a/>text", "text", "<!-- only -->",
    "<a>&nbsp;</a>",
    "<a>&x;</a>", "<a b=1/>", "<a b='1' b='2'/>", "<a b='<'/>", "<a>]]></a>", "<a>& </a>", "<a><!-- </a>",
    "<a><![CDATA[</a>",
    "<a>\u{1}</a>", "< a/>", "<1/>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<!doctype a><a/>", "<a/><!DOCTYPE a>",
    "<!DOCTYPE a><!DOCTYPE a><a/>", " <?xml version='1.0'?><a/>", "<?xml?>l", "<a/",
]

private let documentTypes = [
    "<!DOCTYPE a [<!ENTITY x \"y\">]><a>&x;</a>", "<!DOCTYPE a []><a/>", "<!ENTITY x 'y'><a/>",
    "<!DOCTYPE a SYSTEM 'file:///etc/passwd' [ <!ENTITY % p SYSTEM 'http://127.0.0.1/'> %p; ]><a/>",
]

private let otherEncodings = ["ISO-8859-1", "UTF-16", "utf-7", "", "windows-1252"]

/// Reads a text.
func parseXML(_ text: String, limits: DocumentLimits = DocumentLimits()) throws(DocumentError) -> XMLElementNode {
    try XMLDocument.parse(Array(text.utf8), limits: limits)
}

@Suite struct XMLDocumentTests {
    @Test(arguments: malformed)
    func `What is not well-formed is refused`(_ text: String) {
        guard case .malformed = Reader.xml.error(Array(text.utf8))?.code else {
            Issue.record("not refused as malformed")
            return
        }
    }

    @Test(arguments: documentTypes)
    func `A document type with declarations is refused`(_ text: String) {
        #expect(Reader.xml.error(Array(text.utf8))?.code == .hasDocumentType)
    }

    @Test(arguments: otherEncodings)
    func `A declared encoding other than UTF-8 is refused`(_ name: String) {
        let text = "<?xml version=\"1.0\" encoding=\"\(name)\"?><a/>"
        #expect(Reader.xml.error(Array(text.utf8))?.code == .notUTF8)
    }

    @Test func `A processing instruction in an element is refused`() {
        let error = Reader.xml.error(Array("<a>\n<?x?></a>".utf8))
        #expect(error?.position == TextPosition(line: 2, column: 1))
    }

    /// XMLParser crashes on one without data.
    @Test func `Processing instructions around the outermost element are passed over`() throws {
        #expect(try parseXML("<?x?><a/><?y z?>").name == "a")
    }

    @Test func `Depth, attributes and elements are limited`() {
        let deep = String(repeating: "<a>", count: 1 << 20)
        #expect(Reader.xml.error(Array(deep.utf8))?.code == .tooDeep(limit: 64))
        let attributes = (0...64).map { " a\($0)=''" }.joined()
        #expect(Reader.xml.error(Array("<a\(attributes)/>".utf8)) != nil)
        let limits = DocumentLimits(maximumNodes: 3)
        #expect(Reader.xml.error(Array("<a b='' c=''><d/></a>".utf8), limits: limits)?.code == .tooManyNodes(limit: 3))
    }

    @Test func `A document type that declares nothing is not looked at`() throws {
        let text = "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://127.0.0.1:9/[x].dtd\"><plist/>"
        #expect(Reader.xml.error(Array(text.utf8)) == nil)
    }

    @Test func `Names and attributes are kept as they are written`() throws {
        let root = try parseXML("<x:a xmlns:x='u' y:b='1' c=\"&lt;&#x1F600;\"/>")
        #expect(root.name == "x:a")
        #expect(root.attributes == ["xmlns:x": "u", "y:b": "1", "c": "<\u{1F600}"])
    }

    @Test func `Character data is put together`() throws {
        let root = try parseXML("<a> x&amp;<![CDATA[<y>]]><!-- c --><b> z </b>w\n</a>")
        #expect(root.content == " x&<y>w\n")
        #expect(root.text == "x&<y>w")
        #expect(root.children(named: "b").first?.text == "z")
    }

    @Test func `Many threads read at the same time`() async throws {
        let text = "<a>" + String(repeating: "<b c='d'>e</b>", count: 500) + "</a>"
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<64 { group.addTask { (try? parseXML(text).children.count) ?? 0 } }
            for await count in group { #expect(count == 500) }
        }
    }
}
