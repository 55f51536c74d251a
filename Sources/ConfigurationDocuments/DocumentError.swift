//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A document that cannot be read, with the place of the fault and a remedy.
package struct DocumentError: Error, Sendable, Hashable {
    /// The kind of fault.
    package enum Code: Sendable, Hashable {
        /// The document has only white space or comments.
        case empty
        case tooLarge(limit: Int)
        /// The document is UTF-16, UTF-32 or another encoding, or its UTF-8 is damaged.
        case notUTF8
        case zeroByte
        /// The document declares entities or a document type of its own.
        case hasDocumentType
        case tooDeep(limit: Int)
        case tooManyNodes(limit: Int)
        case duplicateKey(String)
        /// The document is valid but of an unsupported kind. The text names the kind and the remedy.
        case unsupported(String)
        /// The document breaks a rule of its format. The text names the rule.
        case malformed(String)
    }

    package let code: Code
    package let position: TextPosition?

    package init(_ code: Code, _ position: TextPosition? = nil) {
        self.code = code
        self.position = position
    }
}

extension DocumentError: CustomStringConvertible {
    /// The place and the fault, for a person.
    package var description: String {
        guard let position = self.position else { return self.message }
        return "line \(position.line), column \(position.column): \(self.message)"
    }

    /// The fault and its remedy, without the place.
    package var message: String {
        switch self.code {
        case .empty: "the document is empty. Give a file with content"
        case .tooLarge(let limit): "the document has more than \(limit) bytes. Give a smaller one"
        case .notUTF8: "the text is not UTF-8. Convert it, for instance with iconv -t UTF-8"
        case .zeroByte: "the text has a zero byte. Remove it, or convert the file from UTF-16 to UTF-8"
        case .hasDocumentType: "the document type declares something of its own. Remove everything in its brackets"
        case .tooDeep(let limit): "the document has more than \(limit) levels within each other. Flatten it"
        case .tooManyNodes(let limit): "the document has more than \(limit) values. Split it"
        case .duplicateKey(let key): "the key \(Self.quoted(key)) is there twice. Remove one"
        case .unsupported(let detail): detail
        case .malformed(let detail): "\(detail). Correct the file"
        }
    }

    /// Quotes text of the file, shortened and without characters that would move a terminal's cursor.
    package static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(65)
        let shown = scalars.prefix(64).map { $0.escaped(asASCII: false) }.joined()
        return "\"\(shown)\(scalars.count > 64 ? "…" : "")\""
    }
}
