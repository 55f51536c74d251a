//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import TestSupport
import Testing

@testable import PinningDialects

/// Bytes that are no configuration in any dialect.
private struct Bytes: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable () -> [UInt8]

    init(_ name: String, _ make: @escaping @Sendable () -> [UInt8]) {
        self.testDescription = name
        self.make = make
    }
}

private let million = 1_000_000
private let many = 150_000

private let hostile: [Bytes] = [
    Bytes("nothing") { [] },
    Bytes("white space") { Array(" \n\t\r\n ".utf8) },
    Bytes("a byte order mark") { [0xEF, 0xBB, 0xBF] },
    Bytes("a NUL") { [0] },
    Bytes("a NUL in text") { Array("example.com \0 sha256/".utf8) },
    Bytes("UTF-16") { [0xFF, 0xFE, 0x3C, 0x00] },
    Bytes("no UTF-8") { [0x7B, 0xC3, 0x28, 0x7D] },
    Bytes("control characters") { Array("\u{1B}[31m\u{7}\u{8}".utf8) },
    Bytes("random octets") { (0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 3) } },
    Bytes("five megabytes") { [UInt8](repeating: 0x61, count: 5 * million) },
    Bytes("many letters") { [UInt8](repeating: 0x61, count: many) },
    Bytes("many words") { Array(String(repeating: "a ", count: many).utf8) },
    Bytes("many lines") { Array(String(repeating: "a\n", count: many).utf8) },
    Bytes("many quotation marks") { [UInt8](repeating: 0x22, count: many) },
    Bytes("many brackets") { [UInt8](repeating: 0x5B, count: many) },
    Bytes("many braces") { [UInt8](repeating: 0x7B, count: many) },
    Bytes("many elements") { Array(String(repeating: "<a>", count: many / 3).utf8) },
    Bytes("many calls") { Array(String(repeating: ".add(", count: many / 5).utf8) },
    Bytes("many calls on lines") { Array(String(repeating: ".add(\"a\n", count: many / 8).utf8) },
    Bytes("many options") { Array(("pinnedpubkey " + String(repeating: "-z", count: many / 2)).utf8) },
    Bytes("options and quotes") { Array(("pinnedpubkey " + String(repeating: "--a 'b' ", count: many / 8)).utf8) },
    Bytes("a binary property list cut off") { Array("bplist00".utf8) },
]

@Suite struct HostileInputTests {
    @Test(arguments: PinningDialect.allCases, hostile)
    private func `What is no configuration is one error or more, and nothing else`(
        dialect: PinningDialect, bytes: Bytes
    ) {
        let duration = ProcessorTime.measure {
            let reading = PinningReader(dialect).read(bytes.make())
            #expect(reading.configuration == nil)
            #expect(reading.diagnostics.contains { $0.severity == .error })
            #expect(reading.diagnostics.count <= 1_001)
            #expect(reading.diagnostics.allSatisfy { Self.isPrintable($0.description) })
        }
        #expect(duration < .seconds(10))
    }

    @Test(arguments: [PinningDialect.ios, .android, .trustkit, .json])
    func `A file that has an end is refused without it`(dialect: PinningDialect) throws {
        let bytes = Array(try #require(Sample.files[dialect]).utf8)
        for length in 0..<bytes.count {
            #expect(PinningReader(dialect).read(Array(bytes.prefix(length))).configuration == nil)
        }
    }

    @Test(arguments: PinningDialect.allCases)
    func `A host of a megabyte is refused, and shown cut`(dialect: PinningDialect) throws {
        let name = String(repeating: "a", count: million)
        let text = try #require(Sample.files[dialect]).replacing("example.com", with: name + ".com", maxReplacements: 1)
        let reading = PinningReader(dialect).read(Array(text.utf8))
        #expect(reading.configuration == nil)
        #expect(reading.codes.contains(.invalidHost), "\(reading.codes)")
        #expect(reading.diagnostics.allSatisfy { $0.description.utf8.count < 2_000 })
    }

    @Test(arguments: [PinningDialect.okhttp, .curl])
    func `Tens of thousands of domains are read in linear time`(dialect: PinningDialect) {
        let prefix = dialect == .curl ? "sha256//" : "sha256/"
        let line = { (index: Int) in "d\(index).example.com \(prefix)\(Sample.a.base64)\n" }
        let text = (0..<50_000).map(line).joined()
        let duration = ProcessorTime.measure {
            let reading = PinningReader(dialect).read(Array(text.utf8))
            #expect(reading.configuration?.domains.count == 50_000)
        }
        #expect(duration < .seconds(20))
    }

    @Test func `Ten thousand domains in structured files are read in linear time`() {
        let pins = "\"SPKI-SHA256-BASE64\": \"\(Sample.a.base64)\""
        let apple = (0..<10_000).map { "\"d\($0).a.com\": {\"NSPinnedLeafIdentities\": [{\(pins)}]}" }
        let reading = PinningReading("{\"NSPinnedDomains\": {\(apple.joined(separator: ",\n"))}}", .ios)
        #expect(reading.configuration?.domains.count == 10_000)
        let android = (0..<10_000).map { "<domain>d\($0).example.com</domain>" }.joined()
        let set = "<pin-set><pin digest=\"SHA-256\">\(Sample.a.base64)</pin></pin-set>"
        let file = "<network-security-config><domain-config>\(android)\(set)</domain-config></network-security-config>"
        #expect(PinningReading(file, .android).configuration?.domains.count == 10_000)
    }

    private static func isPrintable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
}
