//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerReports

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The commands and options of a program, for advice on unknown words.
struct CommandLineAdvice: Sendable {
    private let program: Command

    /// Reads the commands of a program.
    ///
    /// - Parameter dump: ArgumentParser's JSON description of the commands.
    /// - Throws: `DecodingError` for any other text.
    init(dump: String) throws {
        self.program = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
    }

    /// Returns the fault of the first unknown command or option, or `nil` if there is none.
    ///
    /// - Parameters:
    ///   - arguments: The arguments without the program's name, which the parser has refused.
    ///   - areNames: `true` if every word must be the name of a command, as in a request for help.
    func fault(in arguments: some Collection<String>, areNames: Bool = false) -> String? {
        let (path, rest) = self.path(in: arguments)
        if let word = rest.first, !word.hasPrefix("-"), areNames || path.last?.subcommands.isEmpty == false,
            let fault = self.fault(ofName: word, path, isName: areNames)
        {
            return fault
        }
        let unknown = rest.prefix { $0 != "--" }.lazy.compactMap(Self.option).first { !self.takes($0, path) }
        return unknown.map { self.fault(ofOption: $0, path) }
    }

    /// Returns the program and the commands that the first words name, and the other words.
    private func path(in arguments: some Collection<String>) -> (commands: [Command], rest: [String]) {
        var path = [self.program]
        var rest = Array(arguments)[...]
        while let word = rest.first, let next = path.last?.subcommands.first(where: { $0.name == word }) {
            path.append(next)
            rest = rest.dropFirst()
        }
        return (path, Array(rest))
    }

    /// Returns a sentence for each option that takes one value and is given several times, of which the last counts.
    func repetitions(in arguments: some Collection<String>) -> [String] {
        let (path, rest) = self.path(in: arguments)
        guard let command = path.last else { return [] }
        let silent = command.subcommands.first { $0.name == command.defaultSubcommand }
        let single = command.singleOptions.union(silent?.singleOptions ?? [])
        let counts = Self.options(in: rest).reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return counts.filter { $0.value > 1 && single.contains($0.key) }.keys.sorted().map {
            "--\($0) is given \(counts[$0] ?? 0) times, and the last one counts"
        }
    }

    /// Returns the names of the long options in arguments.
    static func options(in arguments: some Sequence<String>) -> [String] {
        arguments.prefix { $0 != "--" }.compactMap(Self.option)
    }

    /// Returns the commands with an option that takes a value, in a sentence. `nil` if there is none.
    func takers(of value: String, option: String) -> String? {
        let names = self.program.commands.filter { $0.command.values[option]?.contains(value) == true }
            .map { "'\(self.program.name) \($0.name)'" }
        guard !names.isEmpty else { return nil }
        return "\(names.joined(separator: ", ")) \(names.count == 1 ? "takes" : "take") \(value)"
    }

    /// Returns the name of a long option without its value, or `nil` for other words.
    private static func option(_ word: String) -> String? {
        guard word.hasPrefix("--"), word.utf8.count > 3 else { return nil }
        return String(word.dropFirst(2).prefix { $0 != "=" })
    }
}

// MARK: - Names of commands

extension CommandLineAdvice {
    /// Returns the fault of an unknown name. The word may instead be an argument of a default command.
    private func fault(ofName word: String, _ path: [Command], isName: Bool) -> String? {
        guard let command = path.last else { return nil }
        let near = SpellingSuggestion.closest(to: word, in: command.subcommands.map(\.name))
        guard near != nil || isName || command.defaultSubcommand == nil else { return nil }
        let name = path.dropFirst().map(\.name) + [DisplayText.text(word)]
        let meant = near.map { ". Did you mean '\($0)'?" } ?? ""
        return self.sentence("there is no command \(name.joined(separator: " "))\(meant)", path)
    }

    /// Ends a sentence, and refers to the help of a command.
    private func sentence(_ text: String, _ path: [Command]) -> String {
        "\(text)\(text.hasSuffix("?") ? "" : ".") See '\(self.help(path))'"
    }

    private func help(_ path: [Command]) -> String { (path.map(\.name) + ["--help"]).joined(separator: " ") }
}

