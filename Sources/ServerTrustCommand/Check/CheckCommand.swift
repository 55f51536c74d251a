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

    @Argument(help: ArgumentHelp("The servers: HOST, HOST:PORT, or an https URL.", valueName: "server"))
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
            discussion: "off looks at nothing; the others fetch OCSP responses and revocation lists over plain HTTP, "
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
    var output: PageOutputOptions

    func validate() throws {
        if self.chainFile != nil, self.servers.count > 1 {
            throw ValidationError("--save-chain takes the chain of one server; check the servers one by one")
        }
        try self.connection.trust.checkRevocation(self.revocation)
        try self.fetching.check(
            revocation: self.fetchesRevocation, advice: "--revocation soft or --fetch-issuers",
            connects: self.connection.connecting.proxy == nil)
        for server in self.servers { _ = try self.endpoint(server) }
    }

    private var fetchesRevocation: Bool { self.revocation.map { $0 != .off } ?? false }

    func run() async throws {
        let servers = try self.servers.map { (url: $0, endpoint: try self.endpoint($0)) }
        var settings = try self.connection.trust.settings()
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
        let reports =
            switch self.output.format {
            case .text: try await self.writeText(check, servers)
            case .json: try await self.writeJSON(check, servers)
            case .html: try await self.writePage(check, servers)
            }
        Console.warn(ofFiles: reports.compactMap(\.judgment))
        try ReportVerdict.worst(of: reports.map(\.verdict)).finish()
    }

    private typealias NamedServer = (url: String, endpoint: TLSEndpoint)

    private func writeText(_ check: ServerCheck, _ servers: [NamedServer]) async throws -> [ServerReport] {
        let text = ReportText(self.output.style)
        var reports: [ServerReport] = []
        try await check.reports(on: servers) { report in
            try Console.write((reports.isEmpty ? "" : "\n") + text.text(of: report))
            if case .failed(let failure) = report.outcome, failure.findings.isEmpty {
                Console.complain(failure.message)
            }
            reports.append(report)
        }
        if reports.count > 1 { try Console.write("\n" + text.summary(of: reports.map(\.verdict))) }
        try Console.write(
            text.notes(
                storeIssues: check.settings.storeIssues, savedTo: reports.first?.savedTo,
                revocation: self.checkedRevocation, publicTrust: check.settings.trust.publicTrust))
        return reports
    }

    private var checkedRevocation: CheckedRevocation {
        guard self.revocation == nil else { return self.fetchesRevocation ? .checked : .unchecked }
        return self.connection.trust.namesRevocation ? .given : .stapled
    }

    private func writePage(_ check: ServerCheck, _ servers: [NamedServer]) async throws -> [ServerReport] {
        let reports = try await self.reports(check, servers)
        let remarks = ReportText.remarks(
            storeIssues: check.settings.storeIssues, savedTo: reports.first?.savedTo,
            revocation: self.checkedRevocation, publicTrust: check.settings.trust.publicTrust)
        try Console.write(ChainPage(reports, remarks: remarks).text)
        return reports
    }

    private func writeJSON(_ check: ServerCheck, _ servers: [NamedServer]) async throws -> [ServerReport] {
        let reports = try await self.reports(check, servers)
        try Console.write(JSONText.text(CheckDocument(reports, check.settings.storeIssues)))
        return reports
    }

    /// What was found out about each server; errors are told at once.
    private func reports(_ check: ServerCheck, _ servers: [NamedServer]) async throws -> [ServerReport] {
        var reports: [ServerReport] = []
        try await check.reports(on: servers) { report in
            if case .failed(let failure) = report.outcome { Console.complain(failure.message) }
            reports.append(report)
        }
        return reports
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
