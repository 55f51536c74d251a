//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Colors and weights of a terminal, or text without them.
public struct TextStyle: Sendable {
    /// Whether anything is styled.
    public let isEnabled: Bool

    /// A style.
    ///
    /// - Parameter isEnabled: Whether anything is styled.
    public init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    /// Text without colors and weights.
    public static let plain = TextStyle(isEnabled: false)

    /// The style for a stream: colors only on a terminal that has them, and never against `NO_COLOR`
    /// (https://no-color.org).
    ///
    /// - Parameters:
    ///   - isTerminal: Whether the stream is a terminal.
    ///   - environment: The environment of the process.
    public static func stream(
        isTerminal: Bool, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> TextStyle {
        let isUnwanted = environment["NO_COLOR"]?.isEmpty == false
        return TextStyle(isEnabled: isTerminal && !isUnwanted && environment["TERM"] != "dumb")
    }

    package func bold(_ text: String) -> String { self.styled(text, "1") }
    package func dim(_ text: String) -> String { self.styled(text, "2") }

    /// Text in the color of a verdict: green, red, or yellow without a verdict.
    package func coloured(_ text: String, _ verdict: ReportVerdict) -> String {
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
