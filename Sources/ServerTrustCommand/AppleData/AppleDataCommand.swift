//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser

/// `servertrust apple-data`: the roots and logs that verdicts depend on.
struct AppleDataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apple-data",
        abstract: "Show, check, compare and update Apple's roots and logs.",
        discussion: """
            Apple publishes its roots and its list of certificate transparency logs in the repository \
            apple-oss-distributions/security_certificates. A copy is built in. Fetch a newer one \
            every month, since new certificates name new logs.

            EXAMPLES
              servertrust apple-data show
              servertrust apple-data compare
                  Lists the roots that only this machine or only Apple trusts.
              git clone --depth 1 https://github.com/apple-oss-distributions/security_certificates
              servertrust apple-data update --from security_certificates
            """,
        subcommands: [
            AppleDataShowCommand.self, AppleDataCheckCommand.self, AppleDataCompareCommand.self,
            AppleDataUpdateCommand.self,
        ], defaultSubcommand: AppleDataShowCommand.self)
}
