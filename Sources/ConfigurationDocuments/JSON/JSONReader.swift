//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A reader that builds the values of a JSON text.
///
/// The open collections are kept in an array and not on the call stack, so that deep nesting takes no more of the stack.
struct JSONReader {
    private var scanner: JSONScanner
    private var budget: DocumentBudget
    private var open: [OpenCollection] = []

    init(_ bytes: [UInt8], _ limits: DocumentLimits) {
        self.scanner = JSONScanner(bytes)
        self.budget = DocumentBudget(limits)
    }

    /// Reads the single value of the text (RFC 8259 §2).
    mutating func document() throws(DocumentError) -> DocumentNode {
        while true {
            guard var value = try self.value() else { continue }
            while try self.endsCollection(after: value) {
                value = self.open.removeLast().node
            }
            guard self.open.isEmpty else { continue }
            try self.scanner.requireEnd()
            return value
        }
    }

    private mutating func value() throws(DocumentError) -> DocumentNode? {
        self.scanner.skipWhitespace()
        let position = self.scanner.position()
        try self.budget.spend(depth: self.open.count + 1, at: position)
        switch self.scanner.next {
        case UInt8(ascii: "{"): return try self.begin(OpenCollection(.object, position))
        case UInt8(ascii: "["): return try self.begin(OpenCollection(.array, position))
        default: return DocumentNode(try self.scanner.scalar(), at: position)
        }
    }

    private mutating func begin(_ collection: OpenCollection) throws(DocumentError) -> DocumentNode? {
        self.scanner.skip()
        self.scanner.skipWhitespace()
        guard !self.scanner.take(collection.kind.end) else { return collection.node }
        self.open.append(collection)
        try self.readName()
        return nil
    }

    /// Adds a value to the innermost collection and returns `true` if the collection ends after it.
    private mutating func endsCollection(after value: DocumentNode) throws(DocumentError) -> Bool {
        guard let kind = self.open.last?.kind else { return false }
        self.open[self.open.count - 1].add(value)
        self.scanner.skipWhitespace()
        if self.scanner.take(kind.end) { return true }
        guard self.scanner.take(UInt8(ascii: ",")) else {
            let end = kind == .object ? "}" : "]"
            throw self.scanner.malformed("a value is not followed by \",\" or \"\(end)\"")
        }
        try self.readName()
        return false
    }

    /// Reads the name of a member and its colon, if the innermost collection is an object (§4).
    private mutating func readName() throws(DocumentError) {
        guard self.open.last?.kind == .object else { return }
        self.scanner.skipWhitespace()
        let position = self.scanner.position()
        try self.budget.spend(depth: self.open.count + 1, at: position)
        guard self.scanner.next == UInt8(ascii: "\"") else {
            throw self.scanner.malformed("a member does not begin with a name in quotation marks")
        }
        let name = try self.scanner.string()
        try self.open[self.open.count - 1].begin(name, at: position)
        self.scanner.skipWhitespace()
        guard self.scanner.take(UInt8(ascii: ":")) else {
            throw self.scanner.malformed("the name of a member is not followed by \":\"")
        }
    }
}

/// An array or object that is not read to its end yet.
private struct OpenCollection {
    enum Kind {
        case array, object

        var end: UInt8 { self == .array ? UInt8(ascii: "]") : UInt8(ascii: "}") }
    }

    let kind: Kind
    private let position: TextPosition
    private var values: [DocumentNode] = []
    private var entries: [DocumentEntry] = []
    /// The names by their bytes. RFC 8259 §8.3 compares code units, and Swift's strings are equal in more cases.
    private var names: Set<[UInt8]> = []
    private var member: (name: String, position: TextPosition)?

    init(_ kind: Kind, _ position: TextPosition) {
        self.kind = kind
        self.position = position
    }

    var node: DocumentNode {
        DocumentNode(self.kind == .array ? .array(self.values) : .dictionary(self.entries), at: self.position)
    }

    mutating func begin(_ name: String, at position: TextPosition) throws(DocumentError) {
        guard self.names.insert(Array(name.utf8)).inserted else {
            let first = self.entries.first { $0.key.utf8.elementsEqual(name.utf8) }
            throw DocumentError(.duplicateKey(name), first?.keyPosition)
        }
        self.member = (name, position)
    }

    mutating func add(_ value: DocumentNode) {
        if let (name, position) = self.member {
            self.entries.append(DocumentEntry(key: name, keyPosition: position, value: value))
        } else {
            self.values.append(value)
        }
    }
}
