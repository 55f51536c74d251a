//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ArgumentParser
import ServerDiagnosis

/// The options for an app that a command also considers.
struct AppArguments: ParsableArguments {
    @Option(
        name: .customLong("plist"),
        help: ArgumentHelp("Also ask whether the app of this Info.plist gets through.", valueName: "Info.plist"),
        completion: .file())
    var file: String?

    @Option(
        name: .customLong("client"),
        help: "The client in that app: app, web, media, or management (the system itself). (default: app)")
    var client: ATSClient?

    func validate() throws {
        if self.client != nil, self.file == nil {
            throw ValidationError("--client names the client in an app. Add --plist Info.plist")
        }
    }

    /// Returns the app, or `nil` if there is none.
    ///
    /// - Throws: ``CommandError`` if the file cannot be read.
    func app(_ rules: ATSOptions) throws(CommandError) -> ServerDiagnoser.App? {
        guard let file else { return nil }
        return ServerDiagnoser.App(policy: try ATSPolicy(file: file, rules), client: self.client ?? .app, name: file)
    }
}
