//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension TrustRule {
    static let extensions = [
        Self.criticalExtension, Self.malformedExtension, Self.duplicateExtension, Self.certificatePolicy,
    ]

    private static let criticalExtension = TrustRule(
        "critical-extension", "An unknown critical extension",
        requirement: "Every critical extension is known and processed.", section: .rfc(5280, "4.2"),
        check: .criticalExtensions,
        remedies: [
            TrustRemedy(
                .leaf, .reissue,
                advice: "Have the certificate issued without the extension, or with the extension not critical."),
            TrustRemedy(
                .intermediate, .useOtherAuthority,
                advice:
                    "Use an authority without this extension in its certificate, or with an extension that is not critical."
            ),
        ]
    ) { breach in
        guard case .unknownCriticalExtension(let identifier) = breach.reason else { return nil }
        let name = OIDNames.name(of: identifier)
        return RuleAccount(
            "The certificate \(breach.name) has a critical extension that is not processed here (\(name)).",
            found: "\(name), critical", required: "critical extensions that are known here",
            evidence: ["extension": "\(identifier)"])
    }

    private static let malformedExtension = TrustRule(
        "malformed-extension", "An extension cannot be read", requirement: "Every known extension can be read.",
        section: .rfc(5280, "4.2"), check: .unparseableExtension, remedies: Self.wellFormed
    ) { breach in
        guard case .malformedExtension(let identifier) = breach.reason else { return nil }
        let name = OIDNames.name(of: identifier)
        return RuleAccount(
            "The certificate \(breach.name) has an extension that cannot be read (\(name)).",
            found: "\(name) with octets that cannot be read", required: "the encoding of RFC 5280 §4.2",
            evidence: ["extension": "\(identifier)"])
    }

    private static let duplicateExtension = TrustRule(
        "duplicate-extension", "An extension stands twice", requirement: "No extension stands twice.",
        section: .rfc(5280, "4.2"), check: .duplicateExtension, remedies: Self.wellFormed
    ) { breach in
        guard case .duplicateExtension(let identifier) = breach.reason else { return nil }
        let name = OIDNames.name(of: identifier)
        return RuleAccount(
            "The certificate \(breach.name) has the extension \(name) twice.", found: "\(name) twice",
            required: "each extension once", evidence: ["extension": "\(identifier)"])
    }

    private static let certificatePolicy = TrustRule(
        "policy", "No certificate policy holds",
        requirement: "Certificate policies allow the path, where one is required.", section: .rfc(5280, "6.1"),
        check: .policyConstraints,
        remedies: [
            TrustRemedy(
                .leaf, .reissue, .changePolicy,
                advice:
                    "Have the certificates issued with a policy in common, which an authority may require by its policy constraints. Where the caller requires one, name a policy that they share."
            )
        ]
    ) { breach in
        guard case .certificatePolicies = breach.reason else { return nil }
        return RuleAccount(
            "No certificate policy holds for the whole path, and an authority of the path, or the caller, requires one.",
            found: breach.surroundings.policies, required: breach.surroundings.requiredPolicy)
    }

    private static let wellFormed = [
        TrustRemedy(
            .leaf, .reissue,
            advice: "Have the certificate issued again by software that writes its extensions correctly and once."),
        TrustRemedy(
            .intermediate, .useOtherAuthority, advice: "Use an authority with a correctly written certificate."),
        TrustRemedy(
            .root, .reissue, .trustRoot,
            advice:
                "Make the root again with each extension once and correctly encoded, with the same name and key, and trust the new one in place of this one. The certificates below it may stay."
        ),
    ]
}

extension BreachSurroundings {
    /// The certificate policies of the path, certificate by certificate, as text. The anchor's own do not count.
    fileprivate var policies: String {
        let named = (self.path.count > 1 ? self.path.dropLast() : self.path[...]).map(\.view.policyIdentifiers)
        guard named.contains(where: { !$0.isEmpty }) else { return "no certificate policies" }
        let texts = named.enumerated().map { index, policies in
            "\(policies.isEmpty ? "none" : policies.map(\.description).sorted().listed(upTo: 4)) in certificate \(index)"
        }
        return "the policies " + texts.joined(separator: ", ") + (self.haveCommonPolicy(named) ? Self.ruledOut : "")
    }

    /// `true` if a policy that the caller accepts stands in every certificate, and something else rules it out.
    private func haveCommonPolicy(_ named: [Set<OID>]) -> Bool {
        let explicit = named.filter { !$0.contains(.anyPolicy) }
        guard let first = explicit.first else { return true }
        let common = explicit.dropFirst().reduce(first) { $0.intersection($1) }
        return !common.isDisjoint(with: self.acceptedPolicies ?? common)
    }

    /// The policies that the caller accepts, or `nil` if it accepts every one.
    private var acceptedPolicies: Set<OID>? {
        self.policyInputs.initialPolicies.flatMap { $0.contains(.anyPolicy) ? nil : $0 }
    }

    fileprivate var requiredPolicy: String {
        guard let accepted = self.acceptedPolicies else { return "a policy that holds for the whole path" }
        let names = accepted.map(\.description).sorted().listed(upTo: 4)
        return "\(accepted.count == 1 ? "the policy" : "one of the policies") \(names) for the whole path"
    }

    private static let ruledOut =
        ", which a policy mapping, or an inhibition of mappings or of anyPolicy, leaves without effect"
}
