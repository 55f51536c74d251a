//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A report on several servers that is written server by server, in formats that permit it.
package protocol GradualReport: Report {
    associatedtype Server: Sendable

    var servers: [Server] { get set }

    /// Writes one server. Returns an empty text in formats that are written at the end.
    func part(_ server: Server, as format: ReportFormat, isFirst: Bool, style: TextStyle) -> String

    /// Writes everything after the servers.
    ///
    /// - Throws: ``UnsupportedFormat`` for a format that is not one of ``formats``.
    func end(as format: ReportFormat, style: TextStyle) throws -> String
}

extension GradualReport {
    package func text(as format: ReportFormat, style: TextStyle) throws -> String {
        let parts = self.servers.enumerated().map { self.part($1, as: format, isFirst: $0 == 0, style: style) }
        return parts.joined() + (try self.end(as: format, style: style))
    }
}
