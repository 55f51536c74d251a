//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AppTransportSecurity
package import ServerTrust

/// The proxy's answer instead of the response of a refused server: HTML for browsers, JSON or text for programs.
package struct RefusalAnswer: Sendable {
    /// `true` if trust or policy refuses the server. `false` if an operation failed.
    package var isRefusal: Bool
    package var status: Int
    package var title: String
    /// The scheme, host and port, or an empty text if they are not known.
    package var server: String
    /// The fault in one sentence.
    package var reason: String
    /// The remedy in one sentence, or an empty text if the reason says enough.
    package var remedy: String
    /// The name of the rule or of the kind of failure.
    package var code: String
    /// The code of `NSURLErrorDomain`, or `nil` if Apple's systems have none.
    package var urlError: URLErrorCode?
    /// The code of the stream, or `nil` if TLS is not involved.
    package var streamError: OSStatusCode?
    /// The code that `servertrust explain` explains, or `nil` if there is no explanation.
    package var explained: String?
    /// The command that shows the explanation.
    package var explanation: String?

    package init(status: Int, title: String, reason: String, remedy: String, code: String, isRefusal: Bool) {
        self.status = status
        self.title = title
        self.reason = reason
        self.remedy = remedy
        self.code = code
        self.isRefusal = isRefusal
        self.server = ""
    }

    /// Returns the media type and the content that the client prefers (RFC 9110 §12.5.1).
    ///
    /// - Parameter accept: The Accept field of the request, or `nil` for text.
    package func content(accepting accept: String?) -> (type: String, text: String) {
        switch Form.preferred(by: accept ?? "") {
        case .page: return ("text/html; charset=utf-8", self.page)
        case .json:
            guard let text = try? JSONText.text(Document(self)) else { break }
            return ("application/json", text)
        case .text: break
        }
        return ("text/plain; charset=utf-8", self.text)
    }

    private enum Form {
        case page, json, text

        private init?(_ type: Substring) {
            if type == "text/html" {
                self = .page
            } else if type.hasSuffix("json") {
                self = .json
            } else if type == "text/plain" {
                self = .text
            } else {
                return nil
            }
        }

        /// Returns the form with the highest weight in an Accept field (RFC 9110 §12.5.1). Among equal weights a page wins.
        /// Without any known form the result is text.
        static func preferred(by accept: String) -> Form {
            var weights: [Form: Double] = [:]
            for range in accept.lowercased().split(separator: ",") {
                let words = range.filter { $0 != " " && $0 != "\t" }.split(separator: ";")
                guard let form = words.first.flatMap(Form.init) else { continue }
                let weight = words.first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
                weights[form] = max(weights[form] ?? 0, weight)
            }
            let order: [Form] = [.page, .json, .text]
            let best = order.map { weights[$0] ?? 0 }.max() ?? 0
            return best > 0 ? order.first { weights[$0] == best } ?? .text : .text
        }
    }

    /// The rows of text and pages.
    private var rows: [(name: String, value: String)] {
        let urlError = self.urlError.map { "\($0.name) (\($0.rawValue))" }
        let streamError = self.streamError.map { "\($0.name) (\($0.rawValue))" }
        let rows = [
            ("server", self.server), ("reason", self.reason), ("remedy", self.remedy), ("code", self.code),
            ("Apple's code", urlError ?? ""), ("stream's code", streamError ?? ""),
            ("more", self.explanation ?? ""),
        ]
        return rows.filter { !$0.1.isEmpty }
    }

    private var text: String {
        let rows = self.rows.map { "  \($0.name): \(DisplayText.text($0.value))\n" }
        return "The proxy: \(self.title) (status \(self.status))\n" + rows.joined()
    }

    private var page: String {
        let rows = self.rows.map { row -> HTMLText in "<dt>\(row.name)</dt><dd>\(row.value)</dd>\n" }
        return HTMLPage(
            title: self.title,
            body: """
                <main>
                <h1>\(self.title)</h1>
                <dl>
                \(rows)</dl>
                <p>This page is by the proxy and not by the server.</p>
                </main>
                """
        ).text
    }

    private struct Document: Encodable {
        private let format = "servertrust.proxy-refusal/1"
        private let verdict: String
        private let status: Int
        private let server: String?
        private let reason: String
        private let remedy: String
        private let code: String
        private let urlError: Int?
        private let streamError: Int?
        private let explain: String?

        init(_ answer: RefusalAnswer) {
            self.verdict = answer.isRefusal ? "refused" : "failed"
            self.status = answer.status
            self.server = answer.server.isEmpty ? nil : answer.server
            (self.reason, self.remedy, self.code) = (
                DisplayText.text(answer.reason), DisplayText.text(answer.remedy), answer.code
            )
            self.urlError = answer.urlError?.rawValue
            self.streamError = answer.streamError.map { Int($0.rawValue) }
            self.explain = answer.explained
        }
    }
}
