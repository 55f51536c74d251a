//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import InterceptingProxy
import ServerTrust
import ServerTrustNIO
import ServerTrustTesting
import Synchronization
import TestSupport
import Testing

@testable import ProxyService
@testable import ServerTrustCommand

@Suite("The archive of the proxy", .limitedConcurrency, .timeLimit(.minutes(10)))
struct HARFileTests {
    /// A disk of so many octets.
    private final class Disk: Sendable {
        private let state: Mutex<(octets: [UInt8], size: Int)>

        init(size: Int) { self.state = Mutex(([], size)) }

        var octets: [UInt8] { self.state.withLock { $0.octets } }

        func grow(by count: Int) { self.state.withLock { $0.size += count } }

        var storage: HARFile.Storage {
            HARFile.Storage(
                write: { octets, offset in
                    try self.state.withLock { state in
                        let taken = octets.prefix(max(0, state.size - offset))
                        state.octets =
                            Array(state.octets.prefix(offset)) + taken + state.octets.dropFirst(offset + taken.count)
                        guard taken.count == octets.count else { throw Full() }
                    }
                },
                cut: { offset in self.state.withLock { $0.octets = Array($0.octets.prefix(offset)) } })
        }
    }

    private struct Full: Error {}

    private final class Complaints: Sendable {
        let count = Mutex(0)
    }

    private static func entries(_ octets: some Sequence<UInt8>) throws -> [[String: Any]] {
        let archive = try #require(try JSONSerialization.jsonObject(with: Data(octets)) as? [String: [String: Any]])
        #expect(archive["log"]?["version"] as? String == "1.2")
        return try #require(archive["log"]?["entries"] as? [[String: Any]])
    }

