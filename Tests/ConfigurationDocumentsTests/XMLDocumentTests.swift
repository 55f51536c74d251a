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

/// Faults by the rule of XML 1.0 that they break.
private let faults: [String: [String]] = [
    "2.2 characters": [
        "<a>\u{0B}</a>", "<a>\u{FFFE}</a>", "<a b='\u{FFFF}'/>", "<a><!--\u{1F}--></a>", "<a><![CDATA[\u{8}]]></a>",
        "<?x \u{1}?><a/>", "<!DOCTYPE a SYSTEM '\u{1}'><a/>", "<a/>\u{C}", "\u{FEFF}\u{FEFF}<a/>",
    ],
    "2.3 names": [
        "<-a/>", "<.a/>", "<\u{B7}a/>", "<\u{37E}/>", "<\u{D7}/>", "<\u{300}a/>", "<\u{3000}/>", "<\u{F0000}/>",
        "<a\u{2028}/>", "<a\u{85}b='1'/>", "<a\u{A0}b='1'/>", "<a 1='2'/>", "<a b$='2'/>", "<?1?><a/>", "<??><a/>",
        "<? x?><a/>", "<a>&1;</a>", "<a>&l\u{D7}t;</a>", "<!DOCTYPE 1><a/>",
        "<\(String(repeating: "a", count: 50_001))/>",
    ],
    "2.4 character data": [
        "<a>]]></a>", "<a>x]]>y</a>", "<a>]]]></a>", "<a>&</a>", "<a><</a>", "<a><![CDATA[]]>]]></a>",
    ],
    "2.5 comments": [
        "<!-- -- --><a/>", "<!-----><a/>", "<!-- --->", "<a><!--x---></a>", "<!--->-->", "<a><!----></a>-->",
        "<! -- c --><a/>",
    ],
    "2.6 processing instructions": [
        "<?XML x?><a/>", "<?Xml?><a/>", "<?xml?><a/>", "<?x/?><a/>", "<?x <a/>", "<a/><?xml version='1.0'?>",
    ],
    "2.7 CDATA sections": [
        "<![CDATA[x]]><a/>", "<a/><![CDATA[]]>", "<a><![cdata[x]]></a>", "<a><![CDATA [x]]></a>", "<a><![CDATA[x]]</a>",
    ],
    "2.8 the prolog": [
        "<?xml version='2.0'?><a/>", "<?xml version='1.'?><a/>", "<?xml version='1.0a'?><a/>",
        "<?xml version=1.0?><a/>",
        "<?xml encoding='utf-8'?><a/>", "<?xml encoding='utf-8' version='1.0'?><a/>", "<?xml version='1.0\"?><a/>",
        "<?xml version='1.0'encoding='utf-8'?><a/>", "<?xml version='1.0' standalone='maybe'?><a/>",
        "<?xml version='1.0' standalone='no' encoding='utf-8'?><a/>", "<?xml version='1.0' x='y'?><a/>",
        "<?xml version='1.0'><a/>", "<?xml version='1.0' version='1.0'?><a/>", "\n<?xml version='1.0'?><a/>",
        "<?xml version='1.0'?><?xml version='1.0'?><a/>", "<!DOCTYPE><a/>", "<!DOCTYPEa><a/>", "<!DOCTYPE a",
        "<!DOCTYPE a SYSTEM><a/>", "<!DOCTYPE a SYSTEM x><a/>", "<!DOCTYPE a SYSTEM'x'><a/>", "<!DOCTYPE a 'x'><a/>",
        "<!DOCTYPE a PUBLIC 'x'><a/>", "<!DOCTYPE a PUBLIC 'x''y'><a/>", "<!DOCTYPE a PUBLIC '{' 'y'><a/>",
        "<!DOCTYPE a PUBLIC '\u{E9}' 'y'><a/>", "<!DOCTYPE a SYSTEM 'x' 'y'><a/>", "<!DOCTYPE a b><a/>", "x<a/>",
        "&#32;<a/>",
        "<a/>&#32;", "<a/>x", "<!ELEMENT a ANY><a/>", "<a><!DOCTYPE a></a>",
    ],
    "3.1 tags": [
        "<a b='1'c='2'/>", "<a b = />", "<a b=''b=''/>", "<a b='1' b='2'/>", "<a / >", "<a/ >", "<a b/>", "<a ='1'/>",
        "<a b='1",
        "<a b='&#60;' c='<'/>", "<a b='&'/>", "<a></ a>", "<a></a b='1'>", "<a></a/>", "<a></A>", "<a></ab>", "<a></a",
        "<a><b></a></b>", "<\u{E9}></e\u{301}>", "<K></\u{212A}>", "<a></a></a>", "<a b='1'></a><b/>", "<>x</>",
    ],
    "4.1 references": [
        "<a>&#;</a>", "<a>&#x;</a>", "<a>&#X41;</a>", "<a>&#x 41;</a>", "<a>&#65</a>", "<a>&#6A;</a>", "<a>&#-1;</a>",
        "<a>&#1;</a>", "<a>&#xDFFF;</a>", "<a>&#xFFFE;</a>", "<a>&#x110000;</a>", "<a>&#4294967361;</a>",
        "<a>& amp;</a>",
        "<a>&amp ;</a>", "<a>&amp</a>", "<a>&AMP;</a>", "<a>&x;</a>", "<a b='&x;'/>",
        "<a>&#\(String(repeating: "9", count: 99));</a>",
    ],
]

