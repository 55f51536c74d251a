//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ArgumentParser
import HTTPSession
import ServerDiagnosis
import ServerReports
import ServerTrust
import ServerTrustNIO
import TLSWire

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `servertrust ats suggest`: the smallest exception that lets a server through.
struct ATSSuggestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suggest",
        abstract: "Print the smallest exception that a server needs, and its cost in security.",
        discussion: """
            Probes the server, unless --speaks describes it. Mending the server is better than an exception, so the settings \
            to change come first.

            EXAMPLES
              servertrust ats suggest legacy.example.com
              servertrust ats suggest http://cdn.example.com
                  Plain HTTP: connects to nothing.
              servertrust ats suggest db.internal:8443 --plist Info.plist --roots our-ca.pem
                  Prints the keys that an existing Info.plist still needs.
              servertrust ats suggest legacy.example.com --plist Info.plist --format plist -o Info.plist
                  Adds the exception to the file, and keeps its order and comments.
              servertrust ats suggest --from-proxy decisions.ndjson --plist Info.plist
                  Answers for each server that `servertrust proxy --log decisions.ndjson` refused.
              servertrust ats suggest a.example.com --speaks 1.1:TLS_RSA_WITH_AES_128_CBC_SHA
                  Answers for the described server. Its chain counts as trusted.

            EXIT CODES
              0  no exception is needed
              1  an exception is needed, or none helps
              2  not evaluated: wrong arguments, unreadable input, no connection
            """
    )

    @Argument(help: ArgumentHelp("The servers: HOST, HOST:PORT, or a URL with http or https.", valueName: "server"))
    var servers: [String] = []

    @Option(
        name: .customLong("from-proxy"),
        help: ArgumentHelp(
            "Also the servers that were refused according to this log of `servertrust proxy`.", valueName: "log"),
        completion: .file())
    var proxyLog: String?

    @Option(
        name: .customLong("plist"),
        help: ArgumentHelp("An Info.plist to add to. Its other keys stay.", valueName: "Info.plist"),
        completion: .file())
    var file: String?

    @Option(
        name: .customLong("speaks"),
        help: ArgumentHelp(
            "What the server completes, in place of a connection: a version and a cipher suite. Can be repeated, the "
                + "preferred first.", valueName: "version:suite"),
        transform: ATSSuggestCommand.handshake)
    var handshakes: [ATSServerFacts.Handshake] = []

    @OptionGroup(title: "Rules")
    var rules: ATSOptions

    @OptionGroup(title: "Loads")
    var loads: ATSLoadOptions

    @OptionGroup(title: "Fetching")
    var fetching: FetchArguments

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions<SuggestionReport>

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "With --format plist, write to this file. It may be the file of --plist.", valueName: "file"),
        completion: .file())
    var outputFile: String?

    func validate() throws {
        try self.fetching.check(
            revocation: false, advice: "--fetch-issuers", connects: self.connection.connecting.proxy == nil)
        guard self.connection.minimumTLS == .tls12 else {
            throw ValidationError(
                "--minimum-tls: the exceptions and --target-os say which versions count here. Leave it out")
        }
        guard self.outputFile == nil || self.output.format == .plist else {
            throw ValidationError("--output is about --format plist. Add it")
        }
        guard !self.servers.isEmpty || self.proxyLog != nil else {
            throw ValidationError("name a server, or the log of a proxy with --from-proxy FILE")
        }
        for server in try NamedServers(self.servers).targets { _ = try self.loads.destination(server) }
    }

    func run() async throws {
        let policy =
            try self.file.map { try ATSPolicy(file: $0, self.rules) }
            ?? ATSPolicy(
                ATSDictionary(), configuration: self.rules.configuration)
        let settings = try self.settings()
        let search = try self.search(policy, settings)
        var report = SuggestionReport(policy.configuration, client: self.loads.client)
        if self.output.format == .plist { report.propertyList = try self.file.map { try Self.octets(of: $0) } }
        for server in try NamedServers(self.servers).targets + self.refusedServers() {
            let suggestion = try await self.suggestion(server, by: search)
            try self.output.write(suggestion, of: &report)
            if let problem = suggestion.problem { Console.complain(problem.message) }
        }
        try self.writeEnd(of: report)
        settings.warnOfRoots()
        try report.verdict.finish()
    }

    /// Writes the report to standard output or, as a property list, to the file of `--output`.
    private func writeEnd(of report: SuggestionReport) throws {
        guard self.output.format == .plist else { return try self.output.writeEnd(of: report) }
        for server in report.servers {
            if let obstacle = server.obstacle { Console.complain("\(server.name): \(obstacle)") }
        }
        guard let outputFile else { return try self.output.writeEnd(of: report) }
        let text = try report.end(as: .plist, style: .plain)
        let target = BoundedFile.resolved(outputFile)
        let mode = try? FileManager.default.attributesOfItem(atPath: target)[.posixPermissions]
        do {
            try CookieFile.write(Array(text.utf8), to: target)
            try FileManager.default.setAttributes([.posixPermissions: mode ?? 0o644], ofItemAtPath: target)
            Console.complain("\(outputFile): \(report.exceptionCount) written")
        } catch {
            throw CommandError("cannot write \(outputFile): give a file in a folder that can be written to")
        }
    }

    /// Returns the octets of the Info.plist to add exceptions to.
    private static func octets(of path: String) throws -> [UInt8] {
        guard !BoundedFile.isFolder(path) else {
            throw CommandError("\(path): --format plist writes one Info.plist. Give the file itself")
        }
        do {
            return try BoundedFile.read(path)
        } catch {
            throw CommandError("\(error)")
        }
    }

    /// Returns the servers of the proxy's log that are not among the arguments.
    private func refusedServers() throws -> [String] {
        guard let proxyLog else { return [] }
        let refused = try ProxyLogFile.refusedServers(proxyLog)
        if refused.isEmpty { Console.complain("\(proxyLog): the proxy has refused no server") }
        return refused.filter { !self.servers.contains($0) }
    }

    private func settings() throws -> CommandTrust {
        var settings = try self.trust.settings()
        try NamedServers(self.servers).addRoots(to: &settings)
        settings.trust.fetching = try self.fetching.settings(
            revocation: false, connects: self.connection.connecting.proxy == nil)
        return settings
    }

    private func suggestion(_ server: String, by search: ExceptionSearch) async throws -> SuggestedException {
        let destination = try self.loads.destination(server)
        guard destination.scheme == .https, self.handshakes.isEmpty else {
            return search.suggestion(server, at: destination, ATSServerFacts(handshakes: self.handshakes))
        }
        return try await search.suggestion(server, at: destination, through: try self.connection.endpoint(server))
    }

    private func search(_ policy: ATSPolicy, _ settings: CommandTrust) throws -> ExceptionSearch {
        var search = ExceptionSearch(
            policy: policy, client: self.loads.client, name: self.file ?? "default", trust: settings.trust)
        search.connections = try self.connection.connecting.configuration(timeout: self.connection.timeout)
        search.maximumAddresses = self.connection.connecting.maximumAddresses
        search.dangerouslyFollowsRedirectsToLocalAddresses = self.fetching.allowsLocalAddresses
        return search
    }

    /// Parses a handshake: `1.1:TLS_RSA_WITH_AES_128_CBC_SHA`, or the same with `TLSv1.1` or with a number.
    private static func handshake(_ text: String) throws -> ATSServerFacts.Handshake {
        let parts = text.split(separator: ":", maxSplits: 1)
        let version = parts.first.flatMap {
            MinimumTLS(rawValue: $0.hasPrefix("TLSv") ? String($0.dropFirst(4)) : "\($0)")
        }
        guard parts.count == 2, let version, let suite = CipherSuite(name: String(parts[1])) else {
            throw CommandError("give a version and a cipher suite, such as 1.2:TLS_RSA_WITH_AES_128_GCM_SHA256")
        }
        var handshake = ATSServerFacts.Handshake(
            version.version, suite, usesExtendedMasterSecret: true, trust: nil)
        handshake.dangerouslyAssumesTrust = true
        return handshake
    }
}
