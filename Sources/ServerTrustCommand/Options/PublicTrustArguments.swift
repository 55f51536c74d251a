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

/// The options that put Apple's public trust in the place of this machine's.
struct PublicTrustArguments: ParsableArguments {
    @Option(
        name: .customLong("apple-data"),
        help: ArgumentHelp(
            "Trust the roots of Apple's program in place of this machine's, and require certificate transparency as Apple does.",
            discussion: """
                A folder laid out as Apple's repository security_certificates, with a file DATE that says when it was \
                fetched. Data of sixty days or more refuse no certificate for want of timestamps.
                """,
            valueName: "dir"))
    var appleData: String?

    @Option(
        name: .customLong("sct"),
        help: ArgumentHelp(
            "A list of signed certificate timestamps that the server sent in its handshake; may be repeated.",
            discussion: "The octets of a SignedCertificateTimestampList, as in the TLS extension. Needs --apple-data.",
            valueName: "file"))
    var timestamps: [String] = []

    func validate() throws {
        if self.appleData == nil, !self.timestamps.isEmpty {
            throw ValidationError("--sct without --apple-data would be ignored; add --apple-data DIR")
        }
    }

    /// The data; `nil` when none are asked for.
    ///
    /// - Throws: `AppleTrustDataError`, whose description says what to do.
    func data() throws -> AppleTrustData? { try self.appleData.map { try AppleTrustData(folder: $0) } }

    /// What the verdicts stand on, as a sentence; `nil` without data.
    func note(_ data: AppleTrustData?) -> String? {
        guard let data else { return nil }
        let date = data.date.formatted(.iso8601.year().month().day())
        let old = "They are sixty days old or older: no certificate is refused for want of timestamps."
        return "Roots and logs are those of Apple's data of \(date). " + (data.isCurrent(at: Date()) ? "" : old)
    }

    /// What is asked of certificate transparency.
    func transparency(_ data: AppleTrustData?) throws -> TransparencyRequest? {
        guard var request = data?.transparency(at: Date()) else { return nil }
        request.timestampLists = try self.timestamps.map { try BoundedFile.read($0) }
        return request
    }
}
