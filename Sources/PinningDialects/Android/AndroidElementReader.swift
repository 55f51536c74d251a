//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

// Elements and attributes, whatever they mean.
extension DiagnosticLog {
    /// Says what in an element means nothing.
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

    /// Declarations of namespaces, and what Android's tools put into files for themselves.
    private static func isOfTools(_ name: String) -> Bool {
        name == "xmlns" || name.hasPrefix("xmlns:") || name.hasPrefix("tools:")
    }

    /// An element's one child of a kind; says it when there are more, which Android refuses.
    mutating func child(_ element: AndroidElement, of node: XMLElementNode) -> XMLElementNode? {
        let children = node.children(named: element.rawValue)
        if let second = children.dropFirst().first {
            self.add(
                .duplicate, "<\(node.name)> has more than one <\(element.rawValue)>, which Android refuses.",
                remedy: "Put them together.", at: second.position)
        }
        return children.first
    }

    /// A boolean attribute.
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

    /// The text of an element without others in it.
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
