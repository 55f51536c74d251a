//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
import NIOHTTP1

/// Answers `GET /metrics`, `GET /healthz` and, where it is allowed, `GET /probe`, and nothing else.
package struct MetricsServer: Sendable {
    package let url: String

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - board: The metrics.
    ///   - host: The address to listen at.
    ///   - port: The port; 0 for one that the system chooses.
    ///   - patience: The time in which a client has to send its request.
    ///   - probes: The endpoint of probes; `nil` answers none.
    /// - Throws: ``FleetError`` when the address cannot be served at.
    package static func start(
        _ board: MetricsBoard, host: String, port: Int, patience: TimeAmount = PageServer.usualPatience,
        probes: ProbeEndpoint? = nil
    ) async throws -> MetricsServer {
        let slow: PageServer.SlowPages = { head in
            guard let probes, head.uri.prefix(while: { $0 != "?" }) == "/probe" else { return nil }
            return { await probes.answer(head) }
        }
        let server = try await PageServer.start(host: host, port: port, patience: patience, slowPages: slow) {
            head, _ in
            Self.page(String(head.uri.prefix { $0 != "?" }), board)
        }
        return MetricsServer(url: "http://\(host.contains(":") ? "[\(host)]" : host):\(server.port)/metrics")
    }

    private static func page(_ path: String, _ board: MetricsBoard) -> PageServer.Page {
        switch path {
        case "/metrics": PageServer.Page(.ok, board.text, type: PrometheusText.contentType)
        case "/healthz" where board.isHealthy: PageServer.Page(.ok, "ok\n")
        case "/healthz": PageServer.Page(.serviceUnavailable, "no round has come to an end in time\n")
        default: PageServer.Page(.notFound, "/metrics and /healthz are all there is\n")
        }
    }
}
