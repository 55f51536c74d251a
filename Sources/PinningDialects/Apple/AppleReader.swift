//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// Reads `NSPinnedDomains` by the rules of Apple's engine (SecPolicyServer.c of Security 61901).
struct AppleReader: DialectReader {
    var log = DiagnosticLog()

    mutating func configuration(of bytes: [UInt8]) throws(DocumentError) -> PinningConfiguration? {
        let root = try PropertyListDocument.parse(bytes)
        guard let section = self.section(of: root) else { return nil }
        guard let entries = section.dictionary else {
            self.log.wrongType(AppleSection.pinnedDomains.rawValue, section, kind: "a dictionary")
            return nil
        }
        var seen: Set<String> = []
        var collector = DomainCollector(.union)
        for entry in entries {
            // Two spellings of a name are united, but a property list keeps only one of two equal keys.
            guard seen.insert(entry.key).inserted else {
                self.log.add(
                    .duplicate, "\(entry.key.quoted) is there twice, and one of them is lost.",
                    remedy: "Put them together.",
                    at: entry.keyPosition)
                continue
            }
            if let domain = self.domain(entry) { collector.add(domain, &self.log) }
        }
        return collector.configuration
    }

    /// Finds `NSPinnedDomains` in an Info.plist, in its enclosing dictionary, or as the whole file.
    private mutating func section(of root: DocumentNode) -> DocumentNode? {
        guard let entries = root.dictionary else {
            self.log.wrongType("The file", root, kind: "a dictionary")
            return nil
        }
        let (outer, inner) = (AppleSection.appTransportSecurity.rawValue, AppleSection.pinnedDomains.rawValue)
        if let security = self.log.value(of: outer, in: root) {
            if let domains = self.log.value(of: inner, in: security) { return domains }
            self.log.nothing(under: inner, in: security)
            return nil
        }
        if let domains = self.log.value(of: inner, in: root) { return domains }
        let isItself = entries.contains { entry in
            AppleDomainKey.allCases.contains { entry.value[$0.rawValue] != nil }
        }
        if isItself { return root }
        self.log.nothing(under: outer, in: root)
        return nil
    }

    private mutating func domain(_ entry: DocumentEntry) -> PinnedDomain? {
        let host = self.log.host(comparedAsText: entry.key, by: "Apple's engine", at: entry.keyPosition)
        let subject = entry.key.quoted
        guard let keys = KeyedNode<AppleDomainKey>(entry.value, subject, into: &self.log) else { return nil }
        let hasSubdomains = keys.boolean(.includesSubdomains, &self.log) ?? false
        let pins = self.pins(keys)
        guard let host else { return nil }
        if host.isAddress {
            self.log.add(
                .unreliableHost, "\(subject): Apple documents pins for DNS names alone.", remedy: "Pin a name.",
                at: entry.keyPosition)
        }
        var domain = PinnedDomain(host.host, subdomains: hasSubdomains ? .oneLabel : .none, pins: pins)
        domain.position = entry.keyPosition
        return domain
    }

    /// Returns the pins of a domain, or `nil` if it has neither key. Apple's engine then pins nothing.
    private mutating func pins(_ keys: KeyedNode<AppleDomainKey>) -> PinSet? {
        var requirements: [PinSet.Requirement] = []
        for (key, scope) in AppleDomainKey.identities {
            guard let pins = self.pins(keys, key) else { continue }
            requirements.append(PinSet.Requirement(pins, scope: scope))
        }
        if !requirements.isEmpty { return PinSet(unchecked: requirements) }
        guard AppleDomainKey.identities.allSatisfy({ keys[$0.key] == nil }) else { return nil }
        self.log.add(
            .ignored, "\(keys.subject) has neither key with pins, and is not pinned.",
            remedy: "Add \(AppleDomainKey.authorities.rawValue) or \(AppleDomainKey.leaf.rawValue).", at: keys.position)
        return nil
    }

    private mutating func pins(_ keys: KeyedNode<AppleDomainKey>, _ key: AppleDomainKey) -> [Pin]? {
        guard let identities = keys.array(key, &self.log) else { return nil }
        // "Key present but empty array … every chain fails."
        if identities.isEmpty {
            self.log.add(
                .emptyPins,
                "\(keys.subject), \(key.rawValue), has no pin, and unless other entries add some, every connection fails.",
                remedy: "Add the digests of its keys.", at: keys.position(of: key))
        }
        return identities.compactMap { self.pin($0, "\(keys.subject), \(key.rawValue)") }
    }

    private mutating func pin(_ node: DocumentNode, _ subject: String) -> Pin? {
        guard let keys = KeyedNode<ApplePinKey>(node, "A pin of \(subject)", into: &self.log) else { return nil }
        guard keys[.digest] != nil else {
            self.log.add(
                .missingValue, "A pin of \(subject) has no \(ApplePinKey.digest.rawValue).",
                remedy: "Add it, or remove the pin.",
                at: node.position)
            return nil
        }
        guard let text = keys.string(.digest, &self.log) else { return nil }
        let (decoded, position) = (AppleBase64(text), keys[.digest]?.position)
        if decoded.hasMore {
            self.log.add(
                .ignored, "\(subject): what stands behind the padding of \(text.quoted) is passed over.",
                remedy: "Write each pin in a dictionary of its own.", at: position)
        }
        let reaction =
            decoded.octets.isEmpty
            ? "Apple's systems pass over such a pin" : "Apple's systems count such a pin, and it never matches"
        return self.log.pin(inBase64: text, decodedBy: .apple, of: subject, reaction: reaction, at: position)
    }
}
