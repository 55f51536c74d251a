//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ArgumentParser
import FleetScan
import ServerDiagnosis
import ServerReports
import ServerTrust
import SystemPackage
import TLSProbe

/// `servertrust scan`: the verdicts of Apple's systems about many servers.
struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "Test many servers against App Transport Security, with one line of JSON for each.",
        discussion: """
            The list has a server in each line, as HOST, HOST:PORT, a URL, or a JSON object with "host". # begins a \
            comment. Each result is written as one line as soon as it is known. Memory does not grow with the list, except for \
            a few hundred bytes a host with --resume, --compare and --watch. docs/scan.md has the formats, and explains \
            stopping and resuming.

            EXAMPLES
              servertrust scan hosts.txt > results.ndjson
              servertrust scan hosts.txt --resume results.ndjson
                  Continues an interrupted scan.
              servertrust scan hosts.txt --plan standard --rate 50 --format html -o fleet.html
                  Writes all details, at a low rate, as one page to sort and filter.
              servertrust scan --from results.ndjson --format html -o fleet.html
                  Writes the page of an earlier run, and connects to no server.
              servertrust scan hosts.txt --watch 1h --metrics-port 9464 --format text
                  Reports changes and certificates that end soon, and serves metrics for Prometheus.
              servertrust scan hosts.txt --compare monday.ndjson -o tuesday.ndjson
                  Reports changes. The exit code is 1 if a server got worse.
              cat hosts.txt | servertrust scan | jq -r 'select(.outcome.ats == "failed") | .host'
                  Works as a filter: each host is answered at once.

            EXIT CODES
              0    every host passes what --fail-on names
              1    a host fails. With --compare, a host got worse
              2    a result is unknown, the list has a bad line or no host, or the results cannot be written
              130  interrupted (143: terminated)
            """
    )

    @Argument(
        help: ArgumentHelp("The list, or - for standard input. (default: -)", valueName: "file"), completion: .file())
    var givenList: String?

    @Option(name: .customLong("plan"), help: "How much to ask: ats, standard or deep. (default: ats)")
    var givenPlan: ProbePlan?

    @OptionGroup(title: "Output")
    var output: ScanOutputOptions

    @OptionGroup(title: "Watching")
    var watch: WatchOptions

    @OptionGroup(title: "Watching")
    var expiry: ExpiryOption

    @OptionGroup(title: "Pace")
    var pace: ScanPaceOptions

    @OptionGroup(title: "Question")
    var rules: ATSOptions

    @Option(
        name: .customLong("revocation"),
        help: ArgumentHelp(
            "Whether revoked certificates are refused: off, soft (those shown to be), hard (unless shown not to be).",
            discussion: "off looks at nothing. The others fetch OCSP responses and revocation lists over plain HTTP, "
                + "from public addresses only."))
    var givenRevocation: RevocationMode?

    @OptionGroup(title: "Pins")
    var pins: PinArguments

    @OptionGroup(title: "Fetching")
    var fetching: FetchArguments

    @OptionGroup(title: "Connection")
    var probe: ProbeOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    private var revocation: RevocationMode { self.givenRevocation ?? .off }

    private var list: String { self.givenList ?? "-" }

    private var scanPace: ScanPace {
        ScanPace(
            connections: self.pace.connections ?? ScanPace.defaultConnections, rate: self.pace.rate,
            plan: self.givenPlan ?? .ats)
    }

    func validate() throws {
        try self.output.check()
        if self.output.failOn == .pins, self.pins.file == nil, self.output.sources.isEmpty {
            throw ValidationError("--fail-on pins is about pins. Add --pins FILE")
        }
        if !self.output.sources.isEmpty { try self.checkReplay() }
        try self.trust.checkRevocation(self.givenRevocation)
        try self.fetching.check(
            revocation: self.revocation != .off, advice: "--revocation soft or --fetch-issuers",
            connects: self.probe.connecting.proxy == nil)
        guard self.watch.interval != nil else { return }
        if self.list == "-" { throw ValidationError("--watch reads the list again and again. Name a file") }
        try self.output.checkWatching()
    }

    /// Refuses options that have no effect if no server is tested.
    private func checkReplay() throws {
        if self.givenList != nil {
            throw ValidationError("--from has the hosts, and asks no server. Leave the list out")
        }
        let questions = [
            ("--plan", self.givenPlan != nil), ("--plist", self.output.app.file != nil),
            ("--pins", self.pins.file != nil), ("--warn", self.expiry.given != nil),
            ("--revocation", self.givenRevocation != nil),
        ]
        let given =
            questions.filter(\.1).map(\.0) + self.rules.given + self.pace.given + self.fetching.given + self.probe.given
            + self.trust.given
        guard given.isEmpty else {
            throw ValidationError(
                "--from connects to no server, and cannot be combined with options for asking. Leave "
                    + "\(given.joined(separator: ", ")) out")
        }
    }

    func run() async throws {
        if let interval = self.watch.interval {
            let settings = try self.settings()
            // A watch does not end, so the warnings come first.
            settings.warnOfRoots()
            try await Watch.start(
                self.watch, every: interval, warningBy: self.expiry.threshold, try self.loop(settings),
                self.output.criterion,
                style: self.output.format == .text ? .standardOutput(self.output.coloring) : nil,
                isQuiet: self.output.isQuiet, self.input)
        }
        let signals = InterruptSignals()
        let progress = ScanProgress(isShown: !self.output.isQuiet, complain: Console.complain)
        let start = ContinuousClock.now
        let finished = try self.output.earlier.map { try FinishedHosts($0, complain: Console.complain) }
        let files = ScanFiles(self.output.destination, list: self.list)
        // All errors that prevent the scan must occur before a file is truncated.
        let settings = self.output.sources.isEmpty ? try self.settings() : nil
        let source = try settings.map { (input: try self.input(), loop: try self.loop($0)) }
        let summaryFile = try self.output.summaryFile.map { try SummaryFile($0, files) }
        let results = try ScanResults(self.output.destination, files, progress: progress)
        if let path = results.replacedFile, !self.output.isQuiet {
            Console.complain("\(path): the results that were in it are replaced")
        }
        if let path = results.missingFile {
            Console.complain("\(path): does not exist. Each host is reported as new")
        }
        if let path = self.output.earlier, finished?.isNew == true, !self.output.isQuiet {
            Console.complain("\(path): is not there yet. The scan begins with the first host")
        }
        let (end, state) =
            if let source {
                await ScanRunner(loop: source.loop, signals: signals, progress: progress)
                    .run(source.input, results.receivers, finished: finished)
            } else {
                try await ResultsReplay(self.output.sources, complain: Console.complain).run(results.receivers)
            }
        let summary = ScanSummary(
            state: state, end: end, elapsed: start.duration(to: .now), criterion: self.output.criterion,
            advice: self.output.advice)
        self.say(summary)
        try summaryFile?.write(summary)
        if let settings { settings.warnOfRoots() }
        try self.finish(summary, results.changes)
    }

    private func input() throws(FleetError) -> LineInput {
        if self.list != "-" {
            do {
                if let file = try ProfileFile(self.list) {
                    try file.checkInstalls()
                    try file.checkIsPlain()
                    return try NamedServers.list(file.targets)
                }
            } catch {
                throw FleetError("\(error)")
            }
        }
        do {
            guard self.list != "-" else { return try LineInput(.standardInput) }
            return try LineInput(Descriptor.reading(self.list), closing: true)
        } catch {
            throw FleetError("\(self.list): cannot be read: \(error)")
        }
    }

    private func loop(_ settings: CommandTrust) throws -> ScanLoop {
        let pace = self.scanPace
        try DescriptorLimit.makeRoom(forConnections: pace.connections, limitedBy: "--max-connections")
        let defaults = ScanTarget.Defaults(
            connectAddress: self.probe.connecting.connectAddress, serverName: self.probe.connecting.serverName,
            startTLS: self.probe.connecting.startTLS)
        var configuration = ServerDiagnoser.Configuration()
        configuration.plan = pace.plan
        configuration.rules = self.rules.configuration
        configuration.connections = try self.probe.configuration(pace)
        configuration.maximumAddresses = self.probe.connecting.maximumAddresses
        configuration.app = try self.output.app.app(self.rules)
        let diagnoser = ServerDiagnoser(trust: settings.trust, configuration: configuration)
        return ScanLoop(
            work: ScanWork(diagnoser, pins: settings.pinQuestion), defaults: defaults,
            hostsAtOnce: self.pace.hostsAtOnce ?? pace.hosts)
    }

    private func settings() throws -> CommandTrust {
        var settings = try self.trust.settings()
        if self.list != "-" { try NamedServers(profileAt: self.list).addRoots(to: &settings) }
        settings.trust.expiryThreshold = self.expiry.threshold
        settings.pins = try self.pins.pins()
        settings.refusedUnpinned = self.pins.areRequired ? .all : .none
        if let givenRevocation { settings.trust.revocation.mode = givenRevocation.mode }
        settings.trust.fetching = try self.fetching.settings(
            revocation: self.revocation != .off, connects: self.probe.connecting.proxy == nil)
        return settings
    }

    private func say(_ summary: ScanSummary) {
        // A closed output needs no summary.
        let isAlone = if case .unwritable(let error) = summary.end { error.isBrokenPipe } else { false }
        guard !isAlone else { return }
        if !self.output.isQuiet {
            Console.say(summary.text(.standardError(self.output.coloring)))
        } else if let stop = summary.stop {
            Console.complain(stop)
        }
    }

    private func finish(_ summary: ScanSummary, _ changes: ChangeWriter?) throws {
        switch summary.end {
        case .complete where summary.state.isEmpty && self.output.criterion != .never:
            // A program that should have created the list may have failed, so an empty list is an error. A scheduler that splits
            // a list may produce empty parts, and should use --fail-on never.
            throw CommandError("\(self.output.sources.first ?? "the list") names no host")
        case .complete:
            let verdict = changes?.verdict(summary.state.tally) ?? summary.state.tally.verdict(self.output.criterion)
            try verdict.finish()
        case .interrupted(let code): throw ExitCode(code)
        case .unwritable, .unreadable, .starved: throw ExitCode(ReportVerdict.notEvaluated.rawValue)
        }
    }
}

extension ProbeOptions {
    /// Returns the settings for connections at a pace.
    ///
    /// - Throws: ``CommandError`` if the client's certificate or key cannot be read.
    func configuration(_ pace: ScanPace) throws(CommandError) -> Prober.Configuration {
        var configuration = try self.configuration()
        configuration.maximumConnections = pace.connections
        configuration.connectionsPerSecond = pace.rate
        configuration.timeoutPerHost = self.totalTimeout ?? pace.timePerHost
        return configuration
    }
}
