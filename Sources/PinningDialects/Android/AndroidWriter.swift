//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// Writes a network security configuration with one `domain-config` for each domain.
struct AndroidWriter {
    private var text = XMLText.declaration
    private var certificates: [String: Certificate] = [:]
    private var names: [Certificate: String] = [:]
    private var log: DiagnosticLog

    static func write(_ configuration: PinningConfiguration, _ log: inout DiagnosticLog) -> PinningText {
        var writer = AndroidWriter(log: log)
        writer.open(.root, 0)
        for domain in configuration.domains { writer.append(domain) }
        writer.close(.root, 0)
        log = writer.log
        var text = PinningText(writer.text)
        text.certificates = writer.certificates
        return text
    }

    private init(log: DiagnosticLog) {
        self.log = log
    }

    private mutating func append(_ domain: PinnedDomain) {
        self.open(.domainConfig, 1)
        let subdomains: String? = domain.subdomains == .none ? nil : "true"
        self.leaf(.domain, 2, attributes: [(.includeSubdomains, subdomains)], content: domain.host)
        if let pins = domain.pins { self.append(pins) }
        self.appendAnchors(of: domain)
        self.close(.domainConfig, 1)
    }

    private mutating func append(_ pins: PinSet) {
        self.open(.pinSet, 2, attributes: [(.expiration, pins.expiration?.text)])
        for pin in pins.pins {
            self.leaf(.pin, 3, attributes: [(.digest, AndroidDigest.sha256.rawValue)], content: pin.base64)
        }
        self.close(.pinSet, 2)
    }

    private mutating func appendAnchors(of domain: PinnedDomain) {
        let exempt = domain.pins?.exemptAnchors ?? []
        guard let anchors = domain.anchors else {
            self.reportExempt(exempt, of: domain)
            return
        }
        guard anchors != AnchorSources(classes: [.system]) || exempt.contains(.system) else { return }
        var sources: [(name: String, isExempt: Bool)] = []
        for name in AndroidSourceName.allCases {
            guard let anchorClass = AnchorClass(rawValue: name.rawValue), anchors.classes.contains(anchorClass)
            else { continue }
            sources.append((name.rawValue, exempt.contains(anchorClass)))
        }
        for certificate in anchors.certificates {
            sources.append((self.name(of: certificate), exempt.contains(.application)))
        }
        self.open(.trustAnchors, 2)
        for source in sources {
            self.leaf(
                .certificates, 3, attributes: [(.source, source.name), (.overridePins, source.isExempt ? "true" : nil)])
        }
        self.close(.trustAnchors, 2)
    }

    /// Reports exempt anchors that cannot be written: without `trust-anchors` there is no entry that could override pins.
    private mutating func reportExempt(_ exempt: Set<AnchorClass>, of domain: PinnedDomain) {
        guard !exempt.isEmpty else { return }
        self.log.add(
            .ignored, "\(domain.host.quoted): no anchors are exempt, since the configuration names no anchors.",
            remedy: "Nothing more is let through.", at: domain.position)
    }

    /// Returns the name of the resource that will hold a certificate.
    private mutating func name(of certificate: Certificate) -> String {
        if let name = self.names[certificate] { return name }
        let name = "@raw/pinned_ca_\(self.names.count + 1)"
        (self.names[certificate], self.certificates[name]) = (name, certificate)
        return name
    }
}

// MARK: Elements

extension AndroidWriter {
    private typealias Attributes = [(AndroidAttribute, String?)]

    private mutating func open(_ element: AndroidElement, _ depth: Int, attributes: Attributes = []) {
        self.text += "\(Self.indentation(depth))<\(element.rawValue)\(Self.text(of: attributes))>\n"
    }

    private mutating func close(_ element: AndroidElement, _ depth: Int) {
        self.text += "\(Self.indentation(depth))</\(element.rawValue)>\n"
    }

    private mutating func leaf(
        _ element: AndroidElement, _ depth: Int, attributes: Attributes, content: String? = nil
    ) {
        let start = "\(Self.indentation(depth))<\(element.rawValue)\(Self.text(of: attributes))"
        self.text += content.map { "\(start)>\(XMLText.escaped($0))</\(element.rawValue)>\n" } ?? "\(start)/>\n"
    }

    private static func indentation(_ depth: Int) -> String { String(repeating: "    ", count: depth) }

    private static func text(of attributes: Attributes) -> String {
        attributes.map { attribute, value in
            value.map { " \(attribute.rawValue)=\"\(XMLText.escaped($0))\"" } ?? ""
        }.joined()
    }
}
