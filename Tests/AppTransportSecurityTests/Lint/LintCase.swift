//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AppTransportSecurity
import ConfigurationDocuments
import Testing

/// Contents of `NSAppTransportSecurity`, with a `§` where a finding is expected.
struct LintCase: Sendable, CustomTestStringConvertible {
    let rule: ATSRule
    /// What the rule finds.
    let found: String
    /// What is near to it, and left alone by the rule.
    let silent: String
    var linter = ATSLinter()
    /// Whether the contents lie beside `NSAppTransportSecurity`.
    var isAtRoot = false

    init(
        _ rule: ATSRule, _ found: String, silent: String, system: ATSSystem = .newest,
        strictness: ATSStrictness = .engine, isAtRoot: Bool = false
    ) {
        self.rule = rule
        self.found = found
        self.silent = silent
        self.isAtRoot = isAtRoot
        self.linter = ATSLinter(system: system, strictness: strictness)
    }

    var testDescription: String { "\(self.rule.rawValue): \(self.found.split(separator: "\n").joined())" }

    func findings(_ contents: String) throws -> [ATSFinding] {
        try self.linter.findings(in: self.isAtRoot ? Plist.atRoot(contents) : Plist.plist(contents))
    }
}

/// Info.plists for tests.
enum Plist {
    /// An Info.plist with such contents of `NSAppTransportSecurity`.
    static func plist(_ contents: String) throws -> InfoPropertyList {
        try self.atRoot("<key>NSAppTransportSecurity</key>\n<dict>\(contents)</dict>")
    }

    /// An Info.plist with such keys.
    static func atRoot(_ contents: String) throws -> InfoPropertyList {
        let text = self.text(contents).filter { $0 != "§" }
        return try InfoPropertyList(Array(text.utf8))
    }

    /// Where the mark is.
    static func mark(in contents: String, isAtRoot: Bool) -> TextPosition? {
        let whole = isAtRoot ? contents : "<key>NSAppTransportSecurity</key>\n<dict>\(contents)</dict>"
        let lines = self.text(whole).split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let mark = line.firstIndex(of: "§") else { continue }
            return TextPosition(line: index + 1, column: line[..<mark].unicodeScalars.count + 1)
        }
        return nil
    }

    /// The text of an Info.plist, without the marks.
    static func text(ofContents contents: String, isAtRoot: Bool) -> String {
        let whole = isAtRoot ? contents : "<key>NSAppTransportSecurity</key>\n<dict>\(contents)</dict>"
        return self.text(whole).filter { $0 != "§" }
    }

    private static func text(_ contents: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0">
        <dict>
            <key>CFBundleIdentifier</key>
            <string>org.example.app</string>
            \(contents)
        </dict>
        </plist>
        """
    }
}

/// An entry of `NSExceptionDomains`; the mark is before its key.
func exception(_ contents: String, _ name: String = "example.com") -> String {
    """

    <key>NSExceptionDomains</key>
    <dict>
        §<key>\(name)</key>
        <dict>\(contents)</dict>
    </dict>

    """
}

/// The same, with the mark left to the contents.
func unmarkedException(_ contents: String, _ name: String = "example.com") -> String {
    let mark = contents.firstIndex(of: "§")
    let plain = exception(contents.filter { $0 != "§" }, name).filter { $0 != "§" }
    guard mark != nil else { return plain }
    return plain.replacing(contents.filter { $0 != "§" }, with: contents)
}

/// An entry of `NSPinnedDomains`; the mark is left to the contents.
func pinned(_ contents: String, _ name: String = "example.com") -> String {
    "\n<key>NSPinnedDomains</key>\n<dict>\n<key>\(name)</key>\n<dict>\(contents)</dict>\n</dict>\n"
}

/// An array of pins; the mark is left to the key's prefix.
func pins(_ key: String, _ digests: [String], mark: String = "", pinMark: String = "") -> String {
    let dictionaries = digests.map { "<dict>\(pinMark)<key>SPKI-SHA256-BASE64</key><string>\($0)</string></dict>" }
    return "\n\(mark)<key>\(key)</key>\n<array>\n\(dictionaries.joined(separator: "\n"))\n</array>\n"
}

/// Pins of authorities.
func authorities(_ digests: String..., mark: String = "", pinMark: String = "") -> String {
    pins("NSPinnedCAIdentities", digests, mark: mark, pinMark: pinMark)
}

/// Pins of servers.
func leaves(_ digests: String..., mark: String = "", pinMark: String = "") -> String {
    pins("NSPinnedLeafIdentities", digests, mark: mark, pinMark: pinMark)
}

/// Digests of keys.
enum Digest {
    static let one = "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="
    static let two = "WoiWRyIOVNa9ihaBciRSC7XHjliYS9VwUGOIud4PB18="
    static let none = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    /// The first in hexadecimal.
    static let hexadecimal = "aff988906dde12955d9bebbf928fdcc31cce328d5b9384f21c8941ca26e20391"
}

/// Random numbers that are the same every time.
struct SplitMix {
    var state: UInt64

    mutating func below(_ count: Int) -> Int { Int(self.next() % UInt64(count)) }

    mutating func flip() -> Bool { self.below(2) == 0 }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
