//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import ServerTrust

/// A code that reports, Apple's systems or other programs give, in words.
package struct ExplainedCode: Sendable {
    /// Whose code it is, or where it stands.
    package enum Kind: String, Sendable, CaseIterable {
        /// A reason against a chain.
        case reason
        /// Something to know besides the verdict.
        case note
        /// A requirement of App Transport Security.
        case transportSecurity = "transport-security"
        /// Something against a connection, or that kept one from being made.
        case connection
        /// Something that is not known of a server, and why.
        case missing
        /// What there is to change in the settings of a server.
        case setting
        /// Something odd that a server does.
        case observation
        /// Why pins refuse a host.
        case pins
        /// Something about a file of pins.
        case pinFile = "pin-file"
        /// A rule of the linter for App Transport Security, or what an exception gives up.
        case lint
        /// What became of something that was given.
        case evidence
        /// Why something could not be fetched.
        case fetching
        /// Why a line of a list of servers cannot be used.
        case list
        /// Why the proxy does not carry out a request.
        case proxy
        /// Why octets cannot be read.
        case encoding
        /// A status code of Apple's Security framework.
        case osStatus = "os-status"
        /// A code of Apple's `NSURLErrorDomain`.
        case urlError = "url-error"
        /// A result of Apple's evaluation of trust.
        case trustResult = "trust-result"
        /// A code of the verification of OpenSSL and BoringSSL.
        case openSSL = "openssl"

        /// The heading of the codes of the kind.
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
    /// Whether ``sentence`` is a rule, which the fault breaks.
    private var isRule: Bool { self.kind == .reason || self.kind == .note }
    /// The code as reports write it, or the name of a constant.
    package let id: String
    /// The number of the constant, if it has one.
    package var number: Int?
    /// The fault in a few words.
    package let title: String
    /// What must hold, or what the code means, as one sentence.
    package let sentence: String
    /// Where the rule is stated, and where that is published.
    package var section: (text: String, link: String)?
    /// Apple's check and codes: `TemporalValidity: errSecCertificateExpired (-67818)`.
    package var apple: [String] = []
    /// What to do, each with the circumstance it holds under; without one where it always holds.
    package let remedies: [Remedy]
    /// The standard profiles that ask for the rule; `nil` where it is no rule of profiles.
    package var profiles: [String]?
    /// Codes of this program that say the same.
    package var related: [String] = []

    /// The name with its number.
    package var name: String { self.number.map { "\(self.id) (\($0))" } ?? self.id }
}

extension ExplainedCode {
    /// A remedy for a code.
    package struct Remedy: Sendable {
        /// The circumstance under which it helps; `nil` where that is any.
        package let circumstance: String?
        package let advice: String
        /// The things to do.
        package let actions: [TrustRemedy.Action]

        package init(_ advice: String, _ actions: [TrustRemedy.Action] = [], under circumstance: String? = nil) {
            self.circumstance = circumstance
            self.advice = advice
            self.actions = actions
        }
    }
}

extension [ExplainedCode.Remedy] {
    /// The remedies of a rule, each with its circumstance where there are several.
    init(of rule: TrustRule) {
        self = rule.remedies.map { remedy in
            ExplainedCode.Remedy(
                remedy.advice, remedy.actions, under: rule.remedies.count > 1 ? remedy.circumstance.title : nil)
        }
    }
}

extension ExplainedCode {
    /// A code with one remedy, whose sentence says in full what its title begins to say.
    package init(_ kind: Kind, _ id: String, sentence: String, remedy: String) {
        let first = sentence.split(separator: ". ", maxSplits: 1).first ?? ""
        let title = first[..<(first.firstRange(of: ": ")?.lowerBound ?? first.endIndex)]
        self.init(
            kind: kind, id: id, title: String(title.last == "." ? title.dropLast() : title), sentence: sentence,
            remedies: [Remedy(remedy)])
    }

    /// The lines of a text.
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
            // The words for a refusal of the proxy go by its code.
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

    /// Whether the title says all of the sentence.
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
