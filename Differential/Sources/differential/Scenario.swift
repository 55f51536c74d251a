//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// A chain to be judged: certificates still to be signed, so that anything about them can be changed first.
struct Scenario {
    /// The leaf first, then its issuers, the root last.
    var chain: [CraftedCertificate]
    /// Certificates that are sent along and do not belong to the chain.
    var extras: [CraftedCertificate] = []
    /// Indices of the chain's certificates that are not sent.
    var missing: Set<Int> = []
    /// Indices of the chain's certificates that are trusted.
    var trusted: Set<Int>
    /// Whether the intermediates come in another order.
    var isShuffled = false
    /// Indices of certificates of which a bit of the signature is flipped.
    var broken: Set<Int> = []
    var host = "www.example.com"
    var address: String?
    let time = testTime
    /// What was done to the chain.
    var changes: [String] = []

    /// A chain that has been signed.
    struct Signed {
        let leaf: [UInt8]
        let intermediates: [[UInt8]]
        let anchors: [[UInt8]]
        let host: String?
        let address: String?
        let time: Timestamp
        let changes: [String]
    }

    func signed(_ random: inout SplitMix) throws -> Signed {
        var encoded: [[UInt8]] = []
        for (index, certificate) in self.chain.enumerated() {
            var der = try certificate.encoded()
            if self.broken.contains(index) { der[der.count - 3] ^= 0x04 }
            encoded.append(der)
        }
        var sent = encoded.indices.dropFirst().filter { !self.missing.contains($0) }.map { encoded[$0] }
        // A server does not send its root; sending it must not matter.
        if sent.count > 1, Bool.random(using: &random) { sent.removeLast() }
        sent += try self.extras.map { try $0.encoded() }
        if self.isShuffled { sent.shuffle(using: &random) }
        return Signed(
            leaf: encoded[0], intermediates: sent, anchors: self.trusted.sorted().map { encoded[$0] },
            host: self.address == nil ? self.host : nil, address: self.address, time: self.time, changes: self.changes)
    }
}

/// A generator that gives the same numbers each time.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var value = self.state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self) == 0 }
}
