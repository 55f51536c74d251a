//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppleDataFiles
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
    var output: OutputOptions

    func run() async throws {
        let facts = AppleDataFacts(try self.source.data(), now: Date())
        switch self.output.format {
        case .text: try Console.write(facts.text)
        case .json: try Console.write(JSONText.text(facts))
        }
    }
}

/// `servertrust apple-data check`: whether data can be used, and are young enough.
struct AppleDataCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Say whether data can be used and are young enough to refuse certificates by.",
        discussion: """
            EXIT CODES
              0  the data are whole, and less than sixty days old
              1  the data are whole, and sixty days old or older: newer logs are not known
              2  the data cannot be read
            """)

    @OptionGroup(title: "Data")
    var source: AppleDataArguments

    @OptionGroup(title: "Output")
    var output: OutputOptions

    func run() async throws {
        let facts = AppleDataFacts(try self.source.data(), now: Date())
        switch self.output.format {
        case .text: try Console.write(facts.sentence + "\n")
        case .json: try Console.write(JSONText.text(facts))
        }
        try (facts.isCurrent ? ReportVerdict.trusted : .notTrusted).finish()
    }
}
