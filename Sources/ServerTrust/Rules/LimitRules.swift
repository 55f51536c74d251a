//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension TrustRule {
    static let limits = [Self.pathTooLong, Self.budgetExceeded]

    private static let pathTooLong = TrustRule(
        "path-too-long", "The path is too long to follow",
        requirement: "The path has no more certificates than are followed.", section: .ownLimits, check: .workLimit,
        remedies: [
            TrustRemedy(
                .leaf, .changeChain, .trustRoot,
                advice: "Send fewer intermediates, or trust one of the upper ones as an anchor.")
        ]
    ) { breach in
        guard case .pathTooLong(let limit) = breach.reason else { return nil }
        return RuleAccount(
            "The path goes on above \(breach.name) and is longer than the \(limit) certificates that are followed.",
            found: "more than \(limit) certificates", required: "at most \(limit)", evidence: ["limit": "\(limit)"])
    }

    private static let budgetExceeded = TrustRule(
        "budget-exceeded", "Too much work for one evaluation",
        requirement: "The work allowed for one evaluation suffices.", section: .ownLimits, check: .workLimit,
        remedies: [
            TrustRemedy(
                .leaf, .changeChain,
                advice: "Send only the certificates of the path: such sets are made to keep validators busy.")
        ]
    ) { breach in
        guard case .budgetExceeded(let resource) = breach.reason else { return nil }
        return RuleAccount(
            "The certificates take too much work to judge (\(resource.rawValue)).",
            found: "more \(resource.rawValue) than allowed", required: "the work allowed (Budget)",
            evidence: ["resource": resource.rawValue])
    }
}
