//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ConfigurationDocuments
import Testing

/// A finding's edit, made in the text of a property list as its reader makes it.
private struct LintEdit {
    let finding: ATSFinding

    /// Returns the text with the edit, or `nil` if the finding has none that a program can make.
    func applied(to text: String) -> String? {
        guard let position = self.finding.position, let index = Self.index(of: position, in: text) else { return nil }
        var text = text
        if let replacement = self.finding.replacement {
            // Findings about a value have the place of its key.
            let place = Self.ofValues.contains(self.finding.rule) ? Self.value(at: index, in: text) : index
            guard let place, let range = Self.rangeToReplace(at: place, in: text, by: replacement) else { return nil }
            text.replaceSubrange(range, with: replacement)
            return text
        }
        guard self.finding.remedy.hasPrefix("Remove"), let range = Self.entry(at: index, in: text) else { return nil }
        text.removeSubrange(range)
        // A pin is a dictionary, of which nothing is left.
        return text.replacing("<dict></dict>", with: self.finding.rule == .duplicatePin ? "" : "<dict></dict>")
    }

    private static let ofValues: Set<ATSRule> = [
        .invalidMinimumVersion, .invalidPackage, .invalidPin, .pinnedSubdomainsNotBoolean,
    ]

    /// The value behind a key.
    private static func value(at index: String.Index, in text: String) -> String.Index? {
        guard let key = Self.element(at: index, in: text) else { return nil }
        return text[key].hasPrefix("<key>") ? text[key.upperBound...].firstIndex(of: "<") : index
    }

    private static func index(of position: TextPosition, in text: String) -> String.Index? {
        var (line, index) = (1, text.startIndex)
        while line < position.line {
            guard let next = text[index...].firstIndex(of: "\n") else { return nil }
            (line, index) = (line + 1, text.index(after: next))
        }
        return text.unicodeScalars.index(index, offsetBy: position.column - 1, limitedBy: text.endIndex)
    }

    /// The text of a key or string, or the whole element where an element takes its place.
    private static func rangeToReplace(
        at index: String.Index, in text: String, by replacement: String
    ) -> Range<String.Index>? {
        guard let element = Self.element(at: index, in: text) else { return nil }
        guard !replacement.hasPrefix("<") else { return element }
        guard let start = text[element].firstIndex(of: ">"), let end = text[element].lastIndex(of: "<") else {
            return nil
        }
        return start < end ? text.index(after: start)..<end : nil
    }

