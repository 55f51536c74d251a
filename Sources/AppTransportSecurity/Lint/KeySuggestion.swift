//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments

/// A suggestion for a key that App Transport Security does not know.
enum KeySuggestion {
    /// Returns the closest key, preferably of the given level.
    static func closest(to text: String, at level: ATSKey.Level) -> ATSKey? {
        let core = Self.core(of: text)
        guard (Self.leastLength...Self.greatestLength).contains(core.utf8.count) else { return nil }
        return Self.closest(to: core, in: ATSKey.keys(of: level)) ?? Self.closest(to: core, in: ATSKey.allCases)
    }

    /// Returns `true` if a key at the root of an Info.plist probably means `NSAppTransportSecurity`.
    static func isSection(_ text: String) -> Bool {
        guard text.utf8.count <= Self.greatestLength else { return false }
        let plain = text.filter { !$0.isWhitespace }
        // Xcode shows these texts for the key, and some people write them.
        return ["AppTransportSecurity", "AppTransportSecuritySettings", ATSKey.section]
            .contains { SpellingSuggestion.closest(to: plain, in: [$0]) != nil }
    }

    private static func closest(to core: String, in keys: [ATSKey]) -> ATSKey? {
        let cores = keys.map { Self.core(of: $0.rawValue) }
        guard let nearest = SpellingSuggestion.closest(to: core, in: cores), let index = cores.firstIndex(of: nearest)
        else {
            return nil
        }
        return keys[index].replacement ?? keys[index]
    }

    /// Removes prefixes that people forget, and spaces, which people copy from the text that Xcode shows.
    private static func core(of text: String) -> String {
        var core = text.filter { !$0.isWhitespace }[...]
        for prefix in ["NS", "Temporary", "ThirdParty", "Exception"] where core.hasPrefix(prefix) {
            // The rest of a short key would be close to any text.
            guard core.utf8.count - prefix.utf8.count >= Self.leastLength else { continue }
            core = core.dropFirst(prefix.count)
        }
        return String(core)
    }

    private static let leastLength = 10
    private static let greatestLength = 64
}

/// The check of the root of an Info.plist for keys that belong into `NSAppTransportSecurity`, or probably mean it.
struct RootLint {
    private let propertyList: InfoPropertyList

    init(_ propertyList: InfoPropertyList) {
        self.propertyList = propertyList
    }

    func report(to log: inout LintLog) {
        for key in self.propertyList.otherKeys.prefix(Self.maximumKeys) {
            if let known = ATSKey(rawValue: key.value) {
                log.add(
                    .misplacedKey, path: [key.value], at: key.position,
                    message: "\(known.rawValue) is beside \(ATSKey.section), where no system reads it.",
                    remedy: "Move it into \(known.home).")
            } else if KeySuggestion.isSection(key.value) {
                log.add(
                    .misspeltKey, path: [key.value], at: key.position,
                    message: "\(key.value.quoted) means nothing, and nothing in it is read.",
                    remedy: "Write \(ATSKey.section).",
                    replacement: ATSKey.section)
            }
        }
    }

    /// The maximum number of keys, more than any Info.plist has.
    private static let maximumKeys = 10_000
}

extension ATSKey {
    var home: String {
        switch self {
        case _ where self.levels.contains(.global): Self.section
        case .includesSubdomains: "an entry of NSExceptionDomains or NSPinnedDomains"
        case _ where self.levels.contains(.exception): "an entry of NSExceptionDomains"
        case _ where self.levels.contains(.pinnedDomain): "an entry of NSPinnedDomains"
        default: "a pin of NSPinnedCAIdentities or NSPinnedLeafIdentities"
        }
    }
}
