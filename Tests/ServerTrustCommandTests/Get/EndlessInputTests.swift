//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@Suite("Input that does not end", .limitedConcurrency, .timeLimit(.minutes(10)))
struct EndlessInputTests {
    @Test(
        "The time of --max-time ends the wait for input that does not come, or does not end",
        arguments: [
            "-d @pipe", "--data-binary @pipe", "-H @pipe", "-T pipe", "-T pipe 3<>pipe",
            "-b - 3<>pipe <&3",
            "-d @- 3<>pipe <&3", "-T - 3<>pipe <&3",
        ])
    func ended(options: String) async throws {
        try await withTemporaryFolder { folder in
            // A server that accepts nothing, behind which the kernel does.
            let script = """
                import socket, time
                server = socket.create_server(('127.0.0.1', 0))
                print('port', server.getsockname()[1], flush=True)
                time.sleep(300)
                """
            let file = try folder.file("server.py", script)
            try await Service.with("python3", [file], in: folder, portAfter: "port ") { port in
                let command = """
                    cd '\(folder.url.path)' && mkfifo pipe || exit 9
                    exec timeout 60 "$0" get --insecure-http -m 2 http://127.0.0.1:\(port)/ \(options)
                    """
                let answer = try await CommandLineTool.run(
                    "/bin/sh", ["-c", command, try CommandLineTool.servertrustPath()])
                #expect(answer.status == 2, "\(options): \(answer.status) \(answer.errors)")
                #expect(answer.errors.contains("time") && answer.output.isEmpty, "\(options): \(answer.errors)")
            }
        }
    }

    @Test("A device that never ends is not taken for a small file")
    func device() async throws {
        let answer = try await CommandLineTool.servertrust([
            "get", "-m", "20", "-T", "/dev/zero", "https://127.0.0.1:1/",
        ])
        #expect(answer.status != 0 && answer.errors.contains("has more bytes than it says"), "\(answer.errors)")
    }

    @Test("What a pipe gives is sent", arguments: ["-d @pipe", "-T pipe"])
    func pipe(options: String) async throws {
        try await withTemporaryFolder { folder in
            let script = """
                import socket
                server = socket.create_server(('127.0.0.1', 0))
                print('port', server.getsockname()[1], flush=True)
                connection = server.accept()[0]
                data = b''
                while b'pieces' not in data: data += connection.recv(65536)
                connection.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\nright')
                while connection.recv(65536): pass
                """
            let file = try folder.file("server.py", script)
            try await Service.with("python3", [file], in: folder, portAfter: "port ") { port in
                let command = """
                    cd '\(folder.url.path)' && mkfifo pipe && { printf 'in '; sleep 1; printf pieces; } > pipe &
                    cd '\(folder.url.path)' && until [ -p pipe ]; do sleep 0.1; done
                    exec timeout 60 "$0" get --insecure-http -m 50 http://127.0.0.1:\(port)/ \(options)
                    """
                let answer = try await CommandLineTool.run(
                    "/bin/sh", ["-c", command, try CommandLineTool.servertrustPath()])
                #expect(answer.status == 0 && answer.output == "right", "\(options): \(answer.status) \(answer.errors)")
            }
        }
    }
}
