//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@Suite("Downloads that go on", .limitedConcurrency, .timeLimit(.minutes(10)))
struct GetRestTests {
    @Test(
        "What is put behind a file is the rest of it, and all of the rest",
        arguments: [
            ("206 X", "bytes 5-9/10", "567", 2, "fewer bytes"), ("206 X", "bytes 5-9/10", "56789x", 2, "more bytes"),
            ("206 X", "bytes 5-7/10", "567", 2, "a part of the rest"),
            ("206 X", "bytes 4-9/10", "456789", 2, "too early"), ("206 X", nil, "56789", 2, "no Content-Range"),
            ("206 X", "bytes 5-4/10", "56789", 2, "ends before it begins"),
            ("206 X", "bytes 5-9/3", "56789", 2, "longer than the whole"),
            ("206 X", "bytes 5-99999999999999999999/10", "56789", 2, "no number"),
            ("200 X", nil, "0123456789", 2, "the whole"), ("416 X", "bytes */3", "", 2, "less than there is"),
            ("416 X", "bytes */10", "", 2, "more than there is"),
            ("206 X", "bytes 5-9/10", "56789", 0, "the rest"), ("206 X", "Bytes 5-9/*", "56789", 0, "of any length"),
            ("416 X", "bytes */5", "", 0, "nothing"),
        ] as [(String, String?, String, Int32, String)])
    func rests(status: String, range: String?, content: String, code: Int32, name: String) async throws {
        try await withTemporaryFolder { folder in
            let field = range.map { "Content-Range: \($0)\\r\\n" } ?? ""
            let head = "HTTP/1.1 \(status)\\r\\n\(field)Content-Length: \(content.utf8.count)\\r\\n\\r\\n"
            let script = """
                import socket
                server = socket.create_server(('127.0.0.1', 0))
                print('port', server.getsockname()[1], flush=True)
                connection = server.accept()[0]
                while b'\\r\\n\\r\\n' not in connection.recv(65536): pass
                connection.sendall(b'\(head)\(content)')
                connection.recv(1)
                """
            let (server, file) = (try folder.file("server.py", script), try folder.file("file", "01234"))
            try await Service.with("python3", [server], in: folder, portAfter: "port ") { port in
                let answer = try await CommandLineTool.servertrust([
                    "get", "--insecure-http", "-C", "-", "-o", file, "http://127.0.0.1:\(port)/",
                ])
                #expect(answer.status == code, "\(name): \(answer)")
                #expect(answer.errors.isEmpty == (code == 0), "\(name): \(answer)")
                // A part that ends before the whole does is written. Of what contradicts itself, nothing is.
                let kept =
                    ["a part of the rest", "the rest", "of any length"].contains(name) ? "01234" + content : "01234"
                #expect(try String(contentsOfFile: file, encoding: .utf8) == kept, "\(name)")
            }
        }
    }
}
