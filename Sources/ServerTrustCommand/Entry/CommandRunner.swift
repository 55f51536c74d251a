//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerReports

/// The execution of a command line, which converts its result into an exit code.
enum CommandRunner {
    /// Runs a command line.
    ///
    /// - Parameter given: The arguments without the program's name.
    /// - Returns: The exit code of the process.
    static func run(_ given: [String]) async -> Int32 {
        let arguments = given.first == GetCommand.configuration.commandName ? CurlArguments.separated(given) : given
        do {
            var command = try await Self.parse(arguments)
            Self.warnOfRepetitions(in: arguments)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return ReportVerdict.trusted.rawValue
        } catch let code as ExitCode {
            return code.rawValue
        } catch {
            return self.explain(error, asJSON: Self.asksForJSON(arguments))
        }
    }

    /// Returns `true` if the last `--format` option is `json`, even if the arguments are not valid.
    private static func asksForJSON(_ arguments: [String]) -> Bool {
        let options = arguments.prefix { $0 != "--" }
        let values = zip(options, options.dropFirst()).filter { $0.0 == "--format" }.map(\.1)
        let last = options.last { $0.hasPrefix("--format=") }.map { String($0.dropFirst("--format=".count)) }
        return (values.last ?? last) == "json"
    }

    private static func parse(_ arguments: [String]) async throws -> any ParsableCommand {
        do {
            let command = try await ServerTrustCommand.asyncParseAsRoot(arguments)
            guard arguments.first == "help", let fault = Self.fault(in: arguments) else { return command }
            // For an unknown command the parser would show the help of the whole program.
            throw CommandError(fault)
        } catch  where ServerTrustCommand.exitCode(for: error) != .success {
            guard !(error is CommandError), let fault = Self.fault(in: arguments) else { throw error }
            throw CommandError(fault)
        }
    }

    /// Warns of repeated options. Their first values have no effect.
    private static func warnOfRepetitions(in arguments: [String]) {
        let options = CommandLineAdvice.options(in: arguments)
        // The description of all commands takes time.
        guard Set(options).count < options.count else { return }
        let advice = try? CommandLineAdvice(dump: ServerTrustCommand._dumpHelp())
        advice?.repetitions(in: arguments).forEach(Console.complain)
    }

    /// Returns the commands that take a value which another command has refused, in a sentence.
    private static func takers(ofValueRefusedIn message: String) -> String? {
        guard let match = message.firstMatch(of: /The value '([a-z0-9-]+)' is invalid for '--([a-z-]+)/) else {
            return nil
        }
        return try? CommandLineAdvice(dump: ServerTrustCommand._dumpHelp())
            .takers(of: String(match.output.1), option: String(match.output.2))
    }

    /// Returns the fault of an unknown command or option, which takes precedence over other errors of the parser.
    private static func fault(in arguments: [String]) -> String? {
        let isHelp = arguments.first == "help"
        let words = isHelp ? arguments.dropFirst() : arguments[...]
        return try? CommandLineAdvice(dump: ServerTrustCommand._dumpHelp()).fault(in: words, areNames: isHelp)
    }

    /// Shows requested help, or any other error in one line.
    ///
    /// With `--format json` the error is written to standard output, like every other answer.
    private static func explain(_ error: any Error, asJSON: Bool) -> Int32 {
        if ServerTrustCommand.exitCode(for: error) == .success {
            do {
                let text = HelpText(width: TerminalWidth.columns).text {
                    ServerTrustCommand.fullMessage(for: error, columns: $0)
                }
                try Console.write(text + "\n")
                return ReportVerdict.trusted.rawValue
            } catch {
                Console.complain("\(error)")
            }
        } else {
            let message = self.message(for: error)
            if asJSON, let text = try? JSONText.text(ErrorDocument(message)) { _ = try? Console.write(text) }
            Console.complain(message)
        }
        return ReportVerdict.notEvaluated.rawValue
    }

    /// Returns the error. For invalid arguments it ends with a reference to the help.
    private static func message(for error: any Error) -> String {
        var message = ServerTrustCommand.message(for: error)
        if let takers = self.takers(ofValueRefusedIn: message) { message += " \(takers)." }
        guard !message.contains(" See '") else { return message }
        guard let help = ServerTrustCommand.fullMessage(for: error).firstRange(of: "See '") else { return message }
        let command = ServerTrustCommand.fullMessage(for: error)[help.upperBound...].prefix { $0 != "'" }
        return "\(message)\(message.hasSuffix(".") || message.hasSuffix("?") ? "" : ".") See '\(command)'"
    }
}

/// The error of a command, for programs that request JSON.
private struct ErrorDocument: Encodable {
    private let format = "servertrust.error/1"
    private let verdict = ReportVerdict.notEvaluated.name
    private let exitCode = ReportVerdict.notEvaluated.rawValue
    private let message: String

    init(_ message: String) {
        self.message = DisplayText.text(message)
    }
}
