//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The pins that count together, by the names for which they count (SecPolicyServer.c).
struct PinTallies {
    /// The pins of all entries with a name, in lower case.
    private var own: [String: [PinKind: PinTally]] = [:]
    /// The pins of those entries that cover names below, too.
    private var covering: [String: [PinKind: PinTally]] = [:]

    init(_ domains: [ATSPinnedDomain]) {
        for domain in domains {
            let name = domain.name.lowercased()
            for kind in PinKind.allCases {
                self.own[name, default: [:]][kind, default: PinTally()].add(domain[kind])
                guard domain.coversSubdomains else { continue }
                self.covering[name, default: [:]][kind, default: PinTally()].add(domain[kind])
            }
        }
    }

    /// Returns the pins for a name: its own, and those of its parent for names below.
    func host(_ name: String, _ kind: PinKind) -> PinTally {
        let name = name.lowercased()
        var tally = self.own[name]?[kind] ?? PinTally()
        if let dot = name.firstIndex(of: ".") {
            tally.formUnion(self.below(String(name[name.index(after: dot)...]), kind))
        }
        return tally
    }

    func below(_ name: String, _ kind: PinKind) -> PinTally { self.covering[name.lowercased()]?[kind] ?? PinTally() }
}

/// The certificates with pinned keys.
enum PinKind: CaseIterable {
    case leaf
    case authorities

    var key: ATSKey { self == .leaf ? .pinnedLeafIdentities : .pinnedCAIdentities }
}

extension ATSPinnedDomain {
    subscript(kind: PinKind) -> PinListLint.List? {
        kind == .leaf ? self.leafIdentities : self.authorityIdentities
    }

    var coversSubdomains: Bool { self.includesSubdomains?.value.isBooleanTrue ?? false }
}

/// A count of usable digests: none, one, or more. It keeps at most two of them, because a hostile file has half a million.
struct PinTally {
    private var digests: Set<[UInt8]> = []
    private(set) var isPresent = false

    var isEmpty: Bool { self.digests.isEmpty }
    var isSingle: Bool { self.digests.count == 1 }

    init() {}

    init(_ list: PinListLint.List) {
        self.add(list)
    }

    mutating func add(_ list: PinListLint.List?) {
        guard let list else { return }
        self.isPresent = true
        for identity in list.value where self.digests.count < 2 {
            guard let pin = PinDecoder.apple.pin(inBase64: identity.value), !pin.isPlaceholder else { continue }
            self.digests.insert(pin.digest)
        }
    }

    mutating func formUnion(_ other: PinTally) {
        self.isPresent = self.isPresent || other.isPresent
        for digest in other.digests where self.digests.count < 2 { self.digests.insert(digest) }
    }
}
