//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// A reader that interprets a property list like Apple's engine and records the parts that the engine ignores.
///
/// The document bounds the depth and the number of values.
struct ATSDictionaryReader {
    private var issues: [ATSIssue] = []

    /// The maximum number of issues, more than a person fixes at once. A file of a few megabytes could have a million.
    private static let maximumIssues = 1_000

    mutating func dictionary(inRoot entries: [DocumentEntry]) -> ATSDictionary? {
        self.last(of: entries, ATSKey.section, path: []).map { self.dictionary($0.value, at: $0.keyPosition) }
    }

    mutating func dictionary(_ node: DocumentNode, at position: TextPosition?) -> ATSDictionary {
        var dictionary = ATSDictionary()
        dictionary.position = position
        if let values = self.values(of: node, level: .global, path: []) {
            self.fill(&dictionary, values)
        }
        dictionary.issues = self.issues
        return dictionary
    }

    private mutating func fill(_ dictionary: inout ATSDictionary, _ values: KeyedValues) {
        dictionary.allowsArbitraryLoads = self.flag(values, .allowsArbitraryLoads)
        dictionary.allowsArbitraryLoadsForMedia = self.flag(values, .allowsArbitraryLoadsForMedia)
        dictionary.allowsArbitraryLoadsInWebContent = self.flag(values, .allowsArbitraryLoadsInWebContent)
        dictionary.allowsLocalNetworking = self.flag(values, .allowsLocalNetworking)
        dictionary.requiresNIAPTLSPackageVersion = self.text(values, .requiresNIAPTLSPackageVersion)
        dictionary.exceptionDomains = self.domains(values, .exceptionDomains) { $0.exception($1) }
        dictionary.pinnedDomains = self.domains(values, .pinnedDomains) { $0.pinnedDomain($1) }
    }

    private mutating func domains<Domain>(
        _ values: KeyedValues, _ key: ATSKey, _ read: (inout Self, DocumentEntry) -> Domain?
    ) -> [Domain] {
        guard let entry = values[key] else { return [] }
        guard let domains = entry.value.dictionary else {
            self.wrongType(entry, key, path: values.path)
            return []
        }
        var seen: [LiteralText: Int] = [:]
        for (index, domain) in domains.enumerated() {
            guard seen.updateValue(index, forKey: LiteralText(domain.key)) != nil else { continue }
            self.add(.duplicateKey, [key.rawValue, domain.key], at: domain.keyPosition)
        }
        return domains.enumerated().compactMap { index, domain in
            seen[LiteralText(domain.key)] == index ? read(&self, domain) : nil
        }
    }

    private mutating func exception(_ entry: DocumentEntry) -> ATSExceptionDomain? {
        let path = [ATSKey.exceptionDomains.rawValue, entry.key]
        guard let values = self.values(of: entry.value, level: .exception, path: path) else { return nil }
        var domain = ATSExceptionDomain(entry.key, at: entry.keyPosition)
        domain.includesSubdomains = self.flag(values, .includesSubdomains)
        domain.allowsInsecureHTTPLoads = self.flag(values, .exceptionAllowsInsecureHTTPLoads)
        domain.minimumTLSVersion = self.text(values, .exceptionMinimumTLSVersion)
        domain.requiresForwardSecrecy = self.flag(values, .exceptionRequiresForwardSecrecy)
        domain.requiresNIAPTLSPackageVersion = self.text(values, .exceptionRequiresNIAPTLSPackageVersion)
        domain.requiresCertificateTransparency = self.flag(values, .requiresCertificateTransparency)
        for key in ATSKey.allCases where key.replacement != nil {
            if let entry = values[key] { domain.obsoleteKeys[key] = .some(entry.keyPosition) }
        }
        return domain
    }

    private mutating func pinnedDomain(_ entry: DocumentEntry) -> ATSPinnedDomain? {
        let path = [ATSKey.pinnedDomains.rawValue, entry.key]
        guard let values = self.values(of: entry.value, level: .pinnedDomain, path: path) else { return nil }
        var domain = ATSPinnedDomain(entry.key, at: entry.keyPosition)
        domain.includesSubdomains = self.flag(values, .includesSubdomains)
        domain.leafIdentities = self.identities(values, .pinnedLeafIdentities)
        domain.authorityIdentities = self.identities(values, .pinnedCAIdentities)
        return domain
    }

