//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import PinningDialects
import ServerDiagnosis
import ServerReports
import ServerTrust
import ServerTrustNIO

/// `servertrust pin`: the pins of servers and chains, and configurations with these pins.
struct PinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Print the pins of servers or chains, or write a pinning configuration.",
        discussion: """
            A pin is the SHA-256 digest of a public key. Pins are taken from trusted paths only, since an attacker on the way \
            would be pinned otherwise. For a server with a private authority, give its root with --roots.

            EXAMPLES
              servertrust pin api.example.com
                  Prints the pins of its path, with the use of each.
              servertrust pin api.example.com --for android > network_security_config.xml
              servertrust pin api.example.com --for ios --of leaf --backup sha256/5kJv… --include-subdomains
                  Writes the pins of an app, with the pin of a backup key.
              servertrust pin fullchain.pem --host api.example.com --for okhttp
                  Takes the pins of a certificate before it is installed.
              servertrust pin api.example.com --for json --of leaf --backup sha256/5kJv… --expires 2027-06-30

            \(ExitCodes.help)
            """
    )

    @Argument(
        help: ArgumentHelp("Servers (HOST, HOST:PORT, https URL), or files with a chain.", valueName: "server|file"),
        completion: .file())
    var targets: [String]

    @Option(name: .customLong("for"), help: "Write a configuration in this dialect, and nothing else.")
    var dialect: PinningDialect?

    @Option(
        name: .customLong("of"), parsing: .upToNextOption,
        help: ArgumentHelp(
            "The certificates to pin in a configuration.",
            discussion:
                "By default leaf and intermediate. With ios intermediate and root, as it wants one of the leaf's "
                + "pins and one of the authorities'. With curl leaf, as it looks at nothing else.")
    )
    var roles: [PinRole] = []

    @Option(
        name: .customLong("backup"), parsing: .upToNextOption,
        help: ArgumentHelp(
            "More pins for a configuration, of keys that are not in use yet, or files with such keys.",
            discussion: "A file has one certificate, certificate request or public key, in PEM or DER.",
            valueName: "pin|file"), completion: .file(),
        transform: BackupPin.pin
    )
    var backups: [Pin] = []

    @Option(
        name: .customLong("host"), help: ArgumentHelp("The host that chains in files are for.", valueName: "name"))
    var host: String?

    @Flag(name: .customLong("include-subdomains"), help: "Have a configuration hold for the names below the host, too.")
    var includesSubdomains = false

    @Option(
        name: .customLong("expires"),
        help: ArgumentHelp("The day the pins of a configuration end, such as 2027-06-30.", valueName: "date"))
    var expires: String?

    @OptionGroup(title: "Fetching")
    var fetching: FetchArguments

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions<PinListReport>

    func validate() throws {
        try self.fetching.check(
            revocation: false, advice: "--fetch-issuers", connects: self.connection.connecting.proxy == nil)
        let isPlain = self.roles.isEmpty && self.backups.isEmpty && !self.includesSubdomains && self.expires == nil
        if self.dialect == nil, !isPlain {
            throw ValidationError(
                "--of, --backup, --include-subdomains and --expires are about a configuration. Add --for DIALECT")
        }
    }

    func run() async throws {
        let targets = try self.targets.map { try PinTarget($0, self.connection) }
        try PinTarget.check(host: self.host, for: targets)
        let settings = try self.settings()
        let check = try self.connection.check(by: settings)
        let judged = try await PinTarget.judged(targets.map { ($0, self.host) }, by: check)
        let configuration = try self.dialect.map { try PinConfigurationText(judged, self.recipe(for: $0)) }
        let report = PinListReport(targets: judged, configuration: configuration)
        if self.output.format == .text { report.complaints.forEach(Console.complain) }
        try self.output.write(report)
        settings.warnOfRoots()
        try report.verdict.finish()
    }

    private func settings() throws -> CommandTrust {
        var settings = try self.trust.settings()
        settings.trust.fetching = try self.fetching.settings(
            revocation: false, connects: self.connection.connecting.proxy == nil)
        return settings
    }

    private func recipe(for dialect: PinningDialect) throws -> PinRecipe {
        var recipe = PinRecipe(dialect: dialect, backups: self.backups, includesSubdomains: self.includesSubdomains)
        if !self.roles.isEmpty { recipe.roles = Set(self.roles) }
        do {
            recipe.expiration = try self.expires.map { try PinExpiration($0, then: recipe.consequence) }
        } catch {
            throw ValidationError("--expires: \(error)")
        }
        guard !recipe.hasEnded() else {
            throw ValidationError("--expires: that day is past. Give one to come, such as a year from now")
        }
        return recipe
    }
}

extension PinRole: ExpressibleByArgument {}
