//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

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
        /// Something against a connection.
        case connection
        /// A status code of Apple's Security framework.
        case osStatus = "os-status"
        /// A code of Apple's `NSURLErrorDomain`.
        case urlError = "url-error"
        /// A code of the verification of OpenSSL and BoringSSL.
        case openSSL = "openssl"

        /// The heading of the codes of the kind.
        package var title: String {
            switch self {
            case .reason: "Reasons against a chain"
            case .note: "Notes"
            case .transportSecurity: "App Transport Security"
            case .connection: "Connections"
            case .osStatus: "Apple's status codes (OSStatus)"
            case .urlError: "Apple's codes of URL loading (NSURLErrorDomain)"
            case .openSSL: "OpenSSL's and BoringSSL's codes of verification"
            }
        }
    }

    package let kind: Kind
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
    package let remedies: [(circumstance: String?, advice: String)]
    /// Codes of this program that say the same.
    package var related: [String] = []

    /// The name with its number.
    package var name: String { self.number.map { "\(self.id) (\($0))" } ?? self.id }
}

extension ExplainedCode {
    /// The lines of a text.
    package func text(_ style: TextStyle) -> String {
        var text = "\(style.bold(self.name)): \(self.title)\n  \(self.sentence)\n"
        var lines: [(String, String)] = self.section.map { [("stated in", "\($0.text), \($0.link)")] } ?? []
        lines += self.apple.map { ("Apple", $0) }
        if !self.related.isEmpty { lines.append(("here", self.related.joined(separator: ", "))) }
        lines += self.remedies.map { ("what to do", ($0.circumstance.map { "\($0): " } ?? "") + $0.advice) }
        var last = ""
        for (label, value) in lines {
            let shown = (label == last ? "" : label).padded(to: 12)
            text += "  \(style.dim(shown))\(value)\n"
            last = label
        }
        return text
    }

    /// A section of docs/codes.md.
    package var markdown: String {
        var lines = [
            "### `\(self.id)`" + (self.number.map { " (\($0))" } ?? ""), "", "\(self.title). \(self.sentence)", "",
        ]
        if let section { lines.append("- Stated in [\(section.text)](\(section.link))") }
        lines += self.apple.map { "- Apple: \($0)" }
        if !self.related.isEmpty { lines.append("- Here: \(self.related.map { "`\($0)`" }.joined(separator: ", "))") }
        lines += self.remedies.map { "- " + ($0.circumstance.map { "*\($0)*: " } ?? "") + $0.advice }
        return lines.joined(separator: "\n") + "\n"
    }
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
    private let remedies: [Remedy]

    private struct Remedy: Encodable {
        let circumstance: String?
        let advice: String
    }

    package init(_ code: ExplainedCode) {
        (self.kind, self.code, self.number) = (code.kind.rawValue, code.id, code.number)
        (self.title, self.sentence) = (code.title, code.sentence)
        (self.section, self.link) = (code.section?.text, code.section?.link)
        (self.apple, self.related) = (code.apple, code.related)
        self.remedies = code.remedies.map { Remedy(circumstance: $0.circumstance, advice: $0.advice) }
    }
}

/// The answer of `servertrust explain --format json`.
package struct ExplainDocument: Encodable {
    private let format = "servertrust.explain/1"
    private let codes: [JSONExplainedCode]

    package init(_ codes: [ExplainedCode]) {
        self.codes = codes.map(JSONExplainedCode.init)
    }
}
