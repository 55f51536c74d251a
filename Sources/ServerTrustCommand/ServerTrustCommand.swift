//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser

/// The command line.
@main
struct ServerTrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "servertrust",
        abstract: "Decides whether a TLS server may be trusted, and says why.",
        version: "0.1.0",
        subcommands: [ConformanceCommand.self]
    )
}
