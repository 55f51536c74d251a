//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import InterceptingProxy
import ServerReports
import ServerTrust
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `servertrust proxy root`: the root certificate that programs must trust.
struct ProxyRootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "root",
        abstract: "Export the proxy's root certificate, or show how to install it.",
        discussion: """
            The root is made when it is first needed. Its key stays in the folder, which only you can read: a program with the \
            key can impersonate any server to programs that trust the root. Remove the root when you no longer need it.

            EXAMPLES
              servertrust proxy root --export proxy-root.pem
              servertrust proxy root --install-hint debian
              servertrust proxy root --root-for example.com --root-for test --export proxy-root.pem
                  Makes a root that is limited to these names and their subdomains.
            """)

    @OptionGroup var root: ProxyRootOptions

    @Option(
        name: .customLong("export"),
        help: ArgumentHelp(
            "Write the certificate, without its key, to this file, or to '-' for standard output.", valueName: "file"),
        completion: .file())
    var file: String?

    @Option(
        name: .customLong("install-hint"),
        help: ArgumentHelp(
            "Say how a system or a program comes to trust the root: "
                + InstallHint.allCases.map(\.rawValue).joined(separator: ", ") + ".", valueName: "kind"))
    var hint: InstallHint?

    func validate() throws {
        guard self.file != nil || self.hint != nil else {
            throw ValidationError("give --export FILE, or --install-hint KIND")
        }
    }

    func run() async throws {
        let root = try await self.root.folder().root(permitting: try self.root.hosts(), at: Date())
        if let file {
            guard file != "-" else {
                try Console.write(try root.pem)
                return
            }
            try Self.write(try root.pem, to: file)
        }
        if let hint { try Console.write(hint.text(file: self.file ?? "proxy-root.pem")) }
    }

    /// Writes a new file and never overwrites an existing one.
    private static func write(_ text: String, to file: String) throws {
        do {
            let descriptor = try FileDescriptor.open(
                file, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            try descriptor.closeAfter { _ = try descriptor.writeAll(text.utf8) }
        } catch Errno.fileExists {
            throw CommandError("\(file) is there already. Remove it, or name another file")
        } catch {
            throw CommandError("cannot write \(file): \(error)")
        }
    }
}

/// The options for the folder and the names of the proxy's root.
struct ProxyRootOptions: ParsableArguments {
    @Option(
        name: .customLong("root-folder"),
        help: ArgumentHelp(
            "The folder with the root and its key. (default: servertrust/proxy in XDG_DATA_HOME, or in ~/.local/share)",
            valueName: "folder"), completion: .directory)
    var path: String?

    @Option(
        name: .customLong("root-for"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Make a root for this name and those below it, and for no address. Repeat it for several.",
            valueName: "name"))
    var names: [String] = []

    func validate() throws { _ = try self.hosts() }

    /// Returns the names that the root is restricted to.
    func hosts() throws -> [Host] {
        try self.names.map { name in
            guard let host = try? Host(name), !host.isAddress else {
                throw ValidationError("--root-for \(DisplayText.text(name)): write a DNS name, such as example.com")
            }
            return host
        }
    }

    func folder() throws -> LocalRootFolder {
        if let path { return LocalRootFolder(path) }
        let environment = ProcessInfo.processInfo.environment
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/share" : nil }
        guard let folder = data ?? home else {
            throw CommandError("there is no home folder to keep the root in. Give one with --root-folder")
        }
        return LocalRootFolder(folder + "/servertrust/proxy")
    }
}

extension InstallHint: ExpressibleByArgument {}
