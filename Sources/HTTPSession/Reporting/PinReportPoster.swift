//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Logging
import NIOCore
public import ServerTrust
import ServerTrustNIO

/// A poster that sends reports of failed pin validation to report servers, as HPKP specifies for browsers (RFC 7469 §2.1.4 and §3).
///
/// ```swift
/// let reporter = try PinReporter(postingTo: ["https://reports.example.com/pins"])
/// let manager = try ServerTrustManager(
///   evaluators: ["api.example.com": .pins([pin, backupPin])], reporter: reporter)
/// ```
///
/// Each report is posted once to each URI, with `PinReport.json` as its body and without cookies and credentials. For an `https`
/// URI, nothing is sent until the server's certificates are trusted by this package's rules, over TLS 1.2 or newer. An evaluator
/// and not a manager evaluates these connections, so that a report never causes another report.
///
/// Connections are made to public addresses only, and redirects are not followed. Only the head of a response is read.
///
/// - Warning: An attacker on the path to the site may also be on the path to the report server, and can then suppress reports. Over
///   `http` the attacker can also read and change them.
public struct PinReportPoster: Sendable {
    static let maximumURIs = 16

    private let servers: [(uri: String, url: HTTPURL)]
    private let configuration: Configuration
    private let session: HTTPSession

    /// Creates a poster without connecting to a server.
    ///
    /// - Parameters:
    ///   - uris: The URIs to which reports are posted: 1 through 16 URIs of `http` or `https`, on any port.
    ///   - configuration: The trust in report servers and the limits.
    /// - Throws: ``PinReportURIError`` if a URI is not usable, or if there are too few or too many.
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

    /// Posts a report to all URIs concurrently.
    ///
    /// This takes no longer than ``Configuration/timeout`` and returns soon after the task is canceled.
    ///
    /// - Parameter report: The report.
    /// - Returns: The outcomes in the order of the URIs.
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

    /// Reports a delivery to the closure and the logger. The log omits the URI, because its path and query often authorize posts.
    private func announce(_ delivery: Delivery, by server: String) {
        self.configuration.onDelivery?(delivery)
        let level: Logger.Level = if case .accepted = delivery.outcome { .debug } else { .warning }
        self.configuration.logger?.log(
            level: level, "pin report",
            metadata: ["server": "\(server)", "host": "\(delivery.report.host)", "outcome": "\(delivery.outcome)"])
    }
}
