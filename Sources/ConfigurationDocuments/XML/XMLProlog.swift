//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reader that skips everything outside the outermost element: the XML declaration, the document type, comments and processing
/// instructions (XML 1.0 §2.5, §2.6 and §2.8).
struct XMLProlog {
    private var hasDocumentType = false

    /// Skips the XML declaration, the document type, comments, instructions and white space before the outermost element.
    mutating func skipBeforeElement(_ scanner: inout XMLScanner) throws(DocumentError) {
        try Self.skipDeclaration(&scanner)
        try self.skipMarkup(&scanner, allowsDocumentType: true)
    }

    /// Skips comments, instructions and white space after the outermost element.
    mutating func skipAfterElement(_ scanner: inout XMLScanner) throws(DocumentError) {
        try self.skipMarkup(&scanner, allowsDocumentType: false)
    }

    private mutating func skipMarkup(
        _ scanner: inout XMLScanner, allowsDocumentType: Bool
    ) throws(DocumentError) {
        scanner.skipWhitespace()
        while true {
            if scanner.isNext("<!--") {
                try Self.skipComment(&scanner)
            } else if scanner.isNext("<?") {
                try Self.skipInstruction(&scanner)
            } else if scanner.isNext("<!DOCTYPE") {
                guard allowsDocumentType, !self.hasDocumentType else {
                    throw scanner.malformed("a document type is not at the beginning")
                }
                try Self.skipDocumentType(&scanner)
                self.hasDocumentType = true
            } else {
                return
            }
            scanner.skipWhitespace()
        }
    }

    static func skipComment(_ scanner: inout XMLScanner) throws(DocumentError) {
        let position = scanner.position()
        guard scanner.take("<!--"), scanner.skip(through: "--") != nil else {
            throw DocumentError(.malformed("a comment has no end"), position)
        }
        guard scanner.take(">") else { throw scanner.malformed("a comment has \"--\" in it") }
    }

    private static func skipInstruction(_ scanner: inout XMLScanner) throws(DocumentError) {
        let position = scanner.position()
        _ = scanner.take("<?")
        guard let name = try scanner.name() else {
            throw DocumentError(.malformed("a processing instruction has no name"), position)
        }
        guard scanner.text(of: name).lowercased() != "xml" else {
            throw DocumentError(.malformed("an XML declaration is not at the very beginning, or is empty"), position)
        }
        guard scanner.isNext("?>") || scanner.skipWhitespace() else {
            throw scanner.malformed("the name of a processing instruction is not followed by white space")
        }
        guard scanner.skip(through: "?>") != nil else {
            throw DocumentError(.malformed("a processing instruction has no end"), position)
        }
    }
}

// MARK: The XML declaration

extension XMLProlog {
    private static func skipDeclaration(_ scanner: inout XMLScanner) throws(DocumentError) {
        let position = scanner.position()
        guard ["<?xml ", "<?xml\t", "<?xml\n", "<?xml\r"].contains(where: { scanner.isNext($0) }) else { return }
        _ = scanner.take("<?xml")
        guard let version = try Self.value("version", &scanner), Self.isKnown(version) else {
            throw DocumentError(.malformed("the XML declaration does not name version 1.0"), position)
        }
        if let encoding = try Self.value("encoding", &scanner) {
            try Self.check(encoding, scanner, position: position)
        }
        if let standalone = try Self.value("standalone", &scanner), standalone != "yes", standalone != "no" {
            throw DocumentError(.malformed("\"standalone\" of the XML declaration is neither yes nor no"), position)
        }
        scanner.skipWhitespace()
        guard scanner.take("?>") else { throw scanner.malformed("the XML declaration has no \"?>\" here") }
    }

    /// Returns `true` for version 1.0 and for later versions that are read as if they were 1.0 (§2.8).
    private static func isKnown(_ version: String) -> Bool {
        let digits = version.utf8.dropFirst(2)
        return version.utf8.starts(with: "1.".utf8) && !digits.isEmpty && digits.allSatisfy(\.isDigit)
    }

    /// Returns the value of a part of the declaration, or `nil` if another part or the end is next.
    private static func value(_ name: StaticString, _ scanner: inout XMLScanner) throws(DocumentError) -> String? {
        var ahead = scanner
        guard ahead.skipWhitespace(), ahead.take(name) else { return nil }
        scanner = ahead
        try scanner.skipEqualsSign(after: "a part of the XML declaration")
        return scanner.text(of: try scanner.quoted("a value of the XML declaration"))
    }

    /// Refuses a declared encoding other than UTF-8. The bytes are UTF-8, but other readers would follow the declaration.
    private static func check(
        _ encoding: String, _ scanner: XMLScanner, position: TextPosition
    ) throws(DocumentError) {
        switch encoding.lowercased() {
        case "utf-8", "utf8": return
        case "us-ascii" where scanner.isASCII: return
        default: throw DocumentError(.notUTF8, position)
        }
    }
}

// MARK: The document type

extension XMLProlog {
    /// Skips a document type without declarations (§2.8). An external one is not loaded.
    private static func skipDocumentType(_ scanner: inout XMLScanner) throws(DocumentError) {
        let position = scanner.position()
        _ = scanner.take("<!DOCTYPE")
        guard scanner.skipWhitespace(), try scanner.name() != nil else {
            throw DocumentError(.malformed("a document type has no name"), position)
        }
        if scanner.skipWhitespace() { try Self.skipExternalIdentifier(&scanner) }
        guard !scanner.isNext("[") else { throw DocumentError(.hasDocumentType, position) }
        guard scanner.take(">") else { throw DocumentError(.malformed("a document type has no end"), position) }
    }

    /// Skips the external identifier of a document type (§4.2.2).
    private static func skipExternalIdentifier(_ scanner: inout XMLScanner) throws(DocumentError) {
        if scanner.take("PUBLIC") {
            try Self.requireWhitespace(&scanner)
            let identifier = try scanner.quoted("the public identifier of a document type")
            guard scanner.bytes(of: identifier).allSatisfy(\.isInXMLPublicIdentifier) else {
                throw scanner.malformed("the public identifier of a document type has other characters than allowed")
            }
        } else if !scanner.take("SYSTEM") {
            return
        }
        try Self.requireWhitespace(&scanner)
        _ = try scanner.quoted("the system identifier of a document type")
        scanner.skipWhitespace()
    }

    private static func requireWhitespace(_ scanner: inout XMLScanner) throws(DocumentError) {
        guard scanner.skipWhitespace() else { throw scanner.malformed("white space is missing in a document type") }
    }
}
