//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerReports

/// `servertrust explain`: the explanation of a code, or of a text that contains codes.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a code or a log line: its rule, likely causes and remedies.",
        discussion: """
            Takes the codes of this program's reports, Apple's status codes and NSURLError codes by name or number, and the \
            names and numbers of OpenSSL's and BoringSSL's verification. In other text it finds those codes, Apple's checks \
            and results, lines of Apple's systems, and messages of OpenSSL, BoringSSL, Go and Java.

            EXAMPLES
              servertrust explain name-mismatch
              servertrust explain -9802
              servertrust explain errSecCreateChainFailed
              servertrust explain NSURLErrorSecureConnectionFailed
              servertrust explain X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
              servertrust explain 20
              servertrust explain "Trust evaluate failure: [leaf SSLHostname]"
              servertrust explain "x509: certificate signed by unknown authority"
              pbpaste | servertrust explain -
              servertrust explain --all

            EXIT CODES
              0  each code or line is explained
              2  a code is not known, or the text has none
            """
    )

    /// Apple's codes are negative numbers and look like options.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("The codes or the text, or - for standard input.", valueName: "text")
    )
    var words: [String] = []

    /// The words without "--", which people write before a negative number.
    private var codes: [String] { self.words.filter { $0 != "--" } }

    @Flag(name: .customLong("all"), help: "Explain every code, one after the other.")
    var explainsAll = false

    @OptionGroup(title: "Output")
    var output: OutputOptions<ExplainReport>

    func validate() throws {
        guard !self.explainsAll else {
            guard self.codes.isEmpty else { throw ValidationError("--all explains every code. Name none besides") }
            return
        }
        guard !self.codes.isEmpty else {
            throw ValidationError("no code to explain. Give one, such as name-mismatch, or --all")
        }
        guard self.codes != ["-"], let code = self.unknown.first else { return }
        guard self.isText else { throw Self.error(about: code) }
        guard !self.explanation.isEmpty else { throw Self.error(about: self.codes.joined(separator: " ")) }
    }

    func run() throws {
        let report: ExplainReport =
            if self.explainsAll {
                ExplainReport(CommandCodes.all)
            } else if self.codes == ["-"] {
                try Self.report(on: try Self.standardInput())
            } else if self.unknown.isEmpty {
                ExplainReport(self.codes.flatMap { CodeIndex.codes(for: $0, in: CommandCodes.all) })
            } else {
                ExplainReport(self.explanation, closing: Self.closing)
            }
        try self.output.write(report)
    }

    private var unknown: [String] { self.codes.filter { CodeIndex.codes(for: $0, in: CommandCodes.all).isEmpty } }

    /// `true` if the words are read as one text. If one or two words are not codes, one of them is probably misspelt.
    private var isText: Bool {
        self.codes.count > 2 || self.codes.contains { $0.contains(" ") }
            || self.unknown.allSatisfy { !TextExplanation($0, in: CommandCodes.all).isEmpty }
    }

    private var explanation: TextExplanation {
        TextExplanation(self.codes.joined(separator: " "), in: CommandCodes.all)
    }

    private static let closing =
        "`servertrust check HOST` names the certificate and the rule. `servertrust diagnose HOST` says what App Transport "
        + "Security makes of the server."

    private static func report(on text: String) throws -> ExplainReport {
        let explanation = TextExplanation(text, in: CommandCodes.all)
        guard !explanation.isEmpty else {
            throw CommandError(
                "nothing in the text is known. Give the whole line, or a code, and --all lists the codes")
        }
        return ExplainReport(explanation, closing: Self.closing)
    }

    private static func standardInput() throws -> String {
        var octets: [UInt8] = []
        while octets.count < Self.maximumInput {
            let more = try Console.read()
            guard !more.isEmpty else { break }
            octets += more
        }
        return String(decoding: octets, as: UTF8.self)
    }

    private static let maximumInput = 256 << 10

    private static func error(about text: String) -> ValidationError {
        guard !text.contains(" ") else {
            return ValidationError(
                "nothing in the text is known. Give the whole line, or a code, and --all lists the codes")
        }
        let nearest = CodeIndex.suggestion(for: text, in: CommandCodes.all).map { "Did you mean \($0)?" }
        return ValidationError("\(text) is not a known code. \(nearest ?? "--all lists those that are")")
    }
}
