//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

private let credential = "\(AuthenticatingServer.user):\(AuthenticatingServer.password)"
private let wrong = "\(AuthenticatingServer.user):wrong"

/// Gets the URLs among the arguments and then another one in the clear, and prints the head of each answer before its content.
private func get(_ url: String, _ arguments: String...) async throws -> Finished {
    let environment = ["http_proxy": "", "https_proxy": "", "all_proxy": ""]
    return try await CommandLineTool.servertrust(
        ["get", "--insecure-http", "-i"] + arguments + [url], environment: environment)
}

private func status(_ answer: Finished) -> String {
    String((answer.output.split(whereSeparator: \.isNewline).last { $0.hasPrefix("HTTP/") } ?? "").prefix(12))
}

@Suite("Servers and proxies of other projects that ask for a user and a password", .serialized)
struct AuthenticatingServerTests {
    @Test("Apache: Basic, and Digest with MD5", .enabled(if: AuthenticatingServer.apache.isInstalled))
    func apache() async throws {
        try await AuthenticatingServer.apache.run { port in
            let url = "http://127.0.0.1:\(port)"
            #expect(status(try await get("\(url)/digest", "-u", wrong, "--digest")) == "HTTP/1.1 401")
            #expect(status(try await get("\(url)/digest", "-u", credential, "--basic")) == "HTTP/1.1 401")
            #expect(status(try await get("\(url)/basic", "-u", credential, "--digest")) == "HTTP/1.1 401")
            #expect(status(try await get("\(url)/basic", "-u", wrong)) == "HTTP/1.1 401")
            for (path, option) in [
                ("basic", "--basic"), ("basic", "--anyauth"), ("digest", "--digest"), ("digest", "--anyauth"),
            ] {
                let answer = try await get("\(url)/\(path)", "-u", credential, option)
                #expect(answer.status == 0)
                #expect(status(answer) == "HTTP/1.1 200", "\(path) \(option)")
                #expect(answer.output.hasSuffix("the content"))
            }
        }
    }

    @Test(
        "Apache proves that it knows the password, and takes the next request with the same nonce",
        .enabled(if: AuthenticatingServer.apache.isInstalled))
    func apacheSession() async throws {
        try await AuthenticatingServer.apache.run { port in
            let url = "http://127.0.0.1:\(port)/digest"
            let answer = try await get(url, "-u", credential, "--digest", "-v", url, url)
            #expect(answer.status == 0)
            #expect(answer.output.contains("rspauth="))
            #expect(answer.output.components(separatedBy: "the content").count == 4)
        }
    }

    @Test("lighttpd: Digest with SHA-256 and UTF-8", .enabled(if: AuthenticatingServer.lighttpd.isInstalled))
    func lighttpd() async throws {
        try await AuthenticatingServer.lighttpd.run { port in
            let url = "http://127.0.0.1:\(port)/content"
            #expect(status(try await get(url, "-u", wrong, "--digest")) == "HTTP/1.1 401")
            #expect(status(try await get(url, "-u", credential, "--basic")) == "HTTP/1.1 401")
            for option in ["--digest", "--anyauth"] {
                let answer = try await get(url, "-u", credential, option)
                #expect(status(answer) == "HTTP/1.1 200")
                #expect(answer.output.hasSuffix("the content"))
            }
        }
    }

    @Test(
        "Squid: requests and tunnels, with Basic and Digest",
        .enabled(if: AuthenticatingServer.squid.isInstalled && AuthenticatingServer.apache.isInstalled))
    func squid() async throws {
        try await AuthenticatingServer.apache.run { port in
            try await AuthenticatingServer.squid.run { proxy in
                let (url, proxy) = ("http://127.0.0.1:\(port)/digest", "http://127.0.0.1:\(proxy)")
                #expect(status(try await get(url, "-x", proxy)) == "HTTP/1.1 407")
                #expect(status(try await get(url, "-x", proxy, "-U", wrong, "--proxy-digest")) == "HTTP/1.1 407")
                #expect(try await get(url, "-x", proxy, "-p", "-U", wrong, "--proxy-digest").status == 2)
                for option in ["--proxy-basic", "--proxy-digest", "--proxy-anyauth"] {
                    let plain = try await get(url, "-x", proxy, "-U", credential, option, "-u", credential, "--digest")
                    #expect(status(plain) == "HTTP/1.1 200", "\(option)")
                    let tunnel = try await get(
                        url, "-p", "-x", proxy, "-U", credential, option, "-u", credential, "--digest")
                    #expect(tunnel.output.hasSuffix("the content"), "\(option) with a tunnel")
                }
            }
        }
    }

    @Test(
        "Squid before lighttpd: a server reads the path that a digest covers, and not the URL that the proxy gets",
        .enabled(if: AuthenticatingServer.squid.isInstalled && AuthenticatingServer.lighttpd.isInstalled))
    func squidBeforeLighttpd() async throws {
        try await AuthenticatingServer.lighttpd.run { port in
            try await AuthenticatingServer.squid.run { proxy in
                let answer = try await get(
                    "http://127.0.0.1:\(port)/content", "-x", "http://127.0.0.1:\(proxy)", "-U", credential,
                    "--proxy-digest", "-u", credential, "--digest")
                #expect(status(answer) == "HTTP/1.1 200")
                #expect(answer.output.hasSuffix("the content"))
            }
        }
    }

    @Test(
        "httpbin: every hash and quality that it has, nonces that are used up, tokens",
        .enabled(if: AuthenticatingServer.httpbin.isInstalled))
    func httpbin() async throws {
        try await AuthenticatingServer.httpbin.run { port in
            let url = "http://127.0.0.1:\(port)"
            // Its path holds user and password.
            for path in ["auth/ada/x/MD5", "auth-int/ada/x/MD5", "auth/ada/x/SHA-256", "auth-int/ada/x/SHA-256"] {
                let answer = try await get("\(url)/digest-auth/\(path)", "-u", "ada:x", "--digest")
                #expect(status(answer) == "HTTP/1.1 200", "\(path)")
            }
            let unknown = try await get("\(url)/digest-auth/auth/ada/x/SHA-512", "-u", "ada:x", "--digest")
            #expect(status(unknown) == "HTTP/1.1 401")
            // It counts by cookies how often a nonce may be used.
            let twice = "\(url)/digest-auth/auth/ada/x/MD5/1"
            let answer = try await get(twice, twice, twice, "-b", "", "-u", "ada:x", "--digest")
            #expect(answer.output.components(separatedBy: "\"authenticated\": true").count == 4)
            #expect(try await get("\(url)/bearer", "--oauth2-bearer", "tok").output.contains("\"token\": \"tok\""))
            #expect(status(try await get("\(url)/bearer")) == "HTTP/1.1 401")
        }
    }

    @Test(
        "httpbin: cookies are kept over redirects, and taken away",
        .enabled(if: AuthenticatingServer.httpbin.isInstalled))
    func httpbinCookies() async throws {
        try await AuthenticatingServer.httpbin.run { port in
            let url = "http://127.0.0.1:\(port)/cookies"
            let set = try await get("\(url)/set/two/2", "\(url)/set/one/1", "-L", "-b", "")
            #expect(set.output.contains("\"two\": \"2\""))
            #expect(set.output.components(separatedBy: "\"one\": \"1\"").count == 3)
            let deleted = try await get("\(url)/delete?one", "\(url)/set/one/1", "-L", "-b", "")
            #expect(deleted.output.components(separatedBy: "\"one\"").count == 2)
            #expect(!(try await get("\(url)/set/one/1", "-L").output.contains("\"one\"")))
        }
    }
}
