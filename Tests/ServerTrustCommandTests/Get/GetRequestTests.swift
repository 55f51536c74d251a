//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Foundation
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@testable import ServerTrustCommand

@Suite("Requests as their options say", .limitedConcurrency)
struct GetRequestTests {
    private static func options(_ arguments: [String]) throws -> GetRequestOptions {
        try GetRequestOptions.parse(Array(CurlArguments.separated(["get"] + arguments).dropFirst()))
    }

    private static func input(_ arguments: [String]) throws -> GetRequestInput {
        try GetRequestInput(Self.options(arguments))
    }

    @Test("--data and --data-binary keep their order, and files their line ends with the latter alone")
    func order() async throws {
        try await withTemporaryFolder { folder in
            let file = try folder.file("data", contents: Array("a\r\nb\n\0c".utf8))
            let options = try Self.options(
                ["-d", "1", "--data-binary", "@\(file)", "--data", "@\(file)", "--data-binary=2", "-d3", "--data", ""])
            #expect(try GetRequestInput(options).form.map { String(buffer: $0) } == "1&a\r\nb\n\0c&abc&2&3&")
            #expect(options.meantMethod() == .post)
        }
    }

    @Test(
        "Text that is no field is passed over, and told",
        arguments: ["foo", "", ": foo", ":", ";", "foo;bar", "foo; bar"])
    func withoutField(text: String) throws {
        let options = try Self.options(["-H", text, "-H", "A: b"])
        #expect(try GetRequestInput(options).fields().set == [HTTPField.Name("A") ?? .accept: "b"])
        #expect(try GetRequestInput(options).fields().omitted.isEmpty)
        #expect(try GetRequestInput(options).textsWithoutField == [text])
    }

    @Test("A name that no field has is an error", arguments: ["a b: c", " a: b", "ä: b", "a;b: c"])
    func names(text: String) throws {
        #expect(throws: (any Error).self) { try Self.input(["-H", text]).fields() }
    }

    @Test(
        "What is not about each other is refused",
        arguments: [
            ["-C", "3", "-d", "x"], ["-C", "-", "--data-binary", "x"], ["-T", "a", "-d", "x"], ["-I", "-d", "x"],
            ["-I", "-T", "a"],
            ["-T", "-", "-T", "."],
        ])
    func contradictions(arguments: [String]) {
        #expect(throws: (any Error).self) { try Self.options(arguments) }
    }

    @Test("Standard input is read once, for the fields and the content of every URL")
    func standardInput() async throws {
        for (options, expected) in [
            (["-H", "@-"], "X-Name: a"), (["-d", "@-"], "X-Name: a"), (["--data-binary", "@-"], "X-Name: a\n"),
        ] {
            let seen = try await Self.requests(options, input: "X-Name: a\n")
            #expect(seen.count == 2 && seen.allSatisfy { $0.contains(expected) }, "\(options): \(seen)")
        }
    }

    @Test(
        "Each file of --upload-file belongs to one URL, in order, and URLs beyond them send none",
        arguments: [
            (["-T", "a", "-T", "b"], ["PUT /a ", "first"], ["PUT /b ", "second"]),
            (["-T", "left\\c"], ["PUT /c ", "third"], ["GET / "]),
            (["-T", "", "-T", "b"], ["GET / "], ["PUT /b ", "second"]),
            (["-T", "-"], ["PUT / ", "\ninput\r\n0\r\n"], ["GET / "]),
            (["-T", ".", "-T", "a"], ["PUT / ", "\ninput\r\n0\r\n"], ["PUT /a ", "first"]),
        ])
    func uploads(options: [String], first: [String], second: [String]) async throws {
        let files = ["a": "first", "b": "second", "left\\c": "third"]
        let seen = try await Self.requests(options, input: "input", files: files)
        #expect(first.allSatisfy { seen[0].contains($0) } && second.allSatisfy { seen[1].contains($0) }, "\(seen)")
    }

    @Test("More files of --upload-file than URLs are refused")
    func moreFiles() {
        let arguments = CurlArguments.separated(["get", "-T", "a", "-T", "b", "https://a.test/"]).dropFirst()
        #expect(throws: (any Error).self) { try GetCommand.parse(Array(arguments)) }
    }

    /// The requests that two URLs come to.
    private static func requests(
        _ options: [String], input: String, files: [String: String] = [:]
    ) async throws -> [String] {
        try await withTemporaryFolder { folder in
            for (name, content) in files { _ = try folder.file(name, content) }
            let script = """
                import socket, sys
                server = socket.create_server(('127.0.0.1', 0))
                print('port', server.getsockname()[1], flush=True)
                connection = server.accept()[0]
                for number in range(2):
                    data = b''
                    while b'\\r\\n\\r\\n' not in data: data += connection.recv(65536)
                    head, body = data.split(b'\\r\\n\\r\\n', 1)
                    length = [line for line in head.lower().split(b'\\r\\n') if line.startswith(b'content-length:')]
                    while length and len(body) < int(length[0].split(b':')[1]): body += connection.recv(65536)
                    while b'chunked' in head and not body.endswith(b'0\\r\\n\\r\\n'): body += connection.recv(65536)
                    open(f'request{number}', 'wb').write(data[:len(head)] + b'\\n' + body)
                    connection.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n')
                connection.recv(1)
                """
            let file = try folder.file("server.py", script)
            try await Service.with("python3", [file], in: folder, portAfter: "port ") { port in
                let url = "http://127.0.0.1:\(port)/"
                let text = try folder.file("input", input)
                let command = "cd '\(folder.url.path)' && exec \"$0\" get --insecure-http \"$@\" < '\(text)'"
                let answer = try await CommandLineTool.run(
                    "/bin/sh", ["-c", command, try CommandLineTool.servertrustPath(), url, url] + options)
                #expect(answer.status == 0, "\(answer.errors)")
            }
            return try (0..<2).map { try String(contentsOfFile: folder.path("request\($0)"), encoding: .utf8) }
        }
    }

    @Test("A Referer of --header stands in place of that of --referer, and may leave it out")
    func referer() throws {
        #expect(try Self.input(["-e", "x"]).fields().set[.referer] == "x")
        #expect(try Self.input(["-e", "x", "-H", "referer: y"]).fields().set[values: .referer] == ["y"])
        #expect(try Self.input(["-e", "x", "-H", "Referer:"]).fields().set[.referer] == nil)
    }
}
