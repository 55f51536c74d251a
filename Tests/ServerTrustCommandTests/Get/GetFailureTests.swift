//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@Suite("Statuses that are failures", .limitedConcurrency, .timeLimit(.minutes(10)))
struct GetFailureTests {
    @Test(
        "--fail and --fail-with-body make statuses from 400 on failures, with content or without",
        arguments: [
            (["-f", "--fail-with-body"], 404, "", 2), (["--fail"], 404, "", 2),
            (["--fail-with-body"], 404, "content", 2),
            (["--fail-with-body"], 400, "content", 2), (["--fail-with-body"], 399, "content", 0),
            (["-f"], 399, "content", 0),
            ([], 404, "content", 0),
        ])
    func statuses(options: [String], status: Int, output: String, code: Int32) async throws {
        try await withTemporaryFolder { folder in
            let script = """
                import socket
                server = socket.create_server(('127.0.0.1', 0))
                print('port', server.getsockname()[1], flush=True)
                connection = server.accept()[0]
                while b'\\r\\n\\r\\n' not in connection.recv(65536): pass
                connection.sendall(b'HTTP/1.1 \(status) X\\r\\nContent-Length: 7\\r\\n\\r\\ncontent')
                connection.recv(1)
                """
            let file = try folder.file("server.py", script)
            try await Service.with("python3", [file], in: folder, portAfter: "port ") { port in
                let answer = try await CommandLineTool.servertrust(
                    ["get", "--insecure-http", "http://127.0.0.1:\(port)/"] + options)
                #expect(answer.status == code && answer.output == output, "\(answer)")
                #expect(answer.errors.isEmpty == (code == 0), "\(answer)")
            }
        }
    }

    @Test("A host that the file of pins has none for is told once, and refused only if pins are required")
    func unpinned() async throws {
        try await withTemporaryFolder { folder in
            let authority = try TestAuthority()
            let leaf = try authority.issue(.leaf(dnsNames: ["server.test"]))
            let roots = try folder.file("root.pem", authority.root.pem)
            let pin = Pin(keyOf: try Certificate(der: leaf.der))
            let others = try folder.file("others", "other.test \(pin)\n")
            try await withTestServer(TestTLSServer.Configuration(leaf)) { server in
                let url = "https://server.test:\(server.port)/"
                let connect = ["--resolve", "server.test:\(server.port):127.0.0.1", "--roots", roots]
                let arguments = ["get", url, url, "--pins", others, "--pins-dialect", "okhttp"] + connect
                let answer = try await CommandLineTool.servertrust(arguments)
                #expect(answer.status == 0 && answer.output == "hello\nhello\n", "\(answer)")
                let warnings = answer.errors.split(separator: "\n")
                #expect(warnings.count == 1 && warnings[0].contains("no pins for server.test"), "\(answer.errors)")
                #expect(warnings.first?.contains("--require-pins") == true)
                let required = try await CommandLineTool.servertrust(arguments + ["--require-pins"])
                #expect(required.status == 1 && required.output.isEmpty, "\(required)")
                let silent = try await CommandLineTool.servertrust(arguments + ["-s"])
                #expect(silent.status == 0 && silent.errors.isEmpty, "\(silent)")
            }
        }
    }

    @Test(
        "All attempts and the pauses between them have the time of --max-time together", arguments: ["9000000000", "5"])
    func retryTime(pause: String) async throws {
        try await withTemporaryFolder { folder in
            let script = """
                import socket
                server = socket.create_server(('127.0.0.1', 0))
                print('port', server.getsockname()[1], flush=True)
                connection = server.accept()[0]
                while b'\\r\\n\\r\\n' not in connection.recv(65536): pass
                connection.sendall(b'HTTP/1.1 503 X\\r\\nRetry-After: \(pause)\\r\\nContent-Length: 4\\r\\n\\r\\nlate')
                connection.recv(1)
                """
            let file = try folder.file("server.py", script)
            try await Service.with("python3", [file], in: folder, portAfter: "port ") { port in
                let start = ContinuousClock.now
                let answer = try await CommandLineTool.servertrust(
                    ["get", "--insecure-http", "--retry", "3", "-m", "4", "http://127.0.0.1:\(port)/"])
                #expect(answer.status == 0 && answer.output == "late", "\(answer)")
                #expect(ContinuousClock.now - start < .seconds(60))
            }
        }
    }
}
