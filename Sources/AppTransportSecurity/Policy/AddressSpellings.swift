//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import TLSWire

/// The exceptions that are for the same addresses in several spellings, such as `10/8` and `10.0.0.0/8`.
///
/// Which of them counts is not defined: Apple's engine takes the last one of a dictionary without an order. So each is held to
/// the strictest of what they say, and the answer does not depend on the order of the file.
struct AddressSpellings: Sendable {
    /// The exceptions of the same addresses, the strictest first, by the index of each.
    private var groups: [Int: [Int]] = [:]

    /// What a key is for, however it is written.
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

    /// Finds them.
    init(_ exceptions: [ATSRuleSet.Exception], _ strictness: ATSStrictness) {
        var names: Set<LiteralText> = []
        var indices: [Addresses: [Int]] = [:]
        // Of several entries with one name the last counts, and the others are as if they were not there.
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

    /// The exceptions of the same addresses as one, itself among them, the strictest first; empty where there is no other.
    func spellings(of index: Int) -> [Int] { self.groups[index] ?? [] }

    /// Holds the strictest of each group to the strictest of all that the group says. The others are not looked up.
    func strengthen(_ exceptions: inout [ATSRuleSet.Exception]) {
        for (index, group) in self.groups where group.first == index {
            for other in group.dropFirst() { exceptions[index].strengthen(by: exceptions[other]) }
        }
    }
}

extension ATSRuleSet.Exception {
    /// The stricter first; of two that are as strict, the one whose name sorts last, so that the order of the file does not
    /// matter.
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
    /// How much is refused: everything, where DTLS is demanded of TLS.
    var rank: Int { self.version.map { Int($0.rawValue) } ?? .max }
}

extension NIAPTLSPackage? {
    /// How much is refused: without a package of its own, an exception has the one for all hosts, if there is one.
    fileprivate var rank: Int {
        switch self {
        case .some(.none): 0
        case nil: 1
        case .some(.fcp21): 2
        }
    }
}
