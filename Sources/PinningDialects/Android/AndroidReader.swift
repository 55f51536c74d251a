//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// Reads Android's network security configurations as AOSP's XmlConfigSource does.
struct AndroidReader: DialectReader {
    var log = DiagnosticLog()
    /// `true` if the app is debuggable.
    let usesDebugOverrides: Bool
    let certificates: @Sendable (String) -> [Certificate]?

    private var domains = DomainCollector()
    private var seen: Set<String> = []
    private var debugSources: [AndroidSource] = []

    init(usesDebugOverrides: Bool, certificates: @escaping @Sendable (String) -> [Certificate]?) {
        self.usesDebugOverrides = usesDebugOverrides
        self.certificates = certificates
    }

    /// The settings that a nested `domain-config` inherits.
    private struct Inherited {
        var pins: PinSet?
        var trust: AndroidTrust
    }

    mutating func configuration(of bytes: [UInt8]) throws(DocumentError) -> PinningConfiguration? {
        let root = try XMLDocument.parse(bytes)
        guard root.name == AndroidElement.root.rawValue else {
            self.log.add(
                .nothingPinned, "The outermost element is <\(PrintableText.text(of: root.name))>.",
                remedy: "Give a file with <\(AndroidElement.root.rawValue)>.", at: root.position)
            return nil
        }
        self.log.check(root, as: .root)
        self.readDebugOverrides(of: root)
        let inherited = Inherited(pins: nil, trust: AndroidTrust(self.baseSources(of: root) + self.debugSources))
        for config in root.children(named: AndroidElement.domainConfig.rawValue) { self.read(config, inherited) }
        return self.domains.configuration
    }

    private mutating func readDebugOverrides(of root: XMLElementNode) {
        guard let debug = self.log.child(.debugOverrides, of: root) else { return }
        self.log.check(debug, as: .debugOverrides)
        // An inactive section may name resources that only a debug build has.
        guard self.usesDebugOverrides else { return }
        self.debugSources = self.sources(of: debug, overridesPins: true) ?? []
    }

    private mutating func baseSources(of root: XMLElementNode) -> [AndroidSource] {
        guard let base = self.log.child(.baseConfig, of: root) else { return AndroidSource.platformDefault }
        self.log.check(base, as: .baseConfig)
        self.checkTransparency(of: base)
        guard let sources = self.sources(of: base) else { return AndroidSource.platformDefault }
        self.log.add(
            .ignored, "What <base-config> trusts holds for the domains below alone, not for all other hosts.",
            remedy: "Give the evaluation these certificates too.", at: base.position)
        return sources
    }

    private mutating func checkTransparency(of node: XMLElementNode) {
        guard let transparency = self.log.child(.certificateTransparency, of: node) else { return }
        self.log.check(transparency, as: .certificateTransparency)
        guard self.log.boolean(.enabled, of: transparency, default: false) else { return }
        self.log.add(
            .ignored, "Certificate transparency is not asked for by pins.",
            remedy: "Ask for it in the policy of the evaluation.",
            at: transparency.position)
    }
}

// MARK: Domains

extension AndroidReader {
    /// Reads a `domain-config`. The document's parser bounds the depth of nesting.
    private mutating func read(_ config: XMLElementNode, _ outer: Inherited) {
        self.log.check(config, as: .domainConfig)
        self.checkTransparency(of: config)
        var inherited = outer
        if let sources = self.sources(of: config) { inherited.trust = AndroidTrust(sources + self.debugSources) }
        if let set = self.log.child(.pinSet, of: config) { inherited.pins = self.pins(of: set) }
        let domains = config.children(named: AndroidElement.domain.rawValue)
        if domains.isEmpty {
            self.log.add(
                .missingValue, "<domain-config> has no <domain>, which Android refuses.", remedy: "Add one.",
                at: config.position)
        }
        if inherited.trust.isMixed, inherited.pins != nil {
            self.log.add(
                .ignored, "Some certificates override pins and others do not. Here, none do.",
                remedy: "Write overridePins the same for all of them.", at: config.position)
        }
        for node in domains { self.read(domain: node, inherited) }
        for nested in config.children(named: AndroidElement.domainConfig.rawValue) { self.read(nested, inherited) }
    }

    private mutating func read(domain node: XMLElementNode, _ inherited: Inherited) {
        self.log.check(node, as: .domain)
        let hasSubdomains = self.log.boolean(.includeSubdomains, of: node, default: false)
        guard let text = self.log.text(of: node),
            let host = self.log.host(comparedAsText: text, by: "Android", at: node.position)
        else { return }
        // "Domains are matched using a most specific match, so don't allow duplicates", whatever includeSubdomains is.
        guard self.seen.insert(host.host).inserted else {
            self.log.add(
                .duplicate, "\(text.quoted) is there twice, which Android refuses.", remedy: "Remove one of them.",
                at: node.position)
            return
        }
        var domain = PinnedDomain(host.host, subdomains: hasSubdomains ? .anyDepth : .none, pins: inherited.pins)
        domain.pins?.exemptAnchors = inherited.trust.exempt
        domain.anchors = inherited.trust.anchors
        domain.position = node.position
        self.domains.add(domain, &self.log)
    }

    /// Returns the pins of a `pin-set`, or `nil` if it has no pins. Its domains are then exempt from the pins of the enclosing
    /// configuration (NetworkSecurityTrustManager.checkPins).
    private mutating func pins(of set: XMLElementNode) -> PinSet? {
        self.log.check(set, as: .pinSet)
        let expiration = self.expiration(of: set)
        let elements = set.children(named: AndroidElement.pin.rawValue)
        if elements.isEmpty {
            self.log.add(
                .emptyPins, "<pin-set> has no pins, and its domains are not pinned.", remedy: "Add pins, or remove it.",
                at: set.position)
            return nil
        }
        var pins = PinSet(unchecked: [PinSet.Requirement(elements.compactMap { self.pin($0) })])
        pins.comparison = .afterSearch
        pins.expiration = expiration
        return pins
    }

    private mutating func pin(_ node: XMLElementNode) -> Pin? {
        self.log.check(node, as: .pin)
        guard let digest = node.attributes[AndroidAttribute.digest.rawValue] else {
            self.log.add(.missingValue, "<pin> has no digest.", remedy: "Write digest=\"SHA-256\".", at: node.position)
            return nil
        }
        guard self.log.choice(digest, AndroidDigest.self, subject: "digest", at: node.position) != nil,
            let text = self.log.text(of: node)
        else { return nil }
        return self.log.pin(
            inBase64: text, decodedBy: .android, of: "A pin",
            reaction: "Android reads the Base64 of a digest and nothing else",
            at: node.position)
    }

    /// Reads the expiration date as UTC, as all dialects do here. Android uses the device's time zone.
    private mutating func expiration(of set: XMLElementNode) -> PinExpiration? {
        guard let text = set.attributes[AndroidAttribute.expiration.rawValue] else { return nil }
        return self.log.expiration(onDay: text, "<pin-set>", at: set.position)
    }
}

extension DiagnosticLog {
    /// Reads the day after which pins are ignored, as Android and TrustKit define it.
    mutating func expiration(onDay text: String, _ subject: String, at position: TextPosition?) -> PinExpiration? {
        if text.utf8.count == 10, let expiration = try? PinExpiration(text, then: .ignorePins) { return expiration }
        self.add(
            .invalidDate, "\(subject): \(text.quoted) is no day there is.", remedy: "Write it as 2027-01-31.",
            at: position)
        return nil
    }
}
