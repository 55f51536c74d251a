//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Logging
import NIOCore
public import ServerTrust
import ServerTrustNIO

/// Posts reports of paths without what is pinned, as HPKP has browsers do (RFC 7469 §2.1.4 and §3).
///
/// ```swift
/// let reporter = try PinReporter(postingTo: ["https://reports.example.com/pins"])
/// let manager = try ServerTrustManager(evaluators: ["api.example.com": .pins([pin, backupPin])], reporter: reporter)
/// ```
///
/// Each report is sent once to each URI, in a POST whose body is `PinReport.json`. Nothing besides is sent: no cookies, no credentials. To an `https` URI nothing is sent before the server's certificates are
/// trusted by this package's rules, over TLS 1.2 or newer. Those connections are judged by an evaluator, not by a manager,
/// so that no report leads to another.
///
/// Only public addresses are connected to, and redirects are not followed. Of an answer the status is read and nothing
/// else.
///
/// - Warning: An attacker between this machine and the site may be between it and the report server, and can then
///   drop what is reported; over `http` also read and change it.
public struct PinReportPoster: Sendable {
    /// The most URIs a report is posted to.
    static let maximumURIs = 16

    private let servers: [(uri: String, url: HTTPURL)]
    private let configuration: Configuration
    private let session: HTTPSession

    /// A poster. It connects to no server yet.
    ///
    /// - Parameters:
    ///   - uris: Where reports are posted to: 1 through 16 URIs of `http` or `https`, on any port.
    ///   - configuration: What is trusted and may be connected to, and the limits.
    /// - Throws: ``PinReportURIError`` for URIs nothing can be posted to.
    public init(
        _ uris: [String], configuration: Configuration = Configuration()
    ) throws(PinReportURIError) {
        guard !uris.isEmpty else { throw PinReportURIError(.none) }
        guard uris.count <= Self.maximumURIs else { throw PinReportURIError(.tooMany) }
        var servers: [(uri: String, url: HTTPURL)] = []
        for (index, uri) in uris.enumerated() {
            do {
                servers.append((uri, try HTTPURL(named: uri, schemes: [.https, .http])))
            } catch {
                throw PinReportURIError(.invalid, uri: uri, position: index + 1, reason: error.reason)
            }
        }
        self.servers = servers
        self.configuration = configuration
        self.session = HTTPSession(HTTPSessionConfiguration(configuration))
    }

    /// Posts a report to all URIs at once.
    ///
    /// Takes no longer than ``Configuration/timeout``. When the task is cancelled it returns soon.
    ///
    /// - Parameter report: The report.
    /// - Returns: What became of it at each URI, in their order.
    @discardableResult
    public func post(_ report: PinReport) async -> [Delivery] {
        let content = ByteBuffer(bytes: report.json)
        let deadline = NIODeadline.now() + TimeAmount(bounding: self.configuration.timeout)
        return await withTaskGroup(of: (Int, Delivery).self) { group in
            for (index, server) in self.servers.enumerated() {
                let post = PinReportPost(
                    url: server.url, content: content, configuration: self.configuration, session: self.session,
                    deadline: deadline)
                group.addTask {
                    let delivery = Delivery(report: report, uri: server.uri, outcome: await post.run())
                    self.announce(delivery, by: server.url.authority)
                    return (index, delivery)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Without the URI, whose path and query are often what lets one post.
    private func announce(_ delivery: Delivery, by server: String) {
        self.configuration.onDelivery?(delivery)
        let level: Logger.Level = if case .accepted = delivery.outcome { .debug } else { .warning }
        self.configuration.logger?.log(
            level: level, "pin report",
            metadata: ["server": "\(server)", "host": "\(delivery.report.host)", "outcome": "\(delivery.outcome)"])
    }
}
