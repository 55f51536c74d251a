//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ArgumentParser
import FleetScan
public import ServerReports
import SystemPackage

extension TextStyle {
    /// Returns the style for standard output, with the width of its terminal.
    static func standardOutput(_ coloring: Coloring) -> TextStyle { .style(of: .standardOutput, coloring) }

    /// Returns the style for standard error, with the width of its terminal.
    static func standardError(_ coloring: Coloring = .auto) -> TextStyle { .style(of: .standardError, coloring) }

    private static func style(of stream: Descriptor, _ coloring: Coloring) -> TextStyle {
        var style = TextStyle.stream(
            isTerminal: stream.isTerminal, width: stream.terminalWidth, coloring: coloring)
        style.spelling = .command
        return style
    }
}

extension TextStyle.Coloring: ExpressibleByArgument {
    /// The help of the option for colored text.
    static let help = ArgumentHelp(
        "When text has colors.",
        discussion: "auto: on a terminal, unless NO_COLOR is set. always and never hold whatever is set.")
}
