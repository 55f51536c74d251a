//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerDiagnosis
import ServerReports
import ServerTrust
import ServerTrustNIO

/// `servertrust check`: the evaluation of the chains that servers present.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the certificate chains of TLS servers.",
        discussion: """
            Shows the verdict, the reasons with their remedies, and the path with its dates, keys and pins. The \
            port is 443 unless given. The command makes a TLS handshake and sends no request. With --ats it requests the \
            page, to follow its redirects. It fetches an issuer that the server does not send, as Apple's systems do. \
            With --revocation it also fetches revocation data.

            EXAMPLES
              servertrust check example.com
              servertrust check example.com https://api.example.com:8443/v1
                  Several servers. The exit code is the worst.
              servertrust check www.example.com --connect-to 192.0.2.17
                  Checks one machine behind the load balancer, under its public name.
              servertrust check db.internal:8443 --roots our-ca.pem --anchors-only
                  Trusts a private authority only.
              servertrust check example.com --revocation hard
                  Asks the authorities whether a certificate of the path is revoked.
              servertrust check api.example.com --pins network_security_config.xml
                  Checks also that the server has one of the keys that the app pins.
              servertrust check api.example.com --ats Info.plist --target-os ios26
                  Checks also that App Transport Security lets the app connect.
              servertrust check example.com --save-chain chain.pem
                  Saves the chain for `servertrust evaluate`.

            \(ExitCodes.help)
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The servers: HOST, HOST:PORT, an https URL, or a configuration profile.", valueName: "server"))
    var servers: [String]

    @Option(
        name: .customLong("save-chain"),
        help: ArgumentHelp("Write what the server sent to this file, in PEM. For one server.", valueName: "file"),
        completion: .file()
    )
    var chainFile: String?

    @Option(
        name: .customLong("revocation"),
        help: ArgumentHelp(
            "Whether revoked certificates are refused: off, soft (those shown to be), hard (unless shown not to be).",
            discussion: "off looks at nothing. The others fetch OCSP responses and revocation lists over plain HTTP, "
                + "from public addresses only. Without the option, what the server staples counts, and --crl and --ocsp."
        )
    )
    var revocation: RevocationMode?

    @OptionGroup(title: "Certificate transparency")
    var timestamps: TimestampArguments

    @OptionGroup(title: "Pins")
    var pins: PinArguments

    @OptionGroup(title: "App Transport Security")
    var transportSecurity: ATSCheckOptions

    @OptionGroup(title: "Expiry")
    var expiry: ExpiryOption

    @OptionGroup(title: "Fetching")
    var fetching: FetchArguments

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions<CheckReport>

    func validate() throws {
        let targets = try NamedServers(self.servers).targets
        if self.chainFile != nil, targets.count > 1 {
            throw ValidationError("--save-chain takes the chain of one server. Check the servers one by one")
        }
        try self.trust.checkRevocation(self.revocation)
        try self.fetching.check(
            revocation: self.fetchesRevocation, advice: "--revocation soft or --fetch-issuers",
            connects: self.connection.connecting.proxy == nil)
        for server in targets { _ = try self.endpoint(server) }
    }

    private var fetchesRevocation: Bool { self.revocation.map { $0 != .off } ?? false }

    func run() async throws {
        let named = try NamedServers(self.servers)
        let servers = try named.targets.map { (url: $0, endpoint: try self.endpoint($0)) }
        var settings = try self.trust.settings()
        named.addRoots(to: &settings)
        settings.trust.transparency?.timestampLists = try self.timestamps.lists()
        settings.pins = try self.pins.pins()
        settings.refusedUnpinned = self.pins.areRequired ? .all : .none
        settings.files += self.timestamps.givenFiles
        settings.trust.expiryThreshold = self.expiry.threshold
        // Without the option stapled responses count, as with diagnose.
        if let revocation { settings.trust.revocation.mode = revocation.mode }
        settings.trust.fetching = try self.fetching.settings(
            revocation: self.fetchesRevocation, connects: self.connection.connecting.proxy == nil)
        var check = try self.connection.check(by: settings)
        check.chainFile = self.chainFile
        check.transportSecurity = try self.transportSecurity.app()
        let report = try await self.report(check, servers)
        Console.warn(ofFiles: report.servers.compactMap(\.judgment))
        try report.verdict.finish()
    }

    private func report(
        _ check: ServerCheck, _ servers: [(url: String, endpoint: TLSEndpoint)]
    ) async throws -> CheckReport {
        let trust = check.settings.trust
        var report = CheckReport(
            remarks: ReportRemarks(
                check.settings.storeIssues, self.checkedRevocation, publicTrust: trust.publicTrust))
        try await check.reports(on: servers) { server in
            try self.output.write(server, of: &report)
            self.complain(of: server)
        }
        try self.output.writeEnd(of: report)
        return report
    }

    private var checkedRevocation: CheckedRevocation {
        guard self.revocation == nil else { return self.fetchesRevocation ? .checked : .unchecked }
        return self.trust.namesRevocation ? .given : .stapled
    }

    /// Writes the reason for a failed evaluation to standard error, unless the visible report contains it.
    private func complain(of server: ServerReport) {
        guard case .failed(let failure) = server.outcome else { return }
        let isSeen = self.output.format == .text && !failure.findings.isEmpty
        if !isSeen || !failure.isExplained && !Console.isTerminal { Console.complain(failure.message) }
    }

    /// Parses the name of a server. Other text is an error of the command line.
    private func endpoint(_ text: String) throws -> TLSEndpoint {
        do {
            return try self.connection.endpoint(text)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
