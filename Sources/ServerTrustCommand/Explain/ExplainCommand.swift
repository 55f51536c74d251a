//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerReports

/// `servertrust explain`: a code in words.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a code: the rule, where it is stated, Apple's codes, and what to do.",
        discussion: """
            Takes the codes of this program's reports, Apple's status codes and NSURLError codes by name or number, and the \
            names and numbers of OpenSSL's and BoringSSL's verification.

            EXAMPLES
              servertrust explain name-mismatch
              servertrust explain -9802
              servertrust explain errSecCreateChainFailed
              servertrust explain NSURLErrorSecureConnectionFailed
              servertrust explain X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY
              servertrust explain 20
              servertrust explain --all

            EXIT CODES
              0  each code is explained
              2  a code is not known
            """
    )

    /// Numbers of Apple's are negative, and look like options.
    @Argument(parsing: .allUnrecognized, help: ArgumentHelp("The codes.", valueName: "code"))
    var words: [String] = []

    /// People write "--" before a number that is negative.
    private var codes: [String] { self.words.filter { $0 != "--" } }

    @Flag(name: .customLong("all"), help: "Explain every code, one after the other.")
    var explainsAll = false

    @OptionGroup(title: "Output")
    var output: OutputOptions<ExplainReport>

    func validate() throws {
        guard !self.explainsAll else {
            guard self.codes.isEmpty else { throw ValidationError("--all explains every code; name none besides") }
            return
        }
        guard !self.codes.isEmpty else {
            throw ValidationError("no code to explain; give one, such as name-mismatch, or --all")
        }
        for code in self.codes where CodeIndex.codes(for: code, in: CommandCodes.all).isEmpty {
            let nearest = CodeIndex.suggestion(for: code, in: CommandCodes.all).map { "did you mean \($0)?" }
            throw ValidationError("\(code) is not a known code; \(nearest ?? "--all lists those that are")")
        }
    }

    func run() throws {
        let found =
            self.explainsAll
            ? CommandCodes.all : self.codes.flatMap { CodeIndex.codes(for: $0, in: CommandCodes.all) }
        try self.output.write(ExplainReport(found))
    }
}
