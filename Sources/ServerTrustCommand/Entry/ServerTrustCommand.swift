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
            The verdict and its reasons are those of Apple's Security framework. --profile selects other rules. \
            `check`, `diagnose`, `scan`, `pin` and `ats suggest` connect to the servers that you name. They fetch an \
            issuer that a server does not send, as Apple's systems do. --no-fetch-issuers turns this off.

            EXAMPLES
              servertrust demo                      check local test servers that have common faults
              servertrust check example.com         check a server's certificates
              servertrust diagnose example.com      test a server against App Transport Security
              servertrust scan hosts.txt            test many servers
              servertrust evaluate --chain chain.pem --host example.com
                                                    evaluate a chain from a file
              servertrust pin example.com           print a server's pins
              servertrust pins check Info.plist     check the pins of an app
              servertrust ats lint Info.plist       find mistakes in an app's App Transport Security
              servertrust proxy --plist Info.plist  let a program reach only the servers that the app may reach
              servertrust show fullchain.pem        show the contents of a file
              servertrust explain -9802             explain a code
              servertrust log device.log            list the refused servers in a device's log
              servertrust apple-data show           show the roots and logs in use

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

    /// Runs the command line with this program's exit codes instead of ArgumentParser's.
    static func main() async {
        // A closed pipe is an error of write(2) and must not end the process.
        signal(SIGPIPE, SIG_IGN)
        TerminalWidth.raiseToReadable()
        endProcess(await CommandRunner.run(Array(CommandLine.arguments.dropFirst())))
    }
}

/// Ends the process. It is outside the command, because inside it the name means ArgumentParser's own function.
private func endProcess(_ code: Int32) -> Never { exit(code) }
