//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser

/// The cookies, with curl's names.
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

    /// What is sent to the first server as it is; `nil` for none.
    var text: String? {
        let texts = self.cookies.filter { $0.contains("=") }
        return texts.isEmpty ? nil : texts.joined(separator: "; ")
    }

    /// The files to read.
    var files: [String] { self.cookies.filter { !$0.contains("=") } }

    /// Whether cookies are kept.
    var areKept: Bool { self.jarFile != nil || !self.files.isEmpty }
}
