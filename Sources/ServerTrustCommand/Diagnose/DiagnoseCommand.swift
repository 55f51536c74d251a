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
import ServerTrustNIO
import TLSProbe

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `servertrust diagnose`: the verdict of Apple's systems about a server, its reasons, and the changes to make.
struct DiagnoseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose",
        abstract: "Test a server against App Transport Security, and list the settings to change.",
        discussion: """
            Probes the server's TLS versions, cipher suites and certificates. Computes the results of \
            nscurl --ats-diagnostics on a Mac, and those of FCP_v2.1, which device management requires since version 27. \
            A test with unknown facts neither passes nor fails. docs/diagnose.md has the rules and formats.

            EXAMPLES
              servertrust diagnose https://api.example.com
              servertrust diagnose api.example.com --server haproxy
                  Writes the settings to change for HAProxy.
              servertrust diagnose enrolment.mobileconfig
                  Tests each server of the profile by its rules: will devices enroll?
              servertrust diagnose mdm.example.com --fail-on fcp
                  Tests the requirements of device management since version 27.
              servertrust diagnose api.example.com --plist Info.plist --target-os ios18
                  Tests the rules of this app.
              servertrust diagnose https://api.example.com --format nscurl --verbose
                  Prints the output of a Mac, word for word.
              servertrust diagnose api.example.com --format html > report.html
              servertrust diagnose api.example.com --confirm
                  Repeats the deciding tests, and reports answers that differ.
              servertrust diagnose api.example.com --watch 5m
                  Reports changes, and warns before the certificate ends.

            EXIT CODES
              0  everything that --fail-on names passes
              1  a part of it fails
              2  unknown, or not evaluated: wrong arguments, unreadable input, no connection
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The servers: HOST, HOST:PORT, an https URL, or one configuration profile.", valueName: "url"))
    var urls: [String]

    @Option(
        name: .customLong("plan"), help: "How much to ask: ats, standard or deep. (default: standard, with nscurl ats)")
    var plan: ProbePlan?

    @Flag(
        name: .customLong("verbose"),
        help: "Show every test of nscurl with its codes. For nscurl, its dictionaries too.")
    var isVerbose = false

    @Flag(
        name: .customLong("confirm"),
        help: "Ask again for what decides, and report every contradiction.")
    var confirms = false

    @Flag(
        name: .customLong("redirects"), inversion: .prefixedNo,
        help:
            "Ask a server that is trusted for the page, and follow its redirects, as nscurl does. (default: --redirects)"
    )
    var givenRedirects: Bool?

    @Option(
        name: .customLong("installed-by"),
        help:
            "What installs the profile: mdm or configurator. Its roots are then trusted, also where it does not enrol.")
    var installation: ProfileDiagnoser.Installation?

    @OptionGroup(title: "Question")
    var question: DiagnoseQuestion

    @OptionGroup(title: "Output")
    var output: DiagnoseOutput

    @OptionGroup(title: "Connection")
    var probe: ProbeOptions

    @OptionGroup(title: "Watching")
    var watch: WatchOptions

    @OptionGroup(title: "Watching")
    var expiry: ExpiryOption

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @OptionGroup(title: "Fetching")
    var fetching: FetchArguments

    func validate() throws {
        if self.confirms, self.probe.connecting.startTLS != nil || self.probe.connecting.proxy != nil {
            throw ValidationError(
                "--confirm connects directly and speaks TLS at once. Leave --starttls and --proxy out")
        }
        guard try !self.asksAboutProfile() else { return }
        for url in self.urls {
            try MisplacedFile.refuse(asServer: url)
            _ = try self.endpoint(url)
        }
        try self.question.check()
        try self.fetching.check(
            revocation: false, advice: "--fetch-issuers", connects: self.probe.connecting.proxy == nil)
        try self.output.check(servers: self.urls.count)
        try self.checkWatching()
        if self.isVerbose, self.output.format != .text, self.output.format != .nscurl {
            throw ValidationError(
                "--verbose is about --format text and nscurl. The others say all they know, or leave it out")
        }
        if self.confirms, self.probe.connecting.serverName != nil {
            throw ValidationError("--confirm connects under the host's own name. Leave --sni out")
        }
    }

    func run() async throws {
        // A few servers are tested at a time, with a few connections each.
        DescriptorLimit.raise(forConnections: 2 * ScanPace.defaultConnections)
        if let url = self.urls.first, let file = try ProfileFile(url) { return try await self.diagnose(file) }
        let endpoints = try self.urls.map(self.endpoint)
        let settings = try self.trust.settings()
        let diagnoser = try self.diagnoser(settings)
        if let interval = self.watch.interval {
            // A watch does not end, so the warnings come first.
            settings.warnOfRoots()
            try await self.watch(every: interval, diagnoser)
        }
        var report = self.report()
        try await OrderedConcurrentMap.forEach(Array(zip(self.urls, endpoints)), limit: 4) { url, endpoint in
            try await diagnoser.diagnose(endpoint, url: url)
        } emit: { server in
            try report.write(server, as: self.output.format, style: self.output.style)
            for complaint in server.complaints { Console.complain(complaint) }
        }
        try Console.write(report.end(as: self.output.format, style: self.output.style))
        settings.warnOfRoots()
        try report.verdict.finish()
    }

    private func report() -> DiagnosisReport {
        var report = DiagnosisReport([])
        report.criterion = self.question.criterion
        let usual = ServerProduct.usual(for: self.probe.connecting.startTLS).map { [$0] }
        report.products = self.output.server?.products ?? (self.output.format == .text ? usual : nil)
        report.isVerbose = self.isVerbose
        return report
    }

    func diagnoser(_ settings: CommandTrust) throws -> ServerDiagnoser {
        var configuration = ServerDiagnoser.Configuration()
        configuration.plan = self.plan ?? self.output.plan
        configuration.rules = self.question.rules.configuration
        configuration.app = try self.question.app()
        configuration.connections = try self.probe.configuration()
        configuration.maximumAddresses = self.probe.connecting.maximumAddresses
        configuration.followsRedirects = self.givenRedirects ?? true
        configuration.dangerouslyFollowsRedirectsToLocalAddresses = self.fetching.allowsLocalAddresses
        configuration.confirms = self.confirms
        // A plan that was requested explicitly is not extended.
        configuration.explainsRefusals = false
        var trust = settings.trust
        trust.expiryThreshold = self.expiry.threshold
        trust.fetching = try self.fetching.settings(revocation: false, connects: self.probe.connecting.proxy == nil)
        return ServerDiagnoser(trust: trust, configuration: configuration)
    }

    /// Parses the name of a server. Other text is an error of the command line.
    private func endpoint(_ text: String) throws -> TLSEndpoint {
        do {
            return try self.probe.endpoint(text)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
