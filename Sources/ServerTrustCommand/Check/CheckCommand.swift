//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerDiagnosis
import ServerReports
import ServerTrust
import ServerTrustNIO

/// `servertrust check`: connects to servers and judges what they present.
struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Connect to TLS servers and judge the certificates they present.",
        discussion: """
            Shows the verdict, what is wrong and how to put it right, and the path with its dates, keys and pins. The \
            port is 443 unless given. Nothing is sent beyond the TLS handshake, but \
            with --ats a request for the page, to see where it redirects. An issuer that the server does not send is \
            fetched from its authority, as Apple's systems do, and --revocation has more fetched.

            EXAMPLES
              servertrust check example.com
              servertrust check example.com https://api.example.com:8443/v1
                  Several servers; the exit code is the worst.
              servertrust check www.example.com --connect-to 192.0.2.17
                  One machine behind the load balancer, under its public name.
              servertrust check db.internal:8443 --roots our-ca.pem --anchors-only
                  A private authority, and no other.
              servertrust check example.com --revocation hard
                  Asks the authorities whether a certificate of the path is revoked.
              servertrust check api.example.com --pins network_security_config.xml
                  And does the server have one of the keys the app pins?
              servertrust check api.example.com --ats Info.plist --target-os ios26
                  And does App Transport Security let the app connect?
              servertrust check example.com --save-chain chain.pem
                  Keeps what the server sent, for `servertrust evaluate`.

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

    @OptionGroup(title: "Fetching")
    var fetching: FetchArguments

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "Output")
    var output: OutputOptions<CheckReport>

    func validate() throws {
        let targets = try NamedServers(self.servers).targets
        if self.chainFile != nil, targets.count > 1 {
            throw ValidationError("--save-chain takes the chain of one server. Check the servers one by one")
        }
        try self.connection.trust.checkRevocation(self.revocation)
        try self.fetching.check(
            revocation: self.fetchesRevocation, advice: "--revocation soft or --fetch-issuers",
            connects: self.connection.connecting.proxy == nil)
        for server in targets { _ = try self.endpoint(server) }
    }

    private var fetchesRevocation: Bool { self.revocation.map { $0 != .off } ?? false }

    func run() async throws {
        let named = try NamedServers(self.servers)
        let servers = try named.targets.map { (url: $0, endpoint: try self.endpoint($0)) }
        var settings = try self.connection.trust.settings()
        named.addRoots(to: &settings)
        settings.trust.transparency?.timestampLists = try self.timestamps.lists()
        settings.pins = try self.pins.pins()
        settings.requiresPins = self.pins.areRequired
        settings.files += self.timestamps.givenFiles
        // Without the option what servers staple counts, as with diagnose.
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
        return self.connection.trust.namesRevocation ? .given : .stapled
    }

    /// Tells why there is nothing to judge, where the report does not, or is not seen beside it.
    private func complain(of server: ServerReport) {
        guard case .failed(let failure) = server.outcome else { return }
        let isSeen = self.output.format == .text && !failure.findings.isEmpty
        if !isSeen || !failure.isExplained && !Console.isTerminal { Console.complain(failure.message) }
    }

    /// The server that a text names; other text is an error of the command line.
    private func endpoint(_ text: String) throws -> TLSEndpoint {
        do {
            return try self.connection.endpoint(text)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
