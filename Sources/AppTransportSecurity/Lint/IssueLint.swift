//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// The findings for an issue from reading the dictionary.
struct IssueLint {
    private let issue: ATSIssue

    init(_ issue: ATSIssue) {
        self.issue = issue
    }

    func report(to log: inout LintLog) {
        switch self.issue.kind {
        case .unknownKey: self.unknown(&log)
        case .misplacedKey(let key):
            self.add(
                .misplacedKey, "\(key.rawValue) means nothing \(self.place).", remedy: "Move it into \(key.home).",
                into: &log)
        case .wrongType(let expected, let found): self.wrongType(expected, found, into: &log)
        case .numberForBoolean(let number): self.number(number, &log)
        case .duplicateKey:
            self.add(
                .duplicateKey, "\(self.issue.key.quoted) is there more than once, and only one counts.",
                remedy: "Remove all but one.", into: &log)
        case .pinWithoutDigest:
            self.add(
                .pinWithoutDigest, "The pin has no \(ATSKey.spkiSHA256.rawValue) and is passed over.",
                remedy: "Give it one, or remove it.", into: &log)
        }
    }

    private func unknown(_ log: inout LintLog) {
        let key = self.issue.key
        guard let meant = KeySuggestion.closest(to: key, at: self.level) else {
            self.add(.unknownKey, "\(key.quoted) means nothing \(self.place).", remedy: "Remove it.", into: &log)
            return
        }
        let isAtHome = meant.levels.contains(self.level)
        self.add(
            .misspeltKey, "\(key.quoted) means nothing, and is passed over.",
            remedy: "Write \(meant.rawValue)\(isAtHome ? "" : ", and move it into \(meant.home)").", into: &log,
            replacement: isAtHome ? meant.rawValue : nil)
    }

    private func wrongType(_ expected: String, _ found: String, into log: inout LintLog) {
        let key = ATSKey(rawValue: self.issue.key)
        if let key, self.issue.path.count == 2 {
            return log.misplaced(key, [ATSKey.section] + self.issue.path, at: self.issue.position)
        }
        let isIdentities = key == .pinnedCAIdentities || key == .pinnedLeafIdentities
        let outcome = isIdentities ? "pins to nothing" : "is as good as not there"
        let remedy = key?.valueType == .boolean ? "Write <true/> or <false/>." : "Write \(expected)."
        self.add(
            .wrongType, "\(self.subject) is \(found), not \(expected), and \(outcome).", remedy: remedy, into: &log)
    }

    private func number(_ number: Double, _ log: inout LintLog) {
        let isOn = ATSFlag.number(number).isOn
        // PinLint reports the effect on pins.
        guard self.level != .pinnedDomain else { return }
        self.add(
            .numberForBoolean,
            "\(self.subject) is a number, which Apple's engine takes for \(isOn ? "true" : "false").",
            remedy: "Write \(isOn ? "<true/>" : "<false/>").", into: &log, replacement: isOn ? "<true/>" : "<false/>")
    }

    private func add(
        _ rule: ATSRule, _ message: String, remedy: String, into log: inout LintLog, replacement: String? = nil
    ) {
        log.add(
            rule, path: [ATSKey.section] + self.issue.path, at: self.issue.position, message: message, remedy: remedy,
            replacement: replacement
        )
    }

    private var subject: String {
        if self.issue.path.isEmpty || ATSKey(rawValue: self.issue.key) != nil { return self.issue.key }
        return self.issue.path.count > 2 ? "The pin" : "The entry of \(self.issue.key.quoted)"
    }

    private var isInPins: Bool { self.issue.path.first == ATSKey.pinnedDomains.rawValue }

    private var level: ATSKey.Level {
        switch self.issue.path.count {
        case ...1: .global
        case ...3: self.isInPins ? .pinnedDomain : .exception
        default: .pin
        }
    }

    private var place: String {
        switch self.level {
        case .global: "in \(ATSKey.section) itself"
        case .exception: "in an entry of \(ATSKey.exceptionDomains.rawValue)"
        case .pinnedDomain: "in an entry of \(ATSKey.pinnedDomains.rawValue)"
        case .pin: "in a pin"
        }
    }
}

extension LintLog {
    /// Reports a key at the place of a domain. Its entry is probably missing.
    mutating func misplaced(_ key: ATSKey, _ path: [String], at position: TextPosition?) {
        self.add(
            .misplacedKey, path: path, at: position, message: "\(key.rawValue) is where the name of a domain belongs.",
            remedy: "Move it into \(key.home).")
    }
}
