//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Colours and weights of a terminal, or none.
struct TextStyle: Sendable {
    /// Whether anything is styled.
    let isEnabled: Bool

    /// Text as it is.
    static let plain = TextStyle(isEnabled: false)

    /// The style for standard output: colours only on a terminal that has them, and never against `NO_COLOR`
    /// (https://no-color.org).
    static func standardOutput(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        isTerminal: Bool = Console.isTerminal
    ) -> TextStyle {
        let isUnwanted = environment["NO_COLOR"]?.isEmpty == false
        return TextStyle(isEnabled: isTerminal && !isUnwanted && environment["TERM"] != "dumb")
    }

    /// The style for standard error, by the same rules.
    static func standardError() -> TextStyle {
        Self.standardOutput(isTerminal: Descriptor.standardError.isTerminal)
    }

    func bold(_ text: String) -> String { self.styled(text, "1") }
    func dim(_ text: String) -> String { self.styled(text, "2") }

    /// Text in the colour of a verdict: green, red, or yellow where there is none.
    func coloured(_ text: String, _ verdict: CommandVerdict) -> String {
        switch verdict {
        case .trusted: self.styled(text, "1;32")
        case .notTrusted: self.styled(text, "1;31")
        case .notEvaluated: self.styled(text, "1;33")
        }
    }

    private func styled(_ text: String, _ parameters: String) -> String {
        self.isEnabled ? "\u{1B}[\(parameters)m\(text)\u{1B}[0m" : text
    }
}
