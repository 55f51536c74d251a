//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ReportSupport
import ServerTrust
import ServerTrustTesting
import Synchronization
import TestSupport
import Testing

@testable import InterceptingProxy
@testable import ServerTrustCommand

@Suite("The proxy and real programs", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ProxyCommandTests {
    /// A proxy with a root in a file, for servers of one authority.
    struct Scene {
        let folder: TemporaryFolder
        let url: String
        let rootFile: String

        /// The lines of the log, once so many are there.
        func log(_ count: Int) async throws -> [[String: Any]] {
            var lines: [Substring] = []
            for _ in 0..<3_000 where lines.count < count {
                lines = try String(contentsOfFile: self.folder.path("log"), encoding: .utf8).split(separator: "\n")
                if lines.count < count { try await Task.sleep(for: .milliseconds(10)) }
            }
            return try lines.map { line in
                try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
        }
    }

    /// Runs the proxy in front of a good and a bad server: `server.test` and `bad.test`.
    static func with<R>(
        _ arguments: [String] = [], environment: [String: String] = [:], good: Int, bad: Int, authority: TestAuthority,
        _ body: (Scene) async throws -> R
    ) async throws -> R {
        let tool = try CommandLineTool.servertrustPath()
        return try await withTemporaryFolder { folder in
            let anchors = try folder.file("anchors.pem", authority.root.pem)
            let root = try await CommandLineTool.servertrust(
                ["proxy", "root", "--root-folder", folder.path("root"), "--export", folder.path("proxy.pem")])
            try #require(root.status == 0, "\(root.errors)")
            let given =
                [
                    "proxy", "--listen", "127.0.0.1:0", "--roots", anchors, "--anchors-only", "--allow-local", "--log",
                    folder.path("log"), "--root-folder", folder.path("root"),
                    "--connect-to", "server.test:443:127.0.0.1:\(good)", "--connect-to",
                    "bad.test:443:127.0.0.1:\(bad)",
                ] + arguments
            let pattern = "listens at http://127\\.0\\.0\\.1:"
            return try await Service.with(tool, given, environment, in: folder, portAfter: pattern) { port in
                try await body(
                    Scene(folder: folder, url: "http://127.0.0.1:\(port)", rootFile: folder.path("proxy.pem")))
            }
        }
    }

    /// Runs a good server, and one with an expired certificate behind a relay that notes what it is sent.
    static func servers<R>(
        _ body: (_ good: TestTLSServer, _ bad: RecordRelay, TestAuthority) async throws -> R
    ) async throws -> R {
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["server.test"]))
        var expired = CertificateDescription.leaf(dnsNames: ["bad.test"])
        expired.setValidity(from: .seconds(-40 * 86_400), lasting: .seconds(86_400))
        let badLeaf = try authority.issue(expired)
        return try await withTestServer(TestTLSServer.Configuration(leaf)) { good in
            try await withTestServer(TestTLSServer.Configuration(badLeaf)) { bad in
                try await RecordRelay.with(bad.port) { relay in try await body(good, relay, authority) }
            }
        }
    }

    private static let python = """
        import sys, urllib.request, urllib.error
        try:
            answer = urllib.request.urlopen(sys.argv[1], timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        print(answer.read().decode(), answer.getcode())
        """

    private static let requests = """
        import sys, requests
        answer = requests.get(sys.argv[1], timeout=30)
        print(answer.text, answer.status_code)
        """

    private static let go = """
        package main

        import ("fmt"; "io"; "net/http"; "os")

        func main() {
            answer, err := http.Get(os.Args[1])
            if err != nil { fmt.Println(err); os.Exit(1) }
            text, _ := io.ReadAll(answer.Body)
            fmt.Println(string(text), answer.StatusCode)
        }
        """

    /// Real programs, each of which prints the content and the status of a URL.
    enum Client: String, CaseIterable {
        case curl, urllib, requests, go

        func run(_ url: String, _ scene: Scene) async throws -> Finished? {
            let environment = [
                "https_proxy": scene.url, "HTTPS_PROXY": scene.url, "SSL_CERT_FILE": scene.rootFile,
                "SSL_CERT_DIR": "/nonexistent", "REQUESTS_CA_BUNDLE": scene.rootFile, "no_proxy": "", "NO_PROXY": "",
            ]
            switch self {
            case .curl:
                guard let curl = CommandLineTool.installed("curl") else { return nil }
                let given = [
                    "-sS", "-m", "30", "-x", scene.url, "--cacert", scene.rootFile, "-w", " %{http_code}", url,
                ]
                return try await CommandLineTool.run(curl, given)
            case .urllib, .requests:
                guard let python = CommandLineTool.installed("python3") else { return nil }
                let program = self == .urllib ? ProxyCommandTests.python : ProxyCommandTests.requests
                if self == .requests {
                    guard try await CommandLineTool.run(python, ["-c", "import requests"]).status == 0 else {
                        return nil
                    }
                }
                return try await CommandLineTool.run(python, ["-c", program, url], environment: environment)
            case .go:
                guard let go = CommandLineTool.installed("go") else { return nil }
                let file = try scene.folder.file("main.go", ProxyCommandTests.go)
                return try await CommandLineTool.run(go, ["run", file, url], environment: environment)
            }
        }
    }

    @Test(
        "A program gets to a good server, and reads why a bad one is refused, which gets no data",
        arguments: Client.allCases)
    func clients(client: Client) async throws {
        try await Self.servers { good, bad, authority in
            try await Self.with(good: good.port, bad: bad.port, authority: authority) { scene in
                guard let fine = try await client.run("https://server.test/secret-path", scene) else { return }
                #expect(fine.output.contains("hello") && fine.output.contains(" 200"), "\(fine.output) \(fine.errors)")
                let refused = try #require(try await client.run("https://bad.test/", scene))
                #expect(
                    refused.output.contains("code: expired") && refused.output.contains(" 403"), "\(refused.output)")
                #expect(bad.fromClients.hasOnlyHelloAndAlerts)
                let log = try await scene.log(4)
                let lines = log.filter { $0["kind"] as? String == "request" }
                #expect(lines.compactMap { $0["verdict"] as? String } == ["trusted", "refused"])
                // Programs that know HTTP/2 choose it.
                let version = [.curl, .go].contains(client) ? "HTTP/2" : "HTTP/1.1"
                #expect(lines.compactMap { $0["version"] as? String } == [version, version])
                #expect(lines.last?["rule"] as? String == "expired" && lines.last?["host"] as? String == "bad.test")
                #expect(log.count >= 4 && !"\(log)".contains("secret-path"))
            }
        }
    }

    @Test(
        "git clones through the proxy, and not from a server that is refused",
        .enabled(if: CommandLineTool.installed("git") != nil && CommandLineTool.installed("python3") != nil))
    func git() async throws {
        let git = try #require(CommandLineTool.installed("git"))
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["server.test"]))
        try await withTemporaryFolder { folder in
            let (work, bare) = (folder.path("work"), folder.path("site/repository.git"))
            for given in [
                ["init", "-q", work],
                [
                    "-C", work, "-c", "user.name=a", "-c", "user.email=a@b.test", "commit", "-q", "--allow-empty", "-m",
                    "one",
                ],
                ["clone", "-q", "--bare", work, bare], ["-C", bare, "update-server-info"],
            ] {
                let finished = try await CommandLineTool.run(git, given)
                try #require(finished.status == 0, "\(given): \(finished.errors)")
            }
            _ = try folder.file("site.pem", leaf.pem + leaf.privateKey.pem + "\n")
            let server = """
                import functools, http.server, ssl
                handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory='site')
                server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain('site.pem')
                server.socket = context.wrap_socket(server.socket, server_side=True)
                print('port', server.server_port, '.', flush=True)
                server.serve_forever()
                """
            try await Service.with("python3", ["-c", server], in: folder, portAfter: "port ") { port in
                try await Self.with(good: port, bad: port, authority: authority) { scene in
                    for (host, status) in [("server.test", 0), ("bad.test", 128)] {
                        let clone = try await CommandLineTool.run(
                            git,
                            [
                                "-c", "http.proxy=\(scene.url)", "-c", "http.sslCAInfo=\(scene.rootFile)", "clone",
                                "-q",
                                "https://\(host)/repository.git", folder.path(host),
                            ], environment: ["GIT_SSL_CAINFO": scene.rootFile])
                        #expect(Int(clone.status) == status, "\(host): \(clone.errors)")
                        if status != 0 { #expect(clone.errors.contains("403")) }
                    }
                }
            }
        }
    }

    @Test(
        "Chromium shows a good server's page, and the proxy's page in place of a refused server's",
        .enabled(if: CommandLineTool.installed("chromium") != nil))
    func chromium() async throws {
        let chromium = try #require(CommandLineTool.installed("chromium"))
        try await Self.servers { good, bad, authority in
            try await Self.with(good: good.port, bad: bad.port, authority: authority) { scene in
                let root = try Certificate.certificates(in: try Data(contentsOf: URL(fileURLWithPath: scene.rootFile)))
                let key = Data(try #require(root.first).publicKey.sha256).base64EncodedString()
                func page(_ url: String) async throws -> String {
                    try await CommandLineTool.run(
                        chromium,
                        [
                            "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
                            "--no-first-run", "--user-data-dir=\(scene.folder.path("profile"))",
                            "--proxy-server=\(scene.url)", "--ignore-certificate-errors-spki-list=\(key)", "--dump-dom",
                            url,
                        ]
                    ).output
                }
                #expect(try await page("https://server.test/").contains("hello"))
                let refused = try await page("https://bad.test/")
                #expect(refused.contains("<h1>This server is refused</h1>"), "\(refused)")
                #expect(refused.contains("<dd>expired</dd>") && !refused.contains("hello"))
                let requests = try await scene.log(4).filter { line in
                    line["kind"] as? String == "request" && (line["host"] as? String)?.hasSuffix(".test") == true
                }
                #expect(
                    !requests.isEmpty && requests.allSatisfy { $0["version"] as? String == "HTTP/2" }, "\(requests)")
                #expect(bad.fromClients.records.allSatisfy { $0.type != 23 || $0.length <= 19 })
            }
        }
    }

    /// A page that says what comes over WebSocket, and a server that says one thing over it.
    private static let webSocketServer = """
        import base64, hashlib, http.server, ssl, threading, time
        said = threading.Event()
        # The page is loaded once the picture is there, and by then the message is.
        page = b'<p id=a>waiting</p><img src=/late><script>new WebSocket("wss://server.test/socket").onmessage = event => {' \\
            b'document.getElementById("a").textContent = "came: " + event.data }</script>'
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            def log_message(self, *arguments): pass
            def do_GET(self):
                key = self.headers.get('Sec-WebSocket-Key')
                if self.path == '/late':
                    said.wait(20)
                    time.sleep(1)
                if key is None:
                    self.send_response(200)
                    self.send_header('Content-Type', 'text/html')
                    self.send_header('Content-Length', str(len(page)))
                    self.end_headers()
                    self.wfile.write(page)
                    return
                text = key + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
                self.send_response(101)
                self.send_header('Upgrade', 'websocket')
                self.send_header('Connection', 'Upgrade')
                self.send_header('Sec-WebSocket-Accept', base64.b64encode(hashlib.sha1(text.encode()).digest()).decode())
                self.end_headers()
                self.wfile.write(b'\\x81\\x05hello')
                self.wfile.flush()
                said.set()
                self.rfile.read(1)
                self.close_connection = True
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain('site.pem')
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print('port', server.server_port, '.', flush=True)
        server.serve_forever()
        """

    @Test(
        "Chromium speaks HTTP/2 for a page, and WebSocket on a stream of the same connection",
        .enabled(if: CommandLineTool.installed("chromium") != nil && CommandLineTool.installed("python3") != nil))
    func webSocket() async throws {
        let chromium = try #require(CommandLineTool.installed("chromium"))
        let authority = try TestAuthority()
        let leaf = try authority.issue(.leaf(dnsNames: ["server.test"]))
        try await withTemporaryFolder { folder in
            _ = try folder.file("site.pem", leaf.pem + leaf.privateKey.pem + "\n")
            try await Service.with("python3", ["-c", Self.webSocketServer], in: folder, portAfter: "port ") { port in
                try await Self.with(good: port, bad: port, authority: authority) { scene in
                    let root = try Certificate.certificates(
                        in: try Data(contentsOf: URL(fileURLWithPath: scene.rootFile)))
                    let key = Data(try #require(root.first).publicKey.sha256).base64EncodedString()
                    let page = try await CommandLineTool.run(
                        chromium,
                        [
                            "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
                            "--no-first-run", "--user-data-dir=\(scene.folder.path("profile"))",
                            "--proxy-server=\(scene.url)", "--ignore-certificate-errors-spki-list=\(key)",
                            "--dump-dom", "https://server.test/",
                        ])
                    #expect(page.output.contains("came: hello"), "\(page.output)")
                    let requests = try await scene.log(4).filter { $0["host"] as? String == "server.test" }
                    #expect(!requests.contains { $0["status"] as? Int == 101 }, "\(requests)")
                    let answers = requests.filter { $0["status"] as? Int == 200 }
                    #expect(!answers.isEmpty && answers.allSatisfy { $0["version"] as? String == "HTTP/2" })
                }
            }
        }
    }

    @Test("The exception of the Info.plist that decided is in the log")
    func exceptions() async throws {
        try await Self.servers { good, bad, authority in
            let plist = """
                <plist><dict><key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict><key>server.test</key>
                <dict><key>NSExceptionRequiresForwardSecrecy</key><false/></dict></dict></dict></dict></plist>
                """
            try await withTemporaryFolder { folder in
                let file = try folder.file("Info.plist", plist)
                try await Self.with(["--plist", file], good: good.port, bad: bad.port, authority: authority) { scene in
                    guard let finished = try await Client.curl.run("https://server.test/", scene) else { return }
                    #expect(finished.output.hasSuffix(" 200"), "\(finished.output)")
                    let line = try await scene.log(1).first
                    #expect(line?["exception"] as? String == "server.test", "\(line ?? [:])")
                }
            }
        }
    }

    @Test(
        "The log and refusals in JSON follow their schemas", .enabled(if: CommandLineTool.installed("curl") != nil))
    func schemas() async throws {
        let curl = try #require(CommandLineTool.installed("curl"))
        try await Self.servers { good, bad, authority in
            try await Self.with(good: good.port, bad: bad.port, authority: authority) { scene in
                for host in ["server.test", "bad.test", "127.0.0.1"] {
                    let answer = try await CommandLineTool.run(
                        curl,
                        [
                            "-s", "-x", scene.url, "--cacert", scene.rootFile, "-H", "Accept: application/json",
                            "https://\(host)/",
                        ])
                    guard host == "bad.test" else { continue }
                    try Self.expect(answer.output, "servertrust.proxy-refusal/1")
                }
                _ = try await scene.log(5)
                let log = try String(contentsOfFile: scene.folder.path("log"), encoding: .utf8)
                for line in log.split(separator: "\n") { try Self.expect(String(line), "servertrust.proxy/1") }
            }
        }
    }

    @Test(
        "A program that does not trust the root, and a refusal, are told at the terminal with what to do",
        .enabled(if: CommandLineTool.installed("curl") != nil))
    func advice() async throws {
        let curl = try #require(CommandLineTool.installed("curl"))
        try await Self.servers { good, bad, authority in
            try await Self.with(["--ats", "default"], good: good.port, bad: bad.port, authority: authority) { scene in
                for url in ["https://server.test/", "https://server.test/", "https://bad.test/"] {
                    let finished = try await CommandLineTool.run(curl, ["-s", "-x", scene.url, url])
                    #expect(finished.status != 0)
                }
                for url in ["https://server.test:22/", "http://plain.test/"] {
                    _ = try await CommandLineTool.run(curl, ["-s", "-x", scene.url, "--cacert", scene.rootFile, url])
                }
                let lines = try await scene.log(7)
                let said = try scene.folder.said()
                for host in ["server.test", "bad.test"] {
                    let told = said.split(separator: "\n").filter { $0.contains("tunnel to \(host):443: ") }
                    #expect(told.count == 1, "\(said)")
                    #expect(told.first?.contains("`servertrust proxy root --export FILE`") == true, "\(said)")
                }
                #expect(
                    said.contains("allow port 22") && said.contains("--allow-port PORT")
                        && said.contains("[port-not-allowed]"))
                #expect(said.contains("Start it with --insecure-http."), "\(said)")
                let remedies = lines.compactMap { $0["remedy"] as? String }
                #expect(remedies.contains { $0.contains("--allow-port PORT") }, "\(lines)")
            }
        }
    }

    @Test("Not more than fifty hosts are named for which a program does not trust the root, each once")
    func untrusting() throws {
        let said = Mutex<[String]>([])
        let log = try ProxyLog(nil) { text in said.withLock { $0.append(text) } }
        for number in 0..<200 {
            var connection = ProxiedConnection(number: number + 1, start: Date())
            (connection.host, connection.port) = (try Host("a\(number % 70).test"), 443)
            (connection.endedBeforeTLS, connection.problem) = (true, "the client does not trust the root")
            log.proxy(.connection(connection))
        }
        let lines = said.withLock { $0 }
        #expect(lines.count == 50 && Set(lines).count == 50)
        #expect(lines.filter { $0.contains("More such hosts are in the log alone") } == [lines[49]])
    }

    @Test(
        "A log on a full disk costs its lines alone, and is complained of once",
        .enabled(if: CommandLineTool.installed("curl") != nil && FileManager.default.fileExists(atPath: "/dev/full")))
    func fullLog() async throws {
        let curl = try #require(CommandLineTool.installed("curl"))
        try await Self.servers { good, bad, authority in
            try await Self.with(["--log", "/dev/full"], good: good.port, bad: bad.port, authority: authority) { scene in
                for (host, status) in [("server.test", "200"), ("bad.test", "403"), ("server.test", "200")] {
                    let given = [
                        "-s", "-o", "/dev/null", "-w", "%{http_code}", "-x", scene.url, "--cacert", scene.rootFile,
                        "https://\(host)/",
                    ]
                    #expect(try await CommandLineTool.run(curl, given).output == status)
                }
                #expect(bad.fromClients.hasOnlyHelloAndAlerts)
                let said = try scene.folder.said()
                #expect(said.components(separatedBy: "a line of the log /dev/full is lost").count == 2, "\(said)")
            }
        }
    }

    static func expect(_ text: String, _ format: String) throws {
        let document = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        let violations = try JSONSchema(format: format).violations(in: document)
        #expect(violations.isEmpty, "\(text): \(violations)")
    }

    @Test("A signal ends the proxy with exit code 0")
    func signals() async throws {
        try await withTemporaryFolder { folder in
            let output = try folder.file("out", "")
            let program = try CommandLineTool.program(
                try CommandLineTool.servertrustPath(),
                ["proxy", "--listen", "[::1]:0", "--root-folder", folder.path("root")], output: output)
            let process = try TestProcess(program)
            for _ in 0..<1_000 {
                if try String(contentsOfFile: output, encoding: .utf8).contains("listens at http://[::1]:") { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            process.send(SIGTERM)
            #expect(await process.ending() == .exit(0))
        }
    }

    @Test(
        "What would open the proxy, or cannot be done, is refused with exit code 2",
        arguments: [
            (["--listen", "0.0.0.0:0"], "loopback"), (["--listen", "192.0.2.1:8080"], "loopback"),
            (["--listen", "localhost:80"], "--listen"), (["--allow-port", "0"], "--allow-port"),
            (["--allow-port", "65536"], "--allow-port"), (["--root-for", "127.0.0.1"], "--root-for"),
            (["--cert", "client.pem"], "--identity"), (["--identity", "server.test"], "--identity"),
            (["--identity", "server.test=/nonexistent.pem"], "/nonexistent.pem"),
            (["--dangerously-listen-beyond-this-machine", "--listen", "0.0.0.0:0"], "password"),
            (["--password-file", "/nonexistent"], "/nonexistent"),
            (["--password-file", "/etc/hostname"], "USER:PASSWORD"),
            (["-k"], "must be trusted"), (["--connect-to", "a:b"], "connect-to"),
            (["--proxy", "ftp://proxy.test"], "proxy"), (["--proxy", "http://127.0.0.1:8080"], "to be started"),
            (["--listen", "[::1]:3128", "--proxy", "localhost:3128"], "to be started"),
            (["--log", "/nonexistent/log"], "log"), (["root"], "--export"),
            (["--page-port", "65536"], "--page-port"),
        ])
    func refused(arguments: [String], part: String) async throws {
        try await withTemporaryFolder { folder in
            let given = ["proxy"] + arguments + ["--root-folder", folder.path("root")]
            let finished = try await CommandLineTool.servertrust(given)
            #expect(finished.status == 2 && finished.errors.contains(part), "\(finished.errors)")
        }
    }

    @Test("The certificate is exported without its key, and no file is replaced")
    func export() async throws {
        try await withTemporaryFolder { folder in
            let given = ["proxy", "root", "--root-folder", folder.path("root"), "--export"]
            let first = try await CommandLineTool.servertrust(given + ["-"])
            #expect(
                first.status == 0 && first.output.contains("BEGIN CERTIFICATE") && !first.output.contains("PRIVATE"))
            let file = try folder.file("there.pem", "hello")
            let second = try await CommandLineTool.servertrust(given + [file])
            #expect(second.status == 2)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "hello")
        }
    }

    @Test("A hint names the file as one word of the shell", arguments: InstallHint.allCases)
    func hints(hint: InstallHint) {
        #expect(hint.text(file: "a/b.pem").contains("a/b.pem"))
        #expect(hint.text(file: "a b'; rm").contains("'a b'\\''; rm'"))
        #expect(hint.text(file: "a'\u{301}; rm").contains("'a'\\''\u{301}; rm'"))
    }

    @Test("The hint for Chromium works for a user who has not started it yet")
    func freshUser() throws {
        let lines = InstallHint.chromium.text(file: "a.pem").split(separator: "\n")
        let making = try #require(lines.firstIndex(of: "mkdir -p $HOME/.pki/nssdb"))
        let adding = try #require(lines.firstIndex { $0.hasPrefix("certutil -A -d sql:$HOME/.pki/nssdb ") })
        #expect(making < adding)
    }
}

extension TemporaryFolder {
    /// What services that ran here have said.
    func said() throws -> String {
        try FileManager.default.contentsOfDirectory(atPath: self.url.path).filter { $0.hasSuffix(".log") }
            .map { try String(contentsOfFile: self.path($0), encoding: .utf8) }.joined()
    }
}
