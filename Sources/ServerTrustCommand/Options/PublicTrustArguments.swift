//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import CertificatePath
import ServerDiagnosis
import ServerReports
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The vendor of the certificate transparency policy.
enum TransparencyPolicyArgument: String, CaseIterable, ExpressibleByArgument {
    case apple, chrome

    var rules: TransparencyRules {
        switch self {
        case .apple: .apple
        case .chrome: .chrome
        }
    }
}

/// The options for Apple's data.
struct PublicTrustArguments: ParsableArguments {
    @Option(name: .customLong("apple-data"), help: AppleDataArguments.help, completion: .directory)
    var folder: String?

    @Flag(
        name: .customLong("require-apple-data"),
        help: ArgumentHelp(
            "Exit with 2 where only newer data of Apple's could decide.",
            discussion: """
                Without it, a certificate with timestamps of unknown logs is trusted, with a note, while the data are \
                sixty days old or older.
                """))
    var isRequired = false

    @Flag(
        name: .customLong("dangerously-trust-blocked-roots"),
        help: ArgumentHelp(
            "Trust the roots of Apple's release even where Apple has blocked or removed them since.",
            discussion: "Apple's systems refuse certificates below a blocked root, even where that root is installed."))
    var trustsBlockedRoots = false

    @Option(
        name: .customLong("ct-policy"),
        help: ArgumentHelp(
            "The policy of certificate transparency to apply.",
            discussion: """
                apple counts logs as Apple's systems do. chrome asks for two logs of different operators, and counts what \
                the server delivers apart from those in the certificate. Give it Google's list with --log-list.
                """))
    var policy = TransparencyPolicyArgument.apple

    @Option(
        name: .customLong("log-list"),
        help: ArgumentHelp(
            "Use the logs of a log_list.json of Apple's or of Google's. (default: those of Apple's data)",
            discussion: "Google's list has a date. Apple's has the date of Apple's data.", valueName: "file"),
        completion: .file())
    var logList: String?

    var given: [String] {
        [
            ("--apple-data", self.folder != nil), ("--require-apple-data", self.isRequired),
            ("--dangerously-trust-blocked-roots", self.trustsBlockedRoots),
            ("--ct-policy", self.policy != .apple), ("--log-list", self.logList != nil),
        ].filter(\.1).map(\.0)
    }

    /// Reads Apple's data.
    ///
    /// - Throws: `AppleTrustDataError` with a description that states the remedy.
    func data() throws -> AppleTrustData {
        let data = try AppleDataArguments.data(self.folder)
        return self.trustsBlockedRoots ? data.dangerouslyTrustingBlockedRoots() : data
    }

    /// Sets the requirements for certificate transparency and the description of the public roots.
    ///
    /// - Parameters:
    ///   - trust: The rules to change.
    ///   - data: Apple's data.
    ///   - now: The current date.
    ///   - roots: The origin of the public roots.
    /// - Throws: `FileError` or `LogListError` with descriptions that state the remedy.
    func apply(to trust: inout VerdictBasis, data: AppleTrustData, now: Date, roots: PublicTrustBasis.Roots)
        throws
    {
        var request = data.transparency(at: now)
        var basis = PublicTrustBasis(data, roots: roots, now: now)
        request.rules = self.policy.rules
        var date = data.parts.logList.date
        if let logList {
            let list = try LogList(contents: try BoundedFile.read(logList))
            request.logs = TransparencyLogs(list.logs)
            basis.hasOtherLogs = true
            basis.newCertificates = list.coverage(
                lifetimeInDays: PublicTrustBasis.lifetimeOfNewCertificates, issuedAt: now)
            basis.judgesUntil = list.judgesUntil(lifetimeInDays: PublicTrustBasis.lifetimeOfNewCertificates, at: now)
            basis.logListDate = list.date
            basis.hasFutureLogs = list.date.map { $0 > now } ?? false
            date = list.date ?? date
        }
        request.isListCurrent = TransparencyRequest.isCurrent(
            listOf: Timestamp(date), at: Timestamp(now), by: request.rules)
        basis.transparencyRules = request.rules
        basis.isCurrent = request.isListCurrent
        trust.anchors.blockedRoots = data.blockedRoots
        trust.transparency = request
        trust.publicTrust = basis
        trust.requiresKnownLogs = self.isRequired
    }
}

/// The option for a folder with Apple's data.
struct AppleDataArguments: ParsableArguments {
    @Option(name: .customLong("apple-data"), help: Self.help, completion: .directory)
    var folder: String?

    static let help = ArgumentHelp(
        "Use the roots and logs of a folder with Apple's data. (default: the data at hand)",
        discussion: """
            A folder with the layout of Apple's repository security_certificates, with a file DATE for the day it was \
            fetched. The data at hand are those that SERVERTRUST_APPLE_DATA names. Otherwise, the newer of those that \
            `apple-data update` has fetched and those that are built in. `apple-data show` says which they are.
            """,
        valueName: "dir")

    /// Reads the data.
    ///
    /// - Throws: `AppleTrustDataError` with a description that states the remedy.
    func data() throws -> AppleTrustData { try Self.data(self.folder) }

    static func data(_ folder: String?) throws -> AppleTrustData {
        try folder.map { try AppleTrustData(folder: $0) } ?? .atHand()
    }
}

/// The option for timestamps that a server delivered outside its certificate.
struct TimestampArguments: ParsableArguments {
    @Option(
        name: .customLong("sct"),
        help: ArgumentHelp(
            "A list of signed certificate timestamps that the server sent in its handshake. May be repeated.",
            discussion: "The octets of a SignedCertificateTimestampList, as in the TLS extension (RFC 6962 §3.3.1).",
            valueName: "file"), completion: .file())
    var files: [String] = []

    /// Reads the lists.
    ///
    /// - Throws: `FileError` with a description that states the remedy.
    func lists() throws -> [[UInt8]] { try self.files.map { try BoundedFile.read($0) } }

    /// The file of each list.
    var givenFiles: [InputFile] {
        self.files.enumerated().map { position, path in
            InputFile("--sct", path, kind: .timestampList, positions: position..<position + 1)
        }
    }
}
