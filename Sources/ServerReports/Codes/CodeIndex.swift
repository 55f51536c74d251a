//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import AppleFiles
import ConfigurationDocuments
import ServerTrust

/// All codes that can be explained: the codes of this package and the equivalent codes of other programs.
package enum CodeIndex {
    /// All codes, by kind.
    package static let all: [ExplainedCode] =
        Self.reasons + Self.notes + Self.transportSecurity + Self.connections + Self.servers + Self.logs
        + Self.questions
        + Self.files
        + Self.statuses + Self.urlErrors + Self.results + VerificationCode.all.map(\.explained)

    /// Returns the codes for a name or number, with or without the prefix of its C header.
    ///
    /// - Parameters:
    ///   - text: The text that a person entered.
    ///   - all: The codes to search.
    package static func codes(for text: String, in all: [ExplainedCode] = Self.all) -> [ExplainedCode] {
        let sought = Self.key(text)
        guard !sought.isEmpty else { return [] }
        let found = all.filter { code in
            Self.key(code.id) == sought || code.number.map { "\($0)" == sought } == true
                || Self.prefixes.contains { Self.key(code.id) == $0 + sought }
                || code.synonyms.contains { Self.key($0) == sought }
        }
        guard found.isEmpty, let number = Int(text), number > 0 else { return found }
        // Apple's codes are negative, and people leave the sign out.
        return all.filter { $0.number == -number }
    }

    /// Returns the code with the most similar spelling, or `nil` if there is no similar code.
    ///
    /// - Parameters:
    ///   - text: The text that a person entered.
    ///   - all: The codes to search.
    package static func suggestion(for text: String, in all: [ExplainedCode] = Self.all) -> String? {
        SpellingSuggestion.closest(to: text, in: all.map(\.id))
    }

    /// Returns `true` if there is an explanation for exactly this name.
    static func isExplained(_ id: String) -> Bool { Self.byIdentifier[id] != nil }

    /// Returns the first explanation for exactly this name, or `nil` if there is none.
    static func explanation(_ id: String) -> ExplainedCode? { Self.byIdentifier[id] }

    private static let byIdentifier = Dictionary(Self.all.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })

    /// The prefixes of C headers, which people leave out.
    private static let prefixes = ["errsec", "errssl", "nsurlerror", "x509verr", "certificaterule"]

    /// Returns the letters and digits in lower case, with the sign of a number. Underscores, hyphens and quotation marks are
    /// ignored.
    private static func key(_ text: String) -> String {
        let isNumber = Int(text) != nil
        return String(text.lowercased().filter { $0.isLetter || $0.isNumber || (isNumber && $0 == "-") })
    }
}

// MARK: - This package's tables

extension CodeIndex {
    private static let reasons = Self.rules + [Self.certificateRule]

    /// The common code of the rules on the form of certificates. Each rule also has a code of its own.
    private static let certificateRule: ExplainedCode = {
        let rules = TrustRule.all.filter { $0.id.hasPrefix("certificate-rule/") }
        var code = ExplainedCode(
            kind: .reason, id: "certificate-rule", title: "The form of the certificate breaks a rule of its profile",
            sentence:
                "A certificate keeps the rules on its form that the profile asks for. The report names which it breaks.",
            remedies: [
                .init(
                    "Have the certificate issued again by an authority that keeps the rule that is named.", [.reissue])
            ])
        code.section = rules.first.map { ($0.section, $0.link) }
        let check = TrustCheck.certificateProfile
        code.apple = [
            "\(check.rawValue): \(check.osStatus.name) (\(check.osStatus.rawValue)), \(check.severity.rawValue)"
        ]
        code.related = rules.map(\.id)
        return code
    }()

    private static let rules = TrustRule.all.map { rule in
        var code = ExplainedCode(
            kind: .reason, id: rule.id, title: rule.title, sentence: rule.requirement,
            remedies: .init(of: rule))
        code.section = (rule.section, rule.link)
        code.profiles = rule.profiles
        let status = "\(rule.check.osStatus.name) (\(rule.check.osStatus.rawValue))"
        code.apple = [
            rule.check.foreignCode.map { "has no such check. Chrome reports \($0)" }
                ?? "\(rule.check.rawValue): \(status), \(rule.severity.rawValue)"
        ]
        return code
    }

    /// The codes of logged faults that are in no other table.
    private static let logs: [ExplainedCode] = LoggedFault.oneOfEach.map(\.meaning).compactMap {
        meaning -> ExplainedCode? in
        let known = Self.transportSecurity.map(\.id) + Self.reasons.map(\.id) + Self.connections.map(\.id)
        guard !known.contains(meaning.code) else { return nil }
        var code = ExplainedCode(
            kind: .transportSecurity, id: meaning.code, title: "A line that Apple's systems log",
            sentence: "\(meaning.sentence) \(meaning.since)", remedies: [.init(meaning.remedy)])
        code.section = ("Apple, NSAppTransportSecurity", ReportTool.transportSecurityHelp)
        code.apple = ["logged as it is, without a code of its own"]
        return code
    }.reduce(into: []) { codes, code in
        if !codes.contains(where: { $0.id == code.id }) { codes.append(code) }
    }

