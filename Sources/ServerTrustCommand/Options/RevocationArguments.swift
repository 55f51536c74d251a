//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import CertificatePath

/// The options for revocation checks and for fetching revocation information.
struct RevocationArguments: ParsableArguments {
    @Option(
        name: .customLong("revocation"),
        help: ArgumentHelp(
            "Whether revoked certificates are refused: off, soft (those shown to be), hard (unless shown not to be).",
            discussion: "off looks at nothing. soft when --crl, --ocsp or --fetch-revocation is given, off otherwise."
        )
    )
    var mode: RevocationMode?

    @Flag(
        name: .customLong("fetch-revocation"),
        help: ArgumentHelp(
            "Fetch OCSP responses and revocation lists where certificates say they are.",
            discussion: "Only for a path that is in order otherwise. Over plain HTTP, from public addresses only."
        )
    )
    var fetches = false

    func validate() throws {
        guard self.mode == .off, self.fetches else { return }
        throw ValidationError(
            "--revocation off needs nothing fetched. Leave --fetch-revocation out, or say soft or hard")
    }
}

/// The revocation modes by their names on the command line.
enum RevocationMode: String, CaseIterable, ExpressibleByArgument {
    case off
    case soft
    case hard

    var mode: RevocationPolicy.Mode {
        switch self {
        case .off: .off
        case .soft: .soft
        case .hard: .hard
        }
    }
}
