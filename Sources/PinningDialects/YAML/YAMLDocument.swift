//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if YAML

import ConfigurationDocuments
import Yams

/// Reads YAML into trees that know their lines.
enum YAMLDocument {
    /// Reads the one document of a YAML file.
    ///
    /// Plain scalars are nulls, booleans and integers by the core schema of YAML 1.2, and are texts otherwise: dates, `yes`,
    /// and numbers with a fraction, so that a version 1.10 keeps its zero. Integers that do not fit into 64 bits are texts,
    /// too. Keys are always texts.
    static func parse(
        _ bytes: [UInt8], limits: DocumentLimits = DocumentLimits()
    ) throws(DocumentError) -> DocumentNode {
        let text = try DocumentText(bytes, limits)
        try YAMLPreflight.check(text.bytes)
        return try LargeStackThread.run {
            Result { () throws(DocumentError) in try Self.tree(of: text, limits) }
        }
    }

    private static func tree(of text: DocumentText, _ limits: DocumentLimits) throws(DocumentError) -> DocumentNode {
        let positions = YAMLPositions(text.bytes)
        guard let root = try Self.compose(text, positions, limits: limits) else { throw DocumentError(.empty) }
        var walker = YAMLWalker(positions, limits)
        return try walker.node(root, depth: 1)
    }

    private static func compose(
        _ text: DocumentText, _ positions: YAMLPositions, limits: DocumentLimits
    ) throws(DocumentError) -> Node? {
        do {
            // The basic resolver has no regular expressions to run over every key. An encoding that is named keeps Yams
            // from asking the environment for one.
            return try Parser(yaml: text.string, resolver: .basic, encoding: .utf8).singleRoot()
        } catch {
            throw YAMLFault.documentError(for: error, text, positions: positions, limits: limits)
        }
    }
}

#else

import ConfigurationDocuments

/// Stands in for the reader where the package is built without its trait `YAML`.
enum YAMLDocument {
    /// Refuses every text: what cannot be read must not count as a configuration without pins.
    static func parse(
        _ bytes: [UInt8], limits: DocumentLimits = DocumentLimits()
    ) throws(DocumentError) -> DocumentNode {
        throw DocumentError(.unsupported("this program was built without YAML; write the configuration as JSON"))
    }
}

#endif
