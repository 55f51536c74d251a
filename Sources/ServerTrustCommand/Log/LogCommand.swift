//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleFiles
import ArgumentParser
import FleetScan
import ServerDiagnosis
import ServerReports
import ServerTrust
import ServerTrustNIO

/// `servertrust log`: the servers that a device's log complains about.
struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "List the servers that an Apple device's log reports as refused, with causes and remedies.",
        discussion: """
            Reads what `log show` writes as text or with --style ndjson, what Xcode's console shows, crash reports, and the \
            output of nscurl --ats-diagnostics, of any size. Names each server that App Transport Security or trust refused, \
            the worst first, and whether that is a warning or ends the connection.

            EXAMPLES
              log show --last 1d | servertrust log -
              servertrust log device.log --diagnose
                  Tests each server now.
              servertrust log device.log --format csv > faults.csv

            EXIT CODES
              0  the log reports no refused server
              1  the log reports a refused server
              2  the log's reports are all of an unknown form, or the log cannot be read
            """
    )

    @Argument(help: ArgumentHelp("The log, or - for standard input.", valueName: "file"), completion: .file())
    var file: String

    @Option(name: .customLong("format"), help: "How to write the answer. See docs/json.md for the JSON.")
    var format = LogFormat.text

    @Option(name: .customLong("color"), help: TextStyle.Coloring.help) var coloring = TextStyle.Coloring.auto

    @Flag(name: .customLong("diagnose"), help: "Diagnose the servers that it names, the worst 20 of them.")
    var diagnoses = false

    @OptionGroup(title: "Connection, with --diagnose")
    var probe: ProbeOptions

    @OptionGroup(title: "Trust, with --diagnose")
    var trust: TrustOptions

    func validate() throws {
        guard !self.diagnoses || self.format == .text || self.format == .json else {
            throw ValidationError("--diagnose goes with --format text and json. Diagnose the servers by themselves")
        }
        guard self.diagnoses || self.probe.given.isEmpty else {
            throw ValidationError("\(self.probe.given[0]) is about connections. Add --diagnose")
        }
    }

    func run() async throws {
        var report = LogReport(self.file == "-" ? "standard input" : self.file, try LogInput(self.file).log())
        if self.diagnoses {
            report.diagnosis = try await self.diagnosis(of: report.log.servers.compactMap(\.name))
        } else if let server = report.log.servers.first?.name {
            report.closing =
                "\n`servertrust check \(DisplayText.text(server))` asks a server, and so does --diagnose for all.\n"
        }
        try Console.write(try report.text(as: self.format.format, style: .standardOutput(self.coloring)))
        try report.verdict.finish()
    }

    private func diagnosis(of servers: [String]) async throws -> DiagnosisReport {
        let settings = try self.trust.settings()
        var configuration = ServerDiagnoser.Configuration()
        configuration.connections = try self.probe.configuration()
        let diagnoser = ServerDiagnoser(trust: settings.trust, configuration: configuration)
        let endpoints = servers.prefix(Self.maximumDiagnosed).compactMap { server in
            (try? self.probe.endpoint(server)).map { (server, $0) }
        }
        var diagnosed: [DiagnosedServer] = []
        try await OrderedConcurrentMap.forEach(endpoints, limit: 4) { server, endpoint in
            try await diagnoser.diagnose(endpoint, url: server)
        } emit: { server in
            diagnosed.append(server)
        }
        return DiagnosisReport(diagnosed)
    }

    private static let maximumDiagnosed = 20
}

/// The output formats of the command.
enum LogFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case csv
    case html
    case sarif
    case junit

    var format: ReportFormat { ReportFormat(rawValue: self.rawValue) ?? .text }
}
