//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if YAML

import ConfigurationDocuments
import Yams

/// Turns Yams's nodes into a document's, counting as it goes: an alias is its whole content again.
struct YAMLWalker {
    private let positions: YAMLPositions
    private var budget: DocumentBudget

    init(_ positions: YAMLPositions, _ limits: DocumentLimits) {
        self.positions = positions
        self.budget = DocumentBudget(limits)
    }

    mutating func node(_ node: Node, depth: Int) throws(DocumentError) -> DocumentNode {
        let position = self.positions.position(of: node.mark)
        try self.budget.spend(depth: depth, at: position)
        switch node {
        case .scalar(let scalar):
            return DocumentNode(try self.value(of: scalar, position), at: position)
        case .sequence(let sequence):
            try self.requireNoTag(sequence.tag, position)
            var nodes: [DocumentNode] = []
            for element in sequence { nodes.append(try self.node(element, depth: depth + 1)) }
            return DocumentNode(.array(nodes), at: position)
        case .mapping(let mapping):
            try self.requireNoTag(mapping.tag, position)
            var entries: [DocumentEntry] = []
            for (key, value) in mapping { entries.append(try self.entry(key, value, depth: depth)) }
            return DocumentNode(.dictionary(entries), at: position)
        case .alias:
            throw DocumentError(.unsupported("an alias stands for nothing here; write its content"), position)
        }
    }

    private mutating func entry(_ key: Node, _ value: Node, depth: Int) throws(DocumentError) -> DocumentEntry {
        let position = self.positions.position(of: key.mark)
        try self.budget.spend(depth: depth + 1, at: position)
        guard case .scalar(let scalar) = key else {
            throw DocumentError(.unsupported("a key is a collection; write a text as the key"), position)
        }
        guard scalar.style != .plain || scalar.string != "<<" else {
            throw DocumentError(.unsupported("merge keys (<<) are not read; write the entries themselves"), position)
        }
        // Yams has replaced an absent tag of a key while it looked for duplicates.
        _ = try self.value(of: scalar, position)
        let node = try self.node(value, depth: depth + 1)
        return DocumentEntry(key: scalar.string, keyPosition: position, value: node)
    }

    private func value(
        of scalar: Node.Scalar, _ position: TextPosition?
    ) throws(DocumentError) -> DocumentNode.Value {
        let tag = scalar.tag.rawValue
        guard tag != Tag.Name.str.rawValue, tag != Tag.Name.nonSpecific.rawValue else { return .string(scalar.string) }
        try self.requireNoTag(scalar.tag, position)
        guard scalar.style == .plain else { return .string(scalar.string) }
        return YAMLScalar.value(of: scalar.string)
    }

    private func requireNoTag(_ tag: Tag, _ position: TextPosition?) throws(DocumentError) {
        guard tag.rawValue.isEmpty else {
            let name = DocumentError.quoted(tag.rawValue)
            throw DocumentError(.unsupported("the tag \(name) is not read; remove it"), position)
        }
    }
}

/// What a scalar without quotes means.
enum YAMLScalar {
    /// Longer ones are neither numbers nor names of values.
    private static let maximumLength = 64

    static func value(of text: String) -> DocumentNode.Value {
        guard text.utf8.count <= Self.maximumLength else { return .string(text) }
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .boolean(true)
        case "false", "False", "FALSE": return .boolean(false)
        default: break
        }
        return Self.integer(text).map { .integer($0) } ?? .string(text)
    }

    /// YAML 1.2.2 §10.3.2.
    private static func integer(_ text: String) -> Int? {
        if text.hasPrefix("0o") { return Self.digits(text.dropFirst(2), radix: 8) }
        if text.hasPrefix("0x") { return Self.digits(text.dropFirst(2), radix: 16) }
        return Int(text)
    }

    private static func digits(_ text: Substring, radix: Int) -> Int? {
        guard text.first != "+", text.first != "-" else { return nil }
        return Int(text, radix: radix)
    }
}

#endif
