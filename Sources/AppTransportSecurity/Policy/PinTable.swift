//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The pins of `NSPinnedDomains` by the hosts they are for (SecPolicyServer.c).
struct PinTable: Sendable {
    private struct Entry: Sendable {
        let includesSubdomains: Bool
        let leaf: [[UInt8]]?
        let authorities: [[UInt8]]?
        let domain: ATSMatchedException
    }

    /// Names are compared whatever their case, and several entries may have one name.
    private var entries: [LiteralText: [Entry]] = [:]

    init(_ domains: [ATSPinnedDomain]) {
        for domain in domains {
            // Without either key it is not pinned, and does not count among those that match.
            guard domain.leafIdentities != nil || domain.authorityIdentities != nil else { continue }
            let entry = Entry(
                includesSubdomains: domain.includesSubdomains?.value.isBooleanTrue ?? false,
                leaf: domain.leafIdentities.map(Self.digests),
                authorities: domain.authorityIdentities.map(Self.digests),
                domain: ATSMatchedException(name: domain.name, position: domain.position, isBuiltIn: false))
            self.entries[LiteralText(domain.name.lowercased()), default: []].append(entry)
        }
    }

    private static func digests(_ identities: ATSEntry<[ATSPinnedDomain.Identity]>) -> [[UInt8]] {
        identities.value.compactMap { PinDecoding.octets(of: $0.value) }
    }

    /// The pins for a host, as text whatever it is; `nil` when there are none.
    ///
    /// Those of all entries that match count together: the host's own, and those of its parent by one label.
    func pins(for host: String) -> ATSPins? {
        guard !self.entries.isEmpty else { return nil }
        var name = Substring(host.lowercased())
        if name.utf8.last == UInt8(ascii: ".") { name = Substring(name.utf8.dropLast()) }
        var matches = self.entries[LiteralText(name)] ?? []
        if let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) {
            let parent = name[name.utf8.index(after: dot)...]
            matches += (self.entries[LiteralText(parent)] ?? []).filter(\.includesSubdomains)
        }
        guard !matches.isEmpty else { return nil }
        return ATSPins(
            leaf: Self.union(matches.compactMap(\.leaf)), authorities: Self.union(matches.compactMap(\.authorities)),
            domains: matches.map(\.domain))
    }

    private static func union(_ sets: [[[UInt8]]]) -> [[UInt8]]? {
        sets.isEmpty ? nil : sets.flatMap { $0 }
    }
}
