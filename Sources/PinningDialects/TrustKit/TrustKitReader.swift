//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// Reads TrustKit's configurations by the rules of its parse_configuration.m, without the gaps of that parser.
struct TrustKitReader: DialectReader {
    var log = DiagnosticLog()
    /// `true` if the program is built for debugging.
    let usesDebugOverrides: Bool

    init(usesDebugOverrides: Bool) {
        self.usesDebugOverrides = usesDebugOverrides
    }

    mutating func configuration(of bytes: [UInt8]) throws(DocumentError) -> PinningConfiguration? {
        let root = try PropertyListDocument.parse(bytes)
        guard let section = self.section(of: root),
            let keys = KeyedNode<TrustKitKey>(section, TrustKitSection.configuration.rawValue, into: &self.log)
        else { return nil }
        guard let domains = keys[.pinnedDomains] else {
            self.log.nothing(under: TrustKitKey.pinnedDomains.rawValue, in: section)
            return nil
        }
        _ = keys.boolean(.swizzlesNetworkDelegates, &self.log)
        let exempt = self.exemptAnchors(keys)
        guard let entries = domains.dictionary else {
            self.log.wrongType(TrustKitKey.pinnedDomains.rawValue, domains, kind: "a dictionary")
            return nil
        }
        var collector = DomainCollector()
        for entry in entries {
            guard let domain = self.domain(entry, exempt) else { continue }
            collector.add(domain, &self.log)
        }
        self.checkParents(of: entries, among: collector.configuration.domains)
        return collector.configuration
    }

    /// Reports an excluded domain without a parent. TrustKit refuses to start with one (parse_configuration.m, at its end).
    private mutating func checkParents(of entries: [DocumentEntry], among domains: [PinnedDomain]) {
        let key = TrustKitDomainKey.isExcluded.rawValue
        let parents = TrustKitParents(domains)
        for entry in entries where entry.value[key]?.boolean == true {
            guard !parents.include(entry.key.lowercased()) else { continue }
            self.log.add(
                .invalidValue, "\(entry.key.quoted) has \(key) and no parent that includes its sub-domains.",
                remedy: "Remove \(key), or add the parent with \(TrustKitDomainKey.includesSubdomains.rawValue).",
                at: entry.keyPosition)
        }
    }

    private mutating func section(of root: DocumentNode) -> DocumentNode? {
        guard root.dictionary != nil else {
            self.log.wrongType("The file", root, kind: "a dictionary")
            return nil
        }
        let key = TrustKitSection.configuration.rawValue
        if let section = self.log.value(of: key, in: root) { return section }
        if root[TrustKitKey.pinnedDomains.rawValue] != nil { return root }
        self.log.nothing(under: key, in: root)
        return nil
    }

    /// Returns the anchors that are exempt from pinning. TrustKit exempts user-defined anchors by default on macOS, and never on
    /// iOS. A file does not name its platform, so only an explicit key counts: a forgotten key must never weaken pins.
    private mutating func exemptAnchors(_ keys: KeyedNode<TrustKitKey>) -> Set<AnchorClass> {
        keys.boolean(.ignoresPinningForUserDefinedTrustAnchors, &self.log) == true ? [.user] : []
    }

    private mutating func domain(_ entry: DocumentEntry, _ exempt: Set<AnchorClass>) -> PinnedDomain? {
        let host = self.log.host(comparedAsText: entry.key, by: "TrustKit", at: entry.keyPosition)
        guard let keys = KeyedNode<TrustKitDomainKey>(entry.value, entry.key.quoted, into: &self.log) else {
            return nil
        }
        self.checkObsolete(keys)
        let hasSubdomains = keys.boolean(.includesSubdomains, &self.log) ?? false
        let isExcluded = keys.boolean(.isExcluded, &self.log) ?? false
        guard let host else { return nil }
        var domain = PinnedDomain(host.host, subdomains: hasSubdomains ? .anyDepth : .none, pins: nil)
        domain.position = entry.keyPosition
        if isExcluded {
            self.checkExcluded(keys)
            return domain
        }
        domain.pins = self.pins(keys)
        domain.pins?.exemptAnchors = exempt
        domain.anchors = self.anchors(keys)
        domain.reportURIs = (keys.strings(.reportURIs, &self.log) ?? []).compactMap {
            self.log.reportURI($0.text, of: keys.subject, at: $0.position)
        }
        return domain
    }
}

