//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust
import ServerTrustNIO

/// What pins are taken from, or held against: a server, or a chain in a file.
enum PinTarget: Sendable {
    case server(TLSEndpoint)
    case chain(path: String, [Certificate])

    /// What a person wrote: a file if there is one of that name, else a server.
    init(_ text: String, _ connection: ConnectionOptions) throws {
        if BoundedFile.exists(text) {
            self = .chain(path: text, try ChainFile.certificates(in: [text]))
            return
        }
        do {
            self = .server(try connection.endpoint(text))
        } catch {
            throw CommandError("\(text) is no file, and no server: \(error)")
        }
    }

    /// The target as it is shown.
    var name: String {
        switch self {
        case .server(let endpoint): "\(endpoint)"
        case .chain(let path, _): DisplayText.text(path)
        }
    }

    /// Judges many targets, each for a host, a few at a time.
    static func judged(_ questions: [(target: PinTarget, host: String?)], by check: ServerCheck) async throws
        -> [JudgedTarget]
    {
        var judged: [JudgedTarget] = []
        try await OrderedConcurrentMap.forEach(
            questions, { try await $0.target.judged(host: $0.host, by: check) }, emit: { judged.append($0) })
        return judged
    }

    /// Judges the target.
    ///
    /// - Parameters:
    ///   - host: The host a chain is judged for; `nil` for whatever host.
    ///   - check: What looks at servers, and by which settings.
    func judged(host: String?, by check: ServerCheck) async throws -> JudgedTarget {
        switch self {
        case .chain(_, let certificates):
            let judgment = try await Judgment(certificates, for: Purpose(.tlsServer, host: host), by: check.settings)
            return JudgedTarget(name: self.name, host: host, port: nil, outcome: .judged(judgment, judgment.findings))
        case .server(let endpoint):
            let report = try await check.report(on: endpoint)
            let outcome: JudgedTarget.Outcome =
                switch report.outcome {
                case .judged(let server): .judged(server.judgment, server.findings)
                case .failed(let failure), .refused(_, let failure): .failed(failure.message, failure.verdict)
                }
            return JudgedTarget(name: self.name, host: endpoint.host.text, port: endpoint.port, outcome: outcome)
        }
    }
}
