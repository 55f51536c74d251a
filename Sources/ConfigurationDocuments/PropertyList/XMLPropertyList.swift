//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A parser that turns XML elements into the values of a property list.
///
/// The depth of the elements is bounded, and with it the recursion.
enum XMLPropertyList {
    static func parse(_ root: XMLElementNode) throws(DocumentError) -> DocumentNode {
        guard root.name == "plist" else {
            throw DocumentError(.malformed("the outermost element is not <plist>"), root.position)
        }
        try Self.requireNoText(in: root)
        guard let value = root.children.first else { throw DocumentError(.empty, root.position) }
        guard root.children.count == 1 else {
            throw DocumentError(.malformed("<plist> holds more than one value"), root.children[1].position)
        }
        return try Self.node(value)
    }

    private static func node(_ element: XMLElementNode) throws(DocumentError) -> DocumentNode {
        DocumentNode(try Self.value(of: element), at: element.position)
    }

    private static func value(of element: XMLElementNode) throws(DocumentError) -> DocumentNode.Value {
        switch element.name {
        case "dict": return .dictionary(try Self.entries(of: element))
        case "array": return .array(try Self.elements(of: element))
        default: break
        }
        if let child = element.children.first {
            throw DocumentError(.malformed("<\(element.name)> holds an element"), child.position)
        }
        switch element.name {
        case "string": return .string(element.content)
        case "true", "false": return .boolean(try Self.boolean(element))
        case "integer": return .integer(try Self.require(Self.integer(element.text), element))
        case "real": return .real(try Self.require(Self.real(element.text), element))
        case "date": return .date(try Self.require(PropertyListDate.parse(element.text), element))
        case "data": return .data(try Self.require(Self.data(element.content), element))
        default:
            let name = DocumentError.quoted(element.name)
            throw DocumentError(.malformed("\(name) is no type of a property list"), element.position)
        }
    }

    private static func require<Value>(
        _ value: Value?, _ element: XMLElementNode
    ) throws(DocumentError) -> Value {
        guard let value else {
            let text = DocumentError.quoted(element.text)
            throw DocumentError(.malformed("\(text) is not of type \(element.name)"), element.position)
        }
        return value
    }

    private static func requireNoText(in element: XMLElementNode) throws(DocumentError) {
        guard element.text.isEmpty else {
            let text = DocumentError.quoted(element.text)
            throw DocumentError(.malformed("the text \(text) is outside of any value"), element.position)
        }
    }
}

// MARK: Collections

extension XMLPropertyList {
    private static func elements(of array: XMLElementNode) throws(DocumentError) -> [DocumentNode] {
        try Self.requireNoText(in: array)
        var nodes: [DocumentNode] = []
        for child in array.children { nodes.append(try Self.node(child)) }
        return nodes
    }

    private static func entries(of dictionary: XMLElementNode) throws(DocumentError) -> [DocumentEntry] {
        try Self.requireNoText(in: dictionary)
        var entries: [DocumentEntry] = []
        var rest = dictionary.children[...]
        while let key = rest.popFirst() {
            guard key.name == "key", key.children.isEmpty else {
                throw DocumentError(.malformed("a value in <dict> has no <key> before it"), key.position)
            }
            guard let value = rest.popFirst(), value.name != "key" else {
                let name = DocumentError.quoted(key.content)
                throw DocumentError(.malformed("the key \(name) has no value"), key.position)
            }
            let node = try Self.node(value)
            entries.append(DocumentEntry(key: key.content, keyPosition: key.position, value: node))
        }
        return entries
    }
}

// MARK: Single values

extension XMLPropertyList {
    private static func boolean(_ element: XMLElementNode) throws(DocumentError) -> Bool {
        try Self.requireNoText(in: element)
        return element.name == "true"
    }

    private static func integer(_ text: String) -> Int? {
        var digits = text[...]
        let sign = digits.first == "-" || digits.first == "+" ? String(digits.removeFirst()) : ""
        guard digits.first?.isASCII == true, digits.first != "-", digits.first != "+" else { return nil }
        guard digits.lowercased().hasPrefix("0x") else { return Int(sign + digits) }
        digits = digits.dropFirst(2)
        guard digits.first != "-", digits.first != "+" else { return nil }
        return Int(sign + digits, radix: 16)
    }

    private static func real(_ text: String) -> Double? {
        switch text.lowercased() {
        case "nan": .nan
        case "inf", "+inf", "infinity", "+infinity": .infinity
        case "-inf", "-infinity": -.infinity
        default: text.utf8.allSatisfy { "+-.0123456789eE".utf8.contains($0) } ? Double(text) : nil
        }
    }

    private static func data(_ text: String) -> [UInt8]? {
        let characters = text.utf8.filter { !$0.isWhitespace }
        return Data(base64Encoded: Data(characters)).map { Array($0) }
    }
}
