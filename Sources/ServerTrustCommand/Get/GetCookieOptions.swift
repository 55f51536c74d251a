//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser

/// The options for cookies, with curl's names.
struct GetCookieOptions: ParsableArguments {
    @Option(
        name: [.customShort("b"), .customLong("cookie")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Cookies for the first server, as name=value, or a file to read cookies from, in Netscape's format.",
            valueName: "cookies|file"),
        completion: .file())
    var cookies: [String] = []

    @Option(
        name: [.customShort("c"), .customLong("cookie-jar")], parsing: .unconditional,
        help: ArgumentHelp(
            "Keep cookies, and write them to this file at the end. '-' is standard output.", valueName: "file"),
        completion: .file())
    var jarFile: String?

    @Flag(
        name: [.customShort("j"), .customLong("junk-session-cookies")], help: "Read no session cookies from the file.")
    var dropsSessionCookies = false

    /// The literal cookies for the first server, or `nil` if there are none.
    var text: String? {
        let texts = self.cookies.filter { $0.contains("=") }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    var files: [String] { self.cookies.filter { !$0.contains("=") } }

    var areKept: Bool { self.jarFile != nil || !self.files.isEmpty }
}
