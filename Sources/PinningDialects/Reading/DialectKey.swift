//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// The keys of one kind of dictionary: the one table of them that reading, writing and the search for what was meant share.
protocol DialectKey: RawRepresentable, CaseIterable, Hashable, Sendable where RawValue == String {
    /// What it is to have a key that is not among them: a warning where the systems that the dialect is of pass it over.
    static var otherKey: PinningDiagnostic.Code { get }
}

extension DialectKey {
    static var otherKey: PinningDiagnostic.Code { .unknownKey }
}

/// A dictionary whose keys are known.
struct KeyedNode<Key: DialectKey> {
    /// What it is about, for messages.
    let subject: String
    /// Where it begins.
    let position: TextPosition?
    private var entries: [Key: DocumentEntry] = [:]

    /// Looks at the keys of a dictionary; `nil`, with an error, when it is no dictionary.
    init?(_ node: DocumentNode, _ subject: String, into log: inout DiagnosticLog) {
        self.subject = subject
        self.position = node.position
        guard let dictionary = node.dictionary else {
            log.add(
                .wrongType, "\(subject) is \(node.kindName), not a dictionary.", remedy: "Write a dictionary.",
                at: node.position)
            return nil
        }
        for entry in dictionary { self.add(entry, &log) }
    }

    private mutating func add(_ entry: DocumentEntry, _ log: inout DiagnosticLog) {
        guard let key = Key(literally: entry.key) else {
            log.unknown(
                entry.key, in: self.subject, known: Key.allCases.map(\.rawValue), at: entry.keyPosition, Key.otherKey)
            return
        }
        guard self.entries.updateValue(entry, forKey: key) == nil else {
            log.add(
                .duplicate, "\(self.subject) has \(key.rawValue) twice.", remedy: "Remove one of them.",
                at: entry.keyPosition)
            return
        }
    }

    /// The value for a key.
    subscript(key: Key) -> DocumentNode? { self.entries[key]?.value }

    /// The keys that are there.
    var keys: Set<Key> { Set(self.entries.keys) }

    /// Where a key is.
    func position(of key: Key) -> TextPosition? { self.entries[key]?.keyPosition ?? self.position }
}

// MARK: Values of a kind

extension KeyedNode {
    /// A true or false; numbers and texts that look like one are neither.
    func boolean(_ key: Key, _ log: inout DiagnosticLog) -> Bool? {
        self.value(key, "a boolean", into: &log, \.boolean)
    }

    /// A text.
    func string(_ key: Key, _ log: inout DiagnosticLog) -> String? {
        self.value(key, "a string", into: &log, \.string)
    }

    /// Values in order.
    func array(_ key: Key, _ log: inout DiagnosticLog) -> [DocumentNode]? {
        self.value(key, "an array", into: &log, \.array)
    }

    /// Texts in order, each with its place.
    func strings(_ key: Key, _ log: inout DiagnosticLog) -> [(text: String, position: TextPosition?)]? {
        guard let nodes = self.array(key, &log) else { return nil }
        var strings: [(text: String, position: TextPosition?)] = []
        for node in nodes {
            if let string = node.string {
                strings.append((string, node.position))
            } else {
                log.wrongType("\(self.subject): a value in \(key.rawValue)", node, kind: "a string")
            }
        }
        return strings
    }

    /// One of a few words.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: Key, _ type: Choice.Type, into log: inout DiagnosticLog
    ) -> Choice? where Choice.RawValue == String {
        guard let text = self.string(key, &log) else { return nil }
        return log.choice(text, type, subject: "\(self.subject): \(key.rawValue)", at: self[key]?.position)
    }

    private func value<Value>(
        _ key: Key, _ kind: String, into log: inout DiagnosticLog, _ convert: (DocumentNode) -> Value?
    ) -> Value? {
        guard let node = self[key] else { return nil }
        if let value = convert(node) { return value }
        log.wrongType("\(self.subject): \(key.rawValue)", node, kind: kind)
        return nil
    }
}

extension RawRepresentable where RawValue == String {
    /// The word of a text that is the same octet by octet: `TSKPinnedDomains` with the sign for kelvins is not a key, as
    /// property lists and JSON compare texts, although Swift takes the two for equal.
    fileprivate init?(literally text: String) {
        self.init(rawValue: text)
        guard text.utf8.elementsEqual(self.rawValue.utf8) else { return nil }
    }
}

extension DiagnosticLog {
    /// Says that a value is of another kind.
    mutating func wrongType(_ subject: String, _ node: DocumentNode, kind: String) {
        self.add(
            .wrongType, "\(subject) is \(node.kindName), not \(kind).", remedy: "Write \(kind).", at: node.position)
    }

    /// The word that a text is.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String, _ type: Choice.Type, subject: String, at position: TextPosition?
    ) -> Choice? where Choice.RawValue == String {
        if let choice = Choice(literally: text) { return choice }
        let words = Choice.allCases.map(\.rawValue)
        let remedy = "Write \(SpellingSuggestion.closest(to: text, in: words) ?? words.joined(separator: ", or "))."
        self.add(.invalidValue, "\(subject) cannot be \(text.quoted).", remedy: remedy, at: position)
        return nil
    }

    /// Says that a key means nothing, and which was meant.
    mutating func unknown(
        _ key: String, in subject: String, known: [String], at position: TextPosition?,
        _ code: PinningDiagnostic.Code = .unknownKey
    ) {
        // The search for what was meant takes a while, and a hostile file has half a million keys.
        guard !self.isFull else { return }
        let remedy = SpellingSuggestion.closest(to: key, in: known).map { "Write \($0)." } ?? "Remove it."
        self.add(code, "\(subject): \(key.quoted) means nothing here.", remedy: remedy, at: position)
    }

    /// The value of a key of a dictionary with other keys that do not matter here; says it when the key is there twice.
    mutating func value(of key: String, in node: DocumentNode) -> DocumentNode? {
        let entries = (node.dictionary ?? []).filter { $0.key == key }
        if entries.count > 1 {
            self.add(
                .duplicate, "\(key) is there twice.", remedy: "Remove one of them.", at: entries.last?.keyPosition)
        }
        return entries.first?.value
    }

    /// Says that a dictionary has no such key, and which of its keys may have been meant as it.
    mutating func nothing(under key: String, in node: DocumentNode) {
        let near = node.dictionary?.first { SpellingSuggestion.closest(to: $0.key, in: [key]) != nil }
        let remedy = near.map { "Write \(key) for \($0.key.quoted)." } ?? "Add \(key)."
        self.add(
            .nothingPinned, "There is no \(key), and so nothing is pinned.", remedy: remedy,
            at: near?.keyPosition ?? node.position)
    }
}
