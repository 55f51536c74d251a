//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPSession
import HTTPTypes
import NIOCore
import ServerReports
import ServerTrust
import ServerTrustNIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An observer that describes a session on standard error, like curl's `--verbose`, with the trust decision in words, or as JSON.
struct SessionNarrator: HTTPSessionObserver {
    private let isJSON: Bool
    private let say: @Sendable (String) -> Void
    private let complain: @Sendable (String) -> Void

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - isJSON: `true` to write each event as a line of JSON.
    ///   - say: Writes text.
    ///   - complain: Writes a sentence about a failure.
    init(
        asJSON isJSON: Bool, say: @escaping @Sendable (String) -> Void,
        complain: @escaping @Sendable (String) -> Void
    ) { (self.isJSON, self.say, self.complain) = (isJSON, say, complain) }

    func session(_ event: HTTPSessionEvent) {
        guard !self.isJSON else { return self.tell(SessionEventDocument(event, at: Date())) }
        for line in Self.lines(event) { self.say(DisplayText.text(line) + "\n") }
    }

    /// Reports a failed URL.
    func fail(_ error: any Error, _ text: String) {
        guard !self.isJSON else { return self.tell(SessionEventDocument(failure: error, text: text, at: Date())) }
        self.complain(text)
    }

    private func tell(_ document: SessionEventDocument) {
        guard let line = try? JSONText.line(document) else { return }
        self.say(String(decoding: line, as: UTF8.self) + "\n")
    }

    private static func lines(_ event: HTTPSessionEvent) -> [String] {
        switch event {
        case .connecting(let origin, let proxy):
            return ["* connecting to \(origin)" + (proxy.map { " through \($0)" } ?? "")]
        case .connected(let report): return Self.lines(report)
        case .failed(let error): return ["* no connection: \(error)"]
        case .request(let method, let url, let fields):
            return ["> \(method.rawValue) \(url)"] + fields.map { "> \($0.name.rawName): \($0.value)" }
        case .informational(let status, let fields), .response(let status, let fields, _):
            return ["< status \(status)"] + fields.map { "< \($0.name.rawName): \($0.value)" }
        case .challenged(let status, let origin):
            return ["* \(origin) asks for a credential (status \(status)). Asking again with a credential"]
        case .redirected(_, let url, let status): return ["* redirected to \(url) (status \(status))"]
        case .retrying(let url): return ["* the connection was closed before an answer. Asking \(url) again"]
        }
    }

    private static func lines(_ report: ConnectionReport) -> [String] {
        let gated = report.gated
        var lines = [
            "* connected to \(report.remoteAddress?.ipAddress ?? "?"), port \(report.remoteAddress?.port ?? 0)"
        ]
        guard let version = gated.version else {
            return lines + ["* without TLS: everyone on the way can read and change this"]
        }
        lines.append("* \(version), \(gated.cipherSuite.map { "\($0)" } ?? "no cipher suite")")
        lines.append("* \(gated.applicationProtocol == "h2" ? "HTTP/2" : "HTTP/1.1") was agreed on")
        if let result = gated.result {
            lines.append("* trusted: \(result.path.map(\.subject.description).joined(separator: " < "))")
        }
        if let note = TrustNote(onSuite: gated.cipherSuite) { lines.append("* note: \(note)") }
        return lines
    }
}
