//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import FleetScan
import ServerReports

/// The options that limit the load on this machine and on the servers.
struct ScanPaceOptions: ParsableArguments {
    @Option(
        name: .customLong("rate"),
        help: ArgumentHelp("Open no more connections than this in a second. (default: no limit)", valueName: "number"),
        transform: Self.rate)
    var rate: Double?

    @Option(
        name: .customLong("max-connections"),
        help: ArgumentHelp(
            "Have no more connections open than this. About two for each host that is asked at the same time. "
                + "(default: \(ScanPace.defaultConnections))",
            valueName: "number"),
        transform: Self.connections)
    var connections: Int?

    @Option(
        name: .customLong("hosts-at-once"),
        help: ArgumentHelp(
            "Ask this many hosts at the same time. (default: half the connections, fewer with a low --rate)",
            valueName: "number"),
        transform: Self.connections)
    var hostsAtOnce: Int?

    var given: [String] {
        [
            ("--rate", self.rate != nil), ("--max-connections", self.connections != nil),
            ("--hosts-at-once", self.hostsAtOnce != nil),
        ].filter(\.1).map(\.0)
    }

    private static func rate(_ text: String) throws -> Double {
        guard let rate = Double(text), (0.001...1_000_000).contains(rate) else {
            throw CommandError("give a number of connections from 0.001 to 1000000")
        }
        return rate
    }

    private static func connections(_ text: String) throws -> Int {
        guard let count = Int(text), (1...20_000).contains(count) else {
            throw CommandError("give a whole number from 1 to 20000")
        }
        return count
    }
}

/// The options for the input and output of a scan.
struct ScanOutputOptions: ParsableArguments {
    @Option(
        name: .customLong("format"), help: "How to write results. See docs/scan.md for the formats. (default: ndjson)"
    )
    var format: ScanFormat?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "Write results to a file. Lines of JSON are added to those that are in it. In other formats they replace it.",
            valueName: "file"),
        completion: .file())
    var file: String?

    @Option(
        name: .customLong("resume"),
        help: ArgumentHelp(
            "Skip the hosts that this file of results has, and add the others to it, or write them to --output.",
            valueName: "file"), completion: .file())
    var earlier: String?

    @Option(
        name: .customLong("from"), parsing: .upToNextOption,
        help: ArgumentHelp(
            "Read the results of an earlier run, or of all parts of one, and connect to no server: for --format and "
                + "--compare. - is standard input.",
            valueName: "file"), completion: .file())
    var sources: [String] = []

    @Option(
        name: .customLong("compare"),
        help: ArgumentHelp(
            "Write the changes since these results, of which the last of each host counts. The new results go to --output.",
            valueName: "file"), completion: .file())
    var compared: String?

    @Option(
        name: .customLong("summary"),
        help: ArgumentHelp("Write the summary to a file, too, as JSON.", valueName: "file"), completion: .file())
    var summaryFile: String?

    @Option(
        name: .customLong("fail-on"),
        help:
            "What decides the exit code: ats, fcp, trust, plist, pins, expiry, or never. (default: plist with --plist, else ats)"
    )
    var failOn: ScanCriterion?

    @OptionGroup var app: AppArguments

    @Option(name: .customLong("color"), help: TextStyle.Coloring.help) var coloring = TextStyle.Coloring.auto

    /// The answer that determines the exit code.
    var criterion: ScanCriterion { self.failOn ?? (self.app.file == nil ? .ats : .plist) }

    @Flag(name: .customLong("quiet"), help: "Say nothing on standard error but what went wrong.")
    var isQuiet = false

    /// Refuses options that contradict each other.
    func check() throws {
        if self.failOn == .plist, self.app.file == nil, self.sources.isEmpty {
            throw ValidationError("--fail-on plist is about an app. Add --plist Info.plist")
        }
        if self.file == "-" || self.summaryFile == "-" {
            throw ValidationError("- is no file. Results go to standard output where --output is left out")
        }
        if self.earlier != nil, self.file == nil, self.resolvedFormat != .ndjson {
            throw ValidationError("--resume goes on with lines of JSON. Add --output for a report in another format")
        }
        if self.earlier != nil, self.compared != nil || !self.sources.isEmpty {
            throw ValidationError(
                "--resume is about a scan that goes on. When it is done, use --from FILE --compare OLD")
        }
        if self.sources.count(where: { $0 == "-" }) > 1 {
            throw ValidationError("--from can read standard input once. Name - once")
        }
        if self.sources.count == 1, self.compared == nil, self.resolvedFormat == .ndjson {
            throw ValidationError(
                "--from has the lines of JSON already. Add --format html, csv or text, --compare OLD, or more files")
        }
        if self.compared != nil, self.resolvedFormat != .ndjson, self.resolvedFormat != .text {
            throw ValidationError("--compare writes text or ndjson")
        }
    }

    func checkWatching() throws {
        if self.file != nil || self.earlier != nil || !self.sources.isEmpty || self.compared != nil
            || self.summaryFile != nil
        {
            throw ValidationError(
                "--watch writes changes to standard output. Leave --output, --resume, --from, --compare and --summary out"
            )
        }
        if self.resolvedFormat != .ndjson, self.resolvedFormat != .text {
            throw ValidationError("--watch writes text or ndjson")
        }
    }

    var resolvedFormat: ScanFormat { self.destination.resolvedFormat }

    /// The instructions for continuing a scan that stopped early.
    var advice: String {
        if !self.sources.isEmpty { return "No host was asked. Do it again when it can be written." }
        if let compared {
            guard let file else { return "Changes cannot be gone on with. Results of --output FILE can." }
            return
                "Go on with the same list and --resume \(DisplayText.text(file)), without --compare. Then compare with "
                + "--from \(DisplayText.text(file)) --compare \(DisplayText.text(compared))."
        }
        guard self.resolvedFormat == .ndjson else {
            return
                "\(self.resolvedFormat.rawValue) cannot be gone on with, lines of JSON can: write them with -o FILE, and "
                + "then --from FILE --format \(self.resolvedFormat.rawValue)."
        }
        guard let file = self.file ?? self.earlier else {
            return "To continue, run the same command with --resume and the results file."
        }
        return "Go on with the same list and --resume \(DisplayText.text(file))."
    }
}

extension ScanOutputOptions {
    /// The settings for the input and output of a scan.
    var destination: ScanDestination {
        ScanDestination(
            format: self.format, file: self.file, earlier: self.earlier, sources: self.sources, compared: self.compared,
            summaryFile: self.summaryFile, criterion: self.criterion,
            style: .standardOutput(self.coloring))
    }
}

extension ScanFormat: ExpressibleByArgument {}

extension ScanCriterion: ExpressibleByArgument {}
