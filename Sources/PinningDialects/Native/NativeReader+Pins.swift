//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

extension NativeReader {
    /// What is pinned. That nothing is must be written: pins that were forgotten are no reason to do without.
    mutating func pins(_ keys: KeyedNode<NativeDomainKey>) -> PinSet? {
        if keys.boolean(.pinned, &self.log) == false {
            for key in NativeDomainKey.ofPins where keys[key] != nil {
                self.log.add(
                    .invalidValue, "\(keys.subject) is not pinned, and has \(key.rawValue).",
                    "Remove \(key.rawValue), or \(NativeDomainKey.pinned.rawValue): false.", at: keys.position(of: key))
            }
            return nil
        }
        guard let requirements = self.requirements(keys) else { return nil }
        var pins = PinSet(unchecked: requirements)
        pins.expiration = self.expiration(keys)
        pins.isReportOnly = keys.boolean(.reportOnly, &self.log) ?? false
        pins.exemptAnchors = Set(
            (keys.strings(.exemptAnchors, &self.log) ?? []).compactMap { self.anchorClass($0, keys.subject) })
        return pins
    }

    private mutating func requirements(_ keys: KeyedNode<NativeDomainKey>) -> [PinSet.Requirement]? {
        let scope = keys.choice(.scope, PinRequirement.Scope.self, &self.log)
        guard keys[.pins] == nil || keys[.requirements] == nil else {
            self.log.add(
                .duplicate, "\(keys.subject) has pins and requirements.", "Write the pins as one of the requirements.",
                at: keys.position(of: .requirements))
            return nil
        }
        if let texts = keys.strings(.pins, &self.log) {
            let place = keys.position(of: .pins)
            return [PinSet.Requirement(self.pins(texts, keys.subject, place), scope: scope ?? .path)]
        }
        if let nodes = keys.array(.requirements, &self.log), !nodes.isEmpty {
            if scope != nil {
                self.log.add(
                    .invalidValue, "\(keys.subject) has requirements, which have a scope each.",
                    "Move \(NativeDomainKey.scope.rawValue) into them.", at: keys.position(of: .scope))
            }
            return nodes.compactMap { self.requirement($0, keys.subject) }
        }
        self.log.add(
            .missingValue, "\(keys.subject) has no pins.",
            "Add \(NativeDomainKey.pins.rawValue), or \(NativeDomainKey.pinned.rawValue): false.", at: keys.position)
        return nil
    }

    private mutating func requirement(_ node: DocumentNode, _ host: String) -> PinSet.Requirement? {
        guard let keys = KeyedNode<NativeRequirementKey>(node, "A requirement of \(host)", &self.log) else {
            return nil
        }
        let scope = keys.choice(.scope, PinRequirement.Scope.self, &self.log) ?? .path
        guard let texts = keys.strings(.pins, &self.log) else {
            if keys[.pins] == nil {
                self.log.add(.missingValue, "\(keys.subject) has no pins.", "Add pins.", at: keys.position)
            }
            return nil
        }
        return PinSet.Requirement(self.pins(texts, keys.subject, keys.position(of: .pins)), scope: scope)
    }

    private mutating func pins(
        _ texts: [(text: String, position: TextPosition?)], _ subject: String, _ position: TextPosition?
    ) -> [Pin] {
        if texts.isEmpty { self.log.emptyPins(subject, at: position) }
        return texts.compactMap { self.pin($0.text, subject, at: $0.position) }
    }

    /// A digest, or a key or certificate in PEM, which is digested.
    private mutating func pin(_ text: String, _ subject: String, at position: TextPosition?) -> Pin? {
        let blocks = text.components(startingWith: "-----BEGIN ")
        guard blocks > 0 else { return self.log.pin(text, of: subject, at: position) }
        guard blocks == 1 else {
            self.log.add(
                .invalidPin, "\(subject): a pin has more than one PEM block.", "Write one pin for each.", at: position)
            return nil
        }
        do {
            return Pin(try PublicKey(pem: text))
        } catch {
            guard error.code == .noPublicKey else {
                self.log.add(.invalidPin, subject, error, otherwise: "copy it again, whole", at: position)
                return nil
            }
        }
        return self.log.certificates(inPEM: text, of: subject, at: position).first.map { Pin(keyOf: $0) }
    }
}

// MARK: What goes with the pins

extension NativeReader {
    private mutating func expiration(_ keys: KeyedNode<NativeDomainKey>) -> PinExpiration? {
        let consequence = keys.choice(.afterExpiry, PinExpiration.Consequence.self, &self.log)
        guard let text = keys.string(.expires, &self.log) else {
            if consequence != nil {
                self.log.add(
                    .missingValue, "\(keys.subject) has \(NativeDomainKey.afterExpiry.rawValue) and no day for it.",
                    "Add \(NativeDomainKey.expires.rawValue).", at: keys.position(of: .afterExpiry))
            }
            return nil
        }
        do {
            return try PinExpiration(text, then: consequence ?? .refuse)
        } catch {
            self.log.add(.invalidDate, keys.subject, error, at: keys.position(of: .expires))
            return nil
        }
    }

    mutating func backup(_ keys: KeyedNode<NativeDomainKey>, _ pins: PinSet?) -> PinSet.BackupRule {
        let rule = keys.choice(.backup, PinSet.BackupRule.self, &self.log) ?? .warn
        if rule == .require, pins?.lacksBackup == true {
            self.log.add(
                .missingValue, "\(keys.subject) requires a backup, and has no second pin.",
                "Add the pin of a backup key.", at: keys.position(of: .backup))
        }
        return rule
    }

    mutating func anchors(_ domain: KeyedNode<NativeDomainKey>) -> AnchorSources? {
        guard let node = domain[.trustAnchors] else { return nil }
        let subject = "\(domain.subject), \(NativeDomainKey.trustAnchors.rawValue),"
        guard let keys = KeyedNode<NativeAnchorsKey>(node, subject, &self.log) else { return nil }
        let classes = (keys.strings(.classes, &self.log) ?? []).compactMap { self.anchorClass($0, subject) }
        let certificates = (keys.strings(.certificates, &self.log) ?? []).flatMap {
            self.log.certificates(inPEM: $0.text, of: subject, at: $0.position)
        }
        return AnchorSources(classes: Set(classes), certificates: certificates)
    }

    private mutating func anchorClass(
        _ word: (text: String, position: TextPosition?), _ subject: String
    ) -> AnchorClass? {
        self.log.choice(word.text, AnchorClass.self, "\(subject): a class of anchors", at: word.position)
    }
}

extension String {
    /// How often lines begin with a text.
    fileprivate func components(startingWith prefix: String) -> Int {
        self.utf8.split { $0 == 0x0A || $0 == 0x0D }.count { $0.starts(with: prefix.utf8) }
    }
}
