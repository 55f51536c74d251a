//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Colors and weights of a terminal and its width, or text without them.
public struct TextStyle: Sendable {
    /// When text has colors.
    public enum Coloring: String, Sendable, Hashable, CaseIterable {
        /// On a terminal that has them, and never against `NO_COLOR`.
        case auto
        /// Always, also in a file or a pipe.
        case always
        /// Never.
        case never
    }

    /// Whether anything is styled.
    public let isEnabled: Bool
    /// The columns in which lines of text have room; `nil` breaks no line.
    public let width: Int?
    /// The program's own words for what remedies ask for.
    public var spelling = RemedySpelling.none

    /// A style.
    ///
    /// - Parameters:
    ///   - isEnabled: Whether anything is styled.
    ///   - width: The columns in which lines of text have room; `nil` breaks no line.
    public init(isEnabled: Bool, width: Int? = nil) {
        self.isEnabled = isEnabled
        self.width = width
    }

    /// Text without colors and weights.
    public static let plain = TextStyle(isEnabled: false)

    /// The style for a stream: colors only on a terminal that has them, and never against `NO_COLOR`
    /// (https://no-color.org).
    ///
    /// - Parameters:
    ///   - isTerminal: Whether the stream is a terminal.
    ///   - width: The columns of the terminal; `nil` breaks no line.
    ///   - coloring: When text has colors: what a person asks for holds against the environment.
    ///   - environment: The environment of the process; only looked at for a terminal.
    public static func stream(
        isTerminal: Bool, width: Int? = nil, coloring: Coloring = .auto,
        environment: @autoclosure () -> [String: String] = ProcessInfo.processInfo.environment
    ) -> TextStyle {
        let isEnabled =
            switch coloring {
            case .auto: isTerminal && Self.hasColors(environment())
            case .always: true
            case .never: false
            }
        return TextStyle(isEnabled: isEnabled, width: width)
    }

    private static func hasColors(_ environment: [String: String]) -> Bool {
        environment["NO_COLOR"]?.isEmpty != false && environment["TERM"] != "dumb"
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
