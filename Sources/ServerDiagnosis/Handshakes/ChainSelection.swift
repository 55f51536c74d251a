//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// Selects the chain that a server presents in a handshake.
struct ChainSelection {
    private let facts: ServerFacts
    /// Whether the key of each chain is RSA; `nil` where the certificate cannot be read.
    private let isRSA: [Bool?]

    init(_ facts: ServerFacts) {
        self.facts = facts
        self.isRSA = facts.chains.map { chain in
            guard let leaf = chain.certificates.first else { return nil }
            return (try? Certificate(der: leaf)).map { $0.publicKey.kind == .rsa }
        }
    }

    /// The place of the chain; `nil` when it was not seen.
    func index(of version: TLSProtocolVersion, _ suite: CipherSuite) -> Int? {
        let selections = self.facts.selections.filter { $0.version == version && $0.chain != nil }
        // A whole handshake shows what is behind the keys; a hello only what the other side says.
        let seen = selections.filter { $0.cipherSuite == suite }
        if let chain = (seen.first(where: \.isComplete) ?? seen.first)?.chain { return chain }
        // TLS 1.3's suites say nothing about keys (RFC 8446 §4.2.3), so one chain goes with all of them.
        if version >= .tls13, let chain = selections.first?.chain { return chain }
        return self.facts.chains.indices.first { index in
            self.isPresented(self.facts.chains[index], in: version) && self.isFit(index, for: suite, version: version)
        }
    }

    /// What a server presents in one of the old versions it presents in the others, and may be another in TLS 1.3.
    private func isPresented(_ chain: ChainFact, in version: TLSProtocolVersion) -> Bool {
        version >= .tls13 ? chain.versions.contains(version) : chain.versions.contains { $0 < .tls13 }
    }

    private func isFit(_ index: Int, for suite: CipherSuite, version: TLSProtocolVersion) -> Bool {
        guard version < .tls13 else { return true }
        return switch suite.authentication {
        case .rsa: self.isRSA[index] == true
        case .ecdsa: self.isRSA[index] == false
        default: false
        }
    }
}
