//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import HTTPTypes
import ServerTrust
import Synchronization
import TestSupport
import Testing

@testable import HTTPSession

@Suite("Downloads that go on where an earlier one ended", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HTTPDownloadTests {
    /// What a download comes to on a server with these answers, one for each request; the last is repeated.
    private struct Scene {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        var file: String { self.folder.appendingPathComponent("file").path }

        init() throws { try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true) }

        func text(_ suffix: String = "") -> String? { try? String(contentsOfFile: self.file + suffix, encoding: .utf8) }

        func write(_ text: String, _ suffix: String) throws {
            try text.write(toFile: self.file + suffix, atomically: false, encoding: .utf8)
        }

        func with(
            _ answers: [TestHTTPServer.Answer], _ body: (TestHTTPServer, HTTPSessionRequest) async throws -> Void
        ) async throws {
            defer { try? FileManager.default.removeItem(at: self.folder) }
            let count = Mutex(0)
            try await TestHTTPServer.with(
                Answers { _ in
                    count.withLock {
                        $0 += 1
                        return answers[min($0, answers.count) - 1]
                    }
                }
            ) { server in try await body(server, HTTPSessionRequest("http://127.0.0.1:\(server.port)/f")) }
        }
    }

    private static func cut(_ fields: String = "ETag: \"a\"") -> TestHTTPServer.Answer {
        .sendAndClose("HTTP/1.1 200 OK\r\n\(fields)\r\nContent-Length: 10\r\n\r\nhello")
    }

    private static func part(_ range: String, _ content: String, _ fields: String...) -> TestHTTPServer.Answer {
        TestHTTPServer.response(content, "206 X", fields: ["Content-Range: \(range)"] + fields)
    }

    private static let whole = TestHTTPServer.response("0123456789", fields: ["ETag: \"b\""])

    // MARK: What must not be put together

    @Test(
        "Parts of two contents are never put together",
        arguments: [
            part("bytes 5-9/10", "world", "ETag: \"b\""), part("bytes 5-9/11", "world"), part("bytes 4-9/10", "oworld"),
            part("bytes 6-9/10", "orld"), part("bytes 5-4/10", ""), part("bytes 5-9", "world"),
            part("x 5-9/10", "world"),
            part("bytes 5-10/10", "world!"), part("bytes */10", "world"), part("bytes 5-9/10, bytes 5-9/10", "world"),
            part("bytes 99999999999999999999-9/10", "world"), TestHTTPServer.response("world", "206 X"),
            TestHTTPServer.response("", "416 X", fields: ["Content-Range: bytes */5"]),
            TestHTTPServer.response("", "416 X", fields: ["Content-Range: bytes */10"]),
            TestHTTPServer.response("", "416 X"),
        ])
    func misfits(second: TestHTTPServer.Answer) async throws {
        let scene = try Scene()
        try await scene.with([Self.cut(), second, Self.whole]) { server, request in
            let session = SessionFixture.plain()
            await #expect(throws: HTTPSessionError.self) { try await session.download(for: request, to: scene.file) }
            let download = try await session.download(for: request, to: scene.file)
            #expect(download.size == 10 && download.resumedFrom == 0)
            #expect(scene.text() == "0123456789")
            #expect(server.seen.requests.map { $0.value("Range") } == [nil, "bytes=5-", nil])
            #expect(scene.text(".part") == nil && scene.text(".resume") == nil)
        }
    }

    @Test(
        "Without a certain mark of the content a download begins again",
        arguments: [
            "X: y", "ETag: W/\"a\"", "ETag: a", "ETag: \"a", "ETag: \"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT",
            "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT",
            "ETag: W/\"a\"\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nDate: Sun, 06 Nov 1994 08:50:37 GMT",
            "Last-Modified: yesterday\r\nDate: Sun, 06 Nov 1994 08:50:37 GMT",
        ])
    func unmarked(fields: String) async throws {
        let scene = try Scene()
        try await scene.with([Self.cut(fields), Self.whole]) { server, request in
            let session = SessionFixture.plain()
            await #expect(throws: HTTPSessionError.self) { try await session.download(for: request, to: scene.file) }
            let download = try await session.download(for: request, to: scene.file)
            #expect(download.resumedFrom == 0)
            #expect(scene.text() == "0123456789")
            #expect(server.seen.requests.allSatisfy { $0.value("Range") == nil })
        }
    }

    @Test(
        "A state that is damaged, or of another URL, is not gone by",
        arguments: [
            "", "x", "{}", #"{"format":"servertrust.download/2","url":"URL","entityTag":"\"a\""}"#,
            #"{"format":"servertrust.download/1","url":"http://other.test/","entityTag":"\"a\""}"#,
            #"{"format":"servertrust.download/1","url":"URL","entityTag":"a"}"#,
            #"{"format":"servertrust.download/1","url":"URL","entityTag":"\"a\r\nX: y\""}"#,
            #"{"format":"servertrust.download/1","url":"URL","entityTag":"\"a\"","size":-1}"#,
            #"{"format":"servertrust.download/1","url":"URL","entityTag":"\"a\"","size":4}"#,
            #"{"format":"servertrust.download/1","url":"URL","entityTag":"\"a\"","lastModified":"x"}"#,
            #"{"format":"servertrust.download/1","url":"URL"}"#,
        ])
    func damaged(state: String) async throws {
        let scene = try Scene()
        try await scene.with([Self.whole]) { server, request in
            try scene.write("hello", ".part")
            try scene.write(state.replacingOccurrences(of: "URL", with: "\(request.url)"), ".resume")
            let download = try await SessionFixture.plain().download(for: request, to: scene.file)
            #expect(download.resumedFrom == 0)
            #expect(scene.text() == "0123456789")
            #expect(server.seen.requests.first?.value("Range") == nil)
        }
    }

    @Test(
        "A failure leaves the file, the part and the state as they were",
        arguments: [
            TestHTTPServer.response("no", "404 X"), TestHTTPServer.response("no", "503 X"), .reset,
            .send("HTTP/1.1 206 X\r\nContent-Range: bytes 5-9/10\r\nContent-Length: 7\r\n\r\nworld!!"),
        ])
    func failures(answer: TestHTTPServer.Answer) async throws {
        let scene = try Scene()
        try await scene.with([Self.cut(), answer]) { _, request in
            try scene.write("before", "")
            let session = SessionFixture.plain()
            await #expect(throws: HTTPSessionError.self) { try await session.download(for: request, to: scene.file) }
            let state = scene.text(".resume")
            await #expect(throws: HTTPSessionError.self) { try await session.download(for: request, to: scene.file) }
            #expect(scene.text() == "before" && scene.text(".part") == "hello")
            #expect(state != nil && scene.text(".resume") == state)
        }
    }

    @Test("Two downloads do not write to one file, and none through a link")
    func claims() async throws {
        let scene = try Scene()
        try await scene.with([Self.whole]) { _, request in
            let other = try DownloadFile(scene.file)
            let error = await #expect(throws: HTTPSessionError.self) {
                try await SessionFixture.plain().download(for: request, to: scene.file)
            }
            #expect(error?.code == .cannotWriteToFile)
            other.close()
            try FileManager.default.removeItem(atPath: scene.file + ".part")
            try scene.write("mine", ".other")
            try FileManager.default.createSymbolicLink(
                atPath: scene.file + ".part", withDestinationPath: scene.file + ".other")
            await #expect(throws: HTTPSessionError.self) {
                try await SessionFixture.plain().download(for: request, to: scene.file)
            }
            #expect(scene.text(".other") == "mine")
        }
    }

    @Test("What is no download is refused before it is sent")
    func noDownloads() async throws {
        let scene = try Scene()
        try await scene.with([Self.whole]) { server, request in
            for change in [
                { $0.method = .post }, { $0.body = .text("x") }, { $0.fields[.range] = "bytes=0-1" },
                { $0.fields[.ifRange] = "\"a\"" },
            ] as [(inout HTTPSessionRequest) -> Void] {
                var changed = request
                change(&changed)
                let changedRequest = changed
                await #expect(throws: HTTPSessionError.self) {
                    try await SessionFixture.plain().download(for: changedRequest, to: scene.file)
                }
            }
            #expect(server.seen.requests.isEmpty)
        }
    }

    // MARK: What goes on

    @Test(
        "The rest is asked for, and put behind what is there",
        arguments: [
            ("ETag: \"a\"", "\"a\"", [part("bytes 5-9/10", "world", "ETag: \"a\"")]),
            ("ETag: \"a\"", "\"a\"", [part("BYTES 5-9/10", "world")]),
            ("ETag: \"a\"", "\"a\"", [part("bytes 5-6/10", "wo"), part("bytes 7-9/10", "rld")]),
            ("ETag: \"a\"", "\"a\"", [part("bytes 5-9/*", "world")]),
            (
                "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nDate: Sun, 06 Nov 1994 08:50:37 GMT",
                "Sun, 06 Nov 1994 08:49:37 GMT", [part("bytes 5-9/10", "world")]
            ),
        ])
    func resumed(fields: String, mark: String, rest: [TestHTTPServer.Answer]) async throws {
        let scene = try Scene()
        try await scene.with([Self.cut(fields)] + rest) { server, request in
            let session = SessionFixture.plain()
            await #expect(throws: HTTPSessionError.self) { try await session.download(for: request, to: scene.file) }
            #expect(HTTPDownloadState(besides: scene.file)?.size == 10)
            let mode = try FileManager.default.attributesOfItem(atPath: scene.file + ".resume")[.posixPermissions]
            #expect(mode as? Int == 0o600)
            let seen = Mutex<[HTTPDownloadProgress]>([])
            let download = try await session.download(for: request, to: scene.file) { progress in
                seen.withLock { $0.append(progress) }
            }
            #expect(download.size == 10 && download.resumedFrom == 5 && download.response.status == 206)
            #expect(scene.text() == "helloworld")
            #expect(scene.text(".part") == nil && scene.text(".resume") == nil)
            #expect(server.seen.requests[1].value("Range") == "bytes=5-")
            #expect(server.seen.requests[1].value("If-Range") == mark)
            #expect(server.seen.requests.allSatisfy { $0.value("Accept-Encoding") == "identity" })
            #expect(seen.withLock { $0.last } == HTTPDownloadProgress(received: 10, total: 10))
        }
    }

    @Test("A part that is the whole is asked about, and kept")
    func complete() async throws {
        let scene = try Scene()
        let nothingMore = TestHTTPServer.response("", "416 X", fields: ["Content-Range: bytes */10", "ETag: \"a\""])
        try await scene.with([nothingMore]) { _, request in
            try scene.write("helloworld", ".part")
            try HTTPDownloadState(url: "\(request.url)", validator: .entityTag("\"a\""), size: 10)
                .write(besides: scene.file)
            let download = try await SessionFixture.plain().download(for: request, to: scene.file)
            #expect(download.size == 10 && download.resumedFrom == 10)
            #expect(scene.text() == "helloworld")
        }
    }

    @Test("Compressed content that was not asked for is kept as it comes, and an empty one is a file")
    func asItComes() async throws {
        let coded = TestHTTPServer.response("not gzip", fields: ["Content-Encoding: gzip"])
        for (answer, content) in [(coded, "not gzip"), (TestHTTPServer.response(), "")] {
            let scene = try Scene()
            try await scene.with([answer]) { _, request in
                _ = try await SessionFixture.plain().download(for: request, to: scene.file)
                #expect(scene.text() == content)
            }
        }
    }
}
