//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import HTTPSession
import NIOCore
import ServerTrust

/// The options for routes and time limits, with curl's names.
struct GetConnectionOptions: ParsableArguments {
    @Option(
        name: .customLong("resolve"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The addresses of a host and port, in place of DNS, tried in order. '*' for every host that no other --resolve "
                + "names. A '+' before the host is taken, and means nothing here.", valueName: "host:port:address,…"))
    var addresses: [String] = []

    @Option(
        name: .customLong("connect-to"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Connect to another host and port, under the name of the URL. Empty parts mean any, or the same. An address alone is for "
                + "every host.", valueName: "host:port:host:port"))
    var replacements: [String] = []

    @Option(
        name: [.customShort("m"), .customLong("max-time")],
        help: ArgumentHelp("The seconds that a transfer may take in all.", valueName: "seconds"))
    var maximumTime: Double?

    @Option(
        name: .customLong("connect-timeout"),
        help: ArgumentHelp("The seconds that connecting may take, TLS included. (default: 30)", valueName: "seconds"))
    var connectTimeout: Double?

    @Flag(
        name: .customLong("http2"),
        help: "Speak HTTP/2 with servers of https that do, and HTTP/1.1 with others, as without the option.")
    var prefersHTTP2 = false

    @Flag(name: .customLong("http1.1"), help: "Speak HTTP/1.1 with all servers.")
    var isHTTP1 = false

    func validate() throws {
        for time in [self.maximumTime, self.connectTimeout].compactMap(\.self) {
            guard time >= 0, time < 1e9 else { throw ValidationError("\(time) is no number of seconds") }
        }
        _ = try self.routes()
    }

    /// The deadline of a transfer that begins now, or `nil` if there is no limit.
    var deadline: NIODeadline? { Self.duration(self.maximumTime).map { .now() + TimeAmount($0) } }

    /// Returns the duration, or `nil` if there is no limit.
    static func duration(_ seconds: Double?) -> Duration? {
        seconds.flatMap { $0 > 0 ? .milliseconds(Int64(max(1, $0 * 1_000))) : nil }
    }

    func routes() throws -> ConnectionRoutes {
        var routes = ConnectionRoutes()
        for text in self.replacements { try Self.add(replacement: text, to: &routes) }
        for text in self.addresses { try Self.add(address: text, to: &routes) }
        return routes
    }

    private static func add(replacement text: String, to routes: inout ConnectionRoutes) throws {
        if let host = try? Host(text) { return routes.add(ConnectionRoute(host: host)) }
        let parts = try Self.parts(text)
        guard parts.count == 4 else { throw ValidationError("--connect-to '\(text)': write HOST:PORT:HOST:PORT") }
        routes.add(
            ConnectionRoute(host: try Self.host(parts[2], text), port: try Self.port(parts[3], text)),
            forHost: try Self.host(parts[0], text), port: try Self.port(parts[1], text))
    }

    private static func add(address text: String, to routes: inout ConnectionRoutes) throws {
        let parts = try Self.parts(text.hasPrefix("+") ? String(text.dropFirst()) : text)
        guard parts.count >= 3, !parts[0].isEmpty, let port = try Self.port(parts[1], text) else {
            throw ValidationError("--resolve '\(text)': write HOST:PORT:ADDRESS, and more addresses behind commas")
        }
        // IPv6 addresses may be written without brackets.
        let list = parts[2...].joined(separator: ":").split(separator: ",", omittingEmptySubsequences: false)
        let addresses = try list.map { item in
            guard let host = try Self.host(Self.bare(item), text), host.isAddress else {
                throw ValidationError("--resolve '\(text)': '\(item)' is no IP address")
            }
            return host
        }
        routes.resolve(parts[0] == "*" ? nil : try Self.host(parts[0], text), port: port, to: addresses)
    }

    /// Returns an address without the brackets that curl also accepts around IPv4 addresses.
    private static func bare(_ text: Substring) -> String {
        let isIPv4 = text.hasPrefix("[") && text.hasSuffix("]") && !text.contains(":")
        return String(isIPv4 ? text.dropFirst().dropLast() : text)
    }

    /// Splits a text at its colons, except inside brackets.
    private static func parts(_ text: String) throws -> [String] {
        var (parts, depth) = ([""], 0)
        for character in text {
            if character == "[" { depth += 1 }
            if character == "]" { depth -= 1 }
            if character == ":", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        // An IPv6 address at the end may be written without brackets.
        guard parts.count > 4 else { return parts }
        return Array(parts[..<2]) + [parts[2...].joined(separator: ":")]
    }

    private static func host(_ text: String, _ whole: String) throws -> Host? {
        guard !text.isEmpty else { return nil }
        do { return try Host(text) } catch { throw ValidationError("'\(whole)': \(error)") }
    }

    private static func port(_ text: String, _ whole: String) throws -> Int? {
        guard !text.isEmpty else { return nil }
        guard let port = Int(text), (1...65_535).contains(port) else {
            throw ValidationError("'\(whole)': '\(text)' is no port")
        }
        return port
    }
}