    private static let notes = TrustNote.Kind.allCases.map { kind in
        var code = ExplainedCode(
            kind: .note, id: kind.rawValue, title: kind.title, sentence: kind.requirement,
            remedies: [.init(kind.advice, kind.actions)])
        code.section = kind.rule.map { ($0.section, $0.link) }
        return code
    }

    private static let transportSecurity =
        ATSViolation.oneOfEach.map { violation in
            var code = ExplainedCode(
                kind: .transportSecurity, id: violation.code, title: violation.title, sentence: violation.message,
                remedies: [.init(violation.remedy, violation.actions)])
            code.section = ("Apple, NSAppTransportSecurity", ReportTool.transportSecurityHelp)
            let stream = violation.osStatus.map { ", \($0.name) (\($0.rawValue))" } ?? ""
            code.apple = ["\(violation.urlError.name) (\(violation.urlError.rawValue))\(stream)"]
            return code
        } + [Self.untrusted]

    private static let untrusted: ExplainedCode = {
        var code = ExplainedCode(
            kind: .transportSecurity, id: "untrusted", title: "The chain is not trusted",
            sentence: "App Transport Security lets no app connect to a server with a chain that is not trusted.",
            remedies: [.init("The report has the reason with its own code. Mend that.")])
        code.section = ("Apple, NSAppTransportSecurity", ReportTool.transportSecurityHelp)
        let error = URLErrorCode.serverCertificateUntrusted
        code.apple = ["\(error.name) (\(error.rawValue)), with the stream's code for the reason"]
        return code
    }()

    private static let connections = Self.problems + Self.connectionErrors

    private static let problems = ConnectionProblem.oneOfEach.map(Self.code(of:))

    private static func code(of problem: ConnectionProblem) -> ExplainedCode {
        var code = ExplainedCode(
            kind: .connection, id: problem.code, title: problem.title, sentence: problem.message,
            remedies: [.init(problem.remedy)])
        code.section = problem.section
        code.apple = [problem.apple]
        return code
    }
}

// MARK: - Apple's codes

extension CodeIndex {
    /// The status codes with the rules that report them.
    private static let statuses = OSStatusCode.allCases.map { status in
        let rules = TrustRule.all.filter { $0.check.osStatus == status && !$0.id.contains("/") }
        let meaning = status.transportMeaning
        var code = ExplainedCode(
            kind: .osStatus, id: status.name, number: Int(status.rawValue),
            title: rules.first?.title ?? meaning?.meaning.withoutStop ?? status.name,
            sentence: rules.isEmpty
                ? meaning?.meaning ?? "A code of Apple's Security framework."
                : "Apple's systems report it where one of these is broken: "
                    + rules.map(\.requirement).joined(separator: " "),
            remedies: rules.isEmpty
                ? [.init((meaning?.remedy ?? "Evaluate the chain for the reasons.") + Self.diagnoseAdvice)]
                : rules.compactMap { rule in
                    rule.remedies.first.map { .init($0.advice, $0.actions, under: rule.id) }
                })
        code.related = rules.map(\.id)
        return code
    }

    private static let urlErrors = URLErrorCode.allCases.map { error in
        ExplainedCode(
            kind: .urlError, id: error.name, number: error.rawValue, title: error.meaning.withoutStop,
            sentence: error.meaning, remedies: [.init(error.remedy + Self.diagnoseAdvice)])
    }

    private static let diagnoseAdvice = " Diagnose the server to see what causes it."
}

extension String {
    fileprivate var withoutStop: String { self.hasSuffix(".") ? String(self.dropLast()) : self }
}

extension ATSViolation {
    fileprivate var title: String {
        switch self.reason {
        case .insecureLoad: "The load is not encrypted"
        case .connectionFailed: "There is no connection"
        case .versionTooOld: "The version of TLS is too old"
        case .cipherSuite: "The cipher suite is not allowed"
        case .noExtendedMasterSecret: "The extended master secret is missing"
        case .keyTooSmall(_, let bits, let minimum) where bits >= minimum: "The server's key is of another kind"
        case .keyTooSmall: "The server's key is too small"
        case .leafDigest, .issuerDigest: "Signed over too weak a digest"
        case .signatureAlgorithmNotOffered: "Signed with an algorithm that was not offered"
        case .untrusted: "The chain is not trusted"
        case .leafNotPinned, .authorityNotPinned: "The key is not pinned"
        case .unknown: "A fact is not known"
        }
    }
}
