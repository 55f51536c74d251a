//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPSession
import NIOCore
import ServerTrust
import ServerTrustNIO
import TestSupport
import Testing

@Suite("WebSocket of Node.js, as octets", .limitedConcurrency, .timeLimit(.minutes(10)))
struct UpgradedStreamPeerTests {
    /// How the server speaks, and what the session is to find.
    enum Speech: String, CaseIterable, Sendable {
        /// HTTP/2 with other protocols on its streams.
        case http2WithProtocols
        /// HTTP/2 without: WebSocket needs another connection.
        case http2
        case http1

        var status: Int { self == .http2WithProtocols ? 200 : 101 }
    }

    private static func script(_ speech: Speech, port: Int, _ folder: TemporaryFolder) -> String {
        """
        const fs = require('fs');
        const crypto = require('crypto');
        const options = {
          allowHTTP1: true, settings: { enableConnectProtocol: \(speech == .http2WithProtocols) },
          cert: fs.readFileSync('\(folder.path("site.pem"))'), key: fs.readFileSync('\(folder.path("site.key"))')
        };
        const server = \(speech == .http1 ? "require('https').createServer(options)" : "require('http2').createSecureServer(options)");
        server.on('request', (request, response) => {
          if (request.method !== 'CONNECT') response.end('hello');
        });
        // Without it the request is refused.
        server.on('connect', () => {});
        server.on('stream', (stream, headers) => {
          if (headers[':method'] !== 'CONNECT') return;
          const isRight = headers[':protocol'] === 'websocket' && headers[':path'] === '/chat'
            && headers['sec-websocket-version'] === '13' && !headers['sec-websocket-key'];
          stream.respond({ ':status': isRight ? 200 : 400 });
          stream.pipe(stream);
        });
        server.on('upgrade', (request, socket, head) => {
          const proof = crypto.createHash('sha1')
            .update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
          socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n'
            + 'Sec-WebSocket-Accept: ' + proof + '\\r\\n\\r\\n');
          socket.write(head);
          socket.pipe(socket);
        });
        server.listen(\(port), '127.0.0.1');
        """
    }

    @Test(
        "Octets come back as they were sent, beside other requests", .enabled(if: HTTP2Peer.node.isInstalled),
        arguments: Speech.allCases)
    func echo(speech: Speech) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(), as: "site")
            let port = try #require(try await PeerServer.freePorts(1).first)
            let script = try folder.file("server.js", Self.script(speech, port: port, folder))
            try await RunningPeer.with("node", [script], ports: [port], environment: [:]) {
                let roots = try Data(contentsOf: URL(fileURLWithPath: folder.path("root.pem")))
                var anchors = TrustAnchors.none
                for certificate in try Certificate.certificates(in: Array(roots)) { anchors.add(certificate) }
                var configuration = HTTPSessionConfiguration(
                    trust: ServerTrustSettings(trust: TrustConfiguration(anchors: anchors)))
                configuration.routes.add(ConnectionRoute(host: try Host("127.0.0.1"), port: port))
                try await Self.echo(HTTPSession(configuration), status: speech.status)
            }
        }
    }

    private static func echo(_ session: HTTPSession, status: Int) async throws {
        let stream = try await session.stream(of: "websocket", for: HTTPSessionRequest("https://a.test/chat"))
        #expect(stream.response.status == status)
        let (_, content) = try await session.data(from: "https://a.test/")
        #expect(String(buffer: content) == "hello")
        let sent = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        let sender = Task {
            for start in stride(from: 0, to: sent.count, by: 50_000) {
                try await stream.write(ByteBuffer(bytes: sent[start..<start + 50_000]))
            }
        }
        var received: [UInt8] = []
        while received.count < sent.count, let octets = try await stream.received.next() {
            received += octets.readableBytesView
        }
        try await sender.value
        #expect(received == sent)
        await stream.close()
        await #expect(throws: HTTPSessionError.self) { try await stream.write(ByteBuffer(string: "x")) }
    }
}
