//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser

/// `servertrust apple-data`: the roots and logs that verdicts stand on.
struct AppleDataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple-data",
        abstract: "Show, check, compare and update the roots and logs that verdicts stand on.",
        discussion: """
            Apple publishes the roots of its program and its list of logs of certificate transparency in the repository \
            apple-oss-distributions/security_certificates. A copy is built in. Newer copies know newer logs: fetch one \
            every month.

            EXAMPLES
              servertrust apple-data show
              servertrust apple-data compare
                  Which roots does this machine trust that Apple does not, and the other way round?
              git clone --depth 1 https://github.com/apple-oss-distributions/security_certificates
              servertrust apple-data update --from security_certificates
            """,
        subcommands: [
            AppleDataShowCommand.self, AppleDataCheckCommand.self, AppleDataCompareCommand.self,
            AppleDataUpdateCommand.self,
        ], defaultSubcommand: AppleDataShowCommand.self)
}
