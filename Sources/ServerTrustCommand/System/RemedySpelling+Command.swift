//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import InterceptingProxy
import ServerReports
import ServerTrust

extension RemedySpelling {
    /// The options and commands of this program for the actions of remedies.
    static let command: RemedySpelling = {
        var spelling = RemedySpelling.ofActions
        spelling.askingRevocation = "To ask the authorities, give --revocation soft."
        spelling.decidingLocality = "To decide it here, give --local or --no-local."
        return spelling
    }()

    private static let ofActions = RemedySpelling(
        words: Dictionary(
            uniqueKeysWithValues: Self.actions.map { ($0.rawValue, $1) } + Self.refusals.map { ($0.rawValue, $1) }
                + [
                    ("insecure-load", "Start it with --insecure-http."),
                    (
                        ResourceError.Code.forbiddenAddress.rawValue,
                        "To fetch it all the same, give --dangerously-allow-local-addresses."
                    ),
                ]),
        explaining: "servertrust explain", otherProducts: "For the settings of other servers, give --server")

    private static let actions: [(TrustRemedy.Action, String)] = [
        (.trustRoot, "To trust it here, give --roots FILE."),
        (.setClock, "To judge for another moment, give --at TIME."),
        (.fetchIssuer, "To fetch it here, give --fetch-issuers."),
        (.acceptOldIssuers, "To accept it here, give --dangerously-accept-version-1-issuers."),
        (
            .updateData,
            "To update Apple's data, run servertrust apple-data update --from \(AppleDataUpdateCommand.repository)."
        ),
        (.giveLogList, "To use another list, give --log-list FILE."),
        (.trustSystemRoots, "To trust it here, give --roots system."),
        (.requireStaple, "To refuse such servers here, give --must-staple."),
        (.omitIdentity, "Leave --cert and --p12 out."),
        (.askAddress, "To ask one of the others, give --connect-to ADDRESS."),
    ]

    private static let refusals: [(RefusalCode, String)] = [
        (.portNotAllowed, "Start it with --allow-port PORT."),
        (.localAddress, "Start it with --allow-local."),
        (.nameNotPermitted, "Start it with another --root-folder, and with --root-for HOST or without --root-for."),
        (.upstreamCredential, "Start it with --proxy-user."),
        (.noResponse, "servertrust check HOST says more of its TLS."),
    ]
}
