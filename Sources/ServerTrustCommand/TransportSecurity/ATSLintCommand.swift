//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppTransportSecurity
public import ArgumentParser
import ServerReports

/// `servertrust ats lint`: the keys of an Info.plist that have another effect than they seem to have.
struct ATSLintCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Find mistakes in NSAppTransportSecurity.",
        discussion: """
            Reads Info.plist files in XML, binary or JSON, and connects to nothing. Of an .ipa, .app, .xcarchive or source \
            tree it reads every Info.plist, and reports their differences. docs/ats-lint.md has the rules.

            EXAMPLES
              servertrust ats lint Info.plist
              servertrust ats lint App/Info.plist Widget/Info.plist --fail-on warning
              servertrust ats lint App.ipa
              servertrust ats lint Info.plist --target-os ios16 --strict documentation
                  Reads the file as an older system does, and as documented.
              servertrust ats lint Info.plist --format sarif > ats.sarif
                  Writes SARIF for code scanning. --format junit is for test reports.
              servertrust ats lint --list-rules

            EXIT CODES
              0  no finding at or above --fail-on
              1  a finding at or above --fail-on
              2  not evaluated: wrong arguments, a file that cannot be read
            """
    )

    @Argument(help: ArgumentHelp("The files to look into.", valueName: "Info.plist"), completion: .file())
    var files: [String] = []

    @OptionGroup var policy: ATSOptions

    @Option(
        name: .customLong("fail-on"), help: "The least severity that makes the exit code 1.")
    // Warnings and notes are advice that depends on the app. A browser, for example, must allow arbitrary loads.
    var failOn = ATSFinding.Severity.error

    @Option(name: .customLong("format"), help: "How to write the answer. See docs/json.md for the JSON.")
    var format = LintFormat.text

    @Option(name: .customLong("color"), help: TextStyle.Coloring.help) var coloring = TextStyle.Coloring.auto

    @Flag(name: .customLong("list-rules"), help: "List the rules, and look into no file.")
    var listsRules = false

    func validate() throws {
        guard self.files.isEmpty == self.listsRules else {
            throw ValidationError(
                self.listsRules ? "--list-rules: leave the files out" : "give an Info.plist, or several")
        }
        guard !self.listsRules || self.format == .text else {
            throw ValidationError("--list-rules: the list is text. Leave --format out")
        }
    }

    func run() async throws {
        guard !self.listsRules else {
            try Console.write(LintText(.standardOutput(self.coloring)).rules())
            return
        }
        let linter = ATSLinter(system: self.policy.system, strictness: self.policy.strictness)
        let report = LintReport(self.files, linter, failOn: self.failOn)
        try Console.write(try report.text(as: self.format.format, style: .standardOutput(self.coloring)))
        for file in report.files {
            if let error = file.error { Console.complain("\(file.path): \(error)") }
        }
        try report.verdict.finish()
    }
}

/// The output formats of the linter.
enum LintFormat: String, CaseIterable, ExpressibleByArgument {
    case text
    case json
    case sarif
    case junit

    var format: ReportFormat {
        switch self {
        case .text: .text
        case .json: .json
        case .sarif: .sarif
        case .junit: .junit
        }
    }
}

extension ATSFinding.Severity: ExpressibleByArgument {}
