//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension TrustRule {
    static let transparency = [Self.certificateTransparency, Self.chromeTransparency]

    private static let certificateTransparency = TrustRule(
        "certificate-transparency", "Too few timestamps of certificate transparency",
        requirement:
            "Below a public root, enough logs of certificate transparency have signed a server's certificate, where a list of logs is at hand.",
        section: .apple("SecPolicyCheckSystemTrustedCTRequired", file: "trust/trustd/SecPolicyServer.c"),
        check: .systemTrustedCTRequired,
        remedies: [
            TrustRemedy(
                .leaf, .reissue,
                advice:
                    "Have the certificate issued by an authority that submits to enough logs of the list that was used, and puts the timestamps in."
            ),
            TrustRemedy(
                .unknownLogs, .reissue, .updateData,
                advice:
                    "Have the certificate issued by an authority that submits to enough logs of the list that was used, and puts the timestamps in. A newer list of Apple's may know the logs that are unknown here."
            ),
        ],
        holds: { _ in false }, account: Self.accountOfTimestamps)

    private static let chromeTransparency = TrustRule(
        "certificate-transparency/chrome", "Too few timestamps for Chrome's policy",
        requirement:
            "Below a public root, enough logs of two operators have signed a server's certificate, as Chrome counts them.",
        section: .chromeTransparency, check: .chromeTransparency,
        remedies: [
            TrustRemedy(
                .leaf, .reissue,
                advice:
                    "Have the certificate issued by an authority that submits to enough logs of the list that was used, run by two operators or more, and puts the timestamps in."
            ),
            TrustRemedy(
                .fewOperators, .reissue,
                advice:
                    "The timestamps suffice in number: have the certificate issued again with one of them from a log of another operator."
            ),
            TrustRemedy(
                .unknownLogs, .giveLogList, .reissue,
                advice:
                    "A newer list may know the logs that are unknown here: fetch Google's log_list.json again. Otherwise have the certificate issued with timestamps of logs of two operators."
            ),
        ],
        holds: { _ in false }, account: Self.accountOfTimestamps)

    private static let accountOfTimestamps: Account = { breach in
        guard case .transparencyMissing(let shortfall) = breach.reason else { return nil }
        let isOfOperators = shortfall.rules.neededOperators > 1
        let counted = "\(shortfall.timestamps.counted("timestamp")), of which \(shortfall.counted) count"
        return RuleAccount(
            shortfall.message(about: breach.name),
            found: isOfOperators ? "\(counted), of \(shortfall.countedOperators.counted("operator"))" : counted,
            required: "at least \(shortfall.needed.counted("log"))"
                + (isOfOperators ? " of \(shortfall.rules.neededOperators) operators" : ""),
            evidence: [
                "neededLogs": "\(shortfall.needed)", "countedLogs": "\(shortfall.counted)",
                "timestamps": "\(shortfall.timestamps)", "unknownLogs": "\(shortfall.unknownLogs)",
                "countedOperators": "\(shortfall.countedOperators)", "rules": shortfall.rules.rawValue,
            ],
            circumstance: shortfall.circumstance)
    }
}

extension TransparencyShortfall {
    fileprivate var circumstance: TrustRemedy.Circumstance {
        if self.unknownLogs > 0 { return .unknownLogs }
        let lacksOperatorsAlone =
            self.counted >= self.needed && self.countedOperators < self.rules.neededOperators
        return lacksOperatorsAlone ? .fewOperators : .leaf
    }

    fileprivate func message(about name: String) -> String {
        let operators = self.rules.neededOperators
        let areDifferent = operators > 1 ? " of \(operators) operators" : ""
        let needed = "At least \(self.needed) logs of certificate transparency\(areDifferent) must have signed one"
        guard self.timestamps > 0 else {
            return "The certificate \(name) has no signed certificate timestamps. \(needed)."
        }
        let unknown = self.unknownLogs == 0 ? "" : ", \(self.unknownLogs) of them from unknown logs"
        return
            "The certificate \(name) has \(self.timestamps.counted("signed certificate timestamp"))\(unknown). \(needed), "
            + "and \(self.counted)\(operators > 1 ? " of \(self.countedOperators)" : "") did."
    }
}
