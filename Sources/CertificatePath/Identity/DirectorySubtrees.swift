//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The directory names of one list of name constraints, found by the hash of each prefix of a name.
///
/// The hash of a distinguished name is not keyed, so that names whose hashes collide can be written; the budget is what
/// ends them.
struct DirectorySubtrees: Sendable {
    private struct Entry {
        let name: ByteRange
        /// The next entry with the same hash; negative at the end.
        let next: Int
    }

    private var entries: [Entry] = []
    private var firstByHash: [UInt64: Int] = [:]

    /// Comparing gives up on relative names with more attributes than this, and a name that is not compared must not
    /// pass for one that is not excluded.
    private static let maximumAttributes = 16

    /// Adds a well-formed name, whose bytes are given again to every look-up.
    ///
    /// - Returns: Whether it can be compared.
    mutating func insert(_ name: ByteRange, in bytes: Span<UInt8>) -> Bool {
        guard Self.isComparable(name, in: bytes) else { return false }
        var hash = PrefixHash()
        var names = DERReader(name, in: bytes)
        while !names.isAtEnd, hash.addNext(of: &names, in: bytes) {}
        let next = self.firstByHash.updateValue(self.entries.count, forKey: hash.value) ?? -1
        self.entries.append(Entry(name: name, next: next))
        return true
    }

    /// Whether a name is well-formed, and no relative name of it has more attributes than are compared.
    static func isComparable(_ name: ByteRange, in bytes: Span<UInt8>) -> Bool {
        do {
            var names = DERReader(name, in: bytes)
            while !names.isAtEnd {
                var attributes = try names.nested(.set, in: bytes)
                var count = 0
                while !attributes.isAtEnd {
                    _ = try DistinguishedName.Attribute(from: &attributes, in: bytes)
                    count += 1
                }
                guard (1...Self.maximumAttributes).contains(count) else { return false }
            }
            return true
        } catch {
            return false
        }
    }

    /// Whether a comparable name is one of the names, or below one.
    func covers(
        _ name: ByteRange, in bytes: Span<UInt8>, subtreesIn subtreeBytes: Span<UInt8>,
        _ budget: inout NameConstraintBudget
    ) -> Bool {
        guard !self.entries.isEmpty else { return false }
        var names = DERReader(name, in: bytes)
        var hash = PrefixHash()
        while !budget.isExhausted {
            let prefix = ByteRange(name.lowerBound, names.position)
            if self.has(hash.value, prefix, in: bytes, subtreeBytes, &budget) { return true }
            guard !names.isAtEnd, hash.addNext(of: &names, in: bytes) else { return false }
            budget.spend(1 + (names.position - prefix.upperBound) / Self.octetsPerComparison)
        }
        return false
    }

    /// Folding characters costs more than looking up a hash; this many octets count as one more comparison.
    private static let octetsPerComparison = 64

    private func has(
        _ hash: UInt64, _ prefix: ByteRange, in bytes: Span<UInt8>, _ subtreeBytes: Span<UInt8>,
        _ budget: inout NameConstraintBudget
    ) -> Bool {
        guard var index = self.firstByHash[hash] else { return false }
        while index >= 0, !budget.isExhausted {
            let entry = self.entries[index]
            budget.spend(1 + entry.name.count / Self.octetsPerComparison)
            if DistinguishedName.areEqual(prefix, in: bytes, entry.name, in: subtreeBytes) { return true }
            index = entry.next
        }
        return false
    }
}

/// The hash of the first relative names of a name: one step more for each, whatever the order of attributes in it.
private struct PrefixHash {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Takes the next relative name; gives whether it could be read.
    mutating func addNext(of names: inout DERReader, in bytes: Span<UInt8>) -> Bool {
        do {
            var attributes = try names.nested(.set, in: bytes)
            var sum: UInt64 = 0
            while !attributes.isAtEnd {
                sum &+= try DistinguishedName.Attribute(from: &attributes, in: bytes).hash(in: bytes)
            }
            self.value = (self.value ^ sum) &* 0x0000_0100_0000_01B3
            return true
        } catch {
            return false
        }
    }
}
