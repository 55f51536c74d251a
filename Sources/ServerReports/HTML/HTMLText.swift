//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// Pieces of HTML. What is text becomes HTML here and nowhere else.
struct HTMLText: ExpressibleByStringInterpolation, Sendable {
    /// The markup.
    let markup: String

    private init(markup: String) {
        self.markup = markup
    }

    /// Markup, a style sheet or a script that is a file of this package.
    init(resource: [UInt8]) {
        self.markup = String(decoding: resource, as: UTF8.self)
    }

    /// Markup as a program's source has it.
    init(stringLiteral value: String) {
        self.markup = value
    }

    /// Markup with text in it, which is escaped: whatever a server says can neither leave an element nor an attribute.
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

    /// Nothing.
    static let empty = HTMLText(markup: "")

    /// Lines as they are, for `pre`: line breaks and indentation stay, and nothing else that is not printable.
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
