//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// A piece of HTML. This is the only place that converts text to HTML.
struct HTMLText: ExpressibleByStringInterpolation, Sendable {
    let markup: String

    private init(markup: String) {
        self.markup = markup
    }

    /// Creates markup, a style sheet or a script from a resource of this package.
    init(resource: [UInt8]) {
        self.markup = String(decoding: resource, as: UTF8.self)
    }

    /// Creates markup from a literal in the source code.
    init(stringLiteral value: String) {
        self.markup = value
    }

    /// Creates markup with interpolated text, which is escaped. Text from a server can leave neither its element nor its
    /// attribute.
    init(stringInterpolation: Interpolation) {
        self.markup = stringInterpolation.markup
    }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            self.markup.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: String) { self.markup += literal }
        mutating func appendInterpolation(_ text: String) { self.markup += HTMLText.escaped(text) }
        mutating func appendInterpolation(_ number: Int) { self.markup += "\(number)" }
        mutating func appendInterpolation(_ html: HTMLText) { self.markup += html.markup }
        mutating func appendInterpolation(_ parts: [HTMLText]) { for part in parts { self.markup += part.markup } }
    }

    static func + (left: HTMLText, right: HTMLText) -> HTMLText { HTMLText(markup: left.markup + right.markup) }

    static let empty = HTMLText(markup: "")

    /// Returns lines for a `pre` element. Line breaks and indentation remain, and other control characters are escaped.
    static func lines(_ text: String) -> HTMLText {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.prefix { $0 == "\t" }.map { _ in "  " }.joined() + Self.escaped(String(line.drop { $0 == "\t" }))
        }
        return HTMLText(markup: lines.joined(separator: "\n"))
    }

    private static func escaped(_ text: String) -> String {
        XMLText.escaped(DisplayText.text(text)).replacingScalars("'", with: "&#39;")
    }
}
