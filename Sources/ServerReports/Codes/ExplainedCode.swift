//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust

/// The explanation of a code of reports, of Apple's systems or of another program.
package struct ExplainedCode: Sendable {
    /// The origin or the subject of a code.
    package enum Kind: String, Sendable, CaseIterable {
        /// A reason to refuse a chain.
        case reason
        /// A note that does not affect the verdict.
        case note
        /// A requirement of App Transport Security.
        case transportSecurity = "transport-security"
        /// A fault of a connection, or a reason for a failed connection.
        case connection
        /// A missing fact about a server.
        case missing
        /// A recommended change to the settings of a server.
        case setting
        /// An unusual behavior of a server.
        case observation
        /// A reason for a pinning refusal.
        case pins
        /// A finding in a file of pins.
        case pinFile = "pin-file"
        /// A rule of the linter for App Transport Security, or a risk of an exception.
        case lint
        /// The use of a piece of evidence.
        case evidence
        /// A reason for a failed fetch.
        case fetching
        /// A fault of a line in a list of servers.
        case list
        /// A reason for the proxy to refuse a request.
        case proxy
        /// A fault in an encoding.
        case encoding
        /// A status code of Apple's Security framework.
        case osStatus = "os-status"
        /// A code of Apple's `NSURLErrorDomain`.
        case urlError = "url-error"
        /// A result of Apple's trust evaluation.
        case trustResult = "trust-result"
        /// A verification code of OpenSSL and BoringSSL.
        case openSSL = "openssl"

        package var title: String {
            switch self {
            case .reason: "Reasons against a chain"
            case .note: "Notes"
            case .transportSecurity: "App Transport Security"
            case .connection: "Connections"
            case .missing: "Missing facts about a server"
            case .setting: "Settings of servers"
            case .observation: "Observations about servers"
            case .pins: "Pins"
            case .pinFile: "Files of pins"
            case .lint: "App Transport Security in an Info.plist"
            case .evidence: "Use of the inputs"
            case .fetching: "Fetching"
            case .list: "Lists of servers"
            case .proxy: "Answers of the proxy"
            case .encoding: "Octets that cannot be read"
            case .osStatus: "Apple's status codes (OSStatus)"
            case .urlError: "Apple's codes of URL loading (NSURLErrorDomain)"
            case .trustResult: "Results of Apple's evaluation of trust"
            case .openSSL: "OpenSSL's and BoringSSL's codes of verification"
            }
        }
    }

    package let kind: Kind
    /// `true` if ``sentence`` states the rule that the fault breaks.
    private var isRule: Bool { self.kind == .reason || self.kind == .note }
    /// The code as written in reports, or the name of a constant.
    package let id: String
    package var number: Int?
    /// Other names, by which people look the code up.
    package var synonyms: [String] = []
    /// The fault in a few words.
    package let title: String
    /// The rule, or the meaning of the code, as one sentence.
    package let sentence: String
    /// The section of the standard and a link to it.
    package var section: (text: String, link: String)?
    /// Apple's check and codes: `TemporalValidity: errSecCertificateExpired (-67818)`.
    package var apple: [String] = []
    /// The remedies, each with the circumstance that it applies to.
    package let remedies: [Remedy]
    /// The standard profiles that require the rule, or `nil` if the code is not a rule of profiles.
    package var profiles: [String]?
    /// The equivalent codes of this program.
    package var related: [String] = []

    package var name: String { self.number.map { "\(self.id) (\($0))" } ?? self.id }
}

extension ExplainedCode {
    /// A remedy for a code.
    package struct Remedy: Sendable {
        /// The circumstance that the remedy applies to, or `nil` if it always applies.
        package let circumstance: String?
        package let advice: String
        package let actions: [TrustRemedy.Action]

        package init(_ advice: String, _ actions: [TrustRemedy.Action] = [], under circumstance: String? = nil) {
            self.circumstance = circumstance
            self.advice = advice
            self.actions = actions
        }
    }
}

extension [ExplainedCode.Remedy] {
    /// Creates the remedies of a rule. Each states its circumstance if there are several.
    init(of rule: TrustRule) {
        self = rule.remedies.map { remedy in
            ExplainedCode.Remedy(
                remedy.advice, remedy.actions, under: rule.remedies.count > 1 ? remedy.circumstance.title : nil)
        }
    }
}

extension ExplainedCode {
    /// Creates a code with one remedy. The title is the start of the sentence.
    package init(_ kind: Kind, _ id: String, sentence: String, remedy: String) {
        let first = sentence.split(separator: ". ", maxSplits: 1).first ?? ""
        let title = first[..<(first.firstRange(of: ": ")?.lowerBound ?? first.endIndex)]
        self.init(
            kind: kind, id: id, title: String(title.last == "." ? title.dropLast() : title), sentence: sentence,
            remedies: [Remedy(remedy)])
    }

    package func text(_ style: TextStyle) -> String {
        var text =
            "\(style.bold(self.name)): \(self.title)\n"
            + (self.isSaidByTitle || self.isRule ? "" : "  \(self.sentence)\n")
        var lines = self.isRule ? [("rule", self.sentence)] : []
        lines += self.section.map { [("stated in", "\($0.text), \($0.link)")] } ?? []
        lines += self.apple.map { ("Apple", $0) }
        if !self.related.isEmpty { lines.append(("here", self.related.joined(separator: ", "))) }
        lines +=
            self.profiles.map {
                [("profiles", $0.isEmpty ? "none: asked for apart from profiles" : $0.joined(separator: ", "))]
            }
            ?? []
        lines += self.remedies.map { remedy in
            // The remedies of the proxy depend on its code.
            let code = self.kind == .proxy ? [self.id] : []
            let advice = style.spelling.text(remedy.advice, codes: remedy.actions.map(\.rawValue) + code)
            return ("what to do", (remedy.circumstance.map { "\($0): " } ?? "") + advice)
        }
        var last = ""
        for (label, value) in lines {
            let shown = (label == last ? "" : label).padded(to: 12)
            text += "  \(style.dim(shown))\(value)\n"
            last = label
        }
        return style.wrapped(text)
    }

    /// `true` if the title already contains the whole sentence.
    private var isSaidByTitle: Bool { self.sentence == "\(self.title)." }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - self.count))
    }
}

/// A code in JSON.
package struct JSONExplainedCode: Encodable {
    private let kind: String
    private let code: String
    private let number: Int?
    private let title: String
    private let sentence: String
    private let section: String?
    private let link: String?
    private let apple: [String]
    private let related: [String]
    private let profiles: [String]?
    private let remedies: [Remedy]

    private struct Remedy: Encodable {
        package let circumstance: String?
        package let advice: String
        let actions: [String]
    }

    package init(_ code: ExplainedCode) {
        self.kind = code.kind.rawValue
        self.code = code.id
        self.number = code.number
        self.title = code.title
        self.sentence = code.sentence
        self.section = code.section?.text
        self.link = code.section?.link
        self.apple = code.apple
        self.related = code.related
        self.profiles = code.profiles
        self.remedies = code.remedies.map { remedy in
            Remedy(
                circumstance: remedy.circumstance, advice: remedy.advice, actions: remedy.actions.map(\.rawValue))
        }
    }
}
