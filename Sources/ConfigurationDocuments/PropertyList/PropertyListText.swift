//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A writer of XML text.
package enum XMLText {
    /// The XML declaration, the first line of a file.
    package static let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

    /// Escapes text for use between tags and in attribute values. Characters that XML cannot hold (XML 1.0 §2.2) become
    /// U+FFFD, so that the document stays well-formed.
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// A writer of property lists in XML.
package enum PropertyListText {
    /// Returns the text of a whole property list.
    package static func text(of root: DocumentNode) -> String {
        var text = XMLText.declaration
        text += "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
        text += "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n"
        Self.append(root, indentation: "", to: &text)
        return text + "</plist>\n"
    }

    /// Returns a value as it appears inside a property list, with a line end after it.
    package static func fragment(of node: DocumentNode, indentation: String = "") -> String {
        var text = ""
        Self.append(node, indentation: indentation, to: &text)
        return text
    }

    private static func append(_ node: DocumentNode, indentation: String, to text: inout String) {
        let deeper = indentation + "\t"
        text += indentation
        switch node.value {
        case .dictionary(let entries):
            text += "<dict>\n"
            for entry in entries {
                text += "\(deeper)<key>\(XMLText.escaped(entry.key))</key>\n"
                Self.append(entry.value, indentation: deeper, to: &text)
            }
            text += "\(indentation)</dict>\n"
        case .array(let nodes):
            text += "<array>\n"
            for node in nodes { Self.append(node, indentation: deeper, to: &text) }
            text += "\(indentation)</array>\n"
        case .integer(let integer): text += "<integer>\(integer)</integer>\n"
        case .real(let real): text += "<real>\(real)</real>\n"
        case .boolean(let flag): text += flag ? "<true/>\n" : "<false/>\n"
        case .date(let date): text += "<date>\(PropertyListDate.text(of: date))</date>\n"
        case .data(let octets): text += "<data>\(Data(octets).base64EncodedString())</data>\n"
        default: text += "<string>\(XMLText.escaped(node.string ?? ""))</string>\n"
        }
    }
}
