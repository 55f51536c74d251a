//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
public import ArgumentParser
import ServerDiagnosis
public import ServerReports
import TLSProbe

/// The options that select the questions of a diagnosis.
struct DiagnoseQuestion: ParsableArguments {
    @OptionGroup var rules: ATSOptions

    @OptionGroup var appArguments: AppArguments

    /// The Info.plist of the app, or `nil` if there is none.
    var file: String? { self.appArguments.file }

    @Option(
        name: .customLong("fail-on"),
        help: ArgumentHelp(
            "What decides the exit code: ats, fcp, trust, plist, or the number of a test. (default: plist with --plist, "
                + "else ats)",
            valueName: "question"),
        completion: .list(["ats", "fcp", "trust", "plist"]),
        transform: { text in
            guard let criterion = FailCriterion(text) else {
                throw CommandError("give ats, fcp, trust, plist, or the number of a test, from 1 to 17")
            }
            return criterion
        })
    var failOn: FailCriterion?

    var criterion: FailCriterion { self.failOn ?? (self.file == nil ? .subject(.ats) : .subject(.plist)) }

    /// Refuses a criterion that the diagnosis does not answer, and states the missing option.
    func check() throws {
        guard !self.criterion.isAsked(of: self.rules.system, hasApp: self.file != nil) else { return }
        throw ValidationError(
            self.criterion == .subject(.plist)
                ? "--fail-on plist is about an app. Add --plist Info.plist"
                : "--fail-on: \(self.rules.system) has no such question. Leave --target-os out, or ask another")
    }

    /// Returns the app of the diagnosis, or `nil` if there is none.
    ///
    /// - Throws: ``CommandError`` if the file cannot be read.
    func app() throws(CommandError) -> ServerDiagnoser.App? {
        try self.appArguments.app(self.rules)
    }
}

/// The options for the output of a diagnosis.
struct DiagnoseOutput: ParsableArguments {
    @Option(
        name: .customLong("format"),
        help: "How to write the answer. See docs/diagnose.md for the formats, and docs/json.md for the JSON.")
    var given = FormatArgument<DiagnosisReport>(format: .text)

    var format: ReportFormat { self.given.format }

    /// The extent of the tests. The nscurl format contains only nscurl's tests.
    var plan: ProbePlan { self.format == .nscurl ? .ats : .standard }

    @Option(
        name: .customLong("server"),
        help: ArgumentHelp(
            "The server program to write settings for: nginx, apache, haproxy, envoy, caddy, iis, tomcat, f5, netscaler, "
                + "postfix, dovecot, or all. (default: nginx, and for mail postfix or dovecot)"))
    var server: ProductChoice?

    @Option(name: .customLong("color"), help: TextStyle.Coloring.help) var coloring = TextStyle.Coloring.auto

    var style: TextStyle { .standardOutput(self.coloring) }

    func check(servers: Int) throws {
        if self.format == .nscurl, servers > 1 {
            throw ValidationError("--format nscurl is about one URL, as nscurl is. Diagnose the servers one by one")
        }
        if self.server != nil, self.format != .text, self.format != .html {
            throw ValidationError("--server selects the settings that --format text and html show. Leave it out")
        }
    }
}

extension ReportFormat: ExpressibleByArgument {}

/// The products with settings in the output.
enum ProductChoice: Sendable, Hashable, ExpressibleByArgument {
    case one(ServerProduct)
    case all

    init?(argument: String) {
        if argument == "all" {
            self = .all
        } else {
            guard let product = ServerProduct(rawValue: argument) else { return nil }
            self = .one(product)
        }
    }

    static var allValueStrings: [String] { ServerProduct.allCases.map(\.rawValue) + ["all"] }

    var products: [ServerProduct] {
        switch self {
        case .one(let product): [product]
        case .all: ServerProduct.allCases
        }
    }
}
