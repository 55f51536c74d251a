//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@testable import Inflate

/// What zlib 1.3 writes.
struct Stream: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let contents: [UInt8]
    let compressed: [UInt8]

    init(_ description: String, _ contents: String, _ compressed: String) {
        self.testDescription = description
        self.contents = octets(contents)
        self.compressed = octets(compressed)
    }
}

private func octets(_ base64: String) -> [UInt8] { Data(base64Encoded: base64).map(Array.init) ?? [] }

private let sentences = Array(
    String(repeating: "The authority signs; the log promises; the client counts. ", count: 40).utf8)

private let streams = [
    Stream(
        "nothing", "",
        "eNoDAAAAAAE="),
    Stream(
        "stored", "c3RvcmVkIG9jdGV0cw==",
        "eAEBDQDy/3N0b3JlZCBvY3RldHMk/QVE"),
    Stream(
        "fixed code", "aGVsbG8gaGVsbG8gaGVsbG8=",
        "eAHLSM3JyVfIQJAAOi4GfQ=="),
    Stream(
        "dynamic code",
        "ZWNlYWIgYmUKYSBkYWJlZWJkYiBlYQpiZAphCgplYWRhIGNlZWMgYgplIGNiCgpkZWIgYgphCmRlIGVlZQplZWVkY2RiCmUgZWVlZQpiYiBlY2VjZWVhYiAKZWVlCmUKZWJiZWViYWUKZWVlZWFlZWMKYmVhZGVjZGVlZWJjZWUgZWNlIGVlZWVkY2JjY2RkYWUKY2VlYWNlIGUKCmVjIAphZSBlZWVlYmVlYWRiZGVjYmUKYWJhCmMgYmUKYWJkCmVjZWUKZWViYmVlZWVlYmNiZWVlYyBhZCBlYyBhIGViZSBlY2VkICAgZWQKZGRlZGQgZWVhYWVlZWQKZWVlZWJkYmRlZGVkZQoKYWVlYmJlZGVjZWViZWVlYmNjY2FjCmVjCgplZWMgIGNhYWIgY2VkZGFlZGUgZAplZSBlY2FlZQogZSBjIGMgIGFlYwphY2NjZQpiIGFlICAgZWIgYWRkZWFiIGUgYWJlZQogCiBkZWUgIGUgZCBlIGRlY2ViZWVlYmRlYmRlYmNlY2VjZWRiZWVjZGNlIGVlZWRlZWJlYWUgZWVhZWUgCmUgYmJkYmJlZWFjZWNlZWVjICAKZWViZWFjZWJlYWJlYgpkYmViZWFlIGVlCmNhIGRiY2VhY2RlZSBkZWUgY2VlYWVhYWEgIGQgZWRlYmVlIGUgZWRkZWRjZWVhY2FiZWVjYWJlIGUKZGVhZWNjZWVhZWVlIGVkYWVkZWNhZWViZWUgZGQgYWJlYmNlCmFlYWVlZGIKIGMKZWVlY2UKY2EgZSBjICAKYQpkYmFhY2ViZWUgYWEgZGVlYWViICBiIGJlZWJlZGRkZWVlYmVlYQpkYgpjZWVlCgpjYWVhZWViZGVlIGVlZWViIGRlYmVhZWViIGVlZWRkYgpiYyBlZWMKIGViZWRlZWVhY2FlZWVlY2VlZWViZWFlZWViZGFlZWViZWUKYmVlZWFlYmFlY2RlZSBlZGVlYWUgIGRiYWVlCmNlZWEgY2NlZWVlZWVlZWRlZSBlYmNjYmQgZSBkZWVlZWMgZGRiY2UgYmVkZWUKZGFlZWUgZGVlZWFlZQplYyAgZGJlZGVlZWVlYWNhZWUKZWFiZSBlZWRiZGNjIGJlYiBhYWNkCmFlY2UgZWJiYmUgCmRlZWQKYWEgZWVlZWRlIGQgZGFlZWFhZGVlYmVkZWVkZWFlZWVlZGFlIGJkZWRlZGRlZGVlYgplCmNkZWVhCmNlYWRhCmNlYWFjZWVlYmJjZWRjIGVhZWVlZWVjYmFiZWJlZWIgZGVlZWViYWVkZSBlZGVlZWFlZGVhZWFlYmFlZGIKZWVlZQphZWVlZWEKYmFkYmVlZWVlZWNlY2FlYwpkZWVlZQpiIGRlY2RlYmFlICBlY2ViYmUKYmRiZWVlY2RjZWUKZCBiZWVlCmVlZWVkZWRjZGRjZQpkZWJlZWQgIGRiZWFiYWVkZWVhZWRiYWQKCmRiZSBjZQplYWIKCmVkYWVlY2FkZWEKZGFlZWVjCmViZGFlIGViZWJlIGMgYmNlZWVlZWVhZQplZWVhZWRlZWRhZWNlYmJlCmVlY2NhYSBjZWIKCmUgY2NlZWMgY2JiZWVkZWNhZWVhCmViCmNkCmUKZGVjCmRhZSBjZWViY2RkYSBhZWJlCmUgZWVlCmRlZWVlIGVjYWEKZWVkZQplY2VlYmJjZWVlYmUgIGFhY2JlIGJhIGVjYWIKYmRjZWVjZGJlCmVjZQplZWNlIGVkCmUKIGRlZWFkY2VjZWVlY2ViIGFlZSAgCmJlIGVlZWVlCmNlZWJlZGMKYWUgZWUKZWFhZGNlCmVlIGVhY2VkCmFhYWEKZWViIGUgZGUKZQpjZGUKZWNjYWRjZWJiY2VlZWFhIGUKCmUKIGVkY2FhYSBhZWNkY2FiYQogZGNlZCAKIGUKYyBlYmVhZSBhZWVlYmVjZGJlZGFiZWVhZSBlIGVlZGIgYWNlZGRjZWRlZQpkZSBlZSBhYWVkCmVk",
        "eNotlMmVBDEIQ+9EQWps+adQ+nK9numlDBII4Zurzr6o3Oq73s6r6I2KuNrKuZvsuJyO2FOwjvby7kL/O8vh8bOVO3oBGT6Pa0DLoVeCihbqzepnK5IEJ+/0zK4iyeeh+Cej3rFQaluJlNoV45pVJnQCh8aQfE7WJu+pPBg2M29j91YHVwWhS2pAeYWYQFkA21AzNcJXHcLKKXUlKJWo7skWsnIiJY1eWQotJUkHfYdRn6JU2iXaRkaqbx3k8i8mE63/xtKtnsw+TZZC3L9oJGi2qm2rM+4SkZufeuvrUPKfEKN5CrIQ2qSoqsYr4V6IVcKhiPWmPt4kuyq+cTgxbpc+yZB6EKnF4liTz0HGMSE6JObock3quuAuCZGYTM9295+mwhi1hB+DNVV6JLluQ18QQWE9iXOYJtlFOWcNXqBy66FG22YynBs/s6vlZlD0lOO0e/ImU+43DCu6iJamCWP6gGTk3sf/VxBnvaTCDnbUtCW3lGF6rUGlpJTNJMKjk/JgVnmwnLl4JM7nwvXMtTZUL5OzgLwXRbdKWynhHC0Ck3hqnVdsX79XxrUIrCYSO0VbXfvWBKth131rm17IRik8qc1qB2JE6cDk3gLjltXDsIHWipSpYRV84EF5DW20N7Q7areemPIKk2KORGX/s3jXg2G2/goUrY0TFDiempYM9z83lqCkUlDKgI7BmwtEu0e67yf3x5oqnB33bptV/IxLH10EyGQ0q8vMUdAjp/Dt4P1XjiGzwdHPqzaVZjnvngqG6+xkLZm9qdsOe3MNGtv568AcAYsw2E6MO1xwuVxbeq6r7m31szgV+qYuL7BUT5iIdsPptaPy/QA3oPW0"
    ),
    Stream(
        "repeats", Data(sentences).base64EncodedString(),
        "eNrty8EJgDAMBdBV/gQu4BpdQEpoAzWRJj24vR6cQv71wStdcKzsPjVvhDaLHfni8IZr+qkhn9ShYonqyzI2FE5OTk5OTk7OX8wHmndSpg=="),
    Stream(
        "Huffman alone",
        "ZWNlYWIgYmUKYSBkYWJlZWJkYiBlYQpiZAphCgplYWRhIGNlZWMgYgplIGNiCgpkZWIgYgphCmRlIGVlZQplZWVkY2RiCmUgZWVlZQpiYiBlY2VjZWVhYiAKZWVlCmUKZWJiZWViYWUKZWVlZWFlZWMKYmVhZGVjZGVlZWJjZWUgZWNlIGVlZWVkY2JjY2RkYWUKY2VlYWNlIGUKCmVjIAphZSBlZWVlYmVlYWRiZGVjYmUKYWJhCmMgYmUKYWJkCmVjZWUKZWViYmVlZWVlYmNiZWVlYyBhZCBlYyBhIGViZSBlY2VkICAgZWQKZGRlZGQgZWVhYWVlZWQKZWVlZWJkYmRlZGVkZQoKYWVlYmJlZGVjZWViZWVlYmNjY2FjCmVjCgplZWMgIGNh",
        "eAEFwTEBAAAMwrAfFVgbUP8WllAuDjrvAlnMKdNJ3M6FOsKNNOLoNAwIWBdhACWmFC4WIEQCOQRwUIUbHZCCKQZY026HCleMRK3DAIFbRoMupzroMlEQJACkAeqbqc8EU2abaWMz3AETQJYxhnSQMAoB0vYqKkHt3gNbomGH"
    ),
    Stream(
        "run lengths", Data(Array(repeating: 0x61, count: 1_000) + [0x62]).base64EncodedString(),
        "eAFLHAWjYBQMe5AEAHVBe1o="),
    Stream(
        "small window", Data(sentences).base64EncodedString(),
        "GNPty8EJgDAMBdBV/gQu4BpdQEpoAzWRJj24vR6cQv71wStdcKzsPjVvhDaLHfni8IZr+qkhn9ShYonqyzI2FE5OTk5OTk7OX8wHmndSpg=="),
]