    /// A request through a proxy, as an archive hears of it.
    private static func request(_ body: (InterceptingProxyEvent) async throws -> Void) async throws {
        let heard = Heard()
        let configuration = {
            var configuration = InterceptingProxyConfiguration(
                tunnels: .passed, trust: .init(anchors: .none))
            configuration.observer = heard
            configuration.exchangeDetail = .withoutSecrets
            return configuration
        }()
        let proxy = try await InterceptingProxy.start(configuration)
        let url = "http://a.test/path?token=s3cret"
        let given = [
            "-s", "-x", "http://127.0.0.1:\(proxy.port)", "-H", "Authorization: s3cret", "-H", "X-Key: s3cret", url,
        ]
        _ = try await CommandLineTool.run(try #require(CommandLineTool.installed("curl")), given)
        await proxy.stop()
        let event = try #require(heard.events.withLock { $0 }.first)
        try await body(event)
    }

    private final class Heard: InterceptingProxyObserver {
        let events = Mutex<[InterceptingProxyEvent]>([])

        func proxy(_ event: InterceptingProxyEvent) {
            if case .request = event { self.events.withLock { $0.append(event) } }
        }
    }

    @Test(
        "It is whole at every moment, also on a full disk, of which is told once",
        .enabled(if: CommandLineTool.installed("curl") != nil))
    func fullDisk() async throws {
        try await Self.request { event in
            let (disk, complaints) = (Disk(size: 4_000), Complaints())
            let archive = try HARFile(disk.storage) { _ in complaints.count.withLock { $0 += 1 } }
            #expect(try Self.entries(disk.octets).isEmpty)
            for _ in 0..<20 {
                archive.proxy(event)
                _ = try Self.entries(disk.octets)
            }
            let count = try Self.entries(disk.octets).count
            #expect((1..<20).contains(count) && complaints.count.withLock { $0 } == 1)
            #expect(!String(decoding: disk.octets, as: UTF8.self).contains("s3cret"))
            // Once there is room again, it goes on.
            disk.grow(by: 4_000)
            archive.proxy(event)
            #expect(try Self.entries(disk.octets).count == count + 1)
            #expect(throws: Full.self) { try HARFile(Disk(size: 9).storage) { _ in } }
        }
    }

    @Test(
        "It holds as much as its limit says, and is whole then", .enabled(if: CommandLineTool.installed("curl") != nil))
    func limit() async throws {
        try await Self.request { event in
            let (disk, complaints) = (Disk(size: 1 << 20), Complaints())
            let archive = try HARFile(disk.storage, limit: 5_000) { _ in complaints.count.withLock { $0 += 1 } }
            for _ in 0..<50 { archive.proxy(event) }
            #expect(try !Self.entries(disk.octets).isEmpty)
            #expect(disk.octets.count <= 5_000 && complaints.count.withLock { $0 } == 1)
        }
    }

    /// What HAR 1.2 demands of an entry.
    private static let demanded: [(of: String, keys: Set<String>)] = [
        ("", ["startedDateTime", "time", "request", "response", "cache", "timings"]),
        (
            "request",
            ["method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"]
        ),
        (
            "response",
            [
                "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize",
                "bodySize",
            ]
        ),
        ("timings", ["send", "wait", "receive"]),
    ]

    @Test(
        "It has each request without what is secret, and with it where that is asked for",
        .enabled(if: CommandLineTool.installed("curl") != nil), arguments: [false, true])
    func secrets(isShown: Bool) async throws {
        let curl = try #require(CommandLineTool.installed("curl"))
        try await ProxyCommandTests.servers { good, bad, authority in
            try await withTemporaryFolder { folder in
                let file = folder.path("requests.har")
                let given = ["--har", file] + (isShown ? ["--dangerously-har-with-secrets"] : [])
                try await ProxyCommandTests.with(given, good: good.port, bad: bad.port, authority: authority) { scene in
                    for host in ["server.test", "bad.test"] {
                        _ = try await CommandLineTool.run(
                            curl,
                            [
                                "-s", "-x", scene.url, "--cacert", scene.rootFile, "-u", "ada:s3cret", "-b", "a=s3cret",
                                "-H", "X-Api-Key: s3cret", "https://\(host)/a/path?token=s3cret",
                            ])
                    }
                    _ = try await scene.log(4)
                }
                let octets = try Data(contentsOf: URL(fileURLWithPath: file))
                #expect(String(decoding: octets, as: UTF8.self).contains("s3cret") == isShown)
                let entries = try Self.entries(octets)
                #expect(entries.count == 2)
                for entry in entries {
                    for (key, keys) in Self.demanded {
                        let part = key.isEmpty ? entry : try #require(entry[key] as? [String: Any])
                        #expect(keys.isSubset(of: part.keys), "\(key): \(part)")
                    }
                    let time = try #require(entry["startedDateTime"] as? String)
                    let date = try Date(time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
                    #expect(abs(date.timeIntervalSinceNow) < 600, "\(time)")
                    let url = (entry["request"] as? [String: Any])?["url"] as? String
                    #expect(url?.hasSuffix("/a/path?token=" + (isShown ? "s3cret" : "(hidden)")) == true)
                }
                let statuses = entries.compactMap { ($0["response"] as? [String: Any])?["status"] as? Int }
                #expect(statuses == [200, 403])
                let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
        }
    }

    @Test(
        "A log on a full disk costs its lines alone, and is complained of once",
        .enabled(if: CommandLineTool.installed("curl") != nil && FileManager.default.fileExists(atPath: "/dev/full")))
    func fullLog() async throws {
        let curl = try #require(CommandLineTool.installed("curl"))
        try await ProxyCommandTests.servers { good, bad, authority in
            try await ProxyCommandTests.with(
                ["--log", "/dev/full"], good: good.port, bad: bad.port, authority: authority
            ) {
                scene in
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
}

extension TemporaryFolder {
    /// What services that ran here have said.
    func said() throws -> String {
        try FileManager.default.contentsOfDirectory(atPath: self.url.path).filter { $0.hasSuffix(".log") }
            .map { try String(contentsOfFile: self.path($0), encoding: .utf8) }.joined()
    }
}
