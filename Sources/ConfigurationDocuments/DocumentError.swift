//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A document that cannot be read, where it goes wrong, and what to do about it.
package struct DocumentError: Error, Sendable, Hashable {
    /// What is wrong.
    package enum Code: Sendable, Hashable {
        /// There is nothing in it but white space or comments.
        case empty
        /// It has more bytes than are read.
        case tooLarge(limit: Int)
        /// It is UTF-16, UTF-32, another encoding, or damaged UTF-8.
        case notUTF8
        /// It has a zero byte, which no text has.
        case zeroByte
        /// It declares entities or a document type of its own.
        case hasDocumentType
        /// Its collections or elements lie too deep within each other.
        case tooDeep(limit: Int)
        /// It has more values, than are read.
        case tooManyNodes(limit: Int)
        /// A key is there twice in one mapping.
        case duplicateKey(String)
        /// It is valid, but of a kind that is not read; says which, and what to do.
        case unsupported(String)
        /// It breaks the rules of its format; says which.
        case malformed(String)
    }

    /// What is wrong.
    package let code: Code
    /// Where, as far as that is known.
    package let position: TextPosition?

    /// A fault of a document.
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

    /// The fault alone and what to do about it, behind a semicolon.
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

    /// What stands in the file, short and without what would move a terminal's cursor.
    package static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(65)
        let shown = scalars.prefix(64).map { $0.escaped(asASCII: false) }.joined()
        return "\"\(shown)\(scalars.count > 64 ? "…" : "")\""
    }
}
