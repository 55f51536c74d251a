//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// JSON as text.
enum JSONText {
    /// The text of a file.
    static func text(of root: DocumentNode) -> String {
        var text = ""
        Self.append(root, indentation: "", to: &text)
        return text + "\n"
    }

    private static func append(_ node: DocumentNode, indentation: String, to text: inout String) {
        switch node.value {
        case .dictionary(let entries):
            let parts = entries.map { ("\(Self.quoted($0.key)): ", $0.value) }
            Self.append(parts, ("{", "}"), indentation: indentation, to: &text)
        case .array(let nodes): Self.append(nodes.map { ("", $0) }, ("[", "]"), indentation: indentation, to: &text)
        case .boolean(let flag): text += flag ? "true" : "false"
        default: text += Self.quoted(node.string ?? "")
        }
    }

    private static func append(
        _ parts: [(String, DocumentNode)], _ brackets: (String, String), indentation: String, to text: inout String
    ) {
        text += brackets.0
        for (index, (prefix, node)) in parts.enumerated() {
            text += (index == 0 ? "\n" : ",\n") + indentation + "  " + prefix
            Self.append(node, indentation: indentation + "  ", to: &text)
        }
        text += (parts.isEmpty ? "" : "\n" + indentation) + brackets.1
    }

    /// A text in quotation marks, as YAML reads it too.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\u{20}"..."\u{7E}": quoted.unicodeScalars.append(scalar)
            case "\u{A0}"..."\u{D7FF}": quoted.unicodeScalars.append(scalar)
            default: quoted += Self.escape(scalar)
            }
        }
        return quoted + "\""
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        guard scalar.value <= 0xFFFF else { return String(Character(scalar)) }
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

/// YAML as text, in blocks.
enum YAMLText {
    /// The text of a file.
    static func text(of root: DocumentNode) -> String {
        var text = ""
        Self.append(root, indentation: "", to: &text)
        return text
    }

    /// Adds a value whose first line begins where the text ends.
    private static func append(_ node: DocumentNode, indentation: String, to text: inout String) {
        switch node.value {
        case .dictionary(let entries) where !entries.isEmpty:
            for (index, entry) in entries.enumerated() {
                text += (index == 0 ? "" : indentation) + Self.scalar(entry.key) + ":"
                Self.appendValue(entry.value, indentation: indentation + "  ", to: &text)
            }
        case .array(let nodes) where !nodes.isEmpty:
            for (index, node) in nodes.enumerated() {
                text += (index == 0 ? "" : indentation) + "- "
                Self.append(node, indentation: indentation + "  ", to: &text)
            }
        case .dictionary: text += "{}\n"
        case .array: text += "[]\n"
        case .boolean(let flag): text += flag ? "true\n" : "false\n"
        default: text += Self.lines(of: node.string ?? "", indentation)
        }
    }

    private static func appendValue(_ node: DocumentNode, indentation: String, to text: inout String) {
        let isBlock = node.array?.isEmpty == false || node.dictionary?.isEmpty == false
        text += isBlock ? "\n" + indentation : " "
        Self.append(node, indentation: indentation, to: &text)
    }

    /// A text as a literal block if it is PEM, otherwise on one line.
    private static func lines(of text: String, _ indentation: String) -> String {
        guard text.hasPrefix("-----BEGIN "), text.hasSuffix("-----\n"),
            text.utf8.allSatisfy({ $0 != 0x0D && $0 < 0x7F })
        else { return Self.scalar(text) + "\n" }
        return "|\n" + text.split(separator: "\n").map { indentation + $0 + "\n" }.joined()
    }

    /// A text without quotation marks if it could be nothing else.
    private static func scalar(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "./+=-_".utf8.contains(byte)
            }
        }
        guard isPlain, let first = text.utf8.first, (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first),
            !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
        else { return JSONText.quoted(text) }
        return text
    }
}
