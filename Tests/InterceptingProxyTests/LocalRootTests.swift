//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import ServerTrust
import SwiftASN1
import Testing
import X509

@testable import InterceptingProxy

@Suite("The local root", .timeLimit(.minutes(20)))
struct LocalRootTests {
    private static func withFolder<R>(_ body: (String) async throws -> R) async throws -> R {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("proxy-root-\(UUID().uuidString)").path
        defer { _ = try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    private static func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    // MARK: What is refused

    @Test(
        "A folder that others may read, enter or write to is refused", arguments: [0o755, 0o710, 0o701, 0o770, 0o704])
    func looseFolder(mode: Int) async throws {
        try await Self.withFolder { path in
            let folder = LocalRootFolder(path)
            _ = try await folder.root(at: Date())
            #expect(chmod(path, mode_t(mode)) == 0)
            await #expect(throws: LocalRootError.self) { try await folder.root(at: Date()) }
        }
    }

    @Test(
        "A file that others have permissions for is refused, and stays as it is",
        arguments: [0o640, 0o604, 0o644, 0o601])
    func looseFile(mode: Int) async throws {
        try await Self.withFolder { path in
            let folder = LocalRootFolder(path)
            _ = try await folder.root(at: Date())
            #expect(chmod(folder.file, mode_t(mode)) == 0)
            await #expect(throws: LocalRootError.self) { try await folder.root(at: Date()) }
            #expect(try Self.mode(folder.file) == mode)
        }
    }

    @Test("What is not one root and its key is refused, and not replaced")
    func malformed() async throws {
        try await Self.withFolder { path in
            let folder = LocalRootFolder(path)
            let whole = try await String(decoding: folder.root(at: Date()).fileContents, as: UTF8.self)
            let other = try await Self.withFolder { try await LocalRootFolder($0).root(at: Date()).fileContents }
            let otherKey = String(decoding: other, as: UTF8.self).components(separatedBy: "-----BEGIN P")[1]
            let certificate = whole.components(separatedBy: "-----BEGIN P")[0]
            for text in ["", "hello", certificate, certificate + "-----BEGIN P" + otherKey, whole + whole] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file))
                #expect(chmod(folder.file, 0o600) == 0)
                let error = await #expect(throws: LocalRootError.self) { try await folder.root(at: Date()) }
                #expect(error?.reason == .malformed && error?.path == folder.file, "\(text.prefix(40))")
                #expect(try String(contentsOfFile: folder.file, encoding: .utf8) == text)
            }
        }
    }

    @Test("A root that has ended, or is for other names, is refused and says what to do")
    func unfit() async throws {
        try await Self.withFolder { path in
            let folder = LocalRootFolder(path)
            let root = try await folder.root(permitting: [Host("example.com")], at: Date())
            let late = await #expect(throws: LocalRootError.self) {
                try await folder.root(at: root.notAfter.addingTimeInterval(1))
            }
            #expect(late?.reason == .expired)
            let others = await #expect(throws: LocalRootError.self) {
                try await folder.root(permitting: [Host("example.org")], at: Date())
            }
            #expect(others?.reason == .otherNames(["example.com"]))
            #expect(
                try await folder.root(permitting: [Host("EXAMPLE.com")], at: Date()).permittedNames == ["example.com"])
        }
    }

    // MARK: What is made

    @Test("The root is made once, for its user alone, also when several programs begin at the same time")
    func once() async throws {
        try await Self.withFolder { path in
            let folder = LocalRootFolder(path + "/below")
            let roots = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<4 { group.addTask { try await folder.root(at: Date()).pem } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(roots.count == 1)
            #expect(try Self.mode(folder.file) == 0o600)
            #expect(try Self.mode(folder.path) == 0o700)
            #expect(roots.first?.contains("PRIVATE") == false)
        }
    }

    /// The verdict about the certificate that a root makes for a host, as a client of another host would see it.
    private static func verdict(_ root: LocalRoot, _ host: String, asked: String? = nil) throws -> TrustResult {
        let maker = LeafMaker(root: root, limit: 4)
        let leaf = try maker.certificate(for: try Host(host), at: Date()).serializeAsPEM().derBytes
        let anchors = try ServerTrust.Certificate.certificates(in: root.pem.utf8)
        return try Trust(
            certificates: [try ServerTrust.Certificate(der: leaf)], policy: .tlsServer(hostname: asked ?? host),
            configuration: .only(anchors)
        ).evaluate()
    }

    @Test(
        "A certificate is trusted for its host and for no other",
        arguments: ["server.test", "a.b.example", "192.0.2.7", "2001:db8::1", "xn--mnchen-3ya.example"])
    func leaves(host: String) throws {
        let root = try LocalRoot(permitting: [], at: Date())
        let result = try Self.verdict(root, host)
        #expect(result.isTrusted, "\(result)")
        #expect(try !Self.verdict(root, host, asked: "other.test").isTrusted)
        #expect(try !Self.verdict(root, host, asked: "192.0.2.8").isTrusted)
    }

    @Test("A root with names certifies no host beside them, and no address")
    func constrained() throws {
        let root = try LocalRoot(permitting: [Host("example.com"), Host("test")], at: Date())
        for host in ["example.com", "a.example.com", "server.test"] {
            #expect(try Self.verdict(root, host).isTrusted)
            #expect(try root.covers(Host(host)))
        }
        for host in ["example.org", "badexample.com", "192.0.2.7", "2001:db8::1"] {
            #expect(try !Self.verdict(root, host).isTrusted, "\(host)")
            #expect(try !root.covers(Host(host)), "\(host)")
        }
    }

    @Test("Certificates are remembered up to a limit, and renewed before they end")
    func cache() throws {
        let now = Date()
        let maker = LeafMaker(root: try LocalRoot(permitting: [], at: now), limit: 3)
        let first = try maker.context(for: try Host("a.test"), at: now)
        #expect(try maker.context(for: try Host("A.test."), at: now) === first)
        for number in 0..<10 {
            _ = try maker.context(for: try Host("\(number).test"), at: now)
            _ = try maker.context(for: try Host("a.test"), at: now)
        }
        #expect(maker.count == 3)
        #expect(try maker.context(for: try Host("a.test"), at: now) === first)
        #expect(try maker.context(for: try Host("a.test"), at: now.addingTimeInterval(4 * 86_400)) !== first)
    }
}
