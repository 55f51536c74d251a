//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import TestSupport
import Testing

@Suite("Servers of other projects that speak HTTP/2", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HTTP2PeerTests {
    private static let small = "a small file\n"
    private static let largeSize = 10 << 20

    @Test(
        "Files come over HTTP/2, and over HTTP/1.1 where that is asked for", arguments: HTTP2Peer.allCases)
    func files(peer: HTTP2Peer) async throws {
        guard peer.isInstalled else { return }
        try await Self.with(peer) { get, folder in
            let small = try await get("/small", ["-i"])
            #expect(small.status == 0 && small.output.hasPrefix("HTTP/2 200"), "\(small.errors)")
            #expect(small.output.hasSuffix("\r\n\r\n" + Self.small))
            let old = try await get("/small", ["-i", "--http1.1"])
            #expect(old.status == 0 && old.output.hasPrefix("HTTP/1.1 200"), "\(old.errors)")
            let large = try await get("/large", ["-o", folder.path("got")])
            #expect(large.status == 0, "\(large.errors)")
            #expect(FileManager.default.contentsEqual(atPath: folder.path("got"), andPath: folder.path("files/large")))
            let head = try await get("/large", ["-I"])
            #expect(head.status == 0 && head.output.hasPrefix("HTTP/2 200") && head.output.hasSuffix("\r\n\r\n"))
        }
    }

    @Test("A server that is not trusted gets nothing over HTTP/2 either", arguments: HTTP2Peer.allCases)
    func untrusted(peer: HTTP2Peer) async throws {
        guard peer.isInstalled else { return }
        try await Self.with(peer) { get, _ in
            let answer = try await get("/small", ["--pinnedpubkey", "sha256//\(String(repeating: "A", count: 43))="])
            #expect(answer.status == 1 && answer.output.isEmpty)
        }
    }

    @Test("Content of several megabytes goes up, a part of a file comes down", .enabled(if: HTTP2Peer.node.isInstalled))
    func upload() async throws {
        try await Self.with(.node) { get, folder in
            let answer = try await get("/", ["--data-binary", "@\(folder.path("files/large"))"])
            #expect(answer.output == "got \(Self.largeSize)", "\(answer.errors)")
        }
        try await Self.with(.nginx) { get, folder in
            let answer = try await get("/small", ["-r", "2-6", "-i"])
            #expect(answer.output.hasPrefix("HTTP/2 206") && answer.output.hasSuffix("small"), "\(answer.errors)")
        }
    }

    private typealias Get = (_ path: String, _ arguments: [String]) async throws -> Finished

    private static func with(_ peer: HTTP2Peer, _ body: (Get, TemporaryFolder) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let authority = try await RealAuthority(folder)
            try await authority.issue(RealAuthority.Leaf(), as: "site")
            try FileManager.default.createDirectory(atPath: folder.path("files"), withIntermediateDirectories: true)
            // Some servers give up root, and read the files as another user.
            for path in [folder.url.path, folder.path("files")] {
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            }
            _ = try folder.file("files/small", Self.small)
            _ = try folder.file("files/large", contents: (0..<Self.largeSize).map { UInt8(truncatingIfNeeded: $0 / 7) })
            try await peer.run(in: folder) { port in
                let base = ["get", "--cacert", folder.path("root.pem"), "--connect-to", "a.test:443:127.0.0.1:\(port)"]
                try await body(
                    { path, arguments in
                        try await CommandLineTool.servertrust(base + arguments + ["https://a.test\(path)"])
                    }, folder)
            }
        }
    }
}
