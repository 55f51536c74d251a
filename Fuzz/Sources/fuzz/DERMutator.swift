//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import FuzzTargets

/// Changes the elements of DER and writes the lengths anew, so that the change arrives where it was made.
struct DERMutator {
    private var random: SplitMixGenerator

    init(seed: UInt64) {
        self.random = SplitMixGenerator(state: seed)
    }

    /// Changes an element of one chunk, or the chunks.
    mutating func mutate(_ input: FuzzInput) -> FuzzInput {
        var input = input
        guard let index = input.chunks.indices.filter({ !input.chunks[$0].isEmpty }).randomElement(using: &self.random)
        else { return input }
        switch Int.random(in: 0..<12, using: &self.random) {
        case 0: input.chunks.remove(at: index)
        case 1: input.chunks.insert(input.chunks[index], at: index)
        case 2: input.chunks.shuffle(using: &self.random)
        default:
            var elements = DERNode.parse(input.chunks[index])
            let others = DERNode.parse(input.chunks.randomElement(using: &self.random) ?? [])
            self.change(&elements, donor: others)
            input.chunks[index] = elements.flatMap(\.encoded)
        }
        return input
    }

    /// Walks down to some element and changes it.
    private mutating func change(_ elements: inout [DERNode], donor: [DERNode]) {
        guard let index = elements.indices.randomElement(using: &self.random) else { return }
        if !elements[index].children.isEmpty, Int.random(in: 0..<8, using: &self.random) > 0 {
            self.change(&elements[index].children, donor: donor)
            return
        }
        switch Int.random(in: 0..<8, using: &self.random) {
        case 0: elements.remove(at: index)
        case 1: elements.insert(elements[index], at: index)
        case 2: elements.shuffle(using: &self.random)
        case 3: elements[index] = self.pick(from: donor) ?? elements[index]
        case 4: elements.insert(self.pick(from: donor) ?? elements[index], at: index)
        case 5: elements[index].tag = Self.tags.randomElement(using: &self.random) ?? 0x30
        default: elements[index].replaceContent(self.changed(elements[index].content))
        }
    }

    private mutating func pick(from nodes: [DERNode]) -> DERNode? {
        guard let node = nodes.randomElement(using: &self.random) else { return nil }
        let goesOn = !node.children.isEmpty && Int.random(in: 0..<6, using: &self.random) > 0
        return goesOn ? self.pick(from: node.children) : node
    }

    private mutating func changed(_ content: [UInt8]) -> [UInt8] {
        let maximum = content.count + 16
        return [UInt8](unsafeUninitializedCapacity: maximum) { buffer, count in
            for (index, octet) in content.enumerated() { buffer[index] = octet }
            count = mutateBytes(buffer.baseAddress, content.count, maximum)
        }
    }

    private static let tags: [UInt8] = [
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x0A, 0x0C, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1C, 0x1E, 0x30, 0x31,
        0x80, 0x81, 0x82, 0x83, 0x84, 0x86, 0x87, 0xA0, 0xA1, 0xA2, 0xA3, 0xA4,
    ]
}

/// An element of DER, with what is in it when that is elements too.
struct DERNode {
    var tag: UInt8
    var content: [UInt8]
    var children: [DERNode]
    /// What stands before the children: the count of unused bits of a BIT STRING.
    private var prefix: [UInt8] = []

    /// The elements that fill some bytes; none when they are not filled with elements.
    static func parse(_ bytes: [UInt8], depth: Int = 0) -> [DERNode] {
        var nodes: [DERNode] = []
        var rest = bytes[...]
        while rest.count >= 2, nodes.count < 4_096 {
            let tag = rest[rest.startIndex]
            var count = Int(rest[rest.startIndex + 1])
            rest = rest.dropFirst(2)
            if count > 0x80, count <= 0x83 {
                let octets = count - 0x80
                count = rest.prefix(octets).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(octets)
            }
            guard count <= rest.count else { return [] }
            nodes.append(DERNode(tag, Array(rest.prefix(count)), depth))
            rest = rest.dropFirst(count)
        }
        return rest.isEmpty ? nodes : []
    }

    private init(_ tag: UInt8, _ content: [UInt8], _ depth: Int) {
        self.tag = tag
        self.content = content
        self.children = []
        guard depth < 16 else { return }
        if tag & 0x20 != 0 || tag == 0x04 { self.children = Self.parse(content, depth: depth + 1) }
        if tag == 0x03, content.first == 0 {
            self.children = Self.parse(Array(content.dropFirst()), depth: depth + 1)
            self.prefix = [0]
        }
    }

    mutating func replaceContent(_ content: [UInt8]) {
        self.content = content
        self.children = []
    }

    var encoded: [UInt8] {
        let content = self.children.isEmpty ? self.content : self.prefix + self.children.flatMap(\.encoded)
        return [self.tag] + Self.length(content.count) + content
    }

    private static func length(_ count: Int) -> [UInt8] {
        if count < 0x80 { return [UInt8(count)] }
        if count < 0x100 { return [0x81, UInt8(count)] }
        if count < 0x1_0000 { return [0x82, UInt8(count >> 8), UInt8(count & 0xFF)] }
        return [0x83, UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
    }
}

/// Numbers that follow from libFuzzer's seed, so that a run can be repeated.
struct SplitMixGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
