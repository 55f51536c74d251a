//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import InterceptingProxy
import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request as an HTTP Archive has it (HAR 1.2, http://www.softwareishard.com/blog/har-12-spec/), without content.
struct HAREntry: Encodable {
    private let startedDateTime: String
    private let time: Double
    private let request: Request
    private let response: Response
    private let cache = Nothing()
    private let timings: Timings
    private let serverIPAddress: String?
    private let connection: String
    private let comment: String?
    /// What the archive has no field for. Names that begin with an underscore are left to applications.
    private let _servertrust: Decision

    /// An entry; `nil` for a request of which nothing is known but the decision.
    ///
    /// - Parameters:
    ///   - proxied: The request.
    ///   - end: When it was answered.
    init?(_ proxied: ProxiedRequest, end: Date) {
        guard let exchange = proxied.exchange, let server = proxied.server else { return nil }
        self.startedDateTime = proxied.start.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        self.timings = Timings(start: proxied.start, response: exchange.responseStart, end: end)
        self.time = self.timings.sum
        self.request = Request(proxied, exchange, of: server)
        self.response = Response(proxied, exchange)
        self.serverIPAddress = exchange.address
        self.connection = "\(proxied.connection)"
        self.comment = proxied.reason.map(DisplayText.text)
        self._servertrust = Decision(
            verdict: proxied.verdict.rawValue, rule: proxied.rule, exception: proxied.exception,
            isComplete: proxied.isComplete)
    }

    private struct Nothing: Encodable {}

    private struct Pair: Encodable {
        let name, value: String

        static func fields(_ fields: HTTPFields) -> [Pair] {
            fields.map { Pair(name: $0.name.rawName, value: DisplayText.text($0.value)) }
        }
    }

    private struct Decision: Encodable {
        let verdict: String
        let rule, exception: String?
        let isComplete: Bool
    }

    private struct Request: Encodable {
        private let method, url, httpVersion: String
        private let cookies: [Pair] = []
        private let headers, queryString: [Pair]
        /// -1 stands for what is not known.
        private let headersSize = -1
        private let bodySize: Int

        init(_ proxied: ProxiedRequest, _ exchange: ProxiedExchange, of server: ProxiedRequest.Server) {
            let port = server.port == (server.scheme == "http" ? 80 : 443) ? "" : ":\(server.port)"
            let path = exchange.target.hasPrefix("/") ? exchange.target : "/"
            (self.method, self.httpVersion) = (proxied.method?.rawValue ?? "", proxied.version.rawValue)
            self.url = "\(server.scheme)://\(server.host.textInURL)\(port)" + DisplayText.text(path)
            self.headers = Pair.fields(exchange.requestFields)
            let query = path.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
            self.queryString = query.split(separator: "&").map { item in
                let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return Pair(
                    name: DisplayText.text(String(parts[0])), value: DisplayText.text(parts.dropFirst().joined()))
            }
            self.bodySize = proxied.requestSize
        }
    }

    private struct Response: Encodable {
        private struct Content: Encodable {
            let size: Int
            let mimeType: String
        }

        private let status: Int
        private let statusText, httpVersion: String
        private let cookies: [Pair] = []
        private let headers: [Pair]
        private let content: Content
        private let redirectURL: String
        private let headersSize = -1
        private let bodySize: Int

        init(_ proxied: ProxiedRequest, _ exchange: ProxiedExchange) {
            // 0 stands for no answer, as in browsers.
            let status = proxied.status ?? 0
            self.status = status
            // HTTP/2 has no reason phrase, and programs must not depend on that of HTTP/1.1 (RFC 9110 §15.1).
            self.statusText = ""
            self.httpVersion = proxied.version.rawValue
            self.headers = Pair.fields(exchange.responseFields)
            self.content = Content(
                size: proxied.responseSize, mimeType: DisplayText.text(exchange.responseFields[.contentType] ?? ""))
            self.redirectURL = DisplayText.text(exchange.responseFields[.location] ?? "")
            self.bodySize = proxied.responseSize
        }
    }

    /// Milliseconds, none of which may be negative.
    private struct Timings: Encodable {
        private let send = 0.0
        private let wait, receive: Double

        var sum: Double { self.wait + self.receive }

        init(start: Date, response: Date?, end: Date) {
            let (whole, wait) = (end.timeIntervalSince(start), (response ?? end).timeIntervalSince(start))
            self.wait = max(0, wait * 1_000).rounded()
            self.receive = max(0, (whole - wait) * 1_000).rounded()
        }
    }
}
