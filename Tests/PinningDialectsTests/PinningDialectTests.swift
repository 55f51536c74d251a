//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import PinningDialects
import ServerTrust
import Testing

@Suite struct PinningDialectTests {
    @Test func `Dialects are known by the words of the command line`() {
        #expect(
            PinningDialect.allCases.map(\.rawValue) == ["ios", "android", "trustkit", "okhttp", "curl", "json"])
    }

    @Test("A property list is recognized behind any preface, and a page is not parsed")
    func propertyLists() {
        let list = "<?xml version=\"1.0\"?><plist><dict><key>NSPinned<![CDATA[Domains]]></key><dict/></dict></plist>"
        #expect(PinningDialect.detected(in: Array(list.utf8)) == .ios)
        // Behind a long comment the words of the file decide.
        let late = "<!--\(String(repeating: "-", count: 2_000))--><plist><key>NSPinnedDomains</key></plist>"
        #expect(PinningDialect.detected(in: Array(late.utf8)) == .ios)
        #expect(
            PinningDialect.detected(in: Array("<html><p>\(String(repeating: "x", count: 5_000))</p></html>".utf8))
                == nil)
    }

    @Test func `What a file is written in is told by its words, and curl's slashes from those of a digest`() throws {
        for first in [UInt8(0x12), 0xFC, 0xFF] {
            let pin = try Pin(digest: [first] + Array(repeating: 0xFF, count: 31))
            let texts: [(String, PinningDialect?)] = [
                ("example.com \(pin)\n", .okhttp), (".add(\"example.com\", \"\(pin)\")", .okhttp),
                ("example.com sha256//\(pin.base64)\n", .curl), ("--pinnedpubkey x", .curl),
                ("example.com sha256//\(pin.base64);sha256//\(pin.base64)", .curl), ("sha256//", .okhttp),
                ("format: servertrust.pins/1 # \(pin)", .json), (" {\"format\": \"servertrust.pins/1\"}", .json),
                ("\u{FEFF}{ \"format\": \"servertrust.pins/1\"}", .json), ("{format: servertrust.pins/1}", .json),
                ("{\"pins\": {\"a.test\": [\"\(pin)\"]}}", .json), ("{ \(pin)", .okhttp),
                ("<plist><key>NSPinnedDomains</key>", .ios), ("<key>TSKPinnedDomains</key>", .trustkit),
                ("<network-security-config/>", .android), ("nothing", nil), ("", nil),
                ("<key>TSKPinnedDomains</key><key>NSPinnedDomains</key>", nil),
            ]
            for (text, dialect) in texts {
                #expect(PinningDialect.detected(in: Array(text.utf8)) == dialect, "\(text)")
            }
        }
    }
}
