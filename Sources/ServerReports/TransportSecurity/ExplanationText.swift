//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ConfigurationDocuments

/// The requirements for a connection with their reasons, for people.
struct ExplanationText {
    private let style: TextStyle
    private let file: String
    private let rules: String

    init(_ style: TextStyle, file: String, _ configuration: ATSPolicy.Configuration, _ client: ATSClient) {
        self.style = style
        self.file = file
        let reading = configuration.strictness == .engine ? "engine" : "documentation"
        self.rules = "\(client.words), on \(configuration.system), by Apple's \(reading)"
    }

    func text(of load: ExplainedLoad) -> String {
        let name = self.style.bold(DisplayText.text(load.url))
        var text = "\(self.style.coloured(load.headline, load.verdict))  \(name)\n\n"
        if load.isRefused {
            let code = URLErrorCode.appTransportSecurityRequiresSecureConnection
            text += "  Fails before a byte is sent. \(code.remedy)\n  "
            text += self.style.dim("[insecure-load, \(code.name) (\(code.rawValue))]") + "\n\n"
        }
        if load.isDecidedByLocality {
            let hint = self.style.spelling.decidingLocality.map { " \($0)" } ?? ""
            text +=
                "  It depends on the device. An address counts as local where it is on a network that the device is "
            text +=
                "attached to: the load is then allowed, unless NSAllowsLocalNetworking is false. Elsewhere, as in a "
            text += "network of a VPN, it is refused.\(hint)\n\n"
        }
        text += load.explanation.decisions.map(self.decision).joined()
        text += "\n  Understood for \(self.rules).\n"
        guard !load.explanation.ignoredKeys.isEmpty else { return self.style.wrapped(text) }
        text += "\n  Ignored\n" + load.explanation.ignoredKeys.map(self.ignored).joined()
        return self.style.wrapped(text)
    }

    private func decision(_ decision: ATSExplanation.Decision) -> String {
        let title = decision.part.words
        let padding = String(repeating: " ", count: Self.width - title.count)
        let cause = self.place(decision.path, decision.position).map { "\($0): " } ?? ""
        return "  \(title)\(padding)\(self.style.bold(decision.value))\n"
            + "  \(String(repeating: " ", count: Self.width))\(self.style.dim(cause + DisplayText.text(decision.reason)))\n"
    }

    private func ignored(_ key: ATSExplanation.IgnoredKey) -> String {
        "    \(self.place(key.path, key.position) ?? ATSKey.section): \(DisplayText.text(key.reason))\n"
    }

    /// Returns the key without the obvious parts of its path, and its line.
    private func place(_ path: [String], _ position: TextPosition?) -> String? {
        guard !path.isEmpty else { return nil }
        let shown = path.first == ATSKey.exceptionDomains.rawValue ? path.dropFirst() : path[...]
        let keys = (shown.isEmpty ? path[...] : shown).map(DisplayText.text).joined(separator: " › ")
        return position.map { "\(keys), line \($0.line)" } ?? keys
    }

    private static let width = 15
}

extension ATSExplanation.Part {
    /// The part in the first words of a line.
    fileprivate var words: String {
        switch self {
        case .plainHTTP: "Plain HTTP"
        case .version: "TLS"
        case .cipherSuites: "Cipher suites"
        case .certificates: "Certificates"
        case .pins: "Pins"
        }
    }
}

extension ATSClient {
    /// The part of the system that loads, in a few words.
    var words: String {
        switch self {
        case .app: "the app itself"
        case .webContent: "web content"
        case .media: "media"
        case .deviceManagement: "device management"
        }
    }
}
