//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The domains of one list of name constraints, found by their labels from the right.
///
/// A name is looked up once for each label instead of compared with each constraint. 2,048 names under 2,048
/// constraints cost about ten thousand look-ups instead of four million comparisons.
struct DomainSubtrees: Sendable {
    /// The names that a constraint covers.
    struct Coverage: OptionSet {
        let rawValue: UInt8
        static let itself = Coverage(rawValue: 1 << 0)
        /// The domain with one or more labels in front.
        static let below = Coverage(rawValue: 1 << 1)
    }

    private struct Entry {
        let domain: ByteRange
        var coverage: Coverage
        /// The index of the next entry with the same hash, negative at the end.
        let next: Int
    }

    private var entries: [Entry] = []
    /// The domains in lower case, concatenated.
    private var domains: [UInt8] = []
    private var firstByHash: [UInt64: Int] = [:]
    /// The hashes of the parents of the domains that cover themselves.
    private var parentHashes: Set<UInt64> = []
    /// Bit `n` is set if a domain has `n` labels. Names are looked up at these depths only.
    private var depths: UInt128 = 0
    private var coversEverything = false
    private let multiplier = SuffixHash.multiplier

    /// Adds the empty constraint, which adds zero or more labels to an empty name. RFC 5280 does not define it
    /// further. Go and NSS read it as all names.
    mutating func insertEverything() {
        self.coversEverything = true
    }

    mutating func insert(_ domain: ByteRange, in bytes: Span<UInt8>, covering coverage: Coverage) {
        var hash = SuffixHash(multiplier: self.multiplier)
        var depth = 1
        for index in (domain.lowerBound..<domain.upperBound).reversed() {
            let octet = bytes[index]
            if octet == UInt8(ascii: ".") { depth += 1 }
            hash.add(octet.foldedASCII)
        }
        self.depths |= 1 << UInt128(min(depth, 127))
        self.insertParent(of: domain, in: bytes, coverage)
        if let known = self.find(hash.value, domain, in: bytes) {
            self.entries[known].coverage.formUnion(coverage)
            return
        }
        let start = self.domains.count
        for index in domain.lowerBound..<domain.upperBound { self.domains.append(bytes[index].foldedASCII) }
        let next = self.firstByHash.updateValue(self.entries.count, forKey: hash.value) ?? -1
        self.entries.append(Entry(domain: ByteRange(start, self.domains.count), coverage: coverage, next: next))
    }

    private mutating func insertParent(of domain: ByteRange, in bytes: Span<UInt8>, _ coverage: Coverage) {
        guard coverage.contains(.itself), let parent = DomainName(domain, in: bytes)?.parent else { return }
        var hash = SuffixHash(multiplier: self.multiplier)
        for index in (parent.lowerBound..<parent.upperBound).reversed() { hash.add(bytes[index].foldedASCII) }
        self.parentHashes.insert(hash.value)
    }

    private func find(_ hash: UInt64, _ domain: ByteRange, in bytes: Span<UInt8>) -> Int? {
        guard var index = self.firstByHash[hash] else { return nil }
        while index >= 0 {
            let entry = self.entries[index]
            if DomainName.areEqual(entry.domain, in: self.domains.span, domain, in: bytes) { return index }
            index = entry.next
        }
        return nil
    }

    func covers(_ name: ByteRange, in bytes: Span<UInt8>, _ budget: inout NameConstraintBudget) -> Bool {
        self.covers(name, in: bytes, isBelow: false, &budget)
    }

    /// Returns `true` if every name one label below a domain is covered. These are the names that a wildcard matches.
    func coversAllNames(
        oneLabelBelow domain: ByteRange, in bytes: Span<UInt8>, _ budget: inout NameConstraintBudget
    ) -> Bool {
        self.covers(domain, in: bytes, isBelow: true, &budget)
    }

    /// Returns `true` if some name one label below a domain is covered.
    ///
    /// A hash collision returns `true` by mistake, with a probability of one in 2^50 that no attacker can improve. An
    /// exclusion then applies that should not. The constraint itself is not compared.
    func coversAnyName(
        oneLabelBelow domain: ByteRange, in bytes: Span<UInt8>, _ budget: inout NameConstraintBudget
    ) -> Bool {
        if self.covers(domain, in: bytes, isBelow: true, &budget) { return true }
        var hash = SuffixHash(multiplier: self.multiplier)
        for index in (domain.lowerBound..<domain.upperBound).reversed() { hash.add(bytes[index].foldedASCII) }
        budget.spend(1)
        return self.parentHashes.contains(hash.value)
    }

    /// Looks up the suffixes of a name at its labels. The whole name needs a constraint that covers itself, unless the
    /// names below it are meant. A shorter suffix needs a constraint that covers the names below it.
    @inline(__always)
    private func covers(
        _ name: ByteRange, in bytes: Span<UInt8>, isBelow: Bool, _ budget: inout NameConstraintBudget
    ) -> Bool {
        if self.coversEverything { return true }
        guard !self.entries.isEmpty else { return false }
        var hash = SuffixHash(multiplier: self.multiplier)
        var depth = 0
        var index = name.upperBound
        while index > name.lowerBound {
            index &-= 1
            hash.add(bytes[index].foldedASCII)
            let isWhole = index == name.lowerBound
            guard isWhole || bytes[index &- 1] == UInt8(ascii: ".") else { continue }
            depth &+= 1
            guard self.depths & 1 << UInt128(min(depth, 127)) != 0 else { continue }
            budget.spend(1)
            let needed: Coverage = isWhole && !isBelow ? .itself : .below
            if let found = self.find(hash.value, ByteRange(index, name.upperBound), in: bytes),
                self.entries[found].coverage.contains(needed)
            {
                return true
            }
        }
        return false
    }
}

/// A polynomial hash modulo 2^61-1 that takes the octets of a name from its end. Each suffix costs one more step than
/// the one before.
private struct SuffixHash {
    private static let modulus: UInt64 = 1 << 61 - 1
    /// A random number for each process, so that no attacker can write domains with colliding hashes.
    static let multiplier = UInt64.random(in: 1 << 32..<Self.modulus)
    private let multiplier: UInt64
    private(set) var value: UInt64 = 0

    @inline(__always)
    init(multiplier: UInt64) {
        self.multiplier = multiplier
    }

    @inline(__always)
    mutating func add(_ octet: UInt8) {
        let product = self.value.multipliedFullWidth(by: self.multiplier)
        // Both factors are below 2^61, so the high part has at most 58 bits.
        let folded = product.low & Self.modulus &+ (product.low >> 61 | product.high << 3)
        let sum = folded &+ UInt64(octet) &+ 1
        self.value = sum % Self.modulus
    }
}
