//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// The domains under which anyone may register a name (https://publicsuffix.org/list/): a wildcard directly below one
/// would speak for strangers.
///
/// For certificates, only the rules before the private section count. Operators of private suffixes hold certificates for
/// all names below them and serve them (`*.googleapis.com`, `*.s3.amazonaws.com`); Apple trusts these, and the CA/Browser
/// Forum (BR 3.2.2.6) points to the ICANN section too. For cookies, all rules count: see ``Sections``.
/// Parsing never fails. A line that is not a rule is skipped, so that one bad line cannot take the whole list away.
/// Nothing is parsed before a wildcard is first asked about, as few certificates depend on one.
public struct PublicSuffixList: Sendable {
    private let rules: LazyRules

    /// Which rules of the list count.
    public enum Sections: Sendable, Hashable {
        /// The rules of registries, for the wildcards of certificates.
        case registries
        /// The rules of registries, and of operators whose customers do not know each other, for cookies: a site at
        /// `one.github.io` must not set a cookie for another (RFC 6265 §5.3, step 5).
        case all
    }

    /// A list from the text of `public_suffix_list.dat`.
    ///
    /// - Parameters:
    ///   - text: The bytes of the file, in UTF-8. Only the first 4 MiB and 100,000 rules are read.
    ///   - sections: Which rules count.
    public init(parsing text: [UInt8], sections: Sections = .registries) {
        self.init(sections: sections) { text }
    }

    /// A list whose text is got when a name is first asked about.
    ///
    /// - Parameters:
    ///   - sections: Which rules count.
    ///   - text: Gives the bytes of the file; called once at most, on the thread that needs them first. Other threads wait.
    public init(sections: Sections = .registries, text: @escaping @Sendable () -> [UInt8]) {
        self.rules = LazyRules(sections, text)
    }

    /// The number of rules that were understood.
    public var ruleCount: Int { self.rules.value.count }

    /// Whether a name is itself a public suffix, by the prevailing rule of
    /// https://github.com/publicsuffix/list/wiki/Format; where no rule speaks, every single label is one.
    ///
    /// - Parameter name: A DNS name in ASCII without a dot at the end; its case does not matter.
    public func isPublicSuffix(_ name: some StringProtocol) -> Bool {
        self.rules.value.isPublicSuffix(name.lowercased())
    }

    /// Whether a rule of the list says that a name is a public suffix; names that no rule speaks of, such as `internal`, are
    /// left aside.
    ///
    /// - Parameter name: A DNS name in ASCII without a dot at the end; its case does not matter.
    package func lists(_ name: some StringProtocol) -> Bool { self.rules.value.lists(name.lowercased()) }

    /// Rules that are parsed once, when they are first needed.
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

/// The rules of a public suffix list, as certificates write names.
private struct PublicSuffixRules: Sendable {
    private var rules: Set<String> = []
    /// The `ck` of `*.ck`.
    private var wildcardParents: Set<String> = []
    /// The `www.ck` of `!www.ck`.
    private var exceptions: Set<String> = []

    /// The list is a quarter of a megabyte; whatever is far beyond that is not the list.
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

    /// "Each line is only read up to the first whitespace; entire lines can also be commented using //."
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

    /// The name of a rule as certificates write it; `nil` when it is not a name. Rules are in normalised lower case already,
    /// so that the mapping of IDNA has nothing left to do.
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
    /// Whether both are copies of one list. Lists made apart are not compared: their text may not have been read yet.
    public static func == (left: PublicSuffixList, right: PublicSuffixList) -> Bool { left.rules === right.rules }

    /// Feeds which list it is.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self.rules)) }
}
