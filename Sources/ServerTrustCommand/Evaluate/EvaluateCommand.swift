//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerDiagnosis
import ServerReports
import ServerTrust

/// `servertrust evaluate`: the evaluation of a chain from files.
struct EvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Evaluate a certificate chain from files.",
        discussion: """
            The first certificate of the first file is the leaf. The others may be in any order. A root among \
            them is not trusted for being there. Nothing is fetched unless an option asks for it.

            EXAMPLES
              servertrust evaluate --chain fullchain.pem --host example.com
                  Answers as Apple's systems do for example.com.
              servertrust evaluate --chain leaf.pem ca.der --host example.com --at 2027-01-01
                  Evaluates for the beginning of 2027.
              servertrust evaluate --chain db.pem --host db.internal --roots our-ca.pem
                  Trusts a private authority in addition to Apple's program.
              servertrust evaluate --chain chain.pem --host example.com --crl ca.crl
                  Applies the authority's revocation list.
              servertrust evaluate --chain chain.pem --host api.example.com --pins Info.plist
                  Requires one of the keys that the app pins.
              servertrust evaluate --chain leaf.pem --host example.com --fetch-revocation
                  Asks the authority over HTTP.
              servertrust evaluate --chain client.pem --policy tls-client --format json
                  Evaluates a client's certificate, and writes JSON.

            \(ExitCodes.help)
            """
    )

    @Option(
        name: .customLong("chain"), parsing: .upToNextOption,
        help: ArgumentHelp("Files with the chain in PEM or DER, the leaf first.", valueName: "file"),
        completion: .file()
    )
    var chain: [String]

    @Option(
        name: .customLong("host"),
        help: ArgumentHelp("The DNS name or IP address the leaf must be for.", valueName: "name")
    )
    var host: String?

    @Flag(name: .customLong("any-host"), help: "Check no name: a server with any certificate will pass for yours.")
    var anyHost = false

    @Option(name: .customLong("policy"), help: "What the leaf is to be trusted for.")
    var policy = Purpose.Kind.tlsServer

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @OptionGroup(title: "Certificate transparency")
    var timestamps: TimestampArguments

    @OptionGroup(title: "Pins")
    var pins: PinArguments

    @OptionGroup(title: "Revocation")
    var revocation: RevocationArguments

    @OptionGroup(title: "Fetching")
    var fetching: FetchArguments

    @OptionGroup(title: "Output")
    var output: OutputOptions<EvaluationReport>

    func validate() throws {
        if self.host != nil, self.anyHost {
            throw ValidationError("--host and --any-host contradict each other. Give one of them")
        }
        if self.policy == .basic, self.host != nil {
            throw ValidationError("--policy basic checks no name. Leave --host out, or choose another policy")
        }
        if self.policy == .tlsServer, self.host == nil, !self.anyHost {
            throw ValidationError("no name to check. Give --host NAME, or --any-host to check none")
        }
        if self.pins.file != nil, self.host == nil || self.policy != .tlsServer {
            throw ValidationError("--pins are the pins of a host. Add --host NAME, with the policy tls-server")
        }
        // Responses given as stapled ones are used in every mode.
        if !self.trust.mustStaple || !self.trust.lists.isEmpty {
            try self.trust.checkRevocation(self.revocation.mode)
        }
        try self.fetching.check(
            revocation: self.revocation.fetches, advice: "--fetch-revocation or --fetch-issuers", connects: false)
        _ = try self.purpose()
    }

    func run() async throws {
        let chain = try ChainFile.chain(in: self.chain)
        var settings = try self.trust.settings(areStapled: self.trust.mustStaple)
        settings.trust.transparency?.timestampLists = try self.timestamps.lists()
        settings.pins = try self.pins.pins()
        settings.refusedUnpinned = self.pins.areRequired ? .all : .none
        let isAsked = self.trust.namesRevocation || self.revocation.fetches
        settings.trust.revocation.mode = (self.revocation.mode ?? (isAsked ? .soft : .off)).mode
        settings.files += self.timestamps.givenFiles
        settings.trust.fetching = try self.fetching.settings(revocation: self.revocation.fetches, connects: false)
        let judgment = try await Judgment(
            chain.certificates, for: self.purpose(), by: settings, files: chain.files)
        let remarks = ReportRemarks(
            settings.storeIssues, settings.trust.revocation.mode != .off ? .checked : .unchecked,
            publicTrust: settings.trust.publicTrust)
        try self.output.write(EvaluationReport(judgment, remarks: remarks))
        Console.warn(ofFiles: [judgment])
        try judgment.verdict.finish()
    }

    private func purpose() throws -> Purpose {
        do {
            return try Purpose(self.policy, host: self.host)
        } catch {
            throw ValidationError("--host: \(error)")
        }
    }
}
