//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerReports

/// The options for the output of a report, restricted to its formats.
struct OutputOptions<Answer: Report>: ParsableArguments {
    @Option(name: .customLong("format"), help: "How to write the answer. See docs/json.md for the JSON.")
    var given = FormatArgument<Answer>(format: .text)

    @Option(name: .customLong("color"), help: TextStyle.Coloring.help) var coloring = TextStyle.Coloring.auto

    var format: ReportFormat { self.given.format }

    var style: TextStyle { .standardOutput(self.coloring) }

    func write(_ answer: Answer) throws {
        try Console.write(answer.text(as: self.format, style: self.style))
    }
}

/// One of the formats of a report.
struct FormatArgument<Answer: Report>: ExpressibleByArgument {
    let format: ReportFormat

    static var allValueStrings: [String] { ReportFormat.allCases.filter(Answer.formats.contains).map(\.rawValue) }
    static var defaultCompletionKind: CompletionKind { .list(Self.allValueStrings) }

    var defaultValueDescription: String { self.format.rawValue }
}

extension FormatArgument {
    init?(argument: String) {
        guard let format = ReportFormat(rawValue: argument), Answer.formats.contains(format) else { return nil }
        self.format = format
    }
}

extension OutputOptions where Answer: GradualReport {
    /// Writes a server and adds it to the report.
    func write(_ server: Answer.Server, of answer: inout Answer) throws {
        try answer.write(server, as: self.format, style: self.style)
    }

    func writeEnd(of answer: Answer) throws {
        try Console.write(answer.end(as: self.format, style: self.style))
    }
}

extension GradualReport {
    /// Writes a server and adds it to the report.
    mutating func write(_ server: Server, as format: ReportFormat, style: TextStyle) throws {
        try Console.write(self.part(server, as: format, isFirst: self.servers.isEmpty, style: style))
        self.servers.append(server)
    }
}
