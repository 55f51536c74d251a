//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// Reads this package's own format.
struct NativeReader: DialectReader {
    var log = DiagnosticLog()

    mutating func configuration(of bytes: [UInt8]) throws(DocumentError) -> PinningConfiguration? {
        let root = try JSONDocument.parse(bytes)
        guard let keys = KeyedNode<NativeKey>(root, "The file", into: &self.log) else { return nil }
        guard keys[.format] != nil else {
            self.log.add(
                .missingValue, "The file does not say its \(NativeKey.format.rawValue).",
                remedy: "Add \(NativeKey.format.rawValue): \(NativeFormat.version1.rawValue).", at: root.position)
            return nil
        }
        _ = keys.choice(.format, NativeFormat.self, into: &self.log)
        let combination =
            keys.choice(.combination, PinningConfiguration.Combination.self, into: &self.log) ?? .mostSpecific
        if keys[.domains] == nil { self.log.nothing(under: NativeKey.domains.rawValue, in: root) }
        var collector = DomainCollector(combination)
        for node in keys.array(.domains, &self.log) ?? [] {
            for domain in self.domains(node) { collector.add(domain, &self.log) }
        }
        return collector.configuration
    }

    /// Reads a domain and the domains that it excludes.
    private mutating func domains(_ node: DocumentNode) -> [PinnedDomain] {
        guard let keys = KeyedNode<NativeDomainKey>(node, self.subject(of: node), into: &self.log),
            let host = self.host(keys)
        else { return [] }
        var domain = PinnedDomain(
            host.host, subdomains: self.subdomains(of: host, keys), port: host.port, pins: self.pins(keys))
        domain.backup = self.backup(keys, domain.pins)
        domain.anchors = self.anchors(keys)
        domain.reportURIs = (keys.strings(.reportURIs, &self.log) ?? []).compactMap {
            self.log.reportURI($0.text, of: keys.subject, at: $0.position)
        }
        domain.position = node.position
        return [domain] + self.excluded(keys, from: domain)
    }

    /// Returns the name of a domain for messages.
    private func subject(of node: DocumentNode) -> String {
        node[NativeDomainKey.host.rawValue]?.string?.quoted ?? "A domain"
    }
}

// MARK: Hosts

extension NativeReader {
    private mutating func host(_ keys: KeyedNode<NativeDomainKey>) -> HostPattern? {
        guard keys[.host] != nil else {
            self.log.add(.missingValue, "A domain has no host.", remedy: "Add host.", at: keys.position)
            return nil
        }
        guard let text = keys.string(.host, &self.log) else { return nil }
        do {
            return try HostPattern(text)
        } catch {
            self.log.add(
                .invalidHost, text.quoted, error: error, otherwise: "write a DNS name", at: keys.position(of: .host))
            return nil
        }
    }

    private mutating func subdomains(
        of host: HostPattern, _ keys: KeyedNode<NativeDomainKey>
    ) -> PinnedDomain.Subdomains {
        let word = keys.choice(.subdomains, PinnedDomain.Subdomains.self, into: &self.log)
        switch host.breadth {
        case .exact: return word ?? .none
        case .oneLabel, .anyDepth:
            if keys[.subdomains] != nil {
                self.log.add(
                    .invalidValue, "\(keys.subject) has asterisks and \(NativeDomainKey.subdomains.rawValue).",
                    remedy: "Write one of them.", at: keys.position(of: .subdomains))
            }
            return host.breadth == .oneLabel ? .oneLabelOnly : .anyDepth
        }
    }

    /// Reads the excluded hosts. Neither they nor the hosts below them are pinned.
    private mutating func excluded(_ keys: KeyedNode<NativeDomainKey>, from domain: PinnedDomain) -> [PinnedDomain] {
        (keys.strings(.exclude, &self.log) ?? []).compactMap { entry in
            guard let host = self.log.host(entry.text, at: entry.position) else { return nil }
            guard domain.isAbout(hostBelow: host.host) else {
                self.log.add(
                    .invalidHost, "\(entry.text.quoted) is no host that \(keys.subject) is about.",
                    remedy: "Remove it, or write a host below.", at: entry.position)
                return nil
            }
            var excluded = PinnedDomain(host.host, subdomains: .anyDepth, port: domain.port, pins: nil)
            excluded.position = entry.position
            return excluded
        }
    }
}

extension NativeReader {
    /// Reads the pins of a domain. A domain without pins must say so explicitly: forgotten pins must not disable pinning.
    mutating func pins(_ keys: KeyedNode<NativeDomainKey>) -> PinSet? {
        if keys.boolean(.pinned, &self.log) == false {
            for key in NativeDomainKey.ofPins where keys[key] != nil {
                self.log.add(
                    .invalidValue, "\(keys.subject) is not pinned, and has \(key.rawValue).",
                    remedy: "Remove \(key.rawValue), or \(NativeDomainKey.pinned.rawValue): false.",
                    at: keys.position(of: key))
            }
            return nil
        }
        guard let requirements = self.requirements(keys) else { return nil }
        var pins = PinSet(unchecked: requirements)
        pins.expiration = self.expiration(keys)
        pins.isReportOnly = keys.boolean(.reportOnly, &self.log) ?? false
        pins.exemptAnchors = Set(
            (keys.strings(.exemptAnchors, &self.log) ?? []).compactMap { self.anchorClass($0, keys.subject) })
        pins.comparison =
            keys.choice(.comparison, PinRequirement.Comparison.self, into: &self.log) ?? .duringSearch
        return pins
    }

