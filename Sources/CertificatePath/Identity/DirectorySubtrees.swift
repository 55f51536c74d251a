//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The directory names in one list of name constraints.
///
/// They are looked up by a keyed hash of their folded octets, so an attacker cannot write names with colliding hashes.
struct DirectorySubtrees: Sendable {
    /// The folded octets of the names, by their hash.
    private var subtrees: [Int: [[UInt8]]] = [:]

    /// The limit on attributes in one relative name. A name with more is not compared, and must not escape an exclusion.
    private static let maximumAttributes = 16

    /// Adds a name.
    ///
    /// - Returns: `false` if the name cannot be compared.
    mutating func insert(_ name: ByteRange, in bytes: Span<UInt8>) -> Bool {
        guard Self.isComparable(name, in: bytes) else { return false }
        let folded = FoldedName(name, in: bytes)
        guard let whole = folded.prefixes.last else { return false }
        self.subtrees[whole.hash, default: []].append(folded.octets)
        return true
    }

    /// Returns `true` if a name is well-formed and no relative name has more attributes than the limit.
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

    /// Returns `true` if a name is one of the names, or below one.
    func covers(_ name: FoldedName, _ budget: inout NameConstraintBudget) -> Bool {
        guard !self.subtrees.isEmpty else { return false }
        for (count, hash) in name.prefixes {
            guard !budget.isExhausted else { return false }
            budget.spend(1)
            if self.subtrees[hash]?.contains(where: { name.octets.prefix(count).elementsEqual($0) }) == true {
                return true
            }
        }
        return false
    }
}

extension FoldedName {
    /// The prefixes of the name, the empty one first. Each has the number of its octets and their keyed hash.
    fileprivate var prefixes: [(count: Int, hash: Int)] {
        var hasher = Hasher()
        var prefixes = [(count: 0, hash: hasher.finalized)]
        var start = 0
        for end in self.ends {
            // The octets in one call. `Array` would hash them one by one.
            unsafe self.octets[start..<end].withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
            prefixes.append((end, hasher.finalized))
            start = end
        }
        return prefixes
    }
}

extension Hasher {
    fileprivate var finalized: Int {
        let copy = self
        return copy.finalize()
    }
}
