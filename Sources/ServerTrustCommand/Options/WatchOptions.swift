//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser

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
        name: .customLong("warn-days"),
        help: ArgumentHelp(
            "With --watch, warn this many days before a certificate ends. (default: 30)", valueName: "days"),
        transform: Self.days)
    var warnDays: Int?

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

    func validate() throws {
        guard self.interval == nil else {
            if self.metricsHost != nil, self.metricsPort == nil {
                throw ValidationError("--metrics-host says where metrics are served. Add --metrics-port")
            }
            return
        }
        if self.warnDays != nil { throw ValidationError("--warn-days is about --watch. Add it") }
        if self.metricsPort != nil || self.metricsHost != nil {
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

    private static func days(_ text: String) throws -> Int {
        guard let days = Int(text), (0...3_650).contains(days) else {
            throw CommandError("give a whole number of days from 0 to 3650")
        }
        return days
    }

    private static func port(_ text: String) throws -> Int {
        guard let port = Int(text), (0...65_535).contains(port) else {
            throw CommandError("give a port from 0 to 65535")
        }
        return port
    }
}
