//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `servertrust apple-data update`: the installation of newer data after a plausibility check.
struct AppleDataUpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Install newer data as the default.",
        discussion: """
            Takes Apple's repository as a checkout, as a tar archive, or by its https address. Also takes one part alone: \
            Apple's list of logs (log_list.json), or a report of the Common CA Database (CSV) with the columns SHA-256 \
            Fingerprint and Apple Status. The other parts stay. The data are checked and copied. Malformed data change \
            nothing. The command connects to the given address only, and its server must be trusted.

            EXAMPLES
              servertrust apple-data update --from https://github.com/apple-oss-distributions/security_certificates
              git clone --depth 1 https://github.com/apple-oss-distributions/security_certificates
              servertrust apple-data update --from security_certificates
              servertrust apple-data update --from log_list.json
              servertrust apple-data update --from ccadb.csv --date 2026-08-22

            EXIT CODES
              0  the data are in use
              1  the data are not plausible: they have fewer than half of the roots or logs of those in use, or are older
              2  the data cannot be fetched, read or written
            """)

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp("The folder, archive, file or https address with the data.", valueName: "dir|file|url"),
        completion: .file())
    var givenSource: String?

    private var source: String { self.givenSource ?? "" }

    @Option(
        name: .customLong("roots"),
        help: ArgumentHelp(
            "Also trust the certificates of a file or folder for the server of the address. May be repeated.",
            valueName: "file|dir"), completion: .file(),
        transform: RootSource.init)
    var roots: [RootSource] = []

    @Option(
        name: .customLong("timeout"),
        help: ArgumentHelp("The time for fetching from the address. (default: 120)", valueName: "seconds"),
        transform: ConnectionOptions.duration)
    var timeout: Duration?

    @Flag(
        name: .customLong("dangerously-allow-local-addresses"),
        help: "Fetch from private and loopback addresses too: for a mirror of one's own.")
    var allowsLocalAddresses = false

    @Option(
        name: .customLong("date"),
        help: ArgumentHelp(
            "When the data were fetched, such as 2026-01-31T12:00:00Z. (default: the file DATE with the data, or now for data from an address)",
            valueName: "moment"),
        transform: EvaluationMoment.parse)
    var date: Date?

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("The folder to write. (default: the one that is read without options)", valueName: "dir"),
        completion: .directory)
    var target: String?

    @Flag(
        name: .customLong("dangerously-accept-doubtful-data"),
        help: "Take data with fewer than half of the roots or logs of those in use, and older data.")
    var acceptsDoubtful = false

    /// The address of Apple's repository, for advice. Nothing is fetched from it unless it is given.
    static let repository = "https://github.com/apple-oss-distributions/security_certificates"

    private var isAddress: Bool { self.source.contains("://") }

    func validate() throws {
        guard self.givenSource != nil else {
            throw ValidationError("nothing says where the data come from. Apple's are at --from \(Self.repository)")
        }
        guard !self.isAddress else { return }
        let options = [
            ("--roots", !self.roots.isEmpty), ("--timeout", self.timeout != nil),
            ("--dangerously-allow-local-addresses", self.allowsLocalAddresses),
        ].filter(\.1).map(\.0)
        if let option = options.first {
            throw ValidationError("\(option) is about fetching from an address, and --from names none")
        }
    }

    func run() async throws {
        guard let target = self.target ?? AppleTrustData.updatedFolder() else {
            throw CommandError("this process has no home folder. Give --to DIR")
        }
        if BoundedFile.isFolder(self.source) { return try self.update(target, from: self.source) }
        let contents =
            self.isAddress
            ? try await self.download()
            : try AppleDataArchive.contents(of: self.source)
        try AppleDataArchive(contents, name: self.source).withFolder { try self.update(target, from: $0) }
    }

    private func download() async throws -> [UInt8] {
        let download = try AppleDataDownload(
            self.source, trusting: try self.roots.map { try $0.store() }, timeout: self.timeout,
            dangerouslyAllowsLocalAddresses: self.allowsLocalAddresses)
        return try await download.contents()
    }

    private func update(_ target: String, from folder: String) throws {
        let update = AppleDataUpdate(
            of: target, from: folder, named: self.source, date: self.date, isFetched: self.isAddress,
            acceptsDoubtful: self.acceptsDoubtful)
        switch try update.run(now: Date()) {
        case .taken(let text): try Console.write(text)
        case .doubtful(let sentence):
            Console.complain(sentence)
            try ReportVerdict.notTrusted.finish()
        }
    }
}
