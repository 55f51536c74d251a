//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Testing

@testable import FleetScan
@testable import ServerReports
@testable import ServerTrustCommand

@Suite("Lines of the conformance protocol")
struct ConformanceLineTests {
    private func answer(to line: String) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let answer = ConformanceResponder(publicSuffixes: nil).answer(to: Array(line.utf8))
        return String(decoding: try encoder.encode(answer), as: UTF8.self)
    }

    @Test(
        "A line that is no request has an answer too, with a null for its identifier",
        arguments: [
            "", "garbage", "[]", "null", "1", "{", #"{"v":1,"op":"validate"}"#, #"{"v":1,"id":1,"op":"validate"}"#,
            #"{"v":1,"id":null,"op":"parse"}"#, #"{"id":["a"]}"#, "\u{FEFF}", "\u{0}",
        ])
    func unreadable(line: String) throws {
        #expect(try self.answer(to: line) == #"{"detail":"malformed request","id":null,"verdict":"unsupported"}"#)
    }

    @Test("Where an identifier can be read it is echoed")
    func readable() throws {
        #expect(
            try self.answer(to: #"{"v":"1","id":"a"}"#)
                == #"{"detail":"malformed request","id":"a","verdict":"unsupported"}"#)
    }

    @Test("A line that is too long is told of, and the next one is read")
    func tooLong() throws {
        var chunks: [[UInt8]] = [Array("first\n0123456789".utf8), Array("0123456789\nlast\nabc".utf8), []]
        var lines = BoundedLines(maximumLength: 12) { chunks.isEmpty ? [] : chunks.removeFirst() }
        #expect(try lines.next() == .whole(Array("first".utf8)))
        #expect(try lines.next() == .tooLong)
        #expect(try lines.next() == .whole(Array("last".utf8)))
        #expect(try lines.next() == .whole(Array("abc".utf8)))
        #expect(try lines.next() == nil)
    }
}
