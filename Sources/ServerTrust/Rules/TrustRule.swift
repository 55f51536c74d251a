//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import CertificatePath

/// A rule that a certificate or path can break.
///
/// ``all`` is the project's one table of rules. Its rows hold everything about a rule except the code of the check: section, link,
/// Apple's check, remedies, and the text of a breach. Texts, JSON, SARIF and documents use it. A new rule needs its check in
/// CertificatePath/Path/Checks, a case of `RejectionReason` with its answer in `isFormality`, a row in the file of its family or in a
/// new family, and a row in `TrustCheckTests.reasons`.
public struct TrustRule: Sendable, Identifiable {
    /// A short, stable name: `RejectionReason.code`. Rules on the form of certificates add their own name after a
    /// slash (`certificate-rule/serial-number`).
    public let id: String
    /// The fault in a few words: `The certificate has expired`.
    public let title: String
    /// The requirement, as one sentence.
    public let requirement: String
    /// The section that states the rule: `RFC 5280 §4.1.2.5`.
    public let section: String
    /// The link to the section.
    public let link: String
    /// Apple's check that fails, or the nearest one.
    public let check: TrustCheck
    /// The remedies by circumstance. The first is the general one.
    public let remedies: [TrustRemedy]
    private let holds: @Sendable (ValidationProfile) -> Bool
    private let account: Account

    /// A function that returns the text of a breach, or `nil` for a breach of another rule.
    typealias Account = @Sendable (RuleBreach) -> RuleAccount?

    /// The severity of a breach, which decides if an exception can lift it.
    public var severity: TrustCheck.Severity { self.check.severity }

    /// Returns `true` if the profile has the rule.
    public func holds(under profile: ValidationProfile) -> Bool { self.holds(profile) }

    /// The names of the standard profiles that have the rule.
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

    /// Every rule. Rules on the form of certificates come last.
    public static let all: [TrustRule] =
        Self.validity + Self.chain + Self.signatures + Self.keys + Self.names + Self.uses + Self.extensions + Self.pins
        + Self.revocation + Self.transparency + Self.limits + Self.forms

    /// Returns the rule with the given identifier, or `nil` if there is none.
    public static func rule(_ id: String) -> TrustRule? { Self.byIdentifier[id] }

    private static let byIdentifier = Dictionary(Self.all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    func account(of breach: RuleBreach) -> RuleAccount? { self.account(breach) }

    /// Returns the remedy for a circumstance, or the general one if the circumstance has none of its own.
    func remedy(_ circumstance: TrustRemedy.Circumstance) -> TrustRemedy? {
        self.remedies.first { $0.circumstance == circumstance } ?? self.remedies.first
    }
}

extension RejectionReason {
    /// The broken rules. Only rules on the form of certificates can be several.
    public var rules: [TrustRule] {
        switch self {
        case .certificateRule(let rules): rules.names.compactMap { TrustRule.rule("certificate-rule/\($0)") }
        case .transparencyMissing(let shortfall) where shortfall.rules == .chrome:
            [TrustRule.rule("certificate-transparency/chrome")].compactMap(\.self)
        default: [TrustRule.rule(self.code)].compactMap(\.self)
        }
    }

    /// Apple's check that fails for this reason, which gives its error code and rank.
    var check: TrustCheck {
        // This is the one rule with two checks, as Apple names the limits below system roots separately.
        if case .lifetimeTooLong(_, let limit) = self, limit.anchorClasses == [.system] {
            return .systemTrustValidityPeriod
        }
        return self.rules.first?.check ?? .certificateProfile
    }
}

/// The section of a standard or source that states a rule.
struct RuleSection: Sendable {
    let text: String
    let link: String

    static func rfc(_ number: Int, _ section: String) -> RuleSection {
        RuleSection(
            text: "RFC \(number) §\(section)", link: "https://www.rfc-editor.org/rfc/rfc\(number)#section-\(section)")
    }

    /// Returns a section of the CA/Browser Forum's Baseline Requirements for TLS servers.
    static func baseline(_ section: String) -> RuleSection {
        RuleSection(
            text: "BR \(section)",
            link: "https://cabforum.org/working-groups/server/baseline-requirements/requirements/")
    }

    /// Returns a place in a file of Apple's Security project.
    static func apple(_ place: String, file: String) -> RuleSection {
        RuleSection(
            text: "Apple Security, \(place)",
            link: "https://github.com/apple-oss-distributions/Security/blob/main/\(file)")
    }

    static let chromeTransparency = RuleSection(
        text: "Chrome Certificate Transparency Policy",
        link: "https://googlechrome.github.io/CertificateTransparency/ct_policy.html")

    /// Apple's published policy of certificate transparency.
    static let applesTransparencyPage = RuleSection(
        text: "Apple's Certificate Transparency policy", link: "https://support.apple.com/103214")

    static let ownLimits = RuleSection(
        text: "SECURITY.md, limits",
        link: "SECURITY.md")
}
