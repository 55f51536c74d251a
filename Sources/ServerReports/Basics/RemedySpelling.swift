//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust

/// The words of a program for the actions of remedies: its options and commands.
///
/// Remedies do not name options of a program. A program sets its own options here, and the texts of reports append them.
///
/// ```swift
/// var style = TextStyle.plain
/// style.spelling = RemedySpelling(words: [TrustRemedy.Action.trustRoot.rawValue: "--roots FILE trusts a root."])
/// ```
public struct RemedySpelling: Sendable, Hashable {
    /// A sentence for each action, keyed by the raw value of `TrustRemedy.Action`, and for other codes.
    public var words: [String: String]
    /// The command that explains a code, without the code, or `nil` if the program has none.
    public var explaining: String?
    /// The words for writing the settings of other products, in front of their names, or `nil` if the program cannot write them.
    public var otherProducts: String?
    /// The words for stating that a host is local, or `nil` if the program has none.
    public var decidingLocality: String?
    /// The words for asking the authorities about revocation, or `nil` if the program has none.
    public var askingRevocation: String?

    /// Creates a spelling.
    ///
    /// - Parameters:
    ///   - words: A sentence for each action or code.
    ///   - explaining: The command that explains a code, without the code.
    ///   - otherProducts: The words for writing the settings of other products, in front of their names.
    public init(words: [String: String], explaining: String? = nil, otherProducts: String? = nil) {
        self.words = words
        self.explaining = explaining
        self.otherProducts = otherProducts
    }

    /// No words. Remedies remain unchanged.
    public static let none = RemedySpelling(words: [:])

    /// Appends the words for actions to an advice.
    ///
    /// - Parameters:
    ///   - advice: The advice, in whole sentences.
    ///   - actions: The actions of the remedy.
    public func text(_ advice: String, _ actions: [TrustRemedy.Action]) -> String {
        self.text(advice, codes: actions.map(\.rawValue))
    }

    /// Appends the words for codes to an advice.
    package func text(_ advice: String, codes: [String]) -> String {
        ([advice] + codes.compactMap { self.words[$0] }).joined(separator: " ")
    }
}