/// Rare but well-formed.
private let wellFormed: [(String, String)] = [
    ("<?xml version='1.0' standalone='yes' ?><a/>", ""), ("<?xml\tversion = \"1.1\"\r\nencoding='Utf-8'?>\n<a/>", ""),
    ("<?xml version='1.0' encoding='us-ascii'?><a>x</a>", "x"),
    ("<!--<b>-->\n<!DOCTYPE a>\t<?p <?b>?><a/><!---->\n", ""),
    ("<!DOCTYPE a PUBLIC \"-//A b'(c)\" '[]'  ><a/>", ""), ("<!DOCTYPE a SYSTEM \"'>\"><a/>", ""),
    ("<?xml-stylesheet a='b'?><a\n></a\t>", ""), ("<\u{10000}\u{B7}.-:\u{2040}/>", ""), ("<_ b='>' c=\"'\">></_>", ">"),
    ("<a>]] ]&#93;> ]]&gt;</a>", "]] ]]> ]]>"), ("<a>]<!---->]<!---->></a>", "]]>"),
    ("<a><![CDATA[]]]]><![CDATA[>]]></a>", "]]>"),
    ("<a><![CDATA[<?x?>&lt;<!--]]></a>", "<?x?>&lt;<!--"), ("<a>&#x0000000041;&#9;&#x10FFFF;</a>", "A\t\u{10FFFF}"),
    ("<a>1\r\n2\r3\n\r4&#13;\n5&#xD;&#xA;</a>", "1\n2\n3\n\n4\r\n5\r\n"), ("<a><![CDATA[1\r\n2\r]]>\n</a>", "1\n2\n\n"),
    ("<a>\u{7F}\u{85}\u{2028}\u{FFFD}\u{1FFFE}\u{10FFFF}</a>", "\u{7F}\u{85}\u{2028}\u{FFFD}\u{1FFFE}\u{10FFFF}"),
]

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

    @Test(arguments: faults.keys.sorted())
    func `What a rule of XML forbids is refused`(_ rule: String) throws {
        for text in try #require(faults[rule]) {
            guard case .malformed = Reader.xml.error(Array(text.utf8))?.code else {
                Issue.record("not refused as malformed: \(text.prefix(80))")
                continue
            }
        }
    }

    @Test(arguments: wellFormed)
    func `What XML allows is read`(_ text: String, _ content: String) throws {
        #expect(Array(try parseXML(text).content.utf8) == Array(content.utf8))
    }

    @Test func `White space in attributes is blanks, but for that of references`() throws {
        let root = try parseXML("<a b=' 1\r\n2\t3\r4\n&#10;&#9;&#13;&#32; '/>")
        #expect(root.attributes["b"].map { Array($0.utf8) } == Array(" 1 2 3 4 \n\t\r  ".utf8))
    }

    @Test func `ASCII that is declared is all there may be`() {
        let text = "<?xml version='1.0' encoding='US-ASCII'?><a>\u{E9}</a>"
        #expect(Reader.xml.error(Array(text.utf8))?.code == .notUTF8)
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
