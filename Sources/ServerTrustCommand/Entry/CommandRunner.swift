//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerReports

/// Parses and runs a command line and turns how it ends into an exit code.
enum CommandRunner {
    /// Runs a command line.
    ///
    /// - Parameter given: The arguments without the program's name.
    /// - Returns: The exit code of the process.
    static func run(_ given: [String]) async -> Int32 {
        let arguments = given.first == GetCommand.configuration.commandName ? CurlArguments.separated(given) : given
        do {
            var command = try await Self.parse(arguments)
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

    /// Whether `--format json` is among the arguments, the last of which holds, whatever else is wrong with them.
    private static func asksForJSON(_ arguments: [String]) -> Bool {
        let options = arguments.prefix { $0 != "--" }
        let values = zip(options, options.dropFirst()).filter { $0.0 == "--format" }.map(\.1)
        let last = options.last { $0.hasPrefix("--format=") }.map { String($0.dropFirst("--format=".count)) }
        return (values.last ?? last) == "json"
    }

    /// Parses a command line.
    private static func parse(_ arguments: [String]) async throws -> any ParsableCommand {
        do {
            let command = try await ServerTrustCommand.asyncParseAsRoot(arguments)
            guard arguments.first == "help", let fault = Self.fault(in: arguments) else { return command }
            // The parser shows the help of the whole in place of that of a command that there is not.
            throw CommandError(fault)
        } catch  where ServerTrustCommand.exitCode(for: error) != .success {
            guard !(error is CommandError), let fault = Self.fault(in: arguments) else { throw error }
            throw CommandError(fault)
        }
    }

    /// A word that names no command or option, told before what else the parser finds wrong.
    private static func fault(in arguments: [String]) -> String? {
        let isHelp = arguments.first == "help"
        let words = isHelp ? arguments.dropFirst() : arguments[...]
        return try? CommandLineAdvice(dump: ServerTrustCommand._dumpHelp()).fault(in: words, areNames: isHelp)
    }

    /// Shows help where it was asked for, and any other error as one line.
    ///
    /// A program that asked for JSON reads it from standard output, as every other answer.
    private static func explain(_ error: any Error, asJSON: Bool) -> Int32 {
        if ServerTrustCommand.exitCode(for: error) == .success {
            do {
                try Console.write(ServerTrustCommand.fullMessage(for: error) + "\n")
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

    /// The error, and for wrong arguments where to read on.
    private static func message(for error: any Error) -> String {
        let message = ServerTrustCommand.message(for: error)
        guard let help = ServerTrustCommand.fullMessage(for: error).firstRange(of: "See '") else { return message }
        let command = ServerTrustCommand.fullMessage(for: error)[help.upperBound...].prefix { $0 != "'" }
        return "\(message.hasSuffix(".") ? String(message.dropLast()) : message). See '\(command)'"
    }
}

/// Why a command did not do its work, for programs that asked for JSON.
private struct ErrorDocument: Encodable {
    private let format = "servertrust.error/1"
    private let verdict = ReportVerdict.notEvaluated.name
    private let exitCode = ReportVerdict.notEvaluated.rawValue
    private let message: String

    init(_ message: String) {
        self.message = DisplayText.text(message)
    }
}
