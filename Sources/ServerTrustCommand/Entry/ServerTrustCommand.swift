//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerReports

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The command line.
@main
struct ServerTrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "servertrust",
        abstract: "Decides whether a TLS server may be trusted, and says why.",
        discussion: """
            The verdict, and the reason for it, are those of Apple's Security framework; other rules can be chosen \
            with --profile. `check`, `diagnose`, `scan`, `pin` and `ats suggest` connect to the servers that you name. \
            They fetch an issuer that a server does not send; --no-fetch-issuers turns this off.

            EXAMPLES
              servertrust demo                servers with common faults, judged
              servertrust check example.com   a server, as it answers now
              servertrust diagnose example.com  what Apple's systems make of it, and what to change
              servertrust proxy --plist Info.plist  any program behind the rules of an app
              servertrust scan hosts.txt      the same of many, a line of JSON for each
              servertrust evaluate --chain chain.pem --host example.com
              servertrust pin example.com     its pins, and which of them to use
              servertrust pins check Info.plist
              servertrust ats lint Info.plist   what in it does not do what it seems to
              servertrust show fullchain.pem  what is in a file
              servertrust explain -9802       what a code or a pasted line means, and what to do
              servertrust log device.log      which servers a device's log complains about
              servertrust apple-data show     the roots and logs that verdicts stand on

            \(ExitCodes.help)
            """,
        version: ReportTool.version,
        subcommands: [
            EvaluateCommand.self, CheckCommand.self, DiagnoseCommand.self, NSCurlCommand.self, ScanCommand.self,
            GetCommand.self, ProxyCommand.self, PinCommand.self, PinsCommand.self, ATSCommand.self, ShowCommand.self,
            ExplainCommand.self, LogCommand.self,
            AppleDataCommand.self, DemoCommand.self, ConformanceCommand.self,
        ]
    )

    /// Runs the command line, with this program's exit codes in place of ArgumentParser's.
    static func main() async {
        // A reader that goes away is an error of write(2), and not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        TerminalWidth.raiseToReadable()
        endProcess(await CommandRunner.run(Array(CommandLine.arguments.dropFirst())))
    }
}

/// Out here, as inside the command the name means ArgumentParser's own.
private func endProcess(_ code: Int32) -> Never { exit(code) }