    /// Reads an array of pins. Any other type counts as an empty array (SecPolicy.c), which refuses every connection.
    private mutating func identities(
        _ values: KeyedValues, _ key: ATSKey
    ) -> ATSEntry<[ATSPinnedDomain.Identity]>? {
        guard let entry = values[key] else { return nil }
        guard let array = entry.value.array else {
            self.wrongType(entry, key, path: values.path)
            return ATSEntry([], at: entry.keyPosition)
        }
        var identities: [ATSPinnedDomain.Identity] = []
        for (index, node) in array.enumerated() {
            if let identity = self.identity(node, values.path + [key.rawValue, "\(index)"]) {
                identities.append(identity)
            }
        }
        return ATSEntry(identities, at: entry.keyPosition)
    }

    private mutating func identity(_ node: DocumentNode, _ path: [String]) -> ATSPinnedDomain.Identity? {
        guard let values = self.values(of: node, level: .pin, path: path) else { return nil }
        guard values[.spkiSHA256] != nil else {
            self.add(.pinWithoutDigest, path, at: node.position)
            return nil
        }
        return self.text(values, .spkiSHA256)
    }
}

// MARK: - Keys and values

/// The values of a dictionary that belong at its level.
private struct KeyedValues {
    let path: [String]
    var entries: [ATSKey: DocumentEntry] = [:]

    subscript(key: ATSKey) -> DocumentEntry? { self.entries[key] }
}

extension ATSDictionaryReader {
    /// Returns the values of a dictionary, or `nil` for any other type, which drops the whole entry.
    private mutating func values(of node: DocumentNode, level: ATSKey.Level, path: [String]) -> KeyedValues? {
        guard let entries = node.dictionary else {
            self.add(.wrongType(expected: "a dictionary", found: node.kindName), path, at: node.position)
            return nil
        }
        var values = KeyedValues(path: path)
        for entry in entries {
            let place = path + [entry.key]
            guard let key = ATSKey(literally: entry.key) else {
                self.add(.unknownKey, place, at: entry.keyPosition)
                continue
            }
            guard key.levels.contains(level) else {
                self.add(.misplacedKey(key), place, at: entry.keyPosition)
                continue
            }
            if values.entries.updateValue(entry, forKey: key) != nil {
                self.add(.duplicateKey, place, at: entry.keyPosition)
            }
        }
        return values
    }

    private mutating func last(of entries: [DocumentEntry], _ key: String, path: [String]) -> DocumentEntry? {
        let found = entries.filter { $0.key == key }
        if found.count > 1 { self.add(.duplicateKey, path, at: found.last?.keyPosition) }
        return found.last
    }

    /// Reads a flag. The engine accepts any `NSNumber` and ignores all other types, even the text "YES".
    private mutating func flag(_ values: KeyedValues, _ key: ATSKey) -> ATSEntry<ATSFlag>? {
        guard let entry = values[key] else { return nil }
        switch entry.value.value {
        case .boolean(let boolean): return ATSEntry(.boolean(boolean), at: entry.keyPosition)
        case .integer(let integer): return self.number(Double(integer), entry, key: key, path: values.path)
        case .real(let real): return self.number(real, entry, key: key, path: values.path)
        default:
            self.wrongType(entry, key, path: values.path)
            return nil
        }
    }

    private mutating func number(
        _ number: Double, _ entry: DocumentEntry, key: ATSKey, path: [String]
    ) -> ATSEntry<ATSFlag> {
        self.add(.numberForBoolean(number), path + [key.rawValue], at: entry.value.position)
        return ATSEntry(.number(number), at: entry.keyPosition)
    }

    private mutating func text(_ values: KeyedValues, _ key: ATSKey) -> ATSEntry<String>? {
        guard let entry = values[key] else { return nil }
        guard let text = entry.value.string else {
            self.wrongType(entry, key, path: values.path)
            return nil
        }
        return ATSEntry(text, at: entry.keyPosition)
    }

    private mutating func wrongType(_ entry: DocumentEntry, _ key: ATSKey, path: [String]) {
        let expected = ["a", key.valueType == .array ? "n" : "", " \(key.valueType.rawValue)"].joined()
        self.add(
            .wrongType(expected: expected, found: entry.value.kindName), path + [key.rawValue], at: entry.value.position
        )
    }

    private mutating func add(_ kind: ATSIssue.Kind, _ path: [String], at position: TextPosition?) {
        guard self.issues.count < Self.maximumIssues else { return }
        self.issues.append(ATSIssue(kind, path, at: position))
    }
}
