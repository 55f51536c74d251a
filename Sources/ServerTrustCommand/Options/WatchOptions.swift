//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerTrust

/// The options for repeated tests.
struct WatchOptions: ParsableArguments {
    @Option(
        name: .customLong("watch"),
        help: ArgumentHelp(
            "Ask again and again, at this interval, such as 60s, 5m or 1h, and write only changes.",
            valueName: "interval"),
        transform: Self.interval)
    var interval: Duration?

    @Option(
        name: .customLong("watch-state"),
        help: ArgumentHelp(
            "With --watch, remember in this file which warnings were given, so that a restart repeats none.",
            valueName: "file"), completion: .file())
    var stateFile: String?

    @Option(
        name: .customLong("metrics-port"),
        help: ArgumentHelp(
            "With --watch, serve metrics for Prometheus at this port, at /metrics. 0 chooses one.", valueName: "port"),
        transform: Self.port)
    var metricsPort: Int?

    @Option(
        name: .customLong("metrics-host"),
        help: ArgumentHelp("The address to serve them at. (default: 127.0.0.1)", valueName: "address"))
    var metricsHost: String?

    @Option(
        name: .customLong("allow-target"),
        help: ArgumentHelp(
            "With --metrics-port, let /probe ask these hosts, besides those of the list: HOST, HOST:PORT, *.HOST or "
                + "**.HOST. The port is 443 unless given. May be repeated.",
            discussion: """
                DNS decides which addresses are asked, also private ones. Allow only domains whose DNS records are yours.
                """,
            valueName: "pattern"),
        transform: Self.pattern)
    var allowedTargets: [HostPattern] = []

    func validate() throws {
        guard self.interval == nil else {
            if self.metricsHost != nil, self.metricsPort == nil {
                throw ValidationError("--metrics-host says where metrics are served. Add --metrics-port")
            }
            if !self.allowedTargets.isEmpty, self.metricsPort == nil {
                throw ValidationError("--allow-target says what /probe may ask. Add --metrics-port")
            }
            return
        }
        if self.stateFile != nil { throw ValidationError("--watch-state is about --watch. Add it") }
        if self.metricsPort != nil || self.metricsHost != nil || !self.allowedTargets.isEmpty {
            throw ValidationError("metrics need repeated checks. Add --watch")
        }
    }

    static func interval(_ text: String) throws -> Duration {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        let unit = text.last.flatMap { units[$0] }
        guard let number = Double(unit == nil ? text : String(text.dropLast())) else { throw Self.badInterval }
        let seconds = number * (unit ?? 1)
        guard (1...31 * 86_400).contains(seconds) else { throw Self.badInterval }
        return .seconds(seconds)
    }

    private static let badInterval = CommandError("give a number with s, m, h or d, from 1s to 31d")

    private static func pattern(_ text: String) throws -> HostPattern {
        do {
            return try HostPattern(text)
        } catch {
            throw CommandError("\(error)")
        }
    }

    private static func port(_ text: String) throws -> Int {
        guard let port = Int(text), (0...65_535).contains(port) else {
            throw CommandError("give a port from 0 to 65535")
        }
        return port
    }
}
