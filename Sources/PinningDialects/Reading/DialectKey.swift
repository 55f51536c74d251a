//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// The keys of one kind of dictionary: a single table for reading, writing and spelling suggestions.
protocol DialectKey: RawRepresentable, CaseIterable, Hashable, Sendable where RawValue == String {
    /// The diagnostic for any other key: a warning if the systems of the dialect ignore unknown keys.
    static var otherKey: PinningDiagnostic.Code { get }
}

extension DialectKey {
    static var otherKey: PinningDiagnostic.Code { .unknownKey }
}

/// A dictionary with known keys.
struct KeyedNode<Key: DialectKey> {
    /// The name of the dictionary for messages.
    let subject: String
    let position: TextPosition?
    private var entries: [Key: DocumentEntry] = [:]

    /// Checks the keys of a dictionary. Reports an error and returns `nil` if the node is not a dictionary.
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

    subscript(key: Key) -> DocumentNode? { self.entries[key]?.value }

    var keys: Set<Key> { Set(self.entries.keys) }

    func position(of key: Key) -> TextPosition? { self.entries[key]?.keyPosition ?? self.position }
}

// MARK: Values of a kind

extension KeyedNode {
    /// Reads a Boolean value. Numbers and texts that look like one do not count.
    func boolean(_ key: Key, _ log: inout DiagnosticLog) -> Bool? {
        self.value(key, "a boolean", into: &log, \.boolean)
    }

    func string(_ key: Key, _ log: inout DiagnosticLog) -> String? {
        self.value(key, "a string", into: &log, \.string)
    }

    func array(_ key: Key, _ log: inout DiagnosticLog) -> [DocumentNode]? {
        self.value(key, "an array", into: &log, \.array)
    }

    /// Reads an array of strings, each with its position.
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

    /// Reads a string that must be one of the choices.
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
    /// Creates the value with a raw value that equals the text byte by byte. Swift treats `TSKPinnedDomains` with the Kelvin sign
    /// as equal to the key, but property lists and JSON do not.
    fileprivate init?(literally text: String) {
        self.init(rawValue: text)
        guard text.utf8.elementsEqual(self.rawValue.utf8) else { return nil }
    }
}

extension DiagnosticLog {
    mutating func wrongType(_ subject: String, _ node: DocumentNode, kind: String) {
        self.add(
            .wrongType, "\(subject) is \(node.kindName), not \(kind).", remedy: "Write \(kind).", at: node.position)
    }

    /// Returns the choice that equals a text, and reports any other text.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String, _ type: Choice.Type, subject: String, at position: TextPosition?
    ) -> Choice? where Choice.RawValue == String {
        if let choice = Choice(literally: text) { return choice }
        let words = Choice.allCases.map(\.rawValue)
        let remedy = "Write \(SpellingSuggestion.closest(to: text, in: words) ?? words.joined(separator: ", or "))."
        self.add(.invalidValue, "\(subject) cannot be \(text.quoted).", remedy: remedy, at: position)
        return nil
    }

    /// Reports an unknown key and suggests the likely spelling.
    mutating func unknown(
        _ key: String, in subject: String, known: [String], at position: TextPosition?,
        _ code: PinningDiagnostic.Code = .unknownKey
    ) {
        // The search for a suggestion is slow, and a hostile file has half a million keys.
        guard !self.isFull else { return }
        let remedy = SpellingSuggestion.closest(to: key, in: known).map { "Write \($0)." } ?? "Remove it."
        self.add(code, "\(subject): \(key.quoted) means nothing here.", remedy: remedy, at: position)
    }

    /// Returns the value of one key, ignores all other keys of the dictionary, and reports a duplicate.
    mutating func value(of key: String, in node: DocumentNode) -> DocumentNode? {
        let entries = (node.dictionary ?? []).filter { $0.key == key }
        if entries.count > 1 {
            self.add(
                .duplicate, "\(key) is there twice.", remedy: "Remove one of them.", at: entries.last?.keyPosition)
        }
        return entries.first?.value
    }

    /// Reports a missing key and suggests a misspelt key of the dictionary.
    mutating func nothing(under key: String, in node: DocumentNode) {
        let near = node.dictionary?.first { SpellingSuggestion.closest(to: $0.key, in: [key]) != nil }
        let remedy = near.map { "Write \(key) for \($0.key.quoted)." } ?? "Add \(key)."
        self.add(
            .nothingPinned, "There is no \(key), and so nothing is pinned.", remedy: remedy,
            at: near?.keyPosition ?? node.position)
    }
}
