//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust
import TLSProbe
import TLSWire

/// The selection of the chain that a server presents in a handshake.
struct ChainSelection {
    private let facts: ServerFacts
    /// The kind of each chain's key, or `nil` if the leaf cannot be read.
    private let kinds: [PublicKeyKind?]

    init(_ facts: ServerFacts) {
        self.facts = facts
        self.kinds = facts.chains.map { chain in
            guard let leaf = chain.certificates.first else { return nil }
            return (try? Certificate(der: leaf))?.publicKey.kind
        }
    }

    /// `true` if the server does not use its key on a curve with Apple's systems.
    ///
    /// They offer none of its curves, and their list of curves applies to certificates as well (RFC 8422 §5.1.1). The server
    /// answered their own ClientHello with its RSA key.
    var passesOverCurve: Bool {
        let presented = zip(self.facts.chains, self.kinds).filter { chain, _ in chain.versions.contains { $0 < .tls13 }
        }
        let curves = presented.map(\.1).filter { $0 != .rsa }
        return !curves.isEmpty && curves.allSatisfy { $0.map { !Self.offered.contains($0) } ?? false }
            && self.facts.selections.contains { selection in
                selection.isComplete && selection.version < .tls13 && selection.cipherSuite.authentication == .rsa
            }
    }

    private static let offered: [PublicKeyKind] = [.p256, .p384, .p521]

    /// Returns the position of the chain, or `nil` if it was not presented.
    func index(of version: TLSProtocolVersion, _ suite: CipherSuite) -> Int? {
        let selections = self.facts.selections.filter { $0.version == version && $0.chain != nil }
        // A complete handshake proves the choice of chain. A lone ServerHello is only the server's claim.
        let seen = selections.filter { $0.cipherSuite == suite }
        if let chain = (seen.first(where: \.isComplete) ?? seen.first)?.chain { return chain }
        // The suites of TLS 1.3 say nothing about keys (RFC 8446 §4.2.3), so one chain goes with all of them.
        if version >= .tls13, let chain = selections.first?.chain { return chain }
        return self.facts.chains.indices.first { index in
            self.isPresented(self.facts.chains[index], in: version) && self.isFit(index, for: suite, version: version)
        }
    }

    /// Returns `true` if the chain is presented in a version. All versions before TLS 1.3 share their chains. TLS 1.3 may have
    /// another.
    private func isPresented(_ chain: ChainFact, in version: TLSProtocolVersion) -> Bool {
        version >= .tls13 ? chain.versions.contains(version) : chain.versions.contains { $0 < .tls13 }
    }

    private func isFit(_ index: Int, for suite: CipherSuite, version: TLSProtocolVersion) -> Bool {
        guard version < .tls13 else { return true }
        return switch suite.authentication {
        case .rsa: self.kinds[index] == .rsa
        case .ecdsa: self.kinds[index].map { $0 != .rsa } == true
        default: false
        }
    }
}
