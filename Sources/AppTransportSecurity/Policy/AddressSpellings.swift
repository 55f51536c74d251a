//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import TLSWire

/// The groups of exceptions for the same addresses in several spellings, such as `10/8` and `10.0.0.0/8`.
///
/// The order of their precedence is not defined: Apple's engine takes the last one of an unordered dictionary. The strictest rules
/// of a group therefore apply to all of it, so that the order of the file does not matter.
struct AddressSpellings: Sendable {
    /// The exceptions of each group, strictest first, by the index of each exception.
    private var groups: [Int: [Int]] = [:]

    /// The addresses that a key means, in any spelling.
    private enum Addresses: Hashable {
        case one(IPAddress)
        case block(AddressBlock)

        init?(_ key: String, _ strictness: ATSStrictness) {
            if AddressBlock.isMeant(by: key) {
                guard let block = ExceptionTable.block(key, strictness) else { return nil }
                self = .block(block)
            } else {
                // The engine compares single addresses as text.
                guard strictness == .documentation, let address = IPAddress(key) else { return nil }
                self = .one(address)
            }
        }
    }

    init(_ exceptions: [ATSRuleSet.Exception], _ strictness: ATSStrictness) {
        var names: Set<LiteralText> = []
        var indices: [Addresses: [Int]] = [:]
        // Only the last of several entries with the same name counts.
        for (index, exception) in exceptions.enumerated().reversed() {
            guard let addresses = Addresses(exception.name, strictness),
                names.insert(LiteralText(exception.name)).inserted
            else { continue }
            indices[addresses, default: []].append(index)
        }
        for group in indices.values where group.count > 1 {
            let sorted = group.sorted { exceptions[$0].comesBefore(exceptions[$1]) }
            for index in sorted { self.groups[index] = sorted }
        }
    }

    /// Returns the exceptions in the same group, including the given one, strictest first. The group is empty if there are no
    /// others.
    func spellings(of index: Int) -> [Int] { self.groups[index] ?? [] }

    /// Gives the first exception of each group the strictest rules of the group. The others are never looked up.
    func strengthen(_ exceptions: inout [ATSRuleSet.Exception]) {
        for (index, group) in self.groups where group.first == index {
            for other in group.dropFirst() { exceptions[index].strengthen(by: exceptions[other]) }
        }
    }
}

extension ATSRuleSet.Exception {
    /// Orders stricter exceptions first. Of two equally strict ones, the later name in sorting order is first, so that the order of
    /// the file does not matter.
    fileprivate func comesBefore(_ other: Self) -> Bool {
        let (mine, theirs) = (self.ranks, other.ranks)
        return mine == theirs ? self.name > other.name : theirs.lexicographicallyPrecedes(mine)
    }

    private var ranks: [Int] {
        [self.allowsInsecureHTTP ? 0 : 1, self.minimumTLSVersion.rank, self.requiresForwardSecrecy ? 1 : 0]
            + [self.package.rank]
    }

    fileprivate mutating func strengthen(by other: Self) {
        self.allowsInsecureHTTP = self.allowsInsecureHTTP && other.allowsInsecureHTTP
        self.requiresForwardSecrecy = self.requiresForwardSecrecy || other.requiresForwardSecrecy
        if other.minimumTLSVersion.rank > self.minimumTLSVersion.rank {
            self.minimumTLSVersion = other.minimumTLSVersion
        }
        if other.package.rank > self.package.rank { self.package = other.package }
    }
}

extension ATSMinimumVersion {
    /// The strictness of the version. DTLS is the strictest, because no load over TLS meets it.
    var rank: Int { self.version.map { Int($0.rawValue) } ?? .max }
}

extension NIAPTLSPackage? {
    /// The strictness of the package. An exception without one has the package for all hosts, if there is one.
    fileprivate var rank: Int {
        switch self {
        case .some(.none): 0
        case nil: 1
        case .some(.fcp21): 2
        }
    }
}
