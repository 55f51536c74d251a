//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ConfigurationDocuments
import ServerTrust

/// Writes an Info.plist with `NSPinnedDomains` and nothing else.
enum AppleWriter {
    static func write(_ configuration: PinningConfiguration) -> PinningText {
        let domains = configuration.domains.map { ($0.host, Self.node(of: $0)) }.sorted { $0.0 < $1.0 }
        let security = DocumentNode.named([(AppleSection.pinnedDomains.rawValue, .named(domains))])
        return PinningText(
            PropertyListText.text(of: .named([(AppleSection.appTransportSecurity.rawValue, security)])))
    }

    private static func node(of domain: PinnedDomain) -> DocumentNode {
        var entries: [(AppleDomainKey, DocumentNode?)] = [
            (.includesSubdomains, domain.subdomains == .none ? nil : .flag(true))
        ]
        for (key, scope) in AppleDomainKey.identities {
            let requirement = domain.pins?.requirements.first { $0.scope == scope }
            entries.append((key, requirement.map { .list($0.pins.sorted().map(Self.node)) }))
        }
        return .entries(entries)
    }

    private static func node(of pin: Pin) -> DocumentNode {
        .entries([(ApplePinKey.digest, .text(pin.base64))])
    }
}
