//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import NIOCore
import NIOHTTP1

/// A server for `GET /metrics` and `GET /healthz`.
package struct MetricsServer: Sendable {
    package let url: String

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - board: The metrics to serve.
    ///   - host: The address to listen on.
    ///   - port: The port to listen on.
    ///   - patience: The time within which a client must send its request.
    /// - Throws: ``FleetError`` if the server cannot listen on the address.
    package static func start(
        _ board: MetricsBoard, host: String, port: Int, patience: TimeAmount = PageServer.usualPatience
    ) async throws -> MetricsServer {
        let server = try await PageServer.start(host: host, port: port, patience: patience) { head, _ in
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