    private mutating func requirements(_ keys: KeyedNode<NativeDomainKey>) -> [PinSet.Requirement]? {
        let scope = keys.choice(.scope, PinRequirement.Scope.self, into: &self.log)
        guard keys[.pins] == nil || keys[.requirements] == nil else {
            self.log.add(
                .duplicate, "\(keys.subject) has pins and requirements.",
                remedy: "Write the pins as one of the requirements.",
                at: keys.position(of: .requirements))
            return nil
        }
        if let texts = keys.strings(.pins, &self.log) {
            let place = keys.position(of: .pins)
            return [PinSet.Requirement(self.pins(texts, keys.subject, position: place), scope: scope ?? .path)]
        }
        if let nodes = keys.array(.requirements, &self.log), !nodes.isEmpty {
            if scope != nil {
                self.log.add(
                    .invalidValue, "\(keys.subject) has requirements, which have a scope each.",
                    remedy: "Move \(NativeDomainKey.scope.rawValue) into them.", at: keys.position(of: .scope))
            }
            return nodes.compactMap { self.requirement($0, keys.subject) }
        }
        self.log.add(
            .missingValue, "\(keys.subject) has no pins.",
            remedy: "Add \(NativeDomainKey.pins.rawValue), or \(NativeDomainKey.pinned.rawValue): false.",
            at: keys.position)
        return nil
    }

    private mutating func requirement(_ node: DocumentNode, _ host: String) -> PinSet.Requirement? {
        guard let keys = KeyedNode<NativeRequirementKey>(node, "A requirement of \(host)", into: &self.log) else {
            return nil
        }
        let scope = keys.choice(.scope, PinRequirement.Scope.self, into: &self.log) ?? .path
        guard let texts = keys.strings(.pins, &self.log) else {
            if keys[.pins] == nil {
                self.log.add(.missingValue, "\(keys.subject) has no pins.", remedy: "Add pins.", at: keys.position)
            }
            return nil
        }
        return PinSet.Requirement(self.pins(texts, keys.subject, position: keys.position(of: .pins)), scope: scope)
    }

    private mutating func pins(
        _ texts: [(text: String, position: TextPosition?)], _ subject: String, position: TextPosition?
    ) -> [Pin] {
        if texts.isEmpty { self.log.emptyPins(subject, at: position) }
        return texts.compactMap { self.pin($0.text, subject, at: $0.position) }
    }

    /// Reads a digest, or computes the digest of a key or certificate in PEM.
    private mutating func pin(_ text: String, _ subject: String, at position: TextPosition?) -> Pin? {
        let blocks = text.components(startingWith: "-----BEGIN ")
        guard blocks > 0 else { return self.log.pin(text, of: subject, at: position) }
        guard blocks == 1 else {
            self.log.add(
                .invalidPin, "\(subject): a pin has more than one PEM block.", remedy: "Write one pin for each.",
                at: position)
            return nil
        }
        do {
            return Pin(try PublicKey(pem: text))
        } catch {
            guard error.code == .noPublicKey else {
                self.log.add(.invalidPin, subject, error: error, otherwise: "copy it again, whole", at: position)
                return nil
            }
        }
        return self.log.certificates(inPEM: text, of: subject, at: position).first.map { Pin(keyOf: $0) }
    }
}

// MARK: What goes with the pins

extension NativeReader {
    private mutating func expiration(_ keys: KeyedNode<NativeDomainKey>) -> PinExpiration? {
        let consequence = keys.choice(.afterExpiry, PinExpiration.Consequence.self, into: &self.log)
        guard let text = keys.string(.expires, &self.log) else {
            if consequence != nil {
                self.log.add(
                    .missingValue, "\(keys.subject) has \(NativeDomainKey.afterExpiry.rawValue) and no day for it.",
                    remedy: "Add \(NativeDomainKey.expires.rawValue).", at: keys.position(of: .afterExpiry))
            }
            return nil
        }
        do {
            return try PinExpiration(text, then: consequence ?? .refuse)
        } catch {
            self.log.add(.invalidDate, keys.subject, error: error, at: keys.position(of: .expires))
            return nil
        }
    }

    mutating func backup(_ keys: KeyedNode<NativeDomainKey>, _ pins: PinSet?) -> PinSet.BackupRule {
        let rule = keys.choice(.backup, PinSet.BackupRule.self, into: &self.log) ?? .warn
        if rule == .require, pins?.lacksBackup == true {
            self.log.add(
                .missingValue, "\(keys.subject) requires a backup, and has no second pin.",
                remedy: "Add the pin of a backup key.", at: keys.position(of: .backup))
        }
        return rule
    }

    mutating func anchors(_ domain: KeyedNode<NativeDomainKey>) -> AnchorSources? {
        guard let node = domain[.trustAnchors] else { return nil }
        let subject = "\(domain.subject), \(NativeDomainKey.trustAnchors.rawValue),"
        guard let keys = KeyedNode<NativeAnchorsKey>(node, subject, into: &self.log) else { return nil }
        let classes = (keys.strings(.classes, &self.log) ?? []).compactMap { self.anchorClass($0, subject) }
        let certificates = (keys.strings(.certificates, &self.log) ?? []).flatMap {
            self.log.certificates(inPEM: $0.text, of: subject, at: $0.position)
        }
        return AnchorSources(classes: Set(classes), certificates: certificates)
    }

    private mutating func anchorClass(
        _ word: (text: String, position: TextPosition?), _ subject: String
    ) -> AnchorClass? {
        self.log.choice(word.text, AnchorClass.self, subject: "\(subject): a class of anchors", at: word.position)
    }
}

extension String {
    /// Returns the number of lines that begin with a text.
    fileprivate func components(startingWith prefix: String) -> Int {
        self.utf8.split { $0 == 0x0A || $0 == 0x0D }.count { $0.starts(with: prefix.utf8) }
    }
}
