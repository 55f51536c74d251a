//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import CertificatePath
import ServerTrust

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The options that say which of Apple's data are used.
struct PublicTrustArguments: ParsableArguments {
    @OptionGroup
    var source: AppleDataArguments

    @Flag(
        name: .customLong("require-apple-data"),
        help: ArgumentHelp(
            "Exit with 2 where only newer data of Apple's could decide.",
            discussion: """
                Without it, a certificate whose timestamps are of unknown logs is trusted, with a note, while the data are \
                sixty days old or older.
                """))
    var isRequired = false

    /// The options that were given.
    var given: [String] {
        (self.source.folder == nil ? [] : ["--apple-data"]) + (self.isRequired ? ["--require-apple-data"] : [])
    }
}

/// The option that names a folder with Apple's data.
struct AppleDataArguments: ParsableArguments {
    @Option(
        name: .customLong("apple-data"),
        help: ArgumentHelp(
            "Use the roots and logs of a folder with Apple's data. (default: the data at hand)",
            discussion: """
                A folder laid out as Apple's repository security_certificates, with a file DATE that says when it was \
                fetched. The data at hand are those that SERVERTRUST_APPLE_DATA names; otherwise the newer of those that \
                `apple-data update` has fetched and those that are built in. `apple-data show` says which they are.
                """,
            valueName: "dir"))
    var folder: String?

    /// The data.
    ///
    /// - Throws: `AppleTrustDataError`, whose description says what to do.
    func data() throws -> AppleTrustData { try self.folder.map { try AppleTrustData(folder: $0) } ?? .atHand() }
}

/// Timestamps of certificate transparency that a server delivered apart from its certificate.
struct TimestampArguments: ParsableArguments {
    @Option(
        name: .customLong("sct"),
        help: ArgumentHelp(
            "A list of signed certificate timestamps that the server sent in its handshake; may be repeated.",
            discussion: "The octets of a SignedCertificateTimestampList, as in the TLS extension (RFC 6962 §3.3.1).",
            valueName: "file"))
    var files: [String] = []

    /// The lists.
    ///
    /// - Throws: `FileError`, whose description says what to do.
    func lists() throws -> [[UInt8]] { try self.files.map { try BoundedFile.read($0) } }
}
