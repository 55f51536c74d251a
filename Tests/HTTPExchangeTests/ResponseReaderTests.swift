//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import NIOCore
import Testing

@testable import HTTPExchange

@Suite("Responses of HTTP/1.1")
struct ResponseReaderTests {
    /// What is read of a response, in one text: status, fields, content and how it ended.
    private static func outcome(
        _ text: String, method: HTTPRequest.Method = .get, cutting step: Int? = nil,
        limits: ResponseReader.Limits = .init()
    ) -> String {
        var reader = ResponseReader(limits: limits)
        reader.begin(method: method)
        var outcome = ""
        func take(_ part: ResponsePart) {
            switch part {
            case .informational(let head): outcome += "(\(head.status))"
            case .head(let head): outcome += "\(head.status)["
            case .content(let octets): outcome += String(buffer: octets)
            case .end(let trailers): outcome += "]" + trailers.map { "\($0.name.rawName)=\($0.value)" }.joined()
            }
        }
        do {
            let octets = Array(text.utf8)
            for start in stride(from: 0, to: octets.count, by: step ?? max(octets.count, 1)) {
                reader.receive(ByteBuffer(bytes: octets[start..<min(start + (step ?? octets.count), octets.count)]))
                while let part = try reader.next() { take(part) }
            }
            if let part = try reader.finish() { take(part) }
            return outcome
        } catch {
            return outcome + "!\(error)"
        }
    }

