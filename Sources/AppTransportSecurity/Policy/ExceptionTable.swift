//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The exceptions by their hosts, with the lookup rules of each reading.
struct ExceptionTable: Sendable {
    private let strictness: ATSStrictness
    private let readsAddresses: Bool
    private var names: [LiteralText: Entry] = [:]
    private var addresses: [IPAddress: Int] = [:]
    private var blocks: [Block: Int] = [:]
    /// The lengths of all names, which spare the lookup of most parents of a long host.
    private var nameLengths: Set<Int> = []
    /// The lengths of all prefixes, longest first.
    private var prefixLengths: [Int] = []

    private struct Entry: Sendable {
        let index: Int
        let includesSubdomains: Bool
    }

    /// A block as a key of the table. Blocks of the same family and length differ in the bits of the network.
    fileprivate struct Block: Sendable, Hashable {
        let isIPv6: Bool
        let prefixLength: Int
        let network: UInt128
    }

    init(_ rules: ATSRuleSet, _ strictness: ATSStrictness, readsAddresses: Bool) {
        self.strictness = strictness
        self.readsAddresses = readsAddresses
        for (index, exception) in rules.exceptions.enumerated() {
            // Of several spellings of the same addresses, the strictest.
            let strictest = rules.spellings.spellings(of: index).first ?? index
            if AddressBlock.isMeant(by: exception.name) {
                guard let block = Self.block(exception.name, strictness) else { continue }
                self.blocks[Block(block)] = strictest
            } else {
                let entry = Entry(index: index, includesSubdomains: exception.includesSubdomains)
                self.names[LiteralText(exception.name)] = entry
                self.nameLengths.insert(exception.name.utf8.count)
                if let address = IPAddress(exception.name) { self.addresses[address] = strictest }
            }
        }
        self.prefixLengths = Set(self.blocks.keys.map(\.prefixLength)).sorted(by: >)
    }

    static func block(_ key: String, _ strictness: ATSStrictness) -> AddressBlock? {
        strictness == .engine ? AddressBlock(engine: key) : AddressBlock(documented: key)
    }

    func index(for destination: ATSDestination) -> Int? {
        guard destination.isAddress else { return self.index(forName: destination.host) }
        return self.readsAddresses ? self.index(for: destination.address, writtenAs: destination.host) : nil
    }

    /// Searches label by label towards the root. Only parents need NSIncludesSubdomains, and those without it are skipped.
    private func index(forName host: String) -> Int? {
        if let entry = self.entry(host[...]) { return entry.index }
        var name = host[...]
        repeat {
            guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
            name = name[name.utf8.index(after: dot)...]
            if !name.isEmpty, let entry = self.entry(name), entry.includesSubdomains { return entry.index }
        } while self.strictness == .engine
        return nil
    }

    private func entry(_ name: Substring) -> Entry? {
        self.nameLengths.contains(name.utf8.count) ? self.names[LiteralText(name)] : nil
    }

    /// Searches for an address. A single address precedes a block, and a longer prefix precedes a shorter one.
    private func index(for address: IPAddress?, writtenAs text: String) -> Int? {
        switch self.strictness {
        case .engine: if let entry = self.entry(text[...]) { return entry.index }
        case .documentation: if let index = address.flatMap({ self.addresses[$0] }) { return index }
        }
        guard let address, !self.prefixLengths.isEmpty else { return nil }
        let value = address.octets.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        for length in self.prefixLengths {
            let block = Block(isIPv6: address.isIPv6, prefixLength: length, address: value)
            if let index = self.blocks[block] { return index }
        }
        return nil
    }

    /// Returns the entries closer to a name than the deciding one, which are skipped because they do not include subdomains.
    func passedBy(on host: String) -> [Int] {
        var passed: [Int] = []
        var name = host[...]
        while let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")), passed.count < 16 {
            name = name[name.utf8.index(after: dot)...]
            guard let entry = self.entry(name) else { continue }
            guard !entry.includesSubdomains else { break }
            passed.append(entry.index)
        }
        return passed
    }
}

extension ExceptionTable.Block {
    fileprivate init(_ block: AddressBlock) {
        let network = block.octets.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        self.init(isIPv6: block.isIPv6, prefixLength: block.prefixLength, address: network)
    }

    fileprivate init(isIPv6: Bool, prefixLength: Int, address: UInt128) {
        let width = isIPv6 ? 128 : 32
        let hostBits = UInt128(max(width - prefixLength, 0))
        // A shift by the whole width leaves nothing.
        self.network = hostBits >= 128 ? 0 : (address >> hostBits) << hostBits
        self.isIPv6 = isIPv6
        self.prefixLength = prefixLength
    }
}
