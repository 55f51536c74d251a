//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The style of text for a terminal: colors and weights, width, and the program's own words.
///
/// Use ``plain`` for files and pipes, and ``stream(isTerminal:width:coloring:environment:)`` for the standard streams of a
/// process.
public struct TextStyle: Sendable {
    /// The conditions for colors.
    public enum Coloring: String, Sendable, Hashable, CaseIterable {
        /// Colors on a terminal that supports them, unless `NO_COLOR` is set.
        case auto
        /// Colors always, also in a file or a pipe.
        case always
        /// No colors.
        case never
    }

    /// `true` if text has colors and weights.
    public let isEnabled: Bool
    /// The width of the lines in columns, or `nil` for unlimited lines.
    public let width: Int?
    /// The program's own words for the actions of remedies.
    public var spelling = RemedySpelling.none

    /// Creates a style.
    ///
    /// - Parameters:
    ///   - isEnabled: `true` for text with colors and weights.
    ///   - width: The width of the lines in columns, or `nil` for unlimited lines.
    public init(isEnabled: Bool, width: Int? = nil) {
        self.isEnabled = isEnabled
        self.width = width
    }

    /// The style without colors and weights.
    public static let plain = TextStyle(isEnabled: false)

    /// Returns the style for a stream. Only a terminal that supports colors gets them, and only if `NO_COLOR` is not set
    /// (https://no-color.org).
    ///
    /// - Parameters:
    ///   - isTerminal: `true` if the stream is a terminal.
    ///   - width: The columns of the terminal, or `nil` for unlimited lines.
    ///   - coloring: The conditions for colors. An explicit choice overrides the environment.
    ///   - environment: The environment of the process, which is read only for a terminal.
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

    /// Returns text in the color of a verdict: green for trusted, red for not trusted, yellow for not evaluated.
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
