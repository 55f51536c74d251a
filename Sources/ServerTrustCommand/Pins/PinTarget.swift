//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerReports
import ServerTrust
import ServerTrustNIO

/// A target of pinning: a server, or a chain in a file.
enum PinTarget: Sendable {
    case server(TLSEndpoint)
    case chain(path: String, [Certificate])

    /// Parses a target: the name of an existing file, or else a server.
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

    /// Refuses `--host` if no target is a file with a chain.
    static func check(host: String?, for targets: [PinTarget]) throws(CommandError) {
        guard host != nil else { return }
        let hasChain = targets.contains { if case .chain = $0 { true } else { false } }
        guard !hasChain else { return }
        throw CommandError(
            "--host names the host of chains in files, and no file is given. Give the host as the server, and another "
                + "address of it with --connect-to")
    }

    var name: String {
        switch self {
        case .server(let endpoint): "\(endpoint)"
        case .chain(let path, _): DisplayText.text(path)
        }
    }

    /// Evaluates many targets, a few at a time.
    static func judged(_ questions: [(target: PinTarget, host: String?)], by check: ServerCheck) async throws
        -> [JudgedTarget]
    {
        var judged: [JudgedTarget] = []
        try await OrderedConcurrentMap.forEach(
            questions, { try await $0.target.judged(host: $0.host, by: check) }, emit: { judged.append($0) })
        return judged
    }

    /// Evaluates the target.
    ///
    /// - Parameters:
    ///   - host: The host that a chain is evaluated for, or `nil` to check no name.
    ///   - check: The check of servers with its settings.
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
                case .failed(let failure), .refused(_, let failure): .failed(failure)
                }
            return JudgedTarget(name: self.name, host: endpoint.host.text, port: endpoint.port, outcome: outcome)
        }
    }
}
