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

/// `servertrust apple-data show`: what is in the data, and how old they are.
struct AppleDataShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Say which data are at hand, what is in them, and how old they are.",
        discussion: """
            EXIT CODES
              0  there are data
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

/// `servertrust apple-data check`: whether data can be used, and are young enough.
struct AppleDataCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Say whether data can be used and are young enough to refuse certificates by.",
        discussion: """
            With --lifetime the answer is whether certificates can be judged: whether the data know as many logs that take \
            certificates of that lifetime as Apple's systems ask for, of two operators at least.

            EXAMPLES
              servertrust apple-data check --lifetime 200
                  Can a certificate be judged that is issued today for 200 days?

            EXIT CODES
              0  the data are whole, and the list of logs is less than sixty days old; with --lifetime, it knows enough logs
              1  the data are whole, and the list of logs is older; with --lifetime, it knows too few logs
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
