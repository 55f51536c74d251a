//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import NIOCore
import ServerTrust
import TestSupport
import Testing

@testable import ServerTrustNIO

@Suite(
    "Streams before a mail server of another project", .limitedConcurrency, .timeLimit(.minutes(10)),
    .enabled(
        if: ProcessInfo.processInfo.environment["CI"] != nil || PeerProcess.path(of: "dovecot") != nil,
        "dovecot is not installed (dovecot-imapd)"))
struct StreamPeerTests {
    @Test("Dovecot is asked for TLS in the middle of a stream, and answers over it", arguments: [true, false])
    func dovecot(isTrusted: Bool) async throws {
        try await Self.withDovecot { port in
            try await RecordRelay.with(port) { relay in
                let plain = try await PlainStream.connect(
                    to: "127.0.0.1", port: relay.port, peerName: StreamFixture.host)
                #expect(try await plain.readLine()?.contains("STARTTLS") == true)
                try await plain.write(ByteBuffer(string: "a1 STARTTLS\r\n"))
                #expect(try await plain.readLine()?.hasPrefix("a1 OK") == true)
                let gate = try StreamFixture.gate(anchors: isTrusted ? nil : TrustAnchors.none)
                guard isTrusted else {
                    await #expect(throws: ServerTrustGateError.self) { try await plain.upgrade(gate: gate) }
                    return
                }
                let stream = try await plain.upgrade(gate: gate)
                try await stream.write(ByteBuffer(string: "a2 CAPABILITY\r\na3 LOGOUT\r\n"))
                let answer = await StreamFixture.rest(of: stream).text
                #expect(answer.contains("a2 OK") && answer.contains("a3 OK"), "\(answer)")
                // What a server offers before TLS is to be asked for again, and is something else.
                #expect(!answer.contains("STARTTLS"), "\(answer)")
                await stream.close()
            }
        }
    }

    private static func withDovecot(_ body: (Int) async throws -> Void) async throws {
        try await PeerFolder.with { folder in
            let identity = try folder.identity("server", try ATSFixture.ecdsa.get())
            try FileManager.default.createDirectory(
                at: folder.url.appendingPathComponent("run"), withIntermediateDirectories: true)
            try await PeerProcess.listening("dovecot", in: folder.url) { port in
                let text = Self.configuration(port, folder.url.path, identity)
                return ["-F", "-c", try folder.file("dovecot.conf", text)]
            } _: { port in
                try await body(port)
            }
        }
    }

    /// A server without mail. As root its log-in processes run as the user that Debian makes for them, which they demand.
    private static func configuration(
        _ port: Int, _ folder: String, _ identity: (chain: String, key: String)
    ) -> String {
        let user = NSUserName()
        let loginUser = user == "root" ? "dovenull" : user
        return """
            base_dir = \(folder)/run
            log_path = \(folder)/log
            protocols = imap
            listen = 127.0.0.1
            ssl = required
            ssl_cert = <\(identity.chain)
            ssl_key = <\(identity.key)
            default_internal_user = \(user)
            default_login_user = \(loginUser)
            passdb {
              driver = static
              args = password=x
            }
            service imap-login {
              chroot =
              inet_listener imap {
                port = \(port)
              }
              inet_listener imaps {
                port = 0
              }
            }
            service anvil {
              chroot =
            }

            """
    }
}