    private static let refusals: [(String, HTTPMessageError)] = [
        ("", .noResponse),
        ("HTTP/1.1 200 OK", .cutInHead),
        ("HTTP/1.1 200 OK\r\nA: b", .cutInHead),
        ("HTTP/1.1 200 OK\r\n\r", .cutInHead),
        ("hello", .statusLine),
        ("\r\nHTTP/1.1 200 OK\r\n\r\n", .statusLine),
        ("HTTP/2 200 OK\r\n\r\n", .statusLine),
        ("HTTP/1.1 20 OK\r\n\r\n", .statusLine),
        ("HTTP/1.1 2000 OK\r\n\r\n", .statusLine),
        ("HTTP/1.1 099 OK\r\n\r\n", .statusLine),
        ("HTTP/1.1  200 OK\r\n\r\n", .statusLine),
        ("HTTP/1.1 2x0 OK\r\n\r\n", .statusLine),
        ("HTTP/1.1 200 OK\r\nA: b\0c\r\n\r\n", .forbiddenOctet),
        ("HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n", .forbiddenOctet),
        ("HTTP/1.1 200 OK\r\r\n\r\n", .forbiddenOctet),
        ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", .fieldLine(1)),
        ("HTTP/1.1 200 OK\r\nA: b\r\nC : d\r\n\r\n", .fieldLine(2)),
        ("HTTP/1.1 200 OK\r\n: b\r\n\r\n", .fieldLine(1)),
        ("HTTP/1.1 200 OK\r\n fold\r\n\r\n", .fieldLine(1)),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", .contentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", .contentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .contentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\na", .contentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1 2\r\n\r\na", .contentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", .contentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na", .contentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\na", .contentLength),
        ("HTTP/1.1 304 OK\r\nContent-Length: x\r\n\r\n", .contentLength),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .transferCoding),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", .transferCoding),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", .transferCoding),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: x\r\n\r\n", .transferCoding),
    ]

    @Test("What is no response is an error with its cause", arguments: Self.refusals)
    func refused(text: String, error: HTTPMessageError) {
        #expect(Self.outcome(text).hasSuffix("!\(error)"), "\(text.debugDescription): \(Self.outcome(text))")
    }

    private static let contents: [(String, String)] = [
        ("Content-Length: 5\r\n\r\nhel", "200[hel!\(HTTPMessageError.cutInContent)"),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\nhel", "200[hel!\(HTTPMessageError.cutInContent)"),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "200[hello!\(HTTPMessageError.cutInContent)"),
        ("Transfer-Encoding: chunked\r\n\r\n0\r\n", "200[!\(HTTPMessageError.cutInContent)"),
        ("Transfer-Encoding: chunked\r\n\r\n\r\n", "200[!\(HTTPMessageError.chunk)"),
        ("Transfer-Encoding: chunked\r\n\r\n-1\r\n", "200[!\(HTTPMessageError.chunk)"),
        ("Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n", "200[!\(HTTPMessageError.chunk)"),
        ("Transfer-Encoding: chunked\r\n\r\n5 5\r\nhello\r\n0\r\n\r\n", "200[!\(HTTPMessageError.chunk)"),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\nhelloX\r\n0\r\n\r\n", "200[hello!\(HTTPMessageError.chunk)"),
        ("Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n", "200[!\(HTTPMessageError.chunk)"),
        ("Transfer-Encoding: chunked\r\n\r\n0\r\nA\r\n\r\n", "200[!\(HTTPMessageError.fieldLine(1))"),
        ("Content-Length: 5\r\n\r\nhelloX", "200[hello]!\(HTTPMessageError.unexpectedOctets)"),
        ("Content-Length: 5\r\n\r\nhello", "200[hello]"),
        ("content-length:5\r\n\r\nhello", "200[hello]"),
        ("Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", "200[hello]"),
        ("Content-Length: 5, 5\r\n\r\nhello", "200[hello]"),
        ("Content-Length: 0\r\n\r\n", "200[]"),
        ("\r\nuntil the end", "200[until the end]"),
        ("\r\n", "200[]"),
        (
            "Transfer-Encoding: chunked\r\n\r\n5;a=\"b\"\r\nhello\r\n06\r\n world\r\n000\r\nA: b\r\n\r\n",
            "200[hello world]A=b"
        ),
        ("Transfer-Encoding: Chunked\r\nContent-Length: 2\r\n\r\n5 \r\nhello\r\n0\r\n\r\n", "200[hello]"),
        ("Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\nhello", "200[hello]"),
        ("A: b\r\n c\r\nContent-Length: 5\r\n\r\nhello", "200[hello]"),
    ]

    @Test("Content ends where its framing says, however it is cut", arguments: Self.contents)
    func content(rest: String, expected: String) {
        // What follows a response is told apart only while it is read.
        for step in [nil, 1, 2, 7] {
            #expect(Self.outcome("HTTP/1.1 200 OK\r\n" + rest, cutting: step) == expected, "cut every \(step ?? 0)")
        }
    }

    @Test("Lines of a head may end with LF alone, those of chunks may not")
    func lineFeeds() {
        #expect(Self.outcome("HTTP/1.0 200 OK\nContent-Length: 5\n\nhello") == "200[hello]")
        let head = "HTTP/1.1 200\nTransfer-Encoding: chunked\n\n"
        #expect(Self.outcome(head + "5\r\nhello\r\n0\r\n\r\n") == "200[hello]")
        #expect(Self.outcome(head + "5\nhello\r\n0\r\n\r\n") == "200[!\(HTTPMessageError.chunk)")
        #expect(Self.outcome(head + "5\r\nhello\n0\r\n\r\n") == "200[hello!\(HTTPMessageError.chunk)")
        #expect(Self.outcome(head + "5\r\nhello\r\n0\n\r\n") == "200[hello!\(HTTPMessageError.chunk)")
    }

    @Test("Some responses have no content, whatever their fields say", arguments: [204, 304, 101])
    func withoutContent(status: Int) {
        #expect(Self.outcome("HTTP/1.1 \(status) X\r\nContent-Length: 5\r\n\r\n") == "\(status)[]")
        #expect(Self.outcome("HTTP/1.1 \(status) X\r\nTransfer-Encoding: chunked\r\n\r\n") == "\(status)[]")
    }

    @Test("The method says whether there is content")
    func methods() {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        #expect(Self.outcome(text, method: .head) == "200[]")
        #expect(Self.outcome(text, method: .connect) == "200[]")
        #expect(Self.outcome("HTTP/1.1 407 X\r\nContent-Length: 1\r\n\r\na", method: .connect) == "407[a]")
    }

    @Test(
        "Where a tunnel begins, fields about content mean nothing",
        arguments: [
            "Content-Length: x", "Content-Length: 1\r\nContent-Length: 2", "Transfer-Encoding: chunked",
            "Transfer-Encoding: gzip",
        ])
    func tunnels(fields: String) {
        // RFC 9110 §9.3.6: a client must ignore them.
        #expect(Self.outcome("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n", method: .connect) == "200[]")
        #expect(Self.outcome("HTTP/1.1 407 X\r\nContent-Length: x\r\n\r\n", method: .connect).hasPrefix("!"))
    }

    @Test("Informational responses come before the response")
    func informational() {
        let text =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 X\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"
        #expect(Self.outcome(text) == "(100)(103)200[a]")
        #expect(Self.outcome(text, cutting: 1) == "(100)(103)200[a]")
    }

    @Test("Heads without an end are refused at the limit, whatever they consist of")
    func limits() {
        var limits = ResponseReader.Limits()
        limits.headSize = 1_000
        limits.fieldCount = 10
        let tooLarge = "!\(HTTPMessageError.headTooLarge(limit: 1_000))"
        let line = String(repeating: "a", count: 2_000)
        #expect(Self.outcome("HTTP/1.1 200 " + line, limits: limits) == tooLarge)
        #expect(Self.outcome("HTTP/1.1 200 OK\r\nA: \(line)", cutting: 100, limits: limits) == tooLarge)
        let informational = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 100)
        #expect(Self.outcome(informational, limits: limits).hasSuffix(tooLarge))
        let fields = String(repeating: "A: b\r\n", count: 11)
        #expect(
            Self.outcome("HTTP/1.1 200 OK\r\n\(fields)\r\n", limits: limits)
                == "!\(HTTPMessageError.tooManyFields(limit: 10))")
        let chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(
            Self.outcome(chunks + "0\r\n" + fields + "\r\n", limits: limits).hasSuffix(
                "\(HTTPMessageError.tooManyFields(limit: 10))"))
        #expect(Self.outcome(chunks + "1;" + String(repeating: "a", count: 9_000), limits: limits).contains("!"))
    }

    @Test("A reader keeps nothing of what was read, though a piece of a line is left every time")
    func memory() throws {
        var reader = ResponseReader()
        reader.begin(method: .get)
        reader.receive(ByteBuffer(string: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3"))
        while try reader.next() != nil {}
        let piece = ByteBuffer(string: "E8\r\n" + String(repeating: "a", count: 1_000) + "\r\n3")
        for _ in 0..<2_000 {
            reader.receive(piece)
            while try reader.next() != nil {}
        }
        #expect(reader.heldSize <= 256 << 10, "\(reader.heldSize)")
    }

    @Test("A reader lets go of content that was read", arguments: ["", "Content-Length: 100000\r\n"])
    func letGo(framing: String) throws {
        var reader = ResponseReader()
        reader.begin(method: .get)
        reader.receive(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\(framing)\r\n" + String(repeating: "a", count: 50_000)))
        while try reader.next() != nil {}
        #expect(reader.heldSize == 0)
    }

    @Test("Chunks whose extensions outweigh their content end")
    func extensions() {
        let chunk = "1;" + String(repeating: "a", count: 4_000) + "\r\na\r\n"
        let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + String(repeating: chunk, count: 100)
        #expect(Self.outcome(text) == "200[" + String(repeating: "a", count: 16) + "!\(HTTPMessageError.chunk)")
        // Small chunks with small extensions are no reason.
        let honest = String(repeating: "1;a=b\r\na\r\n", count: 10_000) + "0\r\n\r\n"
        #expect(Self.outcome("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + honest).hasSuffix("a]"))
    }

    @Test("A connection is used again only where nothing speaks against it")
    func reuse() throws {
        let table: [(String, HTTPRequest.Method, Bool)] = [
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", .get, true),
            ("HTTP/1.1 204 OK\r\n\r\n", .get, true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", .head, true),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n", .get, true),
            ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", .get, false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: x, Close\r\n\r\n", .get, false),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .get, false),
            ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", .get, false),
            ("HTTP/1.1 101 OK\r\n\r\n", .get, false),
            ("HTTP/1.1 200 OK\r\n\r\n", .connect, false),
            ("HTTP/1.1 407 OK\r\nContent-Length: 0\r\n\r\n", .connect, true),
        ]
        for (text, method, isReusable) in table {
            var reader = ResponseReader()
            reader.begin(method: method)
            reader.receive(ByteBuffer(string: text))
            while try reader.next() != nil {}
            #expect(reader.isReusable == isReusable, "\(text.debugDescription)")
        }
    }

    @Test("What follows 101 is content where another protocol was asked for, and an error where it was not")
    func upgrades() throws {
        for upgrades in [true, false] {
            var reader = ResponseReader()
            reader.begin(method: .get, upgrades: upgrades)
            reader.receive(ByteBuffer(string: "HTTP/1.1 101 X\r\nContent-Length: 1\r\n\r\n\0octets"))
            guard case .head? = try reader.next() else {
                Issue.record("no head")
                return
            }
            if upgrades {
                guard case .content(let octets)? = try reader.next() else {
                    Issue.record("no octets")
                    return
                }
                #expect(String(buffer: octets) == "\0octets" && !reader.isReusable)
            } else {
                guard case .end? = try reader.next() else {
                    Issue.record("no end")
                    return
                }
                #expect(throws: HTTPMessageError.unexpectedOctets) { try reader.next() }
            }
        }
    }

    @Test("A head as it came has nothing of the trailers before it")
    func headBehindTrailers() throws {
        var reader = ResponseReader()
        let second = "HTTP/1.1 204 X\r\n\r\n"
        reader.begin(method: .get)
        reader.receive(ByteBuffer(string: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n"))
        while try reader.next() != nil {}
        reader.begin(method: .get)
        reader.receive(ByteBuffer(string: second))
        guard case .head(let head)? = try reader.next() else {
            Issue.record("no head")
            return
        }
        #expect(String(buffer: head.octets) == second)
    }

    @Test("Octets of fields stay what they are")
    func octets() throws {
        var reader = ResponseReader()
        reader.begin(method: .get)
        var buffer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nLocation: /")
        buffer.writeBytes([0xE4, 0xFF])
        buffer.writeString("\r\n\r\n")
        reader.receive(buffer)
        guard case .head(let head)? = try reader.next() else {
            Issue.record("no head")
            return
        }
        #expect(head.fields[fields: .location].first?.withUnsafeBytesOfValue { Array($0) } == [0x2F, 0xE4, 0xFF])
        #expect(head.octets == buffer)
    }
}
