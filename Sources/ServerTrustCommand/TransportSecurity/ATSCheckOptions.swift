//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ArgumentParser
import ServerDiagnosis

/// The options for checking servers against an Info.plist.
struct ATSCheckOptions: ParsableArguments {
    @Option(
        name: .customLong("ats"),
        help: ArgumentHelp(
            "Also ask whether App Transport Security lets the app with this Info.plist connect.",
            discussion:
                "Asks the server as diagnose does, with a few more connections. An app without exceptions: default. The "
                + "system itself, for device management: default --client management.",
            valueName: "Info.plist|default"), completion: .file())
    var file: String?

    @OptionGroup var rules: ATSOptions

    @Option(
        name: .customLong("client"),
        help: "The client: app, web, media, or management (the system itself). (default: app)")
    var client: ATSClient?

    func validate() throws {
        let given = self.rules.given + (self.client == nil ? [] : ["--client"])
        guard self.file == nil, let first = given.first else { return }
        throw ValidationError("\(first) is about App Transport Security. Add --ats Info.plist, or --ats default")
    }

    /// Returns the app that servers are checked for, or `nil` if there is none.
    ///
    /// - Throws: ``CommandError`` if the file cannot be read.
    func app() throws(CommandError) -> ServerDiagnoser.App? {
        guard let file else { return nil }
        let policy =
            file == "default"
            ? ATSPolicy(ATSDictionary(), configuration: self.rules.configuration)
            : try ATSPolicy(file: file, self.rules)
        return ServerDiagnoser.App(policy: policy, client: self.client ?? .app, name: file)
    }
}
