//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `servertrust apple-data show`: the contents and the age of the data.
struct AppleDataShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show the roots and logs in use, and their dates.",
        discussion: """
            EXIT CODES
              0  the data were read
              2  the data cannot be read
            """)

    @OptionGroup(title: "Data")
    var source: AppleDataArguments

    @OptionGroup(title: "Output")
    var output: OutputOptions<AppleDataReport>

    func run() async throws {
        try self.output.write(AppleDataReport(facts: AppleDataFacts(try self.source.data(), now: Date())))
    }
}

/// `servertrust apple-data check`: the validity and the age of the data.
struct AppleDataCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check that the data are complete and recent enough to judge certificates.",
        discussion: """
            With --lifetime, checks that the data can judge certificates of that lifetime: they need as many logs that accept \
            such certificates as Apple's systems ask for, of two operators at least.

            EXAMPLES
              servertrust apple-data check --lifetime 200
                  Checks that a certificate issued today for 200 days can be judged.

            EXIT CODES
              0  the data are complete, and the list of logs is less than 60 days old. With --lifetime, it has enough logs
              1  the data are complete, and the list of logs is older. With --lifetime, it has too few logs
              2  the data cannot be read
            """)

    @Option(
        name: .customLong("lifetime"),
        help: ArgumentHelp("Ask about certificates that are issued for so many days.", valueName: "days"))
    var lifetime: Int?

    @Option(
        name: .customLong("at"),
        help: ArgumentHelp(
            "Ask as of a moment, such as 2026-01-31 or 2026-01-31T12:00:00Z. (default: now)", valueName: "moment"),
        transform: EvaluationMoment.parse)
    var moment: Date?

    @OptionGroup(title: "Data")
    var source: AppleDataArguments

    @OptionGroup(title: "Output")
    var output: OutputOptions<AppleDataCheckReport>

    func validate() throws {
        guard let lifetime, !(1...3_650).contains(lifetime) else { return }
        throw ValidationError("--lifetime takes days from 1 to 3650")
    }

    func run() async throws {
        let report = AppleDataCheckReport(
            try self.source.data(), now: self.moment ?? Date(), lifetime: self.lifetime)
        try self.output.write(report)
        try report.verdict.finish()
    }
}
