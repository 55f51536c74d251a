//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser

/// The options for the output, with curl's names.
struct GetOutputOptions: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Write the content to this file. One for each URL.", valueName: "file"), completion: .file())
    var files: [String] = []

    @Flag(
        name: [.customShort("i"), .customLong("include")], help: "Write the head of the response before its content.")
    var includesHead = false

    @Flag(
        name: [.customShort("f"), .customLong("fail")],
        help: "Status 400 and above is a failure, and its content is not written.")
    var failsOnErrors = false

    @Flag(
        name: .customLong("fail-with-body"),
        help: "Status 400 and above is a failure, and its content is written.")
    var failsBehindErrors = false

    @Option(
        name: .customLong("max-filesize"),
        help: ArgumentHelp("The most bytes that are taken, announced, received or decompressed.", valueName: "bytes"))
    var maximumSize: Int?

    @Flag(name: [.customShort("s"), .customLong("silent")], help: "Show no progress and no errors.")
    var isSilent = false

    @Flag(name: [.customShort("S"), .customLong("show-error")], help: "Show errors although --silent is given.")
    var showsErrors = false

    @Flag(
        name: [.customShort("v"), .customLong("verbose")],
        help: "Tell on standard error how each connection came about, and why its server is trusted.")
    var isVerbose = false

    @Option(
        name: .customLong("format"),
        help: "How --verbose tells it: in words, or with a line of JSON for each event. See docs/json.md for them.")
    var format = EventFormat.text

    func validate() throws {
        if self.failsOnErrors, self.failsBehindErrors {
            throw ValidationError("--fail and --fail-with-body say two things about content. Give one of them")
        }
        if self.format != .text, !self.isVerbose { throw ValidationError("--format is about --verbose. Add it") }

        if let maximumSize, maximumSize < 0 { throw ValidationError("--max-filesize takes a number of bytes") }
        if self.showsErrors, !self.isSilent { throw ValidationError("--show-error is about --silent. Leave it out") }
    }
}

/// The format of events.
enum EventFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
}
