//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import TestSupport
import Testing

@testable import ServerTrustCommand

@Suite("The log of the proxy, read again", .limitedConcurrency)
struct ProxyLogFileTests {
    private static func servers(_ text: String) async throws -> [String] {
        try await withTemporaryFolder { folder in try ProxyLogFile.refusedServers(try folder.file("log", text)) }
    }

    private static func line(_ verdict: String, _ host: String, _ port: Int = 443, scheme: String = "https") -> String {
        """
        {"format":"servertrust.proxy/1","kind":"request","verdict":"\(verdict)","scheme":"\(scheme)","host":"\(host)","port":\(port)}

        """
    }

    @Test("Servers that were refused are named once, in their order, and no others")
    func refused() async throws {
        let text =
            Self.line("trusted", "good.test") + Self.line("refused", "b.test", 8_443) + Self.line("failed", "c.test")
            + #"{"format":"servertrust.proxy/1","kind":"connection","host":"d.test"}"# + "\n"
            + Self.line("refused", "a.test", 80, scheme: "http") + Self.line("refused", "B.test", 8_443)
            + Self.line("refused", "2001:db8::1")
        #expect(try await Self.servers(text) == ["https://b.test:8443", "http://a.test", "https://[2001:db8::1]"])
        #expect(try await Self.servers("").isEmpty)
    }

    @Test(
        "What is not the log of the proxy is an error with its line",
        arguments: [
            "hello", "{}", #"{"format":"servertrust.scan/1","kind":"request"}"#,
            #"{"format":"servertrust.proxy/1","kind":"request","verdict":"refused"}"#, line("refused", "a b"),
            line("refused", "a.test", 0), line("refused", "a.test", 65_536), line("refused", "a.test", scheme: "file"),
        ])
    func malformed(text: String) async throws {
        let error = await #expect(throws: CommandError.self) {
            try await Self.servers(Self.line("refused", "a.test") + text)
        }
        #expect("\(error.map { "\($0)" } ?? "")".contains("line 2"))
    }

    @Test("A pipe that nothing reads is an error, and keeps nothing waiting")
    func unreadPipe() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.path("pipe")
            #expect(mkfifo(path, 0o600) == 0)
            let error = #expect(throws: CommandError.self) { _ = try ProxyLog(path) { _ in } }
            #expect("\(error.map { "\($0)" } ?? "")".contains("nothing reads it"))
        }
    }

    @Test("The exception for a server that the proxy refused is suggested")
    func suggested() async throws {
        try await withTemporaryFolder { folder in
            let log = try folder.file("log", Self.line("refused", "cdn.example.com", 80, scheme: "http"))
            let finished = try await CommandLineTool.servertrust(["ats", "suggest", "--from-proxy", log])
            #expect(finished.status == 1 && finished.output.contains("cdn.example.com"), "\(finished.errors)")
            let nothing = try await CommandLineTool.servertrust(["ats", "suggest"])
            #expect(nothing.status == 2 && nothing.errors.contains("--from-proxy"))
        }
    }
}
