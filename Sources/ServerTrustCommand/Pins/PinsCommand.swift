//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import PinningDialects
import ServerDiagnosis
import ServerReports
import ServerTrust
import ServerTrustNIO

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `servertrust pins`: the commands for files of pins.
struct PinsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins", abstract: "Check a pinning configuration.", subcommands: [PinsCheckCommand.self],
        defaultSubcommand: PinsCheckCommand.self)
}

/// `servertrust pins check`: the faults of a configuration, and the hosts that would be refused.
struct PinsCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a pinning configuration, and find the hosts that would fail today.",
        discussion: """
            Reads Info.plist (NSPinnedDomains or TrustKit), network_security_config.xml, OkHttp's or curl's pins, and this \
            program's own JSON. Connects to nothing unless an option says so.

            EXAMPLES
              servertrust pins check Info.plist
              servertrust pins check pins.json --connect
                  Connects to every host in it, and reports the hosts that fail now.
              servertrust pins check network_security_config.xml --against fullchain.pem
                  Tests a new certificate before it is installed.
              servertrust pins check pins.json --against api.example.com:8443 --warn-days 60

            EXIT CODES
              0  the configuration has no error, and every tested host passes
              1  the configuration has an error, its pins have ended or match no server, or a host fails
              2  not evaluated: wrong arguments, unreadable input, no connection
            """
    )

    @Argument(help: ArgumentHelp("The file with the configuration.", valueName: "config"), completion: .file())
    var file: String

    @Option(name: .customLong("pins-dialect"), help: PinningDialect.help) var dialect: PinningDialect?

    @Option(
        name: .customLong("against"), parsing: .upToNextOption,
        help: ArgumentHelp(
            "Servers, or files with a chain, to hold against it.",
            discussion: "A chain is judged for --host, or for every host of the configuration among its names.",
            valueName: "server|file"), completion: .file()
    )
    var targets: [String] = []

    @Flag(name: .customLong("connect"), help: "Connect to every host of the configuration that has a name of its own.")
    var connects = false

    @Option(
        name: .customLong("host"), help: ArgumentHelp("The host that chains in files are for.", valueName: "name"))
    var host: String?

    @Option(
        name: .customLong("warn-days"),
        help: ArgumentHelp("Warn of pins that end within so many days.", valueName: "days"))
    var warningDays = 30

    @Flag(name: .customLong("debug-overrides"), help: "Judge as Android does while debugging.")
    var usesDebugOverrides = false

    @OptionGroup(title: "Fetching")
    var fetching: FetchArguments

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions<PinsReport>

    /// `true` if servers may be contacted directly. Nothing is fetched if there is a proxy.
    private var mayConnect: Bool {
        (self.connects || !self.targets.isEmpty) && self.connection.connecting.proxy == nil
    }

    func validate() throws {
        try self.fetching.check(revocation: false, advice: "--fetch-issuers", connects: self.mayConnect)
        guard (0...36_500).contains(self.warningDays) else {
            throw ValidationError("--warn-days: give a number of days from 0 to 36500")
        }
    }

    func run() async throws {
        let pins = try PinsFile(self.file, self.dialect, usesDebugOverrides: self.usesDebugOverrides)
        let date = self.trust.moment ?? Date()
        let audit = PinsAudit(pins, at: date, warningDays: self.warningDays)
        var judged: [JudgedTarget] = []
        var used: CommandTrust?
        if pins.hosts != nil {
            var settings = try self.trust.settings()
            settings.pins = pins
            // A host that the configuration does not name is a mistyped name, or an app that pins nothing there.
            settings.refusedUnpinned = .unnamed
            settings.trust.fetching = try self.fetching.settings(revocation: false, connects: self.mayConnect)
            judged = try await PinTarget.judged(try self.questions(pins), by: try self.connection.check(by: settings))
            used = settings
        }
        let report = PinsReport(audit: audit, judged: judged)
        try self.output.write(report)
        if let used { used.warnOfRoots() }
        try report.verdict.finish()
    }

    /// Returns the targets, each with the host to check it for.
    private func questions(_ pins: PinsFile) throws -> [(target: PinTarget, host: String?)] {
        var questions: [(target: PinTarget, host: String?)] = []
        let targets = try self.targets.map { try PinTarget($0, self.connection) }
        try PinTarget.check(host: self.host, for: targets)
        for target in targets {
            guard case .chain(let path, let certificates) = target else {
                questions.append((target, nil))
                continue
            }
            let hosts = self.host.map { [$0] } ?? pins.hosts(of: certificates)
            guard !hosts.isEmpty else {
                throw CommandError("\(path): no host of the configuration is among its names. Give --host NAME")
            }
            questions += hosts.map { (target, $0) }
        }
        guard self.connects else { return questions }
        return questions + (try self.endpoints(pins).map { (.server($0), nil) })
    }

    private func endpoints(_ pins: PinsFile) throws -> [TLSEndpoint] {
        let connecting = self.connection.connecting
        return try pins.endpoints(defaultPort: connecting.defaultPort, connectAddress: connecting.connectAddress)
    }
}
