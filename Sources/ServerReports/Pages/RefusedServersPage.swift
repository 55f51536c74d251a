//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A server that a proxy refuses, with the state of the search for an exception.
package struct RefusedServer: Sendable {
    /// The state of the search for an exception.
    package enum Search: Sendable {
        /// The search has not finished.
        case pending
        /// There is no search, for a reason in one sentence.
        case none(String)
        /// The search found the smallest exception.
        case found(SuggestedException)
    }

    /// The server, as a URL without a path.
    package let server: String
    /// The name of the broken rule, and the reason in words.
    package var rule, reason: String
    /// The remedy in one sentence, or an empty text if none is known.
    package var remedy = ""
    /// The code of `NSURLErrorDomain`, or `nil` if there is none.
    package var urlError: Int?
    /// The number of refused requests.
    package var count = 0
    /// The date of the last refused request.
    package var last: Date
    package var search = Search.pending

    package init(server: String, rule: String, reason: String, urlError: Int?, at date: Date) {
        self.server = server
        self.rule = rule
        self.reason = reason
        self.urlError = urlError
        self.last = date
    }
}

/// A page about the servers that a proxy has refused, with the smallest exception for each. The page reloads itself and runs no
/// scripts.
package struct RefusedServersPage: Sendable {
    private let servers: [RefusedServer]
    private let leftOut: Int
    private let date: Date

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - servers: The servers in the order of the page.
    ///   - leftOut: The number of servers that are not shown.
    ///   - date: The date of the page.
    package init(_ servers: [RefusedServer], leftOut: Int, at date: Date) {
        self.servers = servers
        self.leftOut = leftOut
        self.date = date
    }

    /// The header fields of the page. It runs no scripts, loads only itself, and must not be framed.
    package static let fields = [
        (
            "content-security-policy",
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        ),
        ("x-content-type-options", "nosniff"), ("x-frame-options", "DENY"), ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"), ("cache-control", "no-store"), ("refresh", "5"),
    ]

    package var html: String {
        let more = self.leftOut == 0 ? "" : " \(self.leftOut) more are in the log alone."
        let articles = self.servers.map(self.article)
        return HTMLPage(
            title: "What the proxy refuses",
            body: """
                <header>
                <h1>What the proxy refuses</h1>
                <p class="lead">\(self.lead)\(more)</p>
                <p class="soft">As of \(ISO8601.text(self.date)). The page loads itself again every five seconds.</p>
                </header>
                <main>
                \(articles)\(HTMLParts.explanations(of: self.findings))</main>
                <footer>The same in JSON: <a href="/refused.json">refused.json</a>. By servertrust \(ReportTool.version).</footer>
                """
        ).text
    }

    private var findings: [Finding] {
        self.servers.flatMap { server -> [Finding] in
            if case .found(let suggested) = server.search { suggested.findings } else { [] }
        }
    }

    private var lead: String {
        switch self.servers.count {
        case 0: "The proxy has refused no server."
        case 1: "The proxy refuses one server."
        default: "The proxy refuses \(self.servers.count) servers."
        }
    }

    private func article(_ server: RefusedServer) -> HTMLText {
        let times = server.count == 1 ? "once" : "\(server.count) times"
        let code = server.urlError.map { ", \($0)" } ?? ""
        return """
            <article>
            <h2>\(server.server)</h2>
            <p class="lead">\(server.reason)</p>
            <p>\(server.remedy)</p>
            <p class="codes">\(server.rule)\(code). Refused \(times), last at \(ISO8601.text(server.last)).</p>
            \(self.search(server.search))</article>

            """
    }

    private func search(_ search: RefusedServer.Search) -> HTMLText {
        switch search {
        case .pending: "<p class=\"soft\">The smallest exception is being looked for.</p>\n"
        case .none(let reason): "<p class=\"soft\">No exception is looked for. \(reason)</p>\n"
        case .found(let suggested): self.suggestion(suggested)
        }
    }

    private func suggestion(_ suggested: SuggestedException) -> HTMLText {
        if let problem = suggested.problem {
            return "<p>What would let it through is not known: \(problem.message)</p>\n"
        }
        let reasons = suggested.findings.map { HTMLParts.reason($0) }
        let why: HTMLText = reasons.isEmpty ? .empty : "<ol class=\"reasons\">\n\(reasons)</ol>\n"
        return HTMLParts.section("Change at the server", why)
            + HTMLParts.section("Second best: an exception in the app's Info.plist", self.exception(suggested))
    }

    private func exception(_ suggested: SuggestedException) -> HTMLText {
        guard let exception = suggested.suggestion.outcome.exception else {
            guard case .nothing = suggested.suggestion.outcome else {
                return "<p>No exception lets it through. The server has to change.</p>\n"
            }
            return "<p>\(suggested.permission) What refuses it is not a matter of exceptions.</p>\n"
        }
        let delegate: HTMLText =
            exception.needsDelegate
            ? "<p>It lets nothing through by itself: the app's own delegate may accept the chain with it, and has to pin it.</p>\n"
            : .empty
        let warnings = exception.givesUp.map { risk -> HTMLText in
            "<li><strong>\(risk.key.rawValue)</strong>: \(risk.warning)</li>\n"
        }
        let list: HTMLText = warnings.isEmpty ? .empty : "<ul>\n\(warnings)</ul>\n"
        return "\(HTMLParts.code(exception.fragment))\(delegate)<p>\(exception.givesUp.heading)</p>\n\(list)"
    }

    package var json: String { (try? JSONText.text(Document(self.servers, leftOut: self.leftOut))) ?? "" }

    private struct Document: Encodable {
        private let format = "servertrust.proxy-refused/1"
        private let servers: [Server]
        private let leftOut: Int

        init(_ servers: [RefusedServer], leftOut: Int) {
            self.servers = servers.map(Server.init)
            self.leftOut = leftOut
        }
    }

    private struct Server: Encodable {
        private let server, rule, reason, remedy: String
        private let urlError: Int?
        private let count: Int
        private let last: String
        private let outcome: String
        private let propertyList: String?
        private let givesUp: [String]

        init(_ server: RefusedServer) {
            self.server = DisplayText.text(server.server)
            self.rule = server.rule
            self.reason = DisplayText.text(server.reason)
            self.remedy = DisplayText.text(server.remedy)
            self.urlError = server.urlError
            self.count = server.count
            self.last = ISO8601.text(server.last)
            guard case .found(let suggested) = server.search else {
                self.outcome = if case .pending = server.search { "pending" } else { "not-evaluated" }
                self.propertyList = nil
                self.givesUp = []
                return
            }
            let exception = suggested.suggestion.outcome.exception
            self.outcome = suggested.problem == nil ? suggested.suggestion.outcome.name : "not-evaluated"
            self.propertyList = exception?.propertyList
            self.givesUp = exception?.givesUp.map(\.rawValue) ?? []
        }
    }
}
