//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The IP address ranges of one list of name constraints, sorted and without overlaps, for a binary search.
struct AddressSubtrees: Sendable {
    private struct Interval {
        let first: UInt128
        var last: UInt128
    }

    private var ipv4: [Interval] = []
    private var ipv6: [Interval] = []
    /// The IPv4 addresses of IPv6 ranges that contain only IPv4-mapped addresses.
    private var mapped: [Interval] = []

    /// Adds an address and its mask, 8 or 32 octets (RFC 5280 §4.2.1.10).
    ///
    /// - Returns: `false` if the subtree is malformed. A mask must be ones followed by zeros, "in the style of RFC 4632 (CIDR)".
    mutating func insert(_ subtree: ByteRange, in bytes: Span<UInt8>) -> Bool {
        guard let (address, mask) = IPAddress.split(subtree, in: bytes) else { return false }
        let width: UInt128 = address.isIPv6 ? .max : UInt128(UInt32.max)
        let hostBits = ~mask.value & width
        guard hostBits & (hostBits &+ 1) == 0 else { return false }
        // Bits of the address outside the mask have no meaning. Some authorities leave them set.
        let interval = Interval(first: address.value & mask.value, last: address.value | hostBits)
        if address.isIPv6 { self.ipv6.append(interval) } else { self.ipv4.append(interval) }
        if address.isIPv6, let first = IPAddress(ipv6: interval.first).mappedIPv4,
            let last = IPAddress(ipv6: interval.last).mappedIPv4
        {
            self.mapped.append(Interval(first: first.value, last: last.value))
        }
        return true
    }

    /// Sorts the ranges. Called once, after the last insertion.
    mutating func finish() {
        self.ipv4 = Self.merged(self.ipv4)
        self.ipv6 = Self.merged(self.ipv6)
        self.mapped = Self.merged(self.mapped)
    }

    /// Returns the ranges without those inside another. Ranges of prefixes are nested or disjoint, so a range that
    /// begins in another also ends in it.
    private static func merged(_ intervals: [Interval]) -> [Interval] {
        var merged: [Interval] = []
        for interval in intervals.sorted(by: { ($0.first, $1.last) < ($1.first, $0.last) }) {
            if let last = merged.last, interval.first <= last.last { continue }
            merged.append(interval)
        }
        return merged
    }

    /// Returns `true` if an address is covered.
    ///
    /// An IPv4-mapped address (RFC 4291 §2.5.5.2) reaches the IPv4 host. It is permitted only if both are, and
    /// excluding one of them excludes the other. A wider IPv6 range, such as `::/0`, covers IPv6 addresses only.
    func covers(
        _ address: IPAddress, _ quantifier: NameSubtrees.Quantifier, _ budget: inout NameConstraintBudget
    ) -> Bool {
        let covers = Self.hold(address, in: address.isIPv6 ? self.ipv6 : self.ipv4, &budget)
        switch (quantifier, address.mappedIPv4) {
        case (.any, let ipv4?): return covers || Self.hold(ipv4, in: self.ipv4, &budget)
        case (.any, nil): return covers || (!address.isIPv6 && Self.hold(address, in: self.mapped, &budget))
        case (.all, let ipv4?): return covers && (self.ipv4.isEmpty || Self.hold(ipv4, in: self.ipv4, &budget))
        case (.all, nil): return covers
        }
    }

    private static func hold(
        _ address: IPAddress, in intervals: [Interval], _ budget: inout NameConstraintBudget
    ) -> Bool {
        var (low, high) = (0, intervals.count)
        while low < high {
            budget.spend(1)
            let middle = (low + high) / 2
            if intervals[middle].first <= address.value { low = middle + 1 } else { high = middle }
        }
        return low > 0 && address.value <= intervals[low - 1].last
    }
}
