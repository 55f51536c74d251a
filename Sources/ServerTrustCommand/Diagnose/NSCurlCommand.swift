//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerDiagnosis
import ServerReports
import ServerTrust
import TLSProbe
import TLSWire

/// `servertrust nscurl`: the diagnostics of nscurl of macOS, with its name and options.
struct NSCurlCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nscurl",
        abstract: "Print what nscurl --ats-diagnostics prints on a Mac.",
        discussion: """
            Takes the options of macOS' nscurl for App Transport Security, and computes the results from the server's \
            answers. `servertrust diagnose` explains them, and lists the settings to change.

            EXAMPLES
              servertrust nscurl --ats-diagnostics https://api.example.com
              servertrust nscurl --ats-diagnostics --verbose https://api.example.com

            EXIT CODES
              0  an app without exceptions can connect
              1  it cannot
              2  unknown, or not evaluated: wrong arguments, no connection
            """)

    @Flag(name: .customLong("ats-diagnostics"), help: "Try the settings of App Transport Security one after the other.")
    var diagnoses = false

    @Flag(name: .customLong("verbose"), help: "Show the dictionary of each test, and the error that it ends with.")
    var isVerbose = false

    @Argument(help: ArgumentHelp("The server: an https URL.", valueName: "url"))
    var url: String

    @OptionGroup(title: "Connection")
    var probe: ProbeOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @OptionGroup(title: "Fetching")
    var fetching: FetchArguments

    func validate() throws {
        guard self.diagnoses else {
            throw ValidationError("of nscurl's options this program has --ats-diagnostics. Add it")
        }
        try self.fetching.check(
            revocation: false, advice: "--fetch-issuers", connects: self.probe.connecting.proxy == nil)
        do {
            _ = try self.probe.endpoint(self.url)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    func run() async throws {
        var settings = try self.trust.settings()
        settings.trust.fetching = try self.fetching.settings(
            revocation: false, connects: self.probe.connecting.proxy == nil)
        var configuration = ServerDiagnoser.Configuration()
        configuration.plan = .ats
        configuration.connections = try self.probe.configuration()
        configuration.maximumAddresses = self.probe.connecting.maximumAddresses
        configuration.dangerouslyFollowsRedirectsToLocalAddresses = self.fetching.allowsLocalAddresses
        configuration.explainsRefusals = false
        let server = try await ServerDiagnoser(trust: settings.trust, configuration: configuration)
            .diagnose(self.probe.endpoint(self.url), url: self.url)
        var report = DiagnosisReport([server])
        report.isVerbose = self.isVerbose
        try Console.write(try report.text(as: .nscurl))
        for complaint in server.complaints { Console.complain(complaint) }
        settings.warnOfRoots()
        try report.verdict.finish()
    }
}
