//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// What is offered where everything is: the registries, in an order that tells most about servers that go by the client's.

/// All groups and signature schemes there are to offer, those first that a client offers first.
package struct OfferedParameters: Sendable {
    /// All groups of TLS 1.3, and the curves of the versions before.
    package let groups: [NamedGroup]
    /// All that are known, SHA-1 and older ones too: a server whose certificate is signed with what was not offered may not
    /// show it.
    package let signatureSchemes: [SignatureScheme]
    /// The curves of TLS 1.2 and older. RFC 7919 §4: where primes are offered, a server that has others of its own must not
    /// use Diffie-Hellman at all; so no such group is offered, and each shows the prime it has.
    package let groupsBeforeTLS13: [NamedGroup]
    /// All groups of TLS 1.3.
    package let groupsInTLS13: [NamedGroup]

    package init(first client: ClientOffer) {
        // Groups of TLS 1.3 alone are hybrids: behind the curves, they show which curve a server prefers.
        let preferred = client.groupsBeforeTLS13 + client.groups.filter { !$0.isUsableBeforeTLS13 }
        let groups = preferred + NamedGroup.offered.filter { !preferred.contains($0) }
        self.groups = groups
        self.groupsBeforeTLS13 = groups.filter { $0.isUsableBeforeTLS13 && $0.kind == .ellipticCurve }
        self.groupsInTLS13 = groups.filter(\.isUsableInTLS13)
        let schemes = client.signatureSchemes
        self.signatureSchemes = schemes + SignatureScheme.offered.filter { !schemes.contains($0) }
    }
}

extension NamedGroup {
    /// All that can be offered, by number.
    package static let offered: [NamedGroup] = known.filter(\.isOffered)

    /// Without those that describe their own curve (RFC 8422 §5.1.1).
    private var isOffered: Bool {
        self.rawValue < 0xFF00 && !self.isGREASE && (self.isUsableBeforeTLS13 || self.isUsableInTLS13)
    }
}

extension SignatureScheme {
    /// All that can be offered, by number.
    package static let offered: [SignatureScheme] = known.filter { !$0.isGREASE }
}

extension CipherSuite {
    /// All suites that a version can use, those first that protect most. ChaCha20 is never the first: to many servers that
    /// means a client without AES in hardware, for which they change their order.
    package static func offered(in version: TLSProtocolVersion) -> [CipherSuite] {
        switch version {
        case .tls13: Self.offeredInTLS13
        case .tls12: Self.offeredInTLS12
        case .ssl30: Self.offeredInSSL3
        default: Self.offeredBeforeTLS12
        }
    }

    package static let offeredInTLS13 = known.filter(\.isTLS13).sorted { $0.rank < $1.rank }
    private static let offeredInTLS12 = offeredBelowTLS13(upTo: .tls12)
    private static let offeredBeforeTLS12 = offeredBelowTLS13(upTo: .tls11)
    private static let offeredInSSL3 = offeredBelowTLS13(upTo: .ssl30)

    /// Servers use suites in newer versions than those they were made for, and never in older ones.
    private static func offeredBelowTLS13(upTo version: TLSProtocolVersion) -> [CipherSuite] {
        known.filter { suite in
            !suite.isTLS13 && !suite.isSignaling && !suite.isGREASE
                && suite.earliestVersion.map { $0 <= version } == true
        }.sorted { $0.rank < $1.rank }
    }

    /// The place among those offered.
    private var rank: (Int, UInt16) {
        let exchange = self.hasForwardSecrecy ? 0 : 4
        let protection =
            switch self.protection {
            case .aesGCM: 0
            case .chaCha20Poly1305: 1
            case .aesCBC: 2
            default: 3
            }
        let isCommon =
            [.ecdhe, .any, .rsa].contains(self.keyExchange) && [.rsa, .ecdsa, .any].contains(self.authentication)
        return ((isCommon ? 0 : 8) + exchange + protection, self.rawValue)
    }
}

extension CipherSuite {
    /// What clients offered ten years ago, and twenty: fewer than any server is known to stumble over.
    package static let modest: [CipherSuite] = [
        0xC02B, 0xC02F, 0xC02C, 0xC030, 0xCCA9, 0xCCA8, 0xC009, 0xC00A, 0xC013, 0xC014, 0x009E, 0x009F, 0x0067, 0x006B,
        0x0033, 0x0039, 0x0032, 0x0038, 0x009C, 0x009D, 0x003C, 0x003D, 0x002F, 0x0035, 0x0041, 0x0084, 0xC008, 0xC012,
        0x0016, 0x0013, 0x000A, 0xC007, 0xC011, 0x0005, 0x0004, 0x0015, 0x0009, 0x0003, 0x0006, 0x0008,
    ].map(CipherSuite.init)
}

extension [CipherSuite] {
    /// The same with another one first where ChaCha20 is: to many servers that means a client without AES in hardware, for
    /// which they change their order.
    package var notLedByChaCha: [CipherSuite] {
        guard self.first?.protection == .chaCha20Poly1305,
            let place = self.firstIndex(where: { $0.protection != .chaCha20Poly1305 })
        else { return self }
        var suites = self
        suites.swapAt(0, place)
        return suites
    }
}

extension [CipherSuite] {
    /// The same in the order in which a server takes them that goes by the client's, when what was chosen is left out of the
    /// next offer.
    package func inOrder(ofOffers offered: [CipherSuite]) -> [CipherSuite] {
        var (left, found) = (offered, [CipherSuite]())
        while let next = left.notLedByChaCha.first(where: self.contains) {
            found.append(next)
            left.removeAll { $0 == next }
        }
        return found
    }
}

extension ProbeOffer {
    /// Brings keys for the most common of its groups that one is at hand for.
    package mutating func offerKeys() {
        let possible = self.groups.filter { $0.sampleKey != nil }
        let curves = possible.filter { $0.kind == .ellipticCurve }
        self.keyShares = Array(curves.isEmpty ? possible.prefix(1) : curves.prefix(3))
    }
}
