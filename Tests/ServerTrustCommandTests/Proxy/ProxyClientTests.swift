//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import ServerTrustTesting
import TestSupport
import Testing

@testable import ServerTrustCommand

@Suite("Where the proxy listens, and for whom", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ProxyClientTests {
    @Test(
        "A socket of systemd is taken when it is meant for this process, and is one",
        arguments: [
            ([:], nil, true), (["LISTEN_PID": "7", "LISTEN_FDS": "1"], nil, true),
            (["LISTEN_PID": "9", "LISTEN_FDS": "1"], 3, true),
            (["LISTEN_PID": "9", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "proxy"], 3, true),
            (["LISTEN_PID": "9", "LISTEN_FDS": "0"], nil, false), (["LISTEN_PID": "9", "LISTEN_FDS": "2"], nil, false),
            (["LISTEN_PID": "9", "LISTEN_FDS": "-1"], nil, false), (["LISTEN_PID": "9"], nil, false),
            (["LISTEN_PID": "9", "LISTEN_FDS": "x"], nil, false),
            (["LISTEN_PID": "9", "LISTEN_FDS": "1", "LISTEN_FDNAMES": "a:b"], nil, false),
        ] as [([String: String], Int32?, Bool)])
    func variables(environment: [String: String], socket: Int32?, isGood: Bool) throws {
        let found = Result { try SocketActivation.socket(environment, process: 9) }
        #expect((try? found.get()) == .some(socket) || !isGood)
        if !isGood { #expect(throws: CommandError.self) { try found.get() } }
    }

    @Test(
        "A password that cannot be used is refused, with the place where it stands",
        arguments: [
            (Array("user:".utf8) + [0xFF, 0xFE, 10], "not UTF-8"), (Array("user".utf8), "USER:PASSWORD"),
            (Array("user:\n".utf8), "USER:PASSWORD"), ([], "USER:PASSWORD"),
        ] as [([UInt8], String)])
    func passwords(contents: [UInt8], words: String) async throws {
        try await withTemporaryFolder { folder in
            let file = try folder.file("password", contents: contents)
            let given = ["--root-folder", folder.path("root"), "--listen", "127.0.0.1:0", "--password-file", file]
            let answer = try await CommandLineTool.servertrust(["proxy"] + given)
            #expect(answer.status == 2 && answer.errors.contains("--password-file \(file): "), "\(answer.errors)")
            #expect(answer.errors.contains(words), "\(answer.errors)")
        }
    }

    @Test("Two certificates of the client for one host are refused, however the host is written")
    func identitiesOfOneHost() async throws {
        try await withTemporaryFolder { folder in
            let leaf = try TestAuthority().issue(.leaf(dnsNames: ["client.test"]))
            let file = try folder.file("client.pem", leaf.pem + leaf.privateKey.pem)
            let place = ["--root-folder", folder.path("root"), "--listen", "127.0.0.1:0"]
            let given = ["--identity", "server.test=\(file)", "--identity", "SERVER.test.=\(file)"]
            let answer = try await CommandLineTool.servertrust(["proxy"] + place + given)
            #expect(answer.status == 2 && answer.errors.contains("twice for server.test"), "\(answer.errors)")
        }
    }

    /// Hands the proxy a socket, as systemd does.
    private static let activator = """
        import os, socket, sys
        kind, address = sys.argv[1], sys.argv[2]
        if kind == 'unix':
            s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM); s.bind(address); s.listen()
        elif kind == 'udp':
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind((address, 0))
        else:
            s = socket.socket(socket.AF_INET6 if ':' in address else socket.AF_INET, socket.SOCK_STREAM)
            s.bind((address, 0)); s.listen()
        if s.fileno() == 3:
            os.set_inheritable(3, True)
        else:
            os.dup2(s.fileno(), 3)
        os.environ['LISTEN_PID'], os.environ['LISTEN_FDS'] = str(os.getpid()), '1'
        os.execv(sys.argv[3], sys.argv[3:])
        """

    @Test(
        "The socket of systemd is listened at", .enabled(if: CommandLineTool.installed("python3") != nil),
        arguments: ["127.0.0.1", "::1"])
    func activation(address: String) async throws {
        let tool = try CommandLineTool.servertrustPath()
        try await withTemporaryFolder { folder in
            let given = ["-c", Self.activator, "tcp", address, tool, "proxy", "--root-folder", folder.path("root")]
            let shown = address.contains(":") ? "\\[::1\\]" : "127\\.0\\.0\\.1"
            try await Service.with("python3", given, in: folder, portAfter: "listens at http://\(shown):") { port in
                guard let curl = CommandLineTool.installed("curl") else { return }
                let place = address.contains(":") ? "[::1]" : address
                let answer = try await CommandLineTool.run(curl, ["-s", "http://\(place):\(port)/"])
                #expect(answer.output.contains("not-a-proxy-request"), "\(answer.output)")
            }
        }
    }

    @Test(
        "A socket that is not one of TCP, or that other machines reach, is refused",
        .enabled(if: CommandLineTool.installed("python3") != nil),
        arguments: [("unix", "s"), ("udp", "127.0.0.1"), ("tcp", "0.0.0.0")])
    func refusedSockets(kind: String, address: String) async throws {
        let python = try #require(CommandLineTool.installed("python3"))
        let tool = try CommandLineTool.servertrustPath()
        try await withTemporaryFolder { folder in
            let place = kind == "unix" ? folder.path(address) : address
            let finished = try await CommandLineTool.run(
                python, ["-c", Self.activator, kind, place, tool, "proxy", "--root-folder", folder.path("root")])
            #expect(finished.status == 2, "\(finished.errors)")
        }
    }

    /// Starts the proxy as systemd does, and prints what it is told.
    private static let manager = """
        import os, signal, socket, subprocess, sys
        name = sys.argv[1]
        s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        s.bind('\\0' + name[1:] if name[0] == '@' else name)
        s.settimeout(60)
        child = subprocess.Popen(sys.argv[2:], env=dict(os.environ, NOTIFY_SOCKET=name), stdout=subprocess.DEVNULL)
        try:
            print(s.recv(100).decode())
            child.send_signal(signal.SIGTERM)
            print(s.recv(100).decode())
            print(child.wait(60))
        finally:
            child.kill()
        """

    @Test(
        "systemd is told when the proxy is ready, and when it stops",
        .enabled(if: CommandLineTool.installed("python3") != nil), arguments: [true, false])
    func readiness(isAbstract: Bool) async throws {
        let python = try #require(CommandLineTool.installed("python3"))
        let tool = try CommandLineTool.servertrustPath()
        try await withTemporaryFolder { folder in
            let name = isAbstract ? "@\(folder.path("socket"))" : folder.path("socket")
            let given = [tool, "proxy", "--listen", "127.0.0.1:0", "--root-folder", folder.path("root")]
            let finished = try await CommandLineTool.run(python, ["-c", Self.manager, name] + given)
            #expect(finished.output == "READY=1\nSTOPPING=1\n0\n", "\(finished.output) \(finished.errors)")
        }
    }

    @Test(
        "A socket of systemd that takes nothing is complained of, and the proxy goes on",
        arguments: ["/nonexistent/socket", "@" + String(repeating: "a", count: 200)])
    func notReady(name: String) async throws {
        let tool = try CommandLineTool.servertrustPath()
        try await withTemporaryFolder { folder in
            let given = ["proxy", "--listen", "127.0.0.1:0", "--root-folder", folder.path("root")]
            try await Service.with(
                tool, given, ["NOTIFY_SOCKET": name], in: folder, portAfter: "listens at http://127\\.0\\.0\\.1:"
            ) { port in
                guard let curl = CommandLineTool.installed("curl") else { return }
                let answer = try await CommandLineTool.run(curl, ["-s", "http://127.0.0.1:\(port)/"])
                #expect(answer.output.contains("not-a-proxy-request"), "\(answer.output)")
            }
        }
    }

    @Test(
        "A password of a file or the environment lets curl in, and no other does",
        .enabled(if: CommandLineTool.installed("curl") != nil), arguments: [true, false])
    func passwords(isInFile: Bool) async throws {
        let curl = try #require(CommandLineTool.installed("curl"))
        try await ProxyCommandTests.servers { good, bad, authority in
            try await withTemporaryFolder { folder in
                let file = try folder.file("password", "ada:correct horse\nmore\n")
                let given = isInFile ? ["--password-file", file] : []
                let environment = isInFile ? [:] : [ProxyClientOptions.variable: "ada:correct horse"]
                try await ProxyCommandTests.with(
                    given, environment: environment, good: good.port, bad: bad.port, authority: authority
                ) { scene in
                    for (user, status) in [
                        ("ada:correct horse", "200"), ("ada:wrong", "000"), ("eve:correct horse", "000"),
                    ] {
                        let answer = try await CommandLineTool.run(
                            curl,
                            [
                                "-s", "-o", "/dev/null", "-w", "%{http_code}", "-x", scene.url, "-U", user, "--cacert",
                                scene.rootFile, "https://server.test/",
                            ])
                        #expect(answer.output == status, "\(user)")
                    }
                }
            }
        }
    }
}
