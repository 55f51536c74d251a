//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// The check of a name's spelling, for faults that keep hosts from matching it.
struct DomainSpelling {
    /// The faults, each with a message, from the beginning of the text to its end.
    private(set) var faults: [(rule: ATSRule, message: String)] = []
    /// The corrected name, or `nil` if it cannot be guessed.
    private(set) var corrected: String?
    /// `true` if the fault suggests that the entry should have `NSIncludesSubdomains`.
    private(set) var wantsSubdomains = false

    /// `true` if the name has a build setting, which is only known in the built app.
    private(set) var hasBuildSetting = false

    private var rest: Substring

    /// - Parameters:
    ///   - text: A key of `NSExceptionDomains` or `NSPinnedDomains`.
    ///   - ignoresCase: `true` if upper-case letters do not matter.
    init(_ text: String, ignoresCase: Bool) {
        self.rest = text[...]
        guard text.utf8.count <= Self.maximumLength else {
            self.faults = [(.invalidDomain, "has more characters than any host has")]
            return
        }
        guard !Self.isBuildSetting(text) else {
            self.faults = [(.invalidDomain, "is a build setting, and its value is not known here")]
            self.hasBuildSetting = true
            return
        }
        self.takeScheme()
        self.takeWildcard()
        self.takePort()
        self.takeDots()
        self.takeCase(ignoresCase)
        self.finish(ignoresCase)
    }

    /// The maximum length in octets. A name of 253 letters may be longer before its conversion to A-labels.
    private static let maximumLength = 1_024

    /// Returns `true` for `$(API_HOST)` or `${API_HOST}`, which Xcode replaces in the app's Info.plist.
    private static func isBuildSetting(_ text: String) -> Bool {
        text.firstRange(of: "$(") != nil || text.firstRange(of: "${") != nil
    }

    private mutating func takeScheme() {
        var isURL = false
        if let scheme = self.rest.firstRange(of: "://") {
            (self.rest, isURL) = (self.rest[scheme.upperBound...], true)
        }
        if let end = self.rest.firstIndex(where: { "/?#".contains($0) }) {
            (self.rest, isURL) = (self.rest[..<end], true)
        }
        if isURL { self.faults.append((.urlAsDomain, "is a URL, or part of one, and no host")) }
    }

    private mutating func takeWildcard() {
        guard self.rest.contains("*") else { return }
        let labels = self.rest.split(separator: ".", omittingEmptySubsequences: false)
        let named = labels.drop { !$0.isEmpty && $0.allSatisfy { $0 == "*" } }
        self.rest = self.rest[(named.first?.startIndex ?? self.rest.endIndex)...]
        self.wantsSubdomains = true
        self.faults.append((.wildcardDomain, "has an asterisk, which stands for nothing here"))
    }

    private mutating func takePort() {
        guard let colon = self.rest.lastIndex(of: ":"), self.rest[..<colon].last != ":" else { return }
        let colons = self.rest.utf8.count { $0 == UInt8(ascii: ":") }
        let digits = self.rest[self.rest.index(after: colon)...]
        guard colons == 1 || self.rest[..<colon].last == "]", digits.utf8.allSatisfy(\.isDigit) else { return }
        self.rest = self.rest[..<colon]
        self.faults.append((.domainWithPort, "has a port, and entries are for all ports"))
    }

    private mutating func takeDots() {
        if self.rest.last == ".", self.rest.utf8.count > 1 {
            self.rest = self.rest.dropLast()
            self.faults.append((.trailingDotDomain, "ends with a dot"))
        }
        if self.rest.first == ".", self.rest.utf8.count > 1 {
            self.rest = self.rest.dropFirst()
            self.wantsSubdomains = true
            self.faults.append((.invalidDomain, "begins with a dot, as no host does"))
        }
    }

    private mutating func takeCase(_ ignoresCase: Bool) {
        guard !ignoresCase, IPAddress(String(self.rest)) == nil,
            self.rest.utf8.contains(where: { (0x41...0x5A).contains($0) })
        else { return }
        self.faults.append((.upperCaseDomain, "has upper-case letters"))
    }

    private mutating func finish(_ ignoresCase: Bool) {
        let name = String(self.rest)
        // An address may have a zone identifier, and this text may be another spelling of such an address.
        guard !IPAddress.hasZoneIdentifier(name) else { return }
        guard let pattern = try? HostPattern(host: name.filter { !$0.isWhitespace }) else {
            if self.faults.isEmpty { self.faults = [(.invalidDomain, "is neither a DNS name nor an address")] }
            return
        }
        // AddressLint reports addresses in more detail.
        // Not Swift's lower case, which turns a Kelvin sign into a k.
        let lowercased = String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        let isOther = pattern.host != lowercased && !pattern.isAddress
        if isOther, self.faults.isEmpty {
            self.faults = [(.invalidDomain, "is another spelling than the one hosts are compared in")]
        }
        self.corrected = ignoresCase && !isOther && !pattern.isAddress ? name : pattern.host
    }
}

extension DomainSpelling {
    func report(_ name: String, _ path: [String], at position: TextPosition?, to log: inout LintLog) {
        let more = self.wantsSubdomains ? ", with NSIncludesSubdomains if names below it are meant" : ""
        let remedy =
            self.corrected.map { "Write \(PrintableText.text(of: $0))\(more)." }
            ?? (self.hasBuildSetting
                ? "Give the Info.plist of the built app, which has the name itself."
                : "Write the name of one host, such as api.example.com.")
        for fault in self.faults {
            log.add(
                fault.rule, path: path, at: position,
                message: "\(name.quoted) \(fault.message)\(self.hasBuildSetting ? "" : ". \(fault.rule.outcome)").",
                remedy: remedy, replacement: self.corrected)
        }
    }
}

extension ATSRule {
    /// The effect of a fault on matching. The engine compares the name with the host as written in the URL, so two kinds of names
    /// still match URLs with the same fault.
    fileprivate var outcome: String {
        switch self {
        case .upperCaseDomain, .trailingDotDomain:
            "It is compared as text, and hosts are usually written without this"
        default: "No host is ever found under it"
        }
    }
}