// MARK: A domain's keys

extension TrustKitReader {
    private mutating func pins(_ keys: KeyedNode<TrustKitDomainKey>) -> PinSet? {
        guard keys[.publicKeyHashes] != nil else {
            let name = TrustKitDomainKey.publicKeyHashes.rawValue
            self.log.add(
                .missingValue, "\(keys.subject) has no \(name).", remedy: "Add it with two pins.", at: keys.position)
            return nil
        }
        guard let texts = keys.strings(.publicKeyHashes, &self.log) else { return nil }
        let pins = texts.compactMap {
            self.log.pin(
                inBase64: $0.text, decodedBy: .foundation, of: keys.subject,
                reaction: "TrustKit refuses to start with it", at: $0.position)
        }
        if texts.isEmpty { self.log.emptyPins(keys.subject, at: keys.position(of: .publicKeyHashes)) }
        var set = PinSet(unchecked: [PinSet.Requirement(pins)])
        set.comparison = .afterSearch
        set.isReportOnly = keys.boolean(.enforcesPinning, &self.log) == false
        set.expiration = self.expiration(keys)
        if !pins.isEmpty, pins.count == texts.count, set.lacksBackup, !set.isReportOnly {
            // TrustKit counts texts and does not recognize placeholders.
            self.log.add(
                .singlePin,
                Set(pins).count >= 2
                    ? "\(keys.subject) has one pin that a key can have. TrustKit counts the placeholder as a second, and starts."
                    : "\(keys.subject) has one pin, and TrustKit refuses to start with fewer than two.",
                remedy: "Add the pin of a backup key.", at: keys.position(of: .publicKeyHashes))
        }
        return set
    }

    /// Reads the expiration date. If TrustKit cannot read a date it uses `nil`, and the pins never expire.
    private mutating func expiration(_ keys: KeyedNode<TrustKitDomainKey>) -> PinExpiration? {
        keys.string(.expirationDate, &self.log).flatMap {
            self.log.expiration(onDay: $0, keys.subject, at: keys[.expirationDate]?.position)
        }
    }

    /// Reads the additional trust anchors, which TrustKit uses only in debug builds (TSKPinningValidator).
    private mutating func anchors(_ keys: KeyedNode<TrustKitDomainKey>) -> AnchorSources? {
        guard let texts = keys.strings(.additionalTrustAnchors, &self.log), !texts.isEmpty else { return nil }
        let certificates = texts.flatMap { self.log.certificates(inPEM: $0.text, of: keys.subject, at: $0.position) }
        guard self.usesDebugOverrides else {
            self.log.add(
                .ignored, "\(keys.subject): TrustKit uses additional trust anchors in debug builds alone.",
                remedy: "Ask for debug overrides to have them used.", at: keys.position(of: .additionalTrustAnchors))
            return nil
        }
        return AnchorSources(classes: Set(AnchorClass.allCases), certificates: certificates)
    }

    private mutating func checkObsolete(_ keys: KeyedNode<TrustKitDomainKey>) {
        for key in TrustKitDomainKey.obsolete where keys[key] != nil {
            self.log.add(
                .obsolete, "\(keys.subject): \(key.rawValue) has not been needed since TrustKit 1.5.",
                remedy: "Remove it.",
                at: keys.position(of: key))
        }
        // This package reports nothing by default, so the key has no effect.
        _ = keys.boolean(.disablesDefaultReportURI, &self.log)
    }

    /// Reports an excluded domain with other keys. TrustKit refuses to start with one, because it does not define which key
    /// applies.
    private mutating func checkExcluded(_ keys: KeyedNode<TrustKitDomainKey>) {
        guard keys.keys.count > 1 else { return }
        let key = TrustKitDomainKey.isExcluded.rawValue
        self.log.add(
            .invalidValue, "\(keys.subject) has \(key) and other keys, with which TrustKit refuses to start.",
            remedy: "Remove the other keys, or \(key).", at: keys.position)
    }
}
