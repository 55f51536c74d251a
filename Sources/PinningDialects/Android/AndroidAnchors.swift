//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// One `certificates` of Android's `trust-anchors`.
struct AndroidSource {
    /// The origin of the certificates of an `AndroidSource`.
    enum Origin {
        case anchors(AnchorClass)
        case certificates([Certificate])
    }

    let origin: Origin
    /// `true` if paths to these certificates need no pin.
    let overridesPins: Bool

    /// The anchors that apps for Android 7 and later trust by default: NetworkSecurityConfig.getDefaultBuilder.
    static let platformDefault = [AndroidSource(origin: .anchors(.system), overridesPins: false)]
}

/// The union of several sources, built once for all domains that share them.
struct AndroidTrust {
    private(set) var anchors = AnchorSources(classes: [])
    /// The classes with paths that need no pin. If two sources have the same anchor, the source that overrides pins wins
    /// (NetworkSecurityConfig sorts it to the front). Certificates are one class here, so either all of them are exempt or none.
    private(set) var exempt: Set<AnchorClass> = []
    /// `true` if some certificates override pins and others do not.
    private(set) var isMixed = false

    init(_ sources: [AndroidSource]) {
        var overrides: Set<Bool> = []
        for source in sources {
            switch source.origin {
            case .anchors(let anchorClass):
                self.anchors.classes.insert(anchorClass)
                if source.overridesPins { self.exempt.insert(anchorClass) }
            case .certificates(let certificates):
                self.anchors.certificates += certificates
                overrides.insert(source.overridesPins)
            }
        }
        if overrides == [true] { self.exempt.insert(.application) }
        self.isMixed = overrides.count > 1
    }
}

extension AndroidReader {
    /// Returns the sources of an element's `trust-anchors`, or `nil` if the element has none and inherits them.
    mutating func sources(of node: XMLElementNode, overridesPins: Bool = false) -> [AndroidSource]? {
        guard let list = self.log.child(.trustAnchors, of: node) else { return nil }
        self.log.check(list, as: .trustAnchors)
        let elements = list.children(named: AndroidElement.certificates.rawValue)
        return elements.compactMap { self.source($0, overridesPins) }
    }

    private mutating func source(_ node: XMLElementNode, _ overridesPins: Bool) -> AndroidSource? {
        self.log.check(node, as: .certificates)
        let overrides = self.log.boolean(.overridePins, of: node, default: overridesPins)
        guard let name = node.attributes[AndroidAttribute.source.rawValue] else {
            self.log.add(
                .missingValue, "<certificates> has no src.", remedy: "Say which: system, user or @raw/….",
                at: node.position)
            return nil
        }
        guard !name.hasPrefix("@") else { return self.resource(name, overrides, node: node) }
        switch self.log.choice(name, AndroidSourceName.self, subject: "src", at: node.position) {
        case .system: return AndroidSource(origin: .anchors(.system), overridesPins: overrides)
        case .user: return AndroidSource(origin: .anchors(.user), overridesPins: overrides)
        case .wifi:
            self.log.add(
                .ignored, "The certificates for Wi-Fi's networks (wfa) are not known here.", remedy: "Remove them.",
                at: node.position)
            return nil
        case nil: return nil
        }
    }

    private mutating func resource(_ name: String, _ overrides: Bool, node: XMLElementNode) -> AndroidSource? {
        guard let certificates = self.certificates(name), !certificates.isEmpty else {
            self.log.add(
                .invalidCertificate, "The certificates \(name.quoted) are not there.",
                remedy: "Say where the app's resources are, or remove them.", at: node.position)
            return nil
        }
        return AndroidSource(origin: .certificates(certificates), overridesPins: overrides)
    }
}
