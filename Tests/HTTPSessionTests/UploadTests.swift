//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import Foundation
import HTTPTypes
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import HTTPSession

@Suite("Uploads", .limitedConcurrency, .timeLimit(.minutes(10)))
struct UploadTests {
    /// What a progress tells.
    private final class Told: Sendable {
        private let progress = Mutex<[HTTPUploadProgress]>([])

        var all: [HTTPUploadProgress] { self.progress.withLock { $0 } }

        func note(_ progress: HTTPUploadProgress) { self.progress.withLock { $0.append(progress) } }
    }

    @Test(
        "What is no file of a known size is refused before anything is sent", arguments: ["missing", "folder", "pipe"])
    func noFiles(name: String) async throws {
        try await Self.withFile { path in
            if name == "folder" { #expect(mkdir(path, 0o700) == 0) }
            if name == "pipe" { #expect(mkfifo(path, 0o600) == 0) }
            let error = #expect(throws: HTTPSessionError.self) { try HTTPRequestBody.file(path) }
            #expect(error?.code == .cannotOpenFile)
        }
    }

    @Test("A file that has become longer or shorter is an error", arguments: ["longer than before", "less"])
    func changed(content: String) async throws {
        try await Self.withFile { path in
            try await TestHTTPServer.with(Answers { _ in TestHTTPServer.response("ok") }) { server in
                try "0123456789".write(toFile: path, atomically: false, encoding: .utf8)
                let body = try HTTPRequestBody.file(path)
                try content.write(toFile: path, atomically: false, encoding: .utf8)
                let request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/", method: .put)
                let error = await #expect(throws: HTTPSessionError.self) {
                    try await SessionFixture.plain().upload(for: request, from: body)
                }
                #expect(error?.code == .requestBodyStreamExhausted)
            }
        }
    }

    @Test("A progress counts up to the whole, of a file, of octets and of what is made", arguments: [0, 1, 600_000])
    func progress(size: Int) async throws {
        try await Self.withFile { path in
            try await TestHTTPServer.with(
                Answers { TestHTTPServer.response("\($0.content.utf8.count)") }
            ) { server in
                let octets = ByteBuffer(repeating: UInt8(ascii: "x"), count: size)
                try String(buffer: octets).write(toFile: path, atomically: false, encoding: .utf8)
                let bodies = [
                    HTTPRequestBody.octets(octets), try .file(path),
                    .stream(length: size, isReplayable: false) {
                        .init {
                            _ = $0.yield(octets)
                            $0.finish()
                        }
                    },
                ]
                for body in bodies {
                    let told = Told()
                    let request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/", method: .put)
                    let (_, answer) = try await SessionFixture.plain().upload(for: request, from: body) {
                        told.note($0)
                    }
                    #expect(String(buffer: answer) == "\(size)")
                    let sent = told.all.map(\.sent)
                    #expect(sent == sent.sorted() && told.all.allSatisfy { $0.total == size })
                    #expect(sent.last ?? 0 == size)
                }
            }
        }
    }

    @Test("Content that is sent again is counted anew, and hashing it is no progress")
    func counted() async throws {
        let digest = #"WWW-Authenticate: Digest realm="r", nonce="n", qop="auth-int""#
        try await Self.withFile { path in
            try await TestHTTPServer.with(
                Answers { request in
                    request.value("Authorization") == nil
                        ? TestHTTPServer.response("", "401 X", fields: [digest]) : TestHTTPServer.response("ok")
                }
            ) { server in
                var request = try HTTPSessionRequest("http://127.0.0.1:\(server.port)/", method: .put)
                request.credential = HTTPRequestCredential(
                    try HTTPCredential(user: "u", password: "p"), schemes: .digest)
                try "0123456789".write(toFile: path, atomically: false, encoding: .utf8)
                let told = Told()
                let (_, answer) = try await SessionFixture.plain().upload(for: request, from: .file(path)) {
                    told.note($0)
                }
                #expect(String(buffer: answer) == "ok")
                #expect(server.seen.requests.map(\.content) == ["0123456789", "0123456789"])
                #expect(told.all.map(\.sent) == [10, 10])
            }
        }
    }

    /// The path of a file that is not there yet, in a folder of its own.
    private static func withFile(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appendingPathComponent("file").path)
    }
}
