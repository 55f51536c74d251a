//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// A JSON writer.
enum JSONDocumentText {
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

    /// Returns a string literal.
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
