//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import Testing

/// The three ways into a document.
enum Reader: CaseIterable, Sendable {
    case xml, propertyList, json

    func read(_ bytes: [UInt8], limits: DocumentLimits = DocumentLimits()) throws(DocumentError) {
        switch self {
        case .xml: _ = try XMLDocument.parse(bytes, limits: limits)
        case .propertyList: _ = try PropertyListDocument.parse(bytes, limits: limits)
        case .json: _ = try JSONDocument.parse(bytes, limits: limits)
        }
    }

    /// The error of a reading that must fail.
    func error(_ bytes: [UInt8], limits: DocumentLimits = DocumentLimits()) -> DocumentError? {
        do {
            try self.read(bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }
}

private let notUTF8: [[UInt8]] = [
    [0xFF, 0xFE, 0x3C, 0x00, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x3C], [0x00, 0x00, 0xFE, 0xFF],
    Array("<a>".utf8) + [0xC3, 0x28], Array("a: ".utf8) + [0xED, 0xA0, 0x80],
    Array("<a>".utf8) + [0xF4, 0x90, 0x80, 0x80],
]

@Suite struct DocumentTextTests {
    @Test(arguments: Reader.allCases)
    func `An empty file is refused`(_ reader: Reader) {
        #expect(reader.error([])?.code == .empty)
        #expect(reader.error(Array(" \r\n\t".utf8))?.code == .empty)
        #expect(reader.error([0xEF, 0xBB, 0xBF])?.code == .empty)
    }

    @Test(arguments: Reader.allCases)
    func `A file above the limit is refused`(_ reader: Reader) {
        let limits = DocumentLimits(maximumSize: 3)
        #expect(reader.error(Array("<a/>".utf8), limits: limits)?.code == .tooLarge(limit: 3))
    }

    @Test(arguments: notUTF8, Reader.allCases)
    func `What is not UTF-8 is refused`(_ bytes: [UInt8], _ reader: Reader) {
        #expect(reader.error(bytes)?.code == .notUTF8)
    }

    @Test(arguments: Reader.allCases)
    func `A zero byte is refused with its place`(_ reader: Reader) {
        #expect(reader.error(Array("<a>\n \0</a>".utf8)) == DocumentError(.zeroByte, TextPosition(line: 2, column: 2)))
    }

    @Test func `The place of a damaged character is given`() {
        let error = Reader.json.error(Array("[\"\u{e9}\",\n\"b".utf8) + [0xFF])
        #expect(error?.position == TextPosition(line: 2, column: 3))
    }

    @Test func `A byte order mark is accepted and not counted`() throws {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        #expect(try XMLDocument.parse(mark + Array("<a/>".utf8)).position == TextPosition(line: 1, column: 1))
        #expect(try JSONDocument.parse(mark + Array("{}".utf8)).position == TextPosition(line: 1, column: 1))
    }

    @Test func `An error says where it is and what to do`() {
        let error = DocumentError(.duplicateKey("pins\u{1B}[2J"), TextPosition(line: 3, column: 7))
        #expect(error.description == "line 3, column 7: the key \"pins\\u{1B}[2J\" is there twice. Remove one")
        #expect(DocumentError(.empty).description == "the document is empty. Give a file with content")
    }
}
