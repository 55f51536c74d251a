//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The pins of `NSPinnedDomains` by their hosts (SecPolicyServer.c).
struct PinTable: Sendable {
    /// The pins of all entries with the same name, regardless of case. All matching entries count together.
    private struct Node: Sendable {
        /// The pins for the name itself, or `nil` if there are none.
        var own: ATSPins?
        /// The pins for names one label below.
        var below: ATSPins?

        mutating func add(_ pins: ATSPins, includesSubdomains: Bool) {
            if self.own == nil { self.own = pins } else { self.own?.append(pins) }
            guard includesSubdomains else { return }
            if self.below == nil { self.below = pins } else { self.below?.append(pins) }
        }
    }

    private var nodes: [LiteralText: Node] = [:]

    init(_ domains: [ATSPinnedDomain]) {
        for domain in domains {
            // An entry without either key pins nothing and does not count as a match.
            guard domain.leafIdentities != nil || domain.authorityIdentities != nil else { continue }
            let pins = ATSPins(
                leaf: domain.leafIdentities.map(Self.digests),
                authorities: domain.authorityIdentities.map(Self.digests),
                domains: [ATSMatchedException(name: domain.name, position: domain.position, isBuiltIn: false)])
            let name = LiteralText(domain.name.lowercased())
            let includesSubdomains = domain.includesSubdomains?.value.isBooleanTrue ?? false
            // In place, because a hostile file may have a name in a hundred thousand spellings.
            self.nodes[name, default: Node()].add(pins, includesSubdomains: includesSubdomains)
        }
    }

    private static func digests(_ identities: ATSEntry<[ATSPinnedDomain.Identity]>) -> [[UInt8]] {
        identities.value.map { AppleBase64($0.value).octets }.filter { !$0.isEmpty }
    }

    /// Returns the pins for a host by its text, or `nil` if there are none.
    ///
    /// The pins of all matching entries count together: those of the host, and those of its parent one label above.
    func pins(for host: String) -> ATSPins? {
        guard !self.nodes.isEmpty else { return nil }
        let isLowercased = host.utf8.allSatisfy { $0 < 0x80 && !(0x41...0x5A).contains($0) }
        var name = isLowercased ? host[...] : Substring(host.lowercased())
        if name.utf8.last == UInt8(ascii: ".") { name = Substring(name.utf8.dropLast()) }
        let own = self.nodes[LiteralText(name)]?.own
        guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return own }
        return Self.union(own, self.nodes[LiteralText(name[name.utf8.index(after: dot)...])]?.below)
    }

    private static func union(_ first: ATSPins?, _ second: ATSPins?) -> ATSPins? {
        guard var union = first, let second else { return first ?? second }
        union.append(second)
        return union
    }
}

extension ATSPins {
    /// Adds the pins of another entry. Duplicates are kept.
    fileprivate mutating func append(_ other: ATSPins) {
        Self.append(other.leaf, to: &self.leaf)
        Self.append(other.authorities, to: &self.authorities)
        self.domains += other.domains
    }

    private static func append(_ digests: [[UInt8]]?, to all: inout [[UInt8]]?) {
        guard let digests else { return }
        if all == nil { all = digests } else { all? += digests }
    }
}
