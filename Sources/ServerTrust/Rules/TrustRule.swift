//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// A rule that a certificate or path can break.
///
/// ``all`` is the project's one table of rules. A rule's row holds everything about it but the check itself: section, link,
/// Apple's check, remedies, and the text of a breach. Texts, JSON, SARIF and documents take them from it. A new rule needs
/// its check in CertificatePath, a case of ``CertificatePath/RejectionReason``, and a row in the file of its family.
public struct TrustRule: Sendable, Identifiable {
    /// A short, stable name: ``CertificatePath/RejectionReason/code``, with the rule behind a slash for rules on the form
    /// of certificates (`certificate-rule/serial-number`).
    public let id: String
    /// The fault in a few words: `The certificate has expired`.
    public let title: String
    /// What must hold, as one sentence.
    public let requirement: String
    /// The section that states the rule: `RFC 5280 §4.1.2.5`.
    public let section: String
    /// Where the section is published.
    public let link: String
    /// The check of Apple's that fails, or the nearest one.
    public let check: TrustCheck
    /// The remedies by circumstance. The first is general.
    public let remedies: [TrustRemedy]
    private let holds: @Sendable (ValidationProfile) -> Bool
    private let account: Account

    /// The text of a breach; `nil` for a breach of another rule.
    typealias Account = @Sendable (RuleBreach) -> RuleAccount?

    /// What breaking the rule means: whether an exception can lift it.
    public var severity: TrustCheck.Severity { self.check.severity }

    /// Whether a profile asks for the rule.
    public func holds(under profile: ValidationProfile) -> Bool { self.holds(profile) }

    /// The names of the standard profiles that ask for the rule.
    public var profiles: [String] { ValidationProfile.standard.filter(self.holds).map(\.name) }

    init(
        _ id: String, _ title: String, requirement: String, section: RuleSection, check: TrustCheck,
        remedies: [TrustRemedy], holds: @escaping @Sendable (ValidationProfile) -> Bool = { _ in true },
        account: @escaping Account
    ) {
        self.id = id
        self.title = title
        self.requirement = requirement
        self.check = check
        self.remedies = remedies
        self.holds = holds
        self.account = account
        self.section = section.text
        self.link = section.link
    }

    /// Every rule, those of paths first.
    public static let all: [TrustRule] =
        Self.validity + Self.chain + Self.signatures + Self.keys + Self.names + Self.uses + Self.extensions + Self.pins
        + Self.revocation + Self.transparency + Self.limits + Self.forms

    /// The rule with a name; `nil` without one.
    public static func rule(_ id: String) -> TrustRule? { Self.byIdentifier[id] }

    private static let byIdentifier = Dictionary(Self.all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    /// The text of a breach; `nil` for a breach of another rule.
    func account(of breach: RuleBreach) -> RuleAccount? { self.account(breach) }

    /// The remedy under a circumstance; the first one, which is general, where the circumstance has none of its own.
    func remedy(_ circumstance: TrustRemedy.Circumstance) -> TrustRemedy? {
        self.remedies.first { $0.circumstance == circumstance } ?? self.remedies.first
    }
}

extension RejectionReason {
    /// The rules that are broken; several only where several rules on the form of certificates are.
    public var rules: [TrustRule] {
        switch self {
        case .certificateRule(let rules): rules.names.compactMap { TrustRule.rule("certificate-rule/\($0)") }
        case .transparencyMissing(let shortfall) where shortfall.rules == .chrome:
            [TrustRule.rule("certificate-transparency/chrome")].compactMap(\.self)
        default: [TrustRule.rule(self.code)].compactMap(\.self)
        }
    }

    /// The check of Apple's that this reason fails, and so its error code and rank.
    var check: TrustCheck {
        // The one rule with two checks: Apple names the limits below system roots apart.
        if case .lifetimeTooLong(_, let limit) = self, limit.anchorClasses == [.system] {
            return .systemTrustValidityPeriod
        }
        return self.rules.first?.check ?? .certificateProfile
    }
}

/// The place where a rule is stated.
struct RuleSection: Sendable {
    let text: String
    let link: String

    /// A section of an RFC.
    static func rfc(_ number: Int, _ section: String) -> RuleSection {
        RuleSection(
            text: "RFC \(number) §\(section)", link: "https://www.rfc-editor.org/rfc/rfc\(number)#section-\(section)")
    }

    /// A section of the CA/Browser Forum's Baseline Requirements for TLS servers.
    static func baseline(_ section: String) -> RuleSection {
        RuleSection(
            text: "BR \(section)",
            link: "https://cabforum.org/working-groups/server/baseline-requirements/requirements/")
    }

    /// A file of Apple's Security project.
    static func apple(_ place: String, file: String) -> RuleSection {
        RuleSection(
            text: "Apple Security, \(place)",
            link: "https://github.com/apple-oss-distributions/Security/blob/main/\(file)")
    }

    /// Chrome's policy of certificate transparency.
    static let chromeTransparency = RuleSection(
        text: "Chrome Certificate Transparency Policy",
        link: "https://googlechrome.github.io/CertificateTransparency/ct_policy.html")

    /// This library's own limits.
    static let ownLimits = RuleSection(
        text: "SECURITY.md, limits",
        link: "SECURITY.md")
}
