//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

// Access to elements and attributes, independent of their meaning.
extension DiagnosticLog {
    /// Reports unknown attributes and child elements.
    mutating func check(_ node: XMLElementNode, as element: AndroidElement) {
        let subject = "<\(element.rawValue)>"
        let attributes = element.attributes.map(\.rawValue)
        for name in node.attributes.keys.sorted() where !attributes.contains(name) && !Self.isOfTools(name) {
            self.unknown(name, in: subject, known: attributes, at: node.position)
        }
        let children = element.children.map(\.rawValue)
        for child in node.children where !children.contains(child.name) {
            self.unknown(child.name, in: subject, known: children, at: child.position)
        }
    }

    /// Returns `true` for namespace declarations and for attributes of Android's own tools.
    private static func isOfTools(_ name: String) -> Bool {
        name == "xmlns" || name.hasPrefix("xmlns:") || name.hasPrefix("tools:")
    }

    /// Returns the only child element of a kind, and reports a second one, which Android refuses.
    mutating func child(_ element: AndroidElement, of node: XMLElementNode) -> XMLElementNode? {
        let children = node.children(named: element.rawValue)
        if let second = children.dropFirst().first {
            self.add(
                .duplicate, "<\(node.name)> has more than one <\(element.rawValue)>, which Android refuses.",
                remedy: "Put them together.", at: second.position)
        }
        return children.first
    }

    mutating func boolean(_ attribute: AndroidAttribute, of node: XMLElementNode, default value: Bool) -> Bool {
        guard let text = node.attributes[attribute.rawValue] else { return value }
        if text == "true" { return true }
        if text != "false" {
            self.add(
                .invalidValue, "\(attribute.rawValue) cannot be \(text.quoted).", remedy: "Write true or false.",
                at: node.position)
        }
        return false
    }

    /// Returns the text of an element, and reports an element that is empty or has child elements.
    mutating func text(of node: XMLElementNode) -> String? {
        guard node.children.isEmpty, !node.text.isEmpty else {
            self.add(
                .missingValue, "<\(node.name)> has no text, or more than that, which Android refuses.",
                remedy: "Write text alone.", at: node.position)
            return nil
        }
        return node.text
    }
}