    /// An element from its first character to the last of its end.
    private static func element(at index: String.Index, in text: String) -> Range<String.Index>? {
        guard let open = text[index...].prefixMatch(of: #/<([a-z]+)[^>]*>/#) else { return nil }
        guard !open.output.0.hasSuffix("/>") else { return open.range }
        var (depth, rest) = (1, open.range.upperBound)
        while let tag = text[rest...].firstMatch(of: #/<(/?)([a-z]+)[^>]*?(/?)>/#) {
            rest = tag.range.upperBound
            guard tag.output.2 == open.output.1, tag.output.3.isEmpty else { continue }
            depth += tag.output.1.isEmpty ? 1 : -1
            if depth == 0 { return open.range.lowerBound..<rest }
        }
        return nil
    }

    /// A key with its value, from either of them, or an element of an array.
    private static func entry(at index: String.Index, in text: String) -> Range<String.Index>? {
        guard let element = Self.element(at: index, in: text) else { return nil }
        if text[element].hasPrefix("<key>") {
            let rest = text[element.upperBound...]
            guard let value = rest.firstIndex(of: "<"), let range = Self.element(at: value, in: text) else {
                return nil
            }
            return element.lowerBound..<range.upperBound
        }
        guard let key = text[..<element.lowerBound].matches(of: #/<key>[^<]*</key>\s*/#).last,
            key.range.upperBound == element.lowerBound
        else { return element }
        return key.range.lowerBound..<element.upperBound
    }
}

/// Every finding that says what to write, or what to remove, is followed.
@Suite struct LintEditTests {
    @Test("A finding's edit takes the finding away, and brings no error", arguments: lintCases)
    func followed(example: LintCase) throws {
        let text = Plist.text(ofContents: example.found, isAtRoot: example.isAtRoot)
        for finding in try Self.findings(text, example) where finding.rule == example.rule {
            guard let edited = LintEdit(finding: finding).applied(to: text) else {
                #expect(Self.notFollowed[finding.rule] != nil, "\(finding) \(finding.replacement ?? "")\n\(text)")
                continue
            }
            let (before, after) = (try Self.findings(text, example), try Self.findings(edited, example))
            #expect(
                after.filter { $0.rule == finding.rule }.count < before.filter { $0.rule == finding.rule }.count,
                "\(finding) \(after)\n\(edited)")
            let errors = { (findings: [ATSFinding]) in
                findings.filter { $0.severity == .error || $0.rule == .unknownKey }.map(\.rule)
            }
            let new = Set(errors(after)).subtracting(errors(before))
            #expect(new.isEmpty, "\(finding) brings \(new)\n\(edited)")
        }
    }

    @Test("Every rule has an edit that is made here, or a reason why no program makes it")
    func coverage() throws {
        var edited: Set<ATSRule> = []
        for example in lintCases {
            let text = Plist.text(ofContents: example.found, isAtRoot: example.isAtRoot)
            for finding in try Self.findings(text, example) where finding.rule == example.rule {
                if LintEdit(finding: finding).applied(to: text) != nil { edited.insert(finding.rule) }
            }
        }
        let missing = Set(ATSRule.allCases).subtracting(edited).subtracting(Self.notFollowed.keys)
        #expect(missing.isEmpty, "\(missing.map(\.rawValue).sorted())")
    }

    private static func findings(_ text: String, _ example: LintCase) throws -> [ATSFinding] {
        try example.linter.findings(in: InfoPropertyList(Array(text.utf8)))
    }

    /// The rules of which some finding has no edit that a program makes.
    private static let notFollowed: [ATSRule: String] = [
        .unknownKey: "its author has to say what the key was to do",
        .misplacedKey: "the key moves into the dictionary that the remedy names",
        .wrongType: "its author has to write a value of the right type",
        .duplicateKey: "its author has to choose one of the values",
        .ignoredBySystem: "the app has to target another release",
        .arbitraryLoads: "its author has to name the hosts",
        .ignoredArbitraryLoads: "its author has to choose one of two keys",
        .justificationRequired: "its author has to write a justification for the review",
        .refusedMinimumVersion: "the server has to speak a newer version",
        .invalidPackage: "its author has to choose a package",
        .urlAsDomain: "a URL may have no host",
        .invalidDomain: "its author has to name a host",
        .wildcardDomain: "its author has to name a host",
        .invalidAddressBlock: "its author has to say which network is meant",
        .disputedAddressBlock: "a block may have no shorter text",
        .everyAddress: "its author has to say which networks are meant",
        .duplicateAddressBlock: "its author has to choose one of the entries",
        .subdomainsOfAddress: "its author has to say which addresses are meant",
        .exceptionWithoutEffect: "its author may want https to be as strict as elsewhere",
        .wholeDomain: "its author has to name the hosts",
        .subdomainsOneLabel: "its author has to name the hosts in between",
        .nothingPinned: "pins have to be added",
        .emptyPins: "pins have to be added",
        .pinWithoutDigest: "a pin has to be added",
        .invalidPin: "text that is no digest stands for no pin, and a fingerprint for no key",
        .placeholderPin: "a real backup key has to be made",
        .singlePin: "a second key has to be made",
        .leafOnlyPins: "the pins of authorities have to be added",
        .pinnedAddress: "the server has to have a name",
        .mergedPinnedDomains: "its author has to merge the pins",
        .pinnedSubdomainsOneLabel: "its author has to name the hosts in between",
        .pinsBypassed: "its author has to take out the exception",
    ]
}