// MARK: - Options

extension CommandLineAdvice {
    private static let common: Set<String> = ["help", "help-hidden", "version"]

    /// Returns `true` if the command, or its default command, has an option.
    private func takes(_ option: String, _ path: [Command]) -> Bool {
        Self.common.contains(option) || option.hasPrefix("experimental-") || option.hasPrefix("generate-")
            || self.options(path).contains(option)
    }

    private func options(_ path: [Command]) -> [String] {
        guard let command = path.last else { return [] }
        let silent = command.subcommands.first { $0.name == command.defaultSubcommand }
        return command.options + (silent?.options ?? [])
    }

    private func fault(ofOption option: String, _ path: [Command]) -> String {
        let name = path.dropFirst().map(\.name).joined(separator: " ")
        let subject = name.isEmpty ? self.program.name : name
        let fault = "\(subject) has no option --\(DisplayText.text(option))"
        return self.sentence("\(fault)\(self.advice(option, path))", path)
    }

    /// Returns the replacement for an unknown option, or the commands that have it.
    private func advice(_ option: String, _ path: [Command]) -> String {
        let own = self.options(path)
        if let (replacement, why) = Self.foreign[option], own.contains(replacement) { return ": \(why)" }
        let others = self.program.commands.filter { $0.command.options.contains(option) }.map { "'\($0.name)'" }
        if !others.isEmpty {
            let verb = others.count == 1 ? "takes" : "take"
            return ". \(others.prefix(3).joined(separator: ", ")) \(verb) it"
        }
        return SpellingSuggestion.closest(to: option, in: own).map { ". Did you mean '--\($0)'?" } ?? ""
    }

    /// The names of options in other programs with the equivalent options here.
    private static let foreign: [String: (replacement: String, why: String)] = {
        let roots = ("roots", "--roots FILE names the roots to trust")
        let unchecked = ("roots", "nothing turns the checks off. --roots FILE trusts a root of your own")
        return [
            "json": ("format", "write --format json"), "csv": ("format", "write --format csv"),
            "html": ("format", "write --format html"), "xml": ("format", "write --format junit"),
            "cafile": roots, "ca-file": roots, "cacert": roots, "capath": roots, "ca": roots, "CAfile": roots,
            "insecure": unchecked, "no-verify": unchecked, "no-check-certificate": unchecked,
        ]
    }()
}

// MARK: - How ArgumentParser describes commands

private struct Dump: Decodable {
    let command: Command
}

private struct Command: Decodable, Sendable {
    let name: String
    let defaultSubcommand: String?
    let subcommands: [Command]
    let options: [String]
    /// The options that take one value.
    let singleOptions: Set<String>
    /// The values of each option that takes one of a few.
    let values: [String: [String]]

    private enum CodingKeys: String, CodingKey {
        case commandName, defaultSubcommand, subcommands, arguments
    }

    private struct Argument: Decodable {
        let kind: String
        let isRepeating: Bool
        let names: [Name]?
        let allValues: [String]?

        var longNames: [String] { (self.names ?? []).filter { $0.kind == "long" }.map(\.name) }
    }

    private struct Name: Decodable {
        let kind: String
        let name: String
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.name = try values.decode(String.self, forKey: .commandName)
        self.defaultSubcommand = try values.decodeIfPresent(String.self, forKey: .defaultSubcommand)
        self.subcommands = try values.decodeIfPresent([Command].self, forKey: .subcommands) ?? []
        let arguments = try values.decodeIfPresent([Argument].self, forKey: .arguments) ?? []
        self.options = arguments.flatMap(\.longNames)
        self.singleOptions = Set(arguments.filter { $0.kind == "option" && !$0.isRepeating }.flatMap(\.longNames))
        self.values = arguments.reduce(into: [:]) { values, argument in
            for name in argument.longNames { values[name] = argument.allValues }
        }
    }

    /// The commands below this one, with the words that name them.
    var commands: [(name: String, command: Command)] {
        self.subcommands.flatMap { command in
            [(command.name, command)] + command.commands.map { ("\(command.name) \($0.name)", $0.command) }
        }
    }
}
