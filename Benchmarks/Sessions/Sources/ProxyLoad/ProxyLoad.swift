//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import HTTPSession
import ServerTrust
import ServerTrustNIO

/// Requests per second and latency through proxies that read TLS, one after the other, by the same client.
///
///     ProxyLoad https://localhost:PORT/file COUNT NAME,http://127.0.0.1:PORT,ROOTS.pem ...
///
/// The first proxy is compared with each of the others: five alternated runs, and the medians of their ratios.
@main
struct ProxyLoad {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 4, let count = Int(arguments[2]) else {
            return print("give a URL, a count, and two proxies or more")
        }
        let proxies = try arguments[3...].map(Proxy.init)
        let names = proxies.map { "\($0.name), per second" }.joined(separator: " | ")
        print("| content | at once | \(names) | ratios | latency, ms |")
        print("|---|---|" + String(repeating: "---|", count: proxies.count + 2))
        for width in [1, 16, 64] { try await Self.compare(proxies, arguments[1], count: count, width: width) }
    }

    private static func compare(_ proxies: [Proxy], _ url: String, count: Int, width: Int) async throws {
        var times = [[Double]](repeating: [], count: proxies.count)
        var latencies = [[Double]](repeating: [], count: proxies.count)
        for round in 0..<6 {
            for (index, proxy) in proxies.enumerated() {
                let (time, latency) = try await proxy.run(url, count: count / proxy.share, width: width)
                // The first round opens connections.
                guard round > 0 else { continue }
                times[index].append(time * Double(proxy.share))
                latencies[index].append(latency)
            }
        }
        let rates = times.map { "\(Int(Double(count) / $0.sorted()[2]))" }.joined(separator: " | ")
        let ratios = times.dropFirst().map { other in
            String(format: "%.2f", zip(times[0], other).map { $1 / $0 }.sorted()[2])
        }
        let latency = latencies.map { String(format: "%.1f", $0.sorted()[2] * 1_000) }.joined(separator: " / ")
        let name = url.split(separator: "/").last ?? ""
        print("| \(name) | \(width) | \(rates) | \(ratios.joined(separator: " / ")) | \(latency) |")
    }
}

/// A proxy, and a session that goes through it.
private struct Proxy {
    let name: String
    /// A slow proxy gets a tenth of the requests, so that its runs end.
    let share: Int
    private let session: HTTPSession

    init(_ text: String) throws {
        let parts = text.split(separator: ",").map(String.init)
        guard parts.count == 3 else { throw WrongArgument() }
        self.name = parts[0]
        self.share = parts[0] == "mitmproxy" ? 10 : 1
        var anchors = TrustAnchors.none
        let roots = Array(try Data(contentsOf: URL(fileURLWithPath: parts[2])))
        for certificate in try Certificate.certificates(in: roots) { anchors.add(certificate) }
        var limits = HTTPConnectionPool.Limits()
        limits.perHost = 64
        var configuration = HTTPSessionConfiguration(
            trust: ServerTrustSettings(trust: TrustConfiguration(anchors: anchors)),
            pool: HTTPConnectionPool(limits: limits))
        configuration.proxies = try ProxyPolicy(parts[1])
        // All three speak HTTP/1.1 with it, as squid speaks nothing else.
        configuration.offersHTTP2 = false
        configuration.decodesContent = false
        self.session = HTTPSession(configuration)
    }

    /// The time of all requests, and the median of what one took.
    func run(_ url: String, count: Int, width: Int) async throws -> (Double, Double) {
        let start = ContinuousClock.now
        let latencies = try await withThrowingTaskGroup(of: [Double].self) { group in
            for worker in 0..<width {
                let share = stride(from: worker, to: count, by: width).underestimatedCount
                group.addTask { try await self.requests(url, share) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        return ((ContinuousClock.now - start) / .seconds(1), latencies.sorted()[latencies.count / 2])
    }

    private func requests(_ url: String, _ count: Int) async throws -> [Double] {
        var latencies: [Double] = []
        for _ in 0..<count {
            let start = ContinuousClock.now
            let (response, content) = try await self.session.bytes(for: HTTPSessionRequest(url))
            guard response.status == 200 else { throw WrongStatus(name: self.name, status: response.status) }
            _ = try await content.reduce(into: 0) { $0 += $1.readableBytes }
            latencies.append((ContinuousClock.now - start) / .seconds(1))
        }
        return latencies
    }
}

private struct WrongArgument: Error {}

private struct WrongStatus: Error {
    let name: String
    let status: Int
}
