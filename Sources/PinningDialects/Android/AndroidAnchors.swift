//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// One `certificates` of Android's `trust-anchors`.
struct AndroidSource {
    /// Where the certificates come from.
    enum Origin {
        case anchors(AnchorClass)
        case certificates([Certificate])
    }

    let origin: Origin
    /// Whether paths to them need no pin.
    let overridesPins: Bool

    /// What apps for Android 7 and later trust when nobody says anything: NetworkSecurityConfig.getDefaultBuilder.
    static let platformDefault = [AndroidSource(origin: .anchors(.system), overridesPins: false)]
}

extension [AndroidSource] {
    /// What is trusted.
    var anchors: AnchorSources {
        self.reduce(into: AnchorSources(classes: [])) { anchors, source in
            switch source.origin {
            case .anchors(let anchorClass): anchors.classes.insert(anchorClass)
            case .certificates(let certificates): anchors.certificates += certificates
            }
        }
    }

    /// The classes whose paths need no pin. Of two sources with one anchor, the one that overrides pins counts
    /// (NetworkSecurityConfig sorts it to the front); but certificates are one class here, so all or none.
    var exempt: Set<AnchorClass> {
        var classes = Set(
            self.compactMap { source -> AnchorClass? in
                guard case .anchors(let anchorClass) = source.origin, source.overridesPins else { return nil }
                return anchorClass
            })
        if self.certificateOverrides == [true] { classes.insert(.application) }
        return classes
    }

    /// Whether some certificates override pins and others do not.
    var isMixed: Bool { self.certificateOverrides.count > 1 }

    private var certificateOverrides: Set<Bool> {
        Set(
            self.compactMap { source in
                if case .certificates = source.origin { source.overridesPins } else { nil }
            })
    }
}

extension AndroidReader {
    /// The sources of an element's `trust-anchors`; `nil` when it has none, and inherits them.
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
                .missingValue, "<certificates> has no src.", "Say which: system, user or @raw/….", at: node.position)
            return nil
        }
        guard !name.hasPrefix("@") else { return self.resource(name, overrides, node) }
        switch self.log.choice(name, AndroidSourceName.self, "src", at: node.position) {
        case .system: return AndroidSource(origin: .anchors(.system), overridesPins: overrides)
        case .user: return AndroidSource(origin: .anchors(.user), overridesPins: overrides)
        case .wifi:
            self.log.add(
                .ignored, "The certificates for Wi-Fi's networks (wfa) are not known here.", "Remove them.",
                at: node.position)
            return nil
        case nil: return nil
        }
    }

    private mutating func resource(_ name: String, _ overrides: Bool, _ node: XMLElementNode) -> AndroidSource? {
        guard let certificates = self.certificates(name), !certificates.isEmpty else {
            self.log.add(
                .invalidCertificate, "The certificates \(name.quoted) are not there.",
                "Say where the app's resources are, or remove them.", at: node.position)
            return nil
        }
        return AndroidSource(origin: .certificates(certificates), overridesPins: overrides)
    }
}