@Suite("Reading compressed data (RFC 1950 to 1952)")
struct InflateTests {
    @Test("What zlib writes is read", arguments: streams)
    func zlib(stream: Stream) throws {
        #expect(try Inflate.zlib(stream.compressed[...], limit: stream.contents.count) == stream.contents)
    }

    @Test("A stream that is cut off anywhere is refused", arguments: streams)
    func truncated(stream: Stream) {
        for count in 0..<stream.compressed.count {
            #expect(throws: InflateError.truncated, "\(count)") {
                try Inflate.zlib(stream.compressed[..<count], limit: 10_000)
            }
        }
    }

    @Test("A stream of which any bit is another one is refused", arguments: streams)
    func flipped(stream: Stream) {
        for bit in 0..<stream.compressed.count * 8 {
            var changed = stream.compressed
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let read = try? Inflate.zlib(changed[...], limit: 10_000)
            // Bits that fill up the last octet of the data say nothing.
            #expect(read == nil || read == stream.contents, "bit \(bit)")
        }
    }

    @Test("One octet more than allowed is too large", arguments: streams.filter { !$0.contents.isEmpty })
    func limit(stream: Stream) {
        #expect(throws: InflateError.tooLarge) {
            try Inflate.zlib(stream.compressed[...], limit: stream.contents.count - 1)
        }
    }

    @Test(
        "Data that break a rule of the format are refused",
        arguments: [
            ("a reserved block", [0x78, 0x9C, 0x07, 0, 0, 0, 0, 0]),
            ("a stored block with another complement", [0x78, 0x9C, 0x01, 1, 0, 1, 0, 0x61, 0, 0, 0, 1]),
            ("a distance before the beginning", [0x78, 0x9C, 0x4B, 0x04, 0x12, 0x00, 0, 0, 0, 0]),
            ("more literals than there are", [0x78, 0x9C, 0xFD, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
            ("another method", [0x79, 0x9B, 0x03, 0, 0, 0, 0, 1]),
            ("a header without its check", [0x78, 0x9D, 0x03, 0, 0, 0, 0, 1]),
            ("a preset dictionary", [0x78, 0xBB, 0, 0, 0, 0, 0x03, 0, 0, 0, 0, 1]),
            ("a window of 64 KiB", [0x88, 0x1C, 0x03, 0, 0, 0, 0, 1]),
            ("octets behind it", [0x78, 0x9C, 0x03, 0, 0, 0, 0, 1, 0]),
        ] as [(String, [UInt8])])
    func malformed(what: String, octets: [UInt8]) {
        #expect(throws: InflateError.malformed, "\(what)") { try Inflate.zlib(octets[...], limit: 1_000) }
    }

    private static let one = octets(
        "H4sIAAAAAAACA+3LwQmAMAwF0FX+BC7gGl1ASmgDNZEmPbi9HpxC/vXBK11wrOw+NW+ENosd+eLwhmv6qSGf1KFiierLMjYUTk5OTk5OTs5fzAccmrGlEAkAAA=="
    )
    /// Two members, the first with a name.
    private static let two = octets(
        "H4sICAEAAAAC/25hbWUudGFyAEvLLCouUQAA/HrxHAYAAAAfiwgAAAAAAAIDK05Nzs9LAQBpER+2BgAAAA==")

    @Test("What gzip writes is read, in one member or several")
    func gzip() throws {
        #expect(try Inflate.gzip(Self.one[...], limit: sentences.count) == sentences)
        #expect(try Inflate.gzip(Self.two[...], limit: 12) == Array("first second".utf8))
        #expect(throws: InflateError.tooLarge) { try Inflate.gzip(Self.two[...], limit: 11) }
    }

    @Test("A gzip file that is cut off, changed, or followed by something else is refused")
    func gzipFaults() {
        for count in 0..<Self.one.count {
            #expect(throws: InflateError.self) { try Inflate.gzip(Self.one[..<count], limit: 10_000) }
        }
        for index in Self.one.indices.dropFirst(10) {
            var changed = Self.one
            changed[index] ^= 0x40
            #expect((try? Inflate.gzip(changed[...], limit: 10_000)) ?? sentences == sentences, "\(index)")
        }
        #expect(throws: InflateError.malformed) { try Inflate.gzip((Self.one + [0])[...], limit: 10_000) }
        var reserved = Self.one
        reserved[3] = 0x20
        #expect(throws: InflateError.malformed) { try Inflate.gzip(reserved[...], limit: 10_000) }
    }

    @Test("The checksum of a header is checked where there is one", arguments: [0, 1, 2])
    func headerChecksum(changed: Int) throws {
        // RFC 1952 §2.3.1: the lower half of the sum over the octets before it, which Python's zlib computes.
        let header: [UInt8] = [0x1F, 0x8B, 8, 2, 0, 0, 0, 0, 2, 3]
        let sum: [UInt8] = [0x25, 0x15]
        let contents = Array(Self.one.dropFirst(10))
        var file = header + sum + contents
        #expect(try Inflate.gzip(file[...], limit: 10_000) == sentences)
        var stream = InflateStream(.gzip, limit: 10_000)
        stream.receive(file.prefix(11))
        #expect(try stream.next() == nil)
        file[changed < 2 ? 10 + changed : 4] ^= 1
        #expect(throws: InflateError.wrongChecksum) { try Inflate.gzip(file[...], limit: 10_000) }
        stream = InflateStream(.gzip, limit: 10_000)
        stream.receive(file)
        #expect(throws: InflateError.wrongChecksum) { try stream.next() }
    }

    @Test("A file of too many members is refused")
    func members() {
        let member = Array(Self.two.prefix(Self.two.count / 2))
        #expect(throws: InflateError.self) { try Inflate.gzip(member[...], limit: 10_000) }
        let many = Array(repeatElement(Self.one, count: 5_000).joined())
        #expect(throws: InflateError.tooLarge) { try Inflate.gzip(many[...], limit: 64 << 20) }
    }

    @Test("A header of gzip without an end is refused, and not read anew for ever")
    func endlessHeader() {
        var stream = InflateStream(.gzip, limit: 1_000)
        stream.receive([31, 139, 8, 8, 0, 0, 0, 0, 0, 3])
        #expect(throws: InflateError.malformed) {
            for _ in 0..<20_000 {
                stream.receive([97])
                let octets = try stream.next()
                #expect(octets == nil)
            }
        }
    }

    @Test("Members follow each other in a stream however many there are, and each costs no more than the last")
    func manyMembers() throws {
        // Many at once: more than a header may have follow the first.
        let count = 20_000
        var stream = InflateStream(.gzip, limit: 1 << 20)
        stream.receive(Array(repeatElement(Self.two, count: count).joined()))
        var contents = 0
        let time = try ProcessorTime.measure { while let octets = try stream.next() { contents += octets.count } }
        try stream.finish()
        #expect(contents == 12 * count)
        // Copying what follows each member would take minutes.
        #expect(time < .seconds(20))
    }

    @Test("What follows the data of a stream is told apart, however much came at once", arguments: [0, 1, 300, 70_000])
    func follows(count: Int) throws {
        var stream = InflateStream(.gzip, limit: 1 << 20)
        stream.receive(Self.one + [UInt8](repeating: 1, count: count))
        if count == 0 {
            while try stream.next() != nil {}
            try stream.finish()
        } else {
            #expect(throws: InflateError.self) {
                while try stream.next() != nil {}
                try stream.finish()
            }
        }
    }

    @Test(
        "A stream in pieces has the contents of the whole, and an end that is missing is told",
        arguments: [1, 7, 1_000])
    func pieces(size: Int) throws {
        let octets: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 84, 200, 77, 205, 77, 74, 45, 82, 200, 79, 83, 72, 84, 72, 203, 204,
            73,
            5, 0, 15, 16, 168, 249, 18, 0, 0, 0,
        ]
        let whole = try Inflate.gzip(octets[...], limit: 100)
        for count in 0...octets.count {
            var stream = InflateStream(.gzip, limit: 100)
            var contents: [UInt8] = []
            for start in stride(from: 0, to: count, by: size) {
                stream.receive(octets[start..<min(start + size, count)])
                while let more = try stream.next() { contents += more }
            }
            if count == octets.count {
                try stream.finish()
                #expect(contents == whole)
            } else {
                #expect(throws: InflateError.truncated) { try stream.finish() }
            }
        }
    }
}
