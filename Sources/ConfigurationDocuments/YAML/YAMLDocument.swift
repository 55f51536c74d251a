//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Yams

/// Reads YAML, and JSON as the YAML it is, into trees that know their lines.
package enum YAMLDocument {
    /// Reads the one document of a YAML or JSON file.
    ///
    /// Plain scalars mean what YAML 1.2's core schema says for null, booleans and integers, and are texts otherwise: dates,
    /// `yes`, and, outside of JSON, numbers with a fraction, so that a version 1.10 stays what it is. Integers that do not
    /// fit into 64 bits are texts, too. Keys are always texts.
    package static func parse(
        _ bytes: [UInt8], limits: DocumentLimits = DocumentLimits()
    ) throws(DocumentError) -> DocumentNode {
        try Self.parse(DocumentText(bytes, limits), limits)
    }

    static func parse(_ text: DocumentText, _ limits: DocumentLimits) throws(DocumentError) -> DocumentNode {
        try YAMLScreen.check(text.bytes)
        return try DeepStack.run {
            Result { () throws(DocumentError) in try Self.tree(of: text, limits) }
        }
    }

    private static func tree(of text: DocumentText, _ limits: DocumentLimits) throws(DocumentError) -> DocumentNode {
        let positions = YAMLPositions(text.bytes)
        guard let root = try Self.compose(text, positions, limits) else { throw DocumentError(.empty) }
        var walker = YAMLWalker(positions, isJSON: Self.isJSON(text), limits)
        return try walker.node(root, depth: 1)
    }

    private static func isJSON(_ text: DocumentText) -> Bool {
        text.bytes[text.start] == UInt8(ascii: "{") || text.bytes[text.start] == UInt8(ascii: "[")
    }

    private static func compose(
        _ text: DocumentText, _ positions: YAMLPositions, _ limits: DocumentLimits
    ) throws(DocumentError) -> Node? {
        do {
            // The basic resolver has no regular expressions to run over every key. An encoding that is named keeps Yams
            // from asking the environment for one.
            return try Parser(yaml: text.string, resolver: .basic, encoding: .utf8).singleRoot()
        } catch {
            throw YAMLFault.documentError(for: error, text, positions, limits)
        }
    }
}
