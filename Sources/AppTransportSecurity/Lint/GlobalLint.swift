//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// The checks of the global keys.
struct GlobalLint {
    private let policy: ATSPolicy
    private var dictionary: ATSDictionary { self.policy.dictionary }
    private var system: ATSSystem { self.policy.configuration.system }

    init(_ policy: ATSPolicy) {
        self.policy = policy
    }

    func report(to log: inout LintLog) {
        self.arbitraryLoads(&log)
        self.client(.allowsArbitraryLoadsForMedia, self.dictionary.allowsArbitraryLoadsForMedia, into: &log)
        self.client(.allowsArbitraryLoadsInWebContent, self.dictionary.allowsArbitraryLoadsInWebContent, into: &log)
        if let entry = self.dictionary.allowsLocalNetworking, !self.system.readsAllGlobalKeys {
            log.ignored(.allowsLocalNetworking, [], at: entry.position, by: self.system, since: 10)
        }
        if let entry = self.dictionary.requiresNIAPTLSPackageVersion {
            PackageLint(.requiresNIAPTLSPackageVersion, entry, path: [], system: self.system).report(to: &log)
        }
        if let first = self.dictionary.pinnedDomains.first, !self.system.readsPinnedDomains {
            log.ignored(.pinnedDomains, [], at: first.position, by: self.system, since: 14)
        }
    }

    private func arbitraryLoads(_ log: inout LintLog) {
        guard let entry = self.dictionary.allowsArbitraryLoads, entry.value.isOn else { return }
        let path = [ATSKey.section, ATSKey.allowsArbitraryLoads.rawValue]
        let keys = self.policy.securingKeys.map(\.rawValue)
        guard keys.isEmpty else {
            log.add(
                .ignoredArbitraryLoads, path: path, at: entry.position,
                message: "NSAllowsArbitraryLoads is out of force since iOS 10, as \(keys.joined(separator: " and ")) "
                    + "\(keys.count == 1 ? "is" : "are") there.",
                remedy: "Remove it, unless the app still runs on iOS 9.")
            return
        }
        log.add(
            .arbitraryLoads, path: path, at: entry.position,
            message: "NSAllowsArbitraryLoads turns App Transport Security off for every host without an entry.",
            remedy: "Except only the hosts that need it, in NSExceptionDomains.")
        log.justification(.allowsArbitraryLoads, [], at: entry.position)
    }

    private func client(_ key: ATSKey, _ entry: ATSEntry<ATSFlag>?, into log: inout LintLog) {
        guard let entry else { return }
        guard self.system.readsAllGlobalKeys else {
            return log.ignored(key, [], at: entry.position, by: self.system, since: 10)
        }
        if entry.value.isOn { return log.justification(key, [], at: entry.position) }
        // Next to NSAllowsArbitraryLoads, the key serves to override it.
        guard entry.value == .boolean(false), self.dictionary.allowsArbitraryLoads?.value.isOn != true else { return }
        log.isDefault(key, "false", path: [], at: entry.position)
    }
}

/// The check of a NIAP package.
struct PackageLint {
    private let key: ATSKey
    private let entry: ATSEntry<String>
    private let path: [String]
    private let system: ATSSystem

    init(_ key: ATSKey, _ entry: ATSEntry<String>, path: [String], system: ATSSystem) {
        self.key = key
        self.entry = entry
        self.path = path
        self.system = system
    }

    func report(to log: inout LintLog) {
        guard self.system.readsNIAPKeys else {
            return log.ignored(self.key, self.path, at: self.entry.position, by: self.system, since: 26, minor: 4)
        }
        guard NIAPTLSPackage(self.entry.value) == nil else { return }
        let words = NIAPTLSPackage.allCases.map(\.rawValue) + ["recommended"]
        let meant = words.first { $0.lowercased() == self.entry.value.lowercased() }
        log.add(
            .invalidPackage, path: [ATSKey.section] + self.path + [self.key.rawValue], at: self.entry.position,
            message: "\(self.entry.value.quoted) is no package of NIAP.",
            remedy: "Write \(meant ?? words.joined(separator: ", or ")).", replacement: meant)
    }
}

// MARK: - Shared findings

extension LintLog {
    mutating func ignored(
        _ key: ATSKey, _ path: [String], at position: TextPosition?, by system: ATSSystem, since major: Int,
        minor: Int = 0
    ) {
        self.add(
            .ignoredBySystem, path: [ATSKey.section] + path + [key.rawValue], at: position,
            message:
                "\(system) does not read \(key.rawValue), which is read since \(system.counterpart(ofIOS: major, minor)).",
            remedy: "Do not rely on it there, or target a later release.")
    }

    mutating func isDefault(_ key: ATSKey, _ value: String, path: [String], at position: TextPosition?) {
        self.add(
            .defaultValue, path: [ATSKey.section] + path + [key.rawValue], at: position,
            message: "\(key.rawValue) is \(value) without being written.",
            remedy: "Remove it, unless it helps readers of the file.")
    }

    mutating func justification(_ key: ATSKey, _ path: [String], at position: TextPosition?) {
        guard key.needsJustification else { return }
        self.add(
            .justificationRequired, path: [ATSKey.section] + path + [key.rawValue], at: position,
            message:
                "The App Store asks for a justification of \(key.rawValue), and may review the app further for it.",
            remedy: key.justification)
    }
}
