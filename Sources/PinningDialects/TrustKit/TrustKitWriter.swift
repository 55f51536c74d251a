//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// Writes an Info.plist with TrustKit's configuration and nothing else.
enum TrustKitWriter {
    static func write(_ configuration: PinningConfiguration, _ log: inout DiagnosticLog) -> PinningText {
        let ignoresPinning = Self.ignoresPinning(configuration, &log)
        var domains: [(String, DocumentNode)] = []
        let parents = TrustKitParents(configuration.domains)
        for domain in configuration.domains {
            guard domain.pins != nil || parents.include(domain.host) else {
                log.add(
                    .ignored, "\(domain.host.quoted) has no pins and no parent with pins, and is left out.",
                    remedy: "Without the domain TrustKit pins nothing there either.", at: domain.position)
                continue
            }
            domains.append((domain.host, Self.node(of: domain, &log)))
        }
        domains.sort { $0.0 < $1.0 }
        let section = DocumentNode.entries([
            (TrustKitKey.swizzlesNetworkDelegates, .flag(false)),
            // Written explicitly, because the default on macOS is true.
            (.ignoresPinningForUserDefinedTrustAnchors, .flag(ignoresPinning)),
            (.pinnedDomains, .named(domains)),
        ])
        return PinningText(
            PropertyListText.text(of: .named([(TrustKitSection.configuration.rawValue, section)])))
    }

    /// Returns `true` if user-defined anchors are exempt, which in TrustKit holds for all domains or for none.
    private static func ignoresPinning(_ configuration: PinningConfiguration, _ log: inout DiagnosticLog) -> Bool {
        let pinned = configuration.domains.filter { $0.pins != nil }
        let exempt = pinned.filter { $0.pins?.exemptAnchors.contains(.user) == true }
        guard !exempt.isEmpty, exempt.count < pinned.count else { return !exempt.isEmpty }
        for domain in exempt {
            log.add(
                .ignored,
                "\(domain.host.quoted): anchors of the user are not exempt, for in TrustKit all domains agree.",
                remedy: "Nothing more is let through.", at: domain.position)
        }
        return false
    }

    private static func node(of domain: PinnedDomain, _ log: inout DiagnosticLog) -> DocumentNode {
        // TrustKit refuses other keys together with this one.
        guard let pins = domain.pins else { return .entries([(TrustKitDomainKey.isExcluded, .flag(true))]) }
        let anchors = Self.anchors(of: domain, &log)
        return .entries([
            (TrustKitDomainKey.includesSubdomains, .flag(domain.subdomains != .none)),
            (.enforcesPinning, .flag(!pins.isReportOnly)),
            (.expirationDate, pins.expiration?.text.map { .text($0) }),
            (.publicKeyHashes, .texts(pins.pins.map(\.base64))),
            (.reportURIs, domain.reportURIs.isEmpty ? nil : .texts(domain.reportURIs)),
            // Without this key TrustKit reports to its vendor.
            (.disablesDefaultReportURI, .flag(true)),
            (.additionalTrustAnchors, anchors),
        ])
    }

    private static func anchors(of domain: PinnedDomain, _ log: inout DiagnosticLog) -> DocumentNode? {
        guard let anchors = domain.anchors else { return nil }
        if !anchors.certificates.isEmpty, anchors.classes == Set(AnchorClass.allCases) {
            return .texts(anchors.certificates.map(\.pemRepresentation))
        }
        // The default anchors of Android apps are the only ones that TrustKit can express.
        if anchors != AnchorSources(classes: [.system]) {
            log.add(
                .inexpressible,
                "\(domain.host.quoted): TrustKit adds trusted certificates, and removes none.",
                remedy: "Do not use the text for this host. More would be let through.", at: domain.position)
        }
        return nil
    }
}
