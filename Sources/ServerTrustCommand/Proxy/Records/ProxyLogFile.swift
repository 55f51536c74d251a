//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A reader of the files that ``ProxyLog`` writes.
enum ProxyLogFile {
    /// The fields of a line that a suggestion needs.
    private struct Line: Decodable {
        let format: String
        let kind: String
        let verdict: String?
        let scheme: String?
        let host: String?
        let port: Int?
    }

    private static let maximumServers = 1_000

    /// Returns the servers that trust or policy refused, each once, in the order of the log, as URLs.
    ///
    /// - Parameter path: The file.
    /// - Throws: ``CommandError`` if the file cannot be read or contains a line of another format.
    static func refusedServers(_ path: String) throws -> [String] {
        let octets: [UInt8]
        do { octets = try BoundedFile.read(path) } catch { throw CommandError("cannot read the log: \(error)") }
        var servers: [String] = []
        var known: Set<String> = []
        for (index, octets) in octets.split(separator: UInt8(ascii: "\n")).enumerated() {
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(octets)),
                line.format == "servertrust.proxy/1"
            else { throw CommandError("\(path), line \(index + 1) is not of the log of `servertrust proxy`") }
            guard line.kind == "request", line.verdict == "refused" else { continue }
            guard let server = Self.server(line) else {
                throw CommandError("\(path), line \(index + 1) names no server")
            }
            guard known.insert(server).inserted else { continue }
            guard servers.count < Self.maximumServers else {
                throw CommandError("\(path) names more than \(Self.maximumServers) servers. Give a part of it")
            }
            servers.append(server)
        }
        return servers
    }

    /// Returns the URL of a line, or `nil` if a part is missing or malformed.
    private static func server(_ line: Line) -> String? {
        guard let scheme = line.scheme, let text = line.host, let port = line.port, let host = try? Host(text),
            ["http", "https"].contains(scheme), (1...65_535).contains(port)
        else { return nil }
        let usual = scheme == "http" ? 80 : 443
        return "\(scheme)://\(host.textInURL)" + (port == usual ? "" : ":\(port)")
    }
}
