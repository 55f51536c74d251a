//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// Reads this package's own format, in YAML or in JSON.
struct NativeReader: DialectReader {
    /// The languages of the format.
    enum Syntax {
        case json, yaml
    }

    let syntax: Syntax
    var log = DiagnosticLog()

    init(_ syntax: Syntax) {
        self.syntax = syntax
    }

    mutating func configuration(of bytes: [UInt8]) throws(DocumentError) -> PinningConfiguration? {
        let root = try self.document(bytes)
        guard let keys = KeyedNode<NativeKey>(root, "The file", &self.log) else { return nil }
        guard keys[.format] != nil else {
            self.log.add(
                .missingValue, "The file does not say its \(NativeKey.format.rawValue).",
                "Add \(NativeKey.format.rawValue): \(NativeFormat.version1.rawValue).", at: root.position)
            return nil
        }
        _ = keys.choice(.format, NativeFormat.self, &self.log)
        let combination = keys.choice(.combination, PinningConfiguration.Combination.self, &self.log) ?? .mostSpecific
        if keys[.domains] == nil { self.log.nothing(under: NativeKey.domains.rawValue, in: root) }
        var collector = DomainCollector(combination)
        for node in keys.array(.domains, &self.log) ?? [] {
            for domain in self.domains(node) { collector.add(domain, &self.log) }
        }
        return collector.configuration
    }

    private func document(_ bytes: [UInt8]) throws(DocumentError) -> DocumentNode {
        switch self.syntax {
        case .json: try JSONDocument.parse(bytes)
        case .yaml: try YAMLDocument.parse(bytes)
        }
    }

    /// A domain and those that it excludes.
    private mutating func domains(_ node: DocumentNode) -> [PinnedDomain] {
        guard let keys = KeyedNode<NativeDomainKey>(node, self.subject(of: node), &self.log),
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

    /// What messages call a domain.
    private func subject(of node: DocumentNode) -> String {
        node[NativeDomainKey.host.rawValue]?.string?.quoted ?? "A domain"
    }
}

// MARK: Hosts

extension NativeReader {
    private mutating func host(_ keys: KeyedNode<NativeDomainKey>) -> HostPattern? {
        guard keys[.host] != nil else {
            self.log.add(.missingValue, "A domain has no host.", "Add host.", at: keys.position)
            return nil
        }
        guard let text = keys.string(.host, &self.log) else { return nil }
        do {
            return try HostPattern(text)
        } catch {
            self.log.add(
                .invalidHost, text.quoted, error, otherwise: "write a DNS name", at: keys.position(of: .host))
            return nil
        }
    }

    private mutating func subdomains(
        of host: HostPattern, _ keys: KeyedNode<NativeDomainKey>
    ) -> PinnedDomain.Subdomains {
        let word = keys.choice(.subdomains, PinnedDomain.Subdomains.self, &self.log)
        switch host.breadth {
        case .exact: return word ?? .none
        case .oneLabel, .anyDepth:
            if keys[.subdomains] != nil {
                self.log.add(
                    .invalidValue, "\(keys.subject) has asterisks and \(NativeDomainKey.subdomains.rawValue).",
                    "Write one of them.", at: keys.position(of: .subdomains))
            }
            return host.breadth == .oneLabel ? .oneLabelOnly : .anyDepth
        }
    }

    /// Hosts below a domain that are not pinned, nor is what is below them.
    private mutating func excluded(_ keys: KeyedNode<NativeDomainKey>, from domain: PinnedDomain) -> [PinnedDomain] {
        (keys.strings(.exclude, &self.log) ?? []).compactMap { entry in
            guard let host = self.log.host(entry.text, at: entry.position) else { return nil }
            guard host.host.hasSuffix("." + domain.host), domain.subdomains != .none else {
                self.log.add(
                    .invalidHost, "\(entry.text.quoted) is no host that \(keys.subject) is about.",
                    "Remove it, or write a host below.", at: entry.position)
                return nil
            }
            var excluded = PinnedDomain(host.host, subdomains: .anyDepth, port: domain.port, pins: nil)
            excluded.position = entry.position
            return excluded
        }
    }
}
