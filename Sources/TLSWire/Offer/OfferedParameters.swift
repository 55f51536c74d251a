//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The parameters of an offer of everything: the registries, in an order that reveals most about servers that follow the client's.

/// All groups and signature schemes of an offer, beginning with the client's.
package struct OfferedParameters: Sendable {
    /// All groups of TLS 1.3, and the curves of older versions.
    package let groups: [NamedGroup]
    /// All known schemes, including SHA-1 and older ones. A server may withhold a certificate that is signed with a scheme not
    /// offered.
    package let signatureSchemes: [SignatureScheme]
    /// The curves of TLS 1.2 and older. No finite-field group is among them, so that every server shows its own prime. If one were
    /// offered, a server with another prime must not use Diffie-Hellman at all (RFC 7919 §4).
    package let groupsBeforeTLS13: [NamedGroup]
    package let groupsInTLS13: [NamedGroup]

    package init(first client: ClientOffer) {
        // The groups that only TLS 1.3 has are hybrids. After the curves, they show which curve a server prefers.
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
    package static let offered: [NamedGroup] = known.filter(\.isOffered)

    /// `true` unless the group describes its own curve (RFC 8422 §5.1.1).
    private var isOffered: Bool {
        self.rawValue < 0xFF00 && !self.isGREASE && (self.isUsableBeforeTLS13 || self.isUsableInTLS13)
    }
}

extension SignatureScheme {
    package static let offered: [SignatureScheme] = known.filter { !$0.isGREASE }
}

extension CipherSuite {
    /// Returns all suites of a version, the most protective first. ChaCha20 is never the first: many servers take that for a client
    /// without AES in hardware and change their order.
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

    /// Returns the suites of a version and of all older ones. A server uses a suite in newer versions than its own, never in older
    /// ones.
    private static func offeredBelowTLS13(upTo version: TLSProtocolVersion) -> [CipherSuite] {
        known.filter { suite in
            !suite.isTLS13 && !suite.isSignaling && !suite.isGREASE
                && suite.earliestVersion.map { $0 <= version } == true
        }.sorted { $0.rank < $1.rank }
    }

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
    /// The suites that clients offered ten to twenty years ago, fewer than any server is known to fail on.
    package static let modest: [CipherSuite] = [
        0xC02B, 0xC02F, 0xC02C, 0xC030, 0xCCA9, 0xCCA8, 0xC009, 0xC00A, 0xC013, 0xC014, 0x009E, 0x009F, 0x0067, 0x006B,
        0x0033, 0x0039, 0x0032, 0x0038, 0x009C, 0x009D, 0x003C, 0x003D, 0x002F, 0x0035, 0x0041, 0x0084, 0xC008, 0xC012,
        0x0016, 0x0013, 0x000A, 0xC007, 0xC011, 0x0005, 0x0004, 0x0015, 0x0009, 0x0003, 0x0006, 0x0008,
    ].map(CipherSuite.init)
}

extension [CipherSuite] {
    /// The suites with another one first if ChaCha20 is. Many servers take ChaCha20 for a client without AES in hardware and change
    /// their order.
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
    /// Returns these suites in the order in which a server that follows the client's order chooses them, if each chosen suite is
    /// left out of the next offer.
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
    /// Adds key shares for the most common groups with a sample key.
    package mutating func offerKeys() {
        let possible = self.groups.filter { $0.sampleKey != nil }
        let curves = possible.filter { $0.kind == .ellipticCurve }
        self.keyShares = Array(curves.isEmpty ? possible.prefix(1) : curves.prefix(3))
    }
}
