//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// Converts a configuration to this package's own format.
enum NativeWriter {
    static func tree(of configuration: PinningConfiguration) -> DocumentNode {
        .entries([
            (NativeKey.format, .text(NativeFormat.version1.rawValue)),
            (
                .combination,
                configuration.combination == .mostSpecific ? nil : .text(configuration.combination.rawValue)
            ),
            (.domains, .list(configuration.domains.map(Self.node))),
        ])
    }

    private static func node(of domain: PinnedDomain) -> DocumentNode {
        let pattern = try? HostPattern(
            host: domain.host, breadth: domain.subdomains == .oneLabelOnly ? .oneLabel : .exact, port: domain.port)
        let isSaid = domain.subdomains == .none || domain.subdomains == .oneLabelOnly
        let host: [(NativeDomainKey, DocumentNode?)] = [
            (.host, .text(pattern?.description ?? domain.host)),
            (.subdomains, isSaid ? nil : .text(domain.subdomains.rawValue)),
        ]
        let rest: [(NativeDomainKey, DocumentNode?)] = [
            (.reportURIs, domain.reportURIs.isEmpty ? nil : .texts(domain.reportURIs)),
            (.trustAnchors, domain.anchors.map(Self.node)),
        ]
        return .entries(host + Self.entries(of: domain) + rest)
    }

    private static func entries(of domain: PinnedDomain) -> [(NativeDomainKey, DocumentNode?)] {
        let backup: DocumentNode? = domain.backup == .warn ? nil : .text(domain.backup.rawValue)
        // A pin set without requirements pins nothing.
        guard let pins = domain.pins, !pins.requirements.isEmpty else { return [(.pinned, .flag(false))] }
        return Self.entries(of: pins.requirements) + [
            (.expires, pins.expiration?.text.map { .text($0) }),
            (.afterExpiry, pins.expiration.map { .text($0.consequence.rawValue) }),
            (.reportOnly, pins.isReportOnly ? .flag(true) : nil),
            (.exemptAnchors, pins.exemptAnchors.isEmpty ? nil : Self.node(of: pins.exemptAnchors)),
            (.comparison, pins.comparison == .duringSearch ? nil : .text(pins.comparison.rawValue)),
            (.backup, backup),
        ]
    }

    /// Returns the entries of the requirements. The pins of a single requirement are written in the domain itself.
    private static func entries(of requirements: [PinSet.Requirement]) -> [(NativeDomainKey, DocumentNode?)] {
        guard requirements.count == 1, let requirement = requirements.first else {
            return [(.requirements, .list(requirements.map(Self.node)))]
        }
        return [
            (.scope, requirement.scope == .path ? nil : .text(requirement.scope.rawValue)),
            (.pins, .texts(requirement.pins.sorted().map(\.description))),
        ]
    }

    private static func node(of requirement: PinSet.Requirement) -> DocumentNode {
        .entries([
            (NativeRequirementKey.scope, .text(requirement.scope.rawValue)),
            (.pins, .texts(requirement.pins.sorted().map(\.description))),
        ])
    }

    private static func node(of anchors: AnchorSources) -> DocumentNode {
        .entries([
            (NativeAnchorsKey.classes, Self.node(of: anchors.classes)),
            (.certificates, anchors.certificates.isEmpty ? nil : .texts(anchors.certificates.map(\.pemRepresentation))),
        ])
    }

    private static func node(of classes: Set<AnchorClass>) -> DocumentNode {
        .texts(AnchorClass.allCases.filter(classes.contains).map(\.rawValue))
    }
}
