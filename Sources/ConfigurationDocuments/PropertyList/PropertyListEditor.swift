//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An editor of a property list in XML that keeps the order, the comments and the layout of everything that it does not change.
package struct PropertyListEditor {
    private var bytes: [UInt8]

    /// Creates an editor for a property list in any format. A list in binary or JSON becomes XML.
    ///
    /// - Throws: ``DocumentError`` if the octets are no property list, or if the list is no dictionary.
    package init(_ bytes: [UInt8]) throws(DocumentError) {
        let list = try PropertyListDocument.parse(bytes)
        guard list.dictionary != nil else {
            throw DocumentError(.unsupported("the property list is no dictionary. Give the Info.plist of an app"))
        }
        let text = bytes.starts(with: "bplist".utf8) ? nil : try DocumentText(bytes, DocumentLimits())
        let isXML = text.map { $0.bytes[$0.start] == UInt8(ascii: "<") } ?? false
        self.bytes = isXML ? text?.bytes ?? [] : Array(PropertyListText.text(of: list).utf8)
    }

    /// The property list in XML.
    package var text: String { String(decoding: self.bytes, as: UTF8.self) }

    /// Returns the keys of a dictionary in the order of the file, or `nil` if there is no dictionary at the path.
    package func keys(at path: [String]) -> [String]? {
        var node = try? PropertyListDocument.parse(self.bytes)
        for key in path { node = node?[key] }
        return node?.dictionary?.map(\.key)
    }

    /// Sets a value, and creates the dictionaries that lead to it.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - path: The keys that lead to it. A value on the way that is no dictionary is replaced by one.
    package mutating func set(_ value: DocumentNode, at path: [String]) throws(DocumentError) {
        var dictionary = try self.root()
        for (depth, key) in path.enumerated() {
            let value = path[(depth + 1)...].reversed().reduce(value) { .named([($1, $0)]) }
            guard let entry = dictionary.entry(key) else { return self.insert([(key, value)], into: dictionary) }
            guard depth < path.count - 1, entry.value.name == "dict" else {
                return self.replace(entry.value, with: value)
            }
            dictionary = entry.value
        }
    }

    /// Adds entries to a dictionary that has none of their keys, in one pass over the file.
    package mutating func append(_ entries: [(String, DocumentNode)], at path: [String]) throws(DocumentError) {
        guard !entries.isEmpty else { return }
        var dictionary = try self.root()
        for key in path {
            guard let entry = dictionary.entry(key), entry.value.name == "dict" else {
                return try self.set(.named(entries), at: path)
            }
            dictionary = entry.value
        }
        self.insert(entries, into: dictionary)
    }

    /// Removes an entry with the white space before it. A path that leads to no entry changes nothing.
    package mutating func remove(at path: [String]) throws(DocumentError) {
        var dictionary = try self.root()
        for (depth, key) in path.enumerated() {
            guard let entry = dictionary.entry(key) else { return }
            guard depth == path.count - 1 else {
                dictionary = entry.value
                continue
            }
            var start = entry.key.range.lowerBound
            while start > 0, self.bytes[start - 1].isWhitespace { start -= 1 }
            self.bytes.removeSubrange(start..<entry.value.range.upperBound)
        }
    }
}

extension PropertyListEditor {
    private func root() throws(DocumentError) -> XMLElementNode {
        let document = try XMLDocument.parse(self.bytes)
        guard let root = document.children.first, root.name == "dict" else { throw DocumentError(.empty) }
        return root
    }

    private mutating func replace(_ element: XMLElementNode, with value: DocumentNode) {
        let indentation = self.indentation(at: element.range.lowerBound)
        self.bytes.replaceSubrange(element.range, with: self.octets(of: Self.lines(of: value, indentation)))
    }

    private mutating func insert(_ entries: [(String, DocumentNode)], into dictionary: XMLElementNode) {
        let own = self.indentation(at: dictionary.range.lowerBound)
        let indentation = dictionary.children.first.map { self.indentation(at: $0.range.lowerBound) } ?? own + "\t"
        let text = entries.map { key, value in
            "\n\(indentation)<key>\(XMLText.escaped(key))</key>\n\(indentation)" + Self.lines(of: value, indentation)
        }.joined()
        if let last = dictionary.children.last {
            self.bytes.insert(contentsOf: self.octets(of: text), at: last.range.upperBound)
        } else if let inside = dictionary.inside {
            // Comments in an empty dictionary stay behind the new entries.
            let isBroken = self.bytes[inside.lowerBound].isWhitespace
            self.bytes.insert(contentsOf: self.octets(of: text + (isBroken ? "" : "\n\(own)")), at: inside.lowerBound)
        } else {
            let slash = dictionary.range.upperBound - 2
            let octets = self.octets(of: ">\(text)\n\(own)</dict>")
            self.bytes.replaceSubrange(slash..<dictionary.range.upperBound, with: octets)
        }
    }

    /// Returns the octets of a text with the line ends of the file.
    private func octets(of text: String) -> [UInt8] {
        let end = self.bytes.firstIndex(of: 0x0A) ?? 0
        let hasReturns = end > 0 && self.bytes[end - 1] == 0x0D
        return text.utf8.flatMap { hasReturns && $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
    }

    /// Returns a value without the indentation of its first line and without its last line end.
    private static func lines(of value: DocumentNode, _ indentation: String) -> String {
        String(PropertyListText.fragment(of: value, indentation: indentation).dropFirst(indentation.count).dropLast())
    }

    /// Returns the white space at the beginning of a line.
    private func indentation(at offset: Int) -> String {
        let start = self.bytes[..<offset].lastIndex { $0 == 0x0A || $0 == 0x0D }.map { $0 + 1 } ?? 0
        return String(decoding: self.bytes[start..<offset].prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
    }
}

extension XMLElementNode {
    /// Returns the first entry of a dictionary with a key, compared octet by octet.
    fileprivate func entry(_ key: String) -> (key: XMLElementNode, value: XMLElementNode)? {
        zip(self.children, self.children.dropFirst()).first { element, _ in
            element.name == "key" && element.content.utf8.elementsEqual(key.utf8)
        }.map { (key: $0, value: $1) }
    }
}
