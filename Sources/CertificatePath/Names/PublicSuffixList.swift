//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// The domains under which the public may register a name (https://publicsuffix.org/list/).
///
/// A wildcard directly below such a domain would cover the servers of strangers, so it matches no server.
///
/// For certificates, only the rules before the private section count. Operators of private suffixes hold certificates
/// for all names below them and serve them (`*.googleapis.com`, `*.s3.amazonaws.com`). Apple trusts these, and the
/// CA/Browser Forum (BR 3.2.2.6) points to the ICANN section too. For cookies, all rules count: see ``Sections``.
///
/// Parsing never fails. A line that is not a rule is skipped, so one bad line cannot disable the whole list. The list
/// is parsed at the first question about a name, as few certificates depend on a wildcard.
public struct PublicSuffixList: Sendable {
    private let rules: LazyRules

    /// The sections of the list that count.
    public enum Sections: Sendable, Hashable {
        /// The rules of registries, for the wildcards of certificates.
        case registries
        /// The rules of registries and of operators with independent customers, for cookies. A site at
        /// `one.github.io` must not set a cookie for another (RFC 6265 §5.3, step 5).
        case all
    }

    /// Creates a list from the text of `public_suffix_list.dat`.
    ///
    /// - Parameters:
    ///   - text: The bytes of the file, in UTF-8. Only the first 4 MiB and 100,000 rules are read.
    ///   - sections: The sections of the list that count.
    public init(parsing text: [UInt8], sections: Sections = .registries) {
        self.init(sections: sections) { text }
    }

    /// Creates a list that loads its text when it is first used.
    ///
    /// - Parameters:
    ///   - sections: The sections of the list that count.
    ///   - text: Returns the bytes of the file. It is called at most once, on the first thread that needs them. Other threads wait.
    public init(sections: Sections = .registries, text: @escaping @Sendable () -> [UInt8]) {
        self.rules = LazyRules(sections, text)
    }

    /// The number of valid rules.
    public var ruleCount: Int { self.rules.value.count }

    /// Returns `true` if a name is itself a public suffix, by the prevailing rule of
    /// https://github.com/publicsuffix/list/wiki/Format. A single label that no rule mentions is a public suffix.
    ///
    /// - Parameter name: A DNS name in ASCII without a dot at the end. Its case does not matter.
    public func isPublicSuffix(_ name: some StringProtocol) -> Bool {
        self.rules.value.isPublicSuffix(name.lowercased())
    }

    /// Returns `true` if a rule of the list makes a name a public suffix. Returns `false` for names that no rule
    /// mentions, such as `internal`.
    ///
    /// - Parameter name: A DNS name in ASCII without a dot at the end. Its case does not matter.
    package func lists(_ name: some StringProtocol) -> Bool { self.rules.value.lists(name.lowercased()) }

    /// A store for the rules, which are parsed once, when they are first needed.
    private final class LazyRules: Sendable {
        private enum State { case text(@Sendable () -> [UInt8]), rules(PublicSuffixRules) }
        private let state: Mutex<State>
        private let sections: Sections

        init(_ sections: Sections, _ text: @escaping @Sendable () -> [UInt8]) {
            self.state = Mutex(.text(text))
            self.sections = sections
        }

        var value: PublicSuffixRules {
            self.state.withLock { state in
                switch state {
                case .rules(let rules): return rules
                case .text(let text):
                    let rules = PublicSuffixRules(parsing: text(), sections: self.sections)
                    state = .rules(rules)
                    return rules
                }
            }
        }
    }
}

/// The rules of a public suffix list, with names in the ASCII form of certificates.
private struct PublicSuffixRules: Sendable {
    private var rules: Set<String> = []
    /// The names after `*.`, such as `ck` of `*.ck`.
    private var wildcardParents: Set<String> = []
    /// The names after `!`, such as `www.ck` of `!www.ck`.
    private var exceptions: Set<String> = []

    /// The limit in bytes. The real list is a quarter of a megabyte.
    private static let maximumSize = 4 << 20
    private static let maximumRules = 100_000
    private static let privateSection = Array("// ===BEGIN PRIVATE DOMAINS===".utf8)

    init(parsing text: [UInt8], sections: PublicSuffixList.Sections) {
        var bounded = text.prefix(Self.maximumSize)
        if bounded.starts(with: [0xEF, 0xBB, 0xBF]) { bounded = bounded.dropFirst(3) }
        for line in bounded.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            guard self.count < Self.maximumRules else { return }
            guard sections == .all || !line.starts(with: Self.privateSection) else { return }
            self.add(line)
        }
    }

    var count: Int { self.rules.count + self.wildcardParents.count + self.exceptions.count }

    func isPublicSuffix(_ name: String) -> Bool {
        self.lists(name) || !self.exceptions.contains(name) && !name.utf8.contains(UInt8(ascii: "."))
    }

    func lists(_ name: String) -> Bool {
        if self.exceptions.contains(name) { return false }
        if self.rules.contains(name) { return true }
        guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return false }
        return self.wildcardParents.contains(String(name[name.index(after: dot)...]))
    }

    /// Adds the rule of a line. "Each line is only read up to the first whitespace; entire lines can also be commented using //."
    private mutating func add(_ line: ArraySlice<UInt8>) {
        let rule = line.prefix { $0 > 0x20 }
        guard !rule.isEmpty, !rule.starts(with: "//".utf8) else { return }
        if rule.starts(with: "!".utf8) {
            if let name = Self.name(of: rule.dropFirst()) { self.exceptions.insert(name) }
        } else if rule.starts(with: "*.".utf8) {
            if let name = Self.name(of: rule.dropFirst(2)) { self.wildcardParents.insert(name) }
        } else if let name = Self.name(of: rule) {
            self.rules.insert(name)
        }
    }

    /// Returns the name of a rule in its ASCII form, or `nil` if it is not a name. Rules are in normalized lower case,
    /// so the IDNA mapping would change nothing.
    private static func name(of rule: ArraySlice<UInt8>) -> String? {
        guard rule.count <= DomainName.maximumLength else { return nil }
        var octets = rule.map(\.foldedASCII)
        if octets.contains(where: { $0 >= 0x80 }) {
            guard let aLabels = Self.aLabels(of: octets) else { return nil }
            octets = aLabels
        }
        guard DomainName.isExact(ByteRange(0, octets.count), in: octets.span) else { return nil }
        return String(decoding: octets, as: UTF8.self)
    }

    private static func aLabels(of name: [UInt8]) -> [UInt8]? {
        guard let text = String(validating: name, as: UTF8.self) else { return nil }
        var labels: [String] = []
        for label in text.lowercased().split(separator: ".", omittingEmptySubsequences: false) {
            guard let aLabel = Punycode.aLabel(of: label) else { return nil }
            labels.append(aLabel)
        }
        return Array(labels.joined(separator: ".").utf8)
    }
}

extension PublicSuffixList: Hashable {
    /// Returns `true` if both are copies of one list. Lists from separate initializers differ, as their text may not be loaded yet.
    public static func == (left: PublicSuffixList, right: PublicSuffixList) -> Bool { left.rules === right.rules }

    /// Feeds the identity of the list.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self.rules)) }
}
