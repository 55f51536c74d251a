//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AsyncHTTPClient
import Foundation
import HTTPSession
import NIOCore
import NIOSSL
import ServerTrust
import ServerTrustNIO

/// Requests per second and processor time per request, beside async-http-client, at a server on this machine.
///
///     Sessions 1|2 ROOTS.pem https://localhost:PORT/small https://localhost:PORT/large [memory]
///
/// The first argument is the version of HTTP. Over HTTP/2 all requests go over one connection, or as many as CONNECTIONS says. With `memory`, what the process
/// takes while one session sends 100,000 small requests and gets 2 GB in large ones.
@main
struct Sessions {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard (5...6).contains(arguments.count) else {
            return print("give a version, a file of roots, and the URLs of a small and a large file")
        }
        let clients = try Clients(roots: arguments[2], isHTTP2: arguments[1] == "2")
        if arguments.last == "memory" {
            try await Self.watchMemory(clients.session, small: arguments[3], large: arguments[4])
            return try await clients.client.shutdown()
        }
        print("| content | at once | requests per second, session | client | ratio | processor time, ratio |")
        print("|---|---|---|---|---|---|")
        for (url, count) in [(arguments[3], 20_000), (arguments[4], 200)] {
            for width in [1, 16, 128] { try await Self.compare(clients, url, count: count, width: width) }
        }
        try await clients.client.shutdown()
    }

    /// Five alternated runs of each, and the medians of their ratios.
    private static func compare(_ clients: Clients, _ url: String, count: Int, width: Int) async throws {
        let (session, client) = (clients.session, clients.client)
        var (ours, theirs): ([Run], [Run]) = ([], [])
        for round in 0..<6 {
            let first = try await Self.run(count, width) {
                let (response, content) = try await session.bytes(for: HTTPSessionRequest(url))
                guard response.isSuccess else { throw WrongStatus() }
                return try await content.reduce(into: 0) { $0 += $1.readableBytes }
            }
            let second = try await Self.run(count, width) {
                let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
                guard response.status == .ok else { throw WrongStatus() }
                return try await response.body.reduce(into: 0) { $0 += $1.readableBytes }
            }
            // The first round opens connections.
            guard round > 0 else { continue }
            ours.append(first)
            theirs.append(second)
        }
        let rates = zip(ours, theirs).map { $1.time / $0.time }.sorted()
        let processor = zip(ours, theirs).map { $0.processor / $1.processor }.sorted()
        let (own, other) = (ours.map(\.time).sorted()[2], theirs.map(\.time).sorted()[2])
        print(
            "| \(url.split(separator: "/").last ?? "") | \(width) | \(Int(Double(count) / own)) | \(Int(Double(count) / other)) | "
                + String(format: "%.2f | %.2f |", rates[2], processor[2]))
    }

    private static func watchMemory(_ session: HTTPSession, small: String, large: String) async throws {
        print("| what was sent | resident memory |")
        print("|---|---|")
        let request: @Sendable (String) async throws -> Int = { url in
            try await session.bytes(for: HTTPSessionRequest(url)).1.reduce(into: 0) { $0 += $1.readableBytes }
        }
        var sent = 0
        for count in [1_000, 9_000, 40_000, 50_000] {
            _ = try await Self.run(count, 16) { try await request(small) }
            sent += count
            print("| \(sent) small requests | \(Self.residentMemory() / 1_024) kB |")
        }
        for round in 1...4 {
            _ = try await Self.run(50, 4) { try await request(large) }
            print("| \(round * 50) large ones besides | \(Self.residentMemory() / 1_024) kB |")
        }
    }

    private static func residentMemory() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (Int(status.split(separator: " ").dropFirst().first ?? "") ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private struct Run {
        let time: Double
        let processor: Double
    }

    private static func run(_ count: Int, _ width: Int, _ request: @escaping @Sendable () async throws -> Int)
        async throws -> Run
    {
        let processor = Self.processorTime()
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<width {
                group.addTask {
                    for _ in stride(from: worker, to: count, by: width) { _ = try await request() }
                }
            }
            try await group.waitForAll()
        }
        let time = (ContinuousClock.now - start) / .seconds(1)
        return Run(time: time, processor: Self.processorTime() - processor)
    }

    private static func processorTime() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}

/// The server does not serve the files.
private struct WrongStatus: Error {}

/// Both clients, with the same roots and as many connections.
private struct Clients {
    let session: HTTPSession
    let client: HTTPClient

    init(roots: String, isHTTP2: Bool) throws {
        let certificates = try Certificate.certificates(in: Array(try Data(contentsOf: URL(fileURLWithPath: roots))))
        var anchors = TrustAnchors.none
        for certificate in certificates { anchors.add(certificate) }
        var limits = HTTPConnectionPool.Limits()
        let given = ProcessInfo.processInfo.environment["CONNECTIONS"].flatMap { Int($0) }
        limits.perHost = given ?? (isHTTP2 ? 1 : 128)
        var configuration = HTTPSessionConfiguration(
            trust: ServerTrustSettings(trust: TrustConfiguration(anchors: anchors)),
            pool: HTTPConnectionPool(limits: limits))
        configuration.decodesContent = false
        configuration.offersHTTP2 = isHTTP2
        self.session = HTTPSession(configuration)
        var other = HTTPClient.Configuration()
        other.tlsConfiguration = .makeClientConfiguration()
        other.tlsConfiguration?.trustRoots = .file(roots)
        other.httpVersion = isHTTP2 ? .automatic : .http1Only
        other.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 128
        self.client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: other)
    }
}
