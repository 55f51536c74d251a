//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerReports

/// The options that say how the answer is written.
struct OutputOptions: ParsableArguments {
    @Option(name: .customLong("format"), help: "How to write the answer; docs/json.md describes the JSON.")
    var format = OutputFormat.text

    @OptionGroup var color: ColorOption

    /// The style of text on standard output.
    var style: TextStyle { .standardOutput(self.color.coloring) }
}

/// The formats of an answer.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
}

/// The same for answers that are written as a page, too.
struct PageOutputOptions: ParsableArguments {
    @Option(name: .customLong("format"), help: "How to write the answer; docs/json.md describes the JSON.")
    var format = PageOutputFormat.text

    @OptionGroup var color: ColorOption

    /// The style of text on standard output.
    var style: TextStyle { .standardOutput(self.color.coloring) }
}

/// The formats of an answer that is written as a page, too.
enum PageOutputFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case html
}
