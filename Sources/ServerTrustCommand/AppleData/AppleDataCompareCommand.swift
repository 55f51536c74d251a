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

/// `servertrust apple-data compare`: the differences between Apple's root program and a root store.
struct AppleDataCompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Compare Apple's roots for TLS servers with those of this machine.",
        discussion: """
            Servers with a chain to a root that Apple does not have are not trusted by Apple's systems, even where this \
            machine trusts them.

            EXIT CODES
              0  the stores were compared
              2  the data or the store cannot be read
            """)

    @Option(
        name: .customLong("with"),
        help: ArgumentHelp(
            "The store to compare with. (default: system)",
            discussion: "A file or folder with certificates. The word system stands for this machine's store.",
            valueName: "file|dir|system"), completion: .file(),
        transform: RootSource.init)
    var other = RootSource.system

    @OptionGroup(title: "Data")
    var source: AppleDataArguments

    @OptionGroup(title: "Output")
    var output: OutputOptions<RootComparison>

    func run() async throws {
        let data = try self.source.data()
        try self.output.write(RootComparison(data, with: try self.other.store(), at: Date()))
    }
}
