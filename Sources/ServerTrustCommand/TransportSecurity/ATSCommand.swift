//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser

/// `servertrust ats`: the commands for App Transport Security.
struct ATSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ats", abstract: "Check, explain or write the App Transport Security settings of an app.",
        subcommands: [ATSLintCommand.self, ATSExplainCommand.self, ATSSuggestCommand.self])
}
