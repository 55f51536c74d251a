//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import ServerTrust
import ServerTrustNIO
import Synchronization
import TestSupport
import Testing

@testable import InterceptingProxy

@Suite("The proxy and servers that ask for a user and a password", .limitedConcurrency, .timeLimit(.minutes(10)))
struct ServerCredentialTests {
    private final class Handler: ChallengeHandler {
        let spaces = Mutex<[String]>([])

        func respond(to challenge: AuthenticationChallenge) async -> AuthenticationDisposition {
            self.spaces.withLock {
                $0.append("\(challenge.protectionSpace.host.text) \(challenge.protectionSpace.realm ?? "")")
            }
            guard challenge.previousFailureCount == 0 else { return .rejectProtectionSpace }
            return .useCredential(Credential(user: "u", password: "p", persistence: .session))
        }
    }

    private static func question(_ realm: String) -> String {
        "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"\(realm)\"\r\nContent-Length: 2\r\n\r\nno"
    }
    private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nyes"
    /// `u:p`.
    private static let field = "Authorization: Basic dTpw"

    /// What the client gets for a request, and how often the handler was asked.
    private static func outcome(
        _ request: String, isAccepted: Bool = true, realm: String = "r"
    ) async throws -> (text: String, asked: [String]) {
        let handler = Handler()
        let (field, question, answer) = (Self.field, Self.question(realm), Self.answer)
        let say: @Sendable (String) -> String? = { text in
            guard text.hasPrefix("GET") || text.hasPrefix("POST") else { return nil }
            return isAccepted && text.contains(field) ? answer : question
        }
        return try await RawTLSServer.with(answering: say) { server in
            try await ProxyScene.with(server: server.port, { $0.challenges = handler }) { scene in
                (try await scene.answer(inTunnel: request), handler.spaces.withLock { $0 })
            }
        }
    }

    @Test(
        "Requests of programs that show a credential, have content, or were sent by pages of other sites, are not answered for",
        arguments: [
            "GET / HTTP/1.1\r\nAuthorization: Basic eDp5\r\n", "GET / HTTP/1.1\r\nSec-Fetch-Site: cross-site\r\n",
            "GET / HTTP/1.1\r\nSec-Fetch-Site: same-site\r\n", "GET / HTTP/1.1\r\nOrigin: https://evil.test\r\n",
            "GET / HTTP/1.1\r\nOrigin: null\r\n", "POST / HTTP/1.1\r\nContent-Length: 1\r\n",
            "GET / HTTP/1.1\r\nSec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n",
            "GET / HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade, close\r\n",
        ])
    func unanswered(head: String) async throws {
        let connection = head.contains("Connection:") ? "" : "Connection: close\r\n"
        let content = head.hasPrefix("POST") ? "x" : ""
        let outcome = try await Self.outcome(head + "Host: server.test\r\n\(connection)\r\n\(content)")
        #expect(outcome.text.hasPrefix("HTTP/1.1 401 ") && outcome.asked.isEmpty, "\(outcome)")
    }

    /// RFC 9110 §5.5 and §5.6.4: no field has them. A password is no answer to what is malformed.
    @Test("A challenge with a control character is not asked about", arguments: ["\u{1B}[2J", "a\u{7}", "\u{7F}"])
    func malformed(realm: String) async throws {
        let outcome = try await Self.outcome(
            "GET / HTTP/1.1\r\nHost: server.test\r\nConnection: close\r\n\r\n", realm: realm)
        #expect(outcome.text.hasPrefix("HTTP/1.1 401 ") && outcome.asked.isEmpty, "\(outcome)")
    }

    @Test("A credential that the server refuses leaves its answer to the program")
    func refused() async throws {
        let outcome = try await Self.outcome(
            "GET / HTTP/1.1\r\nHost: server.test\r\nConnection: close\r\n\r\n", isAccepted: false)
        #expect(outcome.text.hasPrefix("HTTP/1.1 401 ") && outcome.text.hasSuffix("no"), "\(outcome)")
        #expect(outcome.asked == ["server.test r", "server.test r"])
    }

    @Test(
        "Others are, also those of pages of the server itself",
        arguments: ["", "Sec-Fetch-Site: same-origin\r\n", "Origin: https://server.test\r\n"])
    func answered(fields: String) async throws {
        let outcome = try await Self.outcome(
            "GET / HTTP/1.1\r\nHost: server.test\r\n\(fields)Connection: close\r\n\r\n")
        #expect(outcome.text.hasPrefix("HTTP/1.1 200 ") && outcome.text.hasSuffix("yes"), "\(outcome)")
        #expect(!outcome.text.contains("401") && outcome.asked == ["server.test r"])
    }
}
