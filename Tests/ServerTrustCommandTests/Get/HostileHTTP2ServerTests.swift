//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

/// A server that is written with Python's h2, whose own checks are turned off.
@Suite("A server of another project that breaks the rules of HTTP/2", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HostileHTTP2ServerTests {
    private static var isInstalled: Bool {
        ProcessInfo.processInfo.environment["CI"] != nil || CommandLineTool.installed("python-h2") != nil
    }

    /// What the server does for a path, and what `get` is to print, or to say in its error.
    private static let rows: [(path: String, does: String, status: Int32, words: String)] = [
        ("plain", "answer(s, [], b'hello')", 0, "hello"),
        (
            "trailers",
            "c.send_headers(s, ok); c.send_data(s, b'hello'); c.send_headers(s, [('a', 'b')], end_stream=True)", 0,
            "hello"
        ),
        ("early", "c.send_headers(s, [(':status', '103'), ('link', '</a>')]); answer(s, [], b'hello')", 0, "hello"),
        ("pings", "[c.ping(b'12345678') for _ in range(100)]; answer(s, [], b'hello')", 0, "hello"),
        ("goodbye", "answer(s, [], b'hello') if n else away(0)", 0, "hello"),
        ("refused", "answer(s, [], b'hello') if n else c.reset_stream(s, 7)", 0, "hello"),
        ("tables", "c.update_settings({1: 0}); answer(s, [], b'hello')", 0, "hello"),
        ("capitals", "answer(s, [('Abc', 'd')], b'x')", 2, "section 8.2.1"),
        ("connection", "answer(s, [('connection', 'close')], b'x')", 2, "section 8.2.2"),
        ("chunked", "answer(s, [('transfer-encoding', 'chunked')], b'x')", 2, "section 8.2.2"),
        ("pseudo", "answer(s, [(':path', '/')], b'x')", 2, "section 8.3"),
        ("status", "c.send_headers(s, [('a', 'b')], end_stream=True)", 2, ":status"),
        ("line", "answer(s, [('a', 'b\\r\\nc: d')], b'x')", 2, "section 8.2.1"),
        ("short", "answer(s, [('content-length', '9')], b'hello')", 2, "Content-Length"),
        ("long", "answer(s, [('content-length', '2')], b'hello')", 2, "Content-Length"),
        ("cut", "c.send_headers(s, ok); c.send_data(s, b'hel'); c.reset_stream(s, 2)", 2, "INTERNAL_ERROR"),
        ("broken", "c.send_headers(s, ok); c.send_data(s, b'hel'); close()", 2, "before the response was complete"),
        ("calm", "away(11)", 2, "ENHANCE_YOUR_CALM"),
        ("bomb", "answer(s, [('a%d' % i, 'b' * 4000) for i in range(200)], b'x')", 2, "octets in a head"),
        ("fields", "answer(s, [('a%d' % i, '') for i in range(5001)], b'x')", 2, "more than 5000 fields"),
        (
            "interim", "[c.send_headers(s, [(':status', '103'), ('a', 'b' * 99)]) for _ in range(5000)]", 2,
            "head of its response"
        ),
        ("tls", "c.send_headers(s, [(':status', '101')])", 2, "101"),
        ("flood", "[raw(bytes([0, 0, 8, 6, 0, 0, 0, 0, 0]) + bytes(8)) for _ in range(20000)]", 2, "PING"),
        ("settings", "[raw(bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])) for _ in range(20000)]", 2, "SETTINGS"),
        ("push", "raw(bytes([0, 0, 5, 5, 4, 0, 0, 0, s, 0, 0, 0, 2, 0x82]))", 2, "pushed"),
        (
            "empty", "c.send_headers(s, ok); [raw(bytes([0, 0, 0, 0, 0, 0, 0, 0, s])) for _ in range(20000)]", 2,
            "empty DATA"
        ),
        ("window", "raw(bytes([0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]))", 2, "flow control"),
    ]

    private static func script(_ folder: TemporaryFolder, port: Int) -> String {
        let branches = Self.rows.map { "    if path == '/\($0.path)': \($0.does)\n" }.joined()
        return """
            import socket, ssl, threading, h2.config, h2.connection, h2.events
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain('\(folder.path("site.pem"))', '\(folder.path("site.key"))')
            context.set_alpn_protocols(['h2'])
            connections = {}
            ok = [(':status', '200')]
            def act(c, s, n, path, flow):
                def answer(s, fields, content):
                    c.send_headers(s, ok + fields)
                    c.send_data(s, content, end_stream=True)
                def away(code):
                    c.close_connection(error_code=code, last_stream_id=0)
                    close()
                def raw(octets): flow.sendall(c.data_to_send() + octets)
                def close():
                    flow.sendall(c.data_to_send())
                    # What the client still sends is read: the system drops what was sent otherwise (RFC 9112, section 9.6).
                    flow.shutdown(socket.SHUT_WR)
                    flow.settimeout(5)
                    while flow.recv(65536): pass
                    flow.close()
            \(branches)
            def serve(flow):
                try:
                    flow = context.wrap_socket(flow, server_side=True)
                    c = h2.connection.H2Connection(config=h2.config.H2Configuration(
                        client_side=False, validate_outbound_headers=False, normalize_outbound_headers=False))
                    c.initiate_connection()
                    flow.sendall(c.data_to_send())
                    while True:
                        octets = flow.recv(65536)
                        if not octets: return
                        for event in c.receive_data(octets):
                            if not isinstance(event, h2.events.RequestReceived): continue
                            path = dict(event.headers)[b':path'].decode()
                            n = connections.get(path, 0)
                            connections[path] = n + 1
                            act(c, event.stream_id, n, path, flow)
                        flow.sendall(c.data_to_send())
                except Exception: pass
                finally: flow.close()
            listener = socket.create_server(('127.0.0.1', \(port)))
            while True:
                flow, _ = listener.accept()
                threading.Thread(target=serve, args=(flow,), daemon=True).start()
            """
    }

    @Test("Each is a response or an error that says what is wrong", .enabled(if: isInstalled))
    func everyRow() async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(), as: "site")
            let port = try #require(try await PeerServer.freePorts(1).first)
            let script = try folder.file("server.py", Self.script(folder, port: port))
            try await RunningPeer.with("python-h2", [script], ports: [port]) {
                let base = ["get", "--cacert", folder.path("root.pem"), "--connect-to", "a.test:443:127.0.0.1:\(port)"]
                for row in Self.rows {
                    let answer = try await CommandLineTool.servertrust(
                        base + ["-m", "20", "https://a.test/\(row.path)"])
                    #expect(answer.status == row.status, "\(row.path): \(answer.output.prefix(200)) \(answer.errors)")
                    let text = row.status == 0 ? answer.output : answer.errors
                    #expect(text.contains(row.words), "\(row.path): \(text.prefix(400))")
                    #expect(!answer.errors.contains("took too long"), "\(row.path)")
                }
            }
        }
    }
}
