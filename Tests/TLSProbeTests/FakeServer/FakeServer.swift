//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire
import TestSupport

/// A server that is made up: what it speaks, and how it chooses from what it is offered.
struct FakeServer: Sendable {
    /// The suites of each version that it speaks, in its order.
    var suites: [TLSProtocolVersion: [CipherSuite]]
    /// Whose order of suites decides.
    var order = CipherSuiteFacts.Order.server
    /// Whether ChaCha20 as the client's first suite becomes the server's, as with OpenSSL's `PrioritizeChaCha`.
    var prioritisesChaCha = false
    /// The groups in its order.
    var groups: [NamedGroup] = [.x25519, .secp256r1]
    /// The groups that it lists in a handshake of TLS 1.3 with another group than its favorite.
    var declaredGroups: [NamedGroup] = []
    var rsaChain: [[UInt8]]? = [[0x30, 1], [0x30, 9]]
    /// The chain with a key on P-256.
    var ecdsaChain: [[UInt8]]?
    /// What it signs with, in its order.
    var schemes = [0x0804, 0x0401, 0x0403, 0x0201, 0x0203].map(SignatureScheme.init)
    var primeBits = 2048
    /// The extensions that it answers to, from 0xFF01 to 23.
    var extensions: Set<UInt16> = [0xFF01, 23, 35]
    /// The protocols of ALPN in its order; none means that it does not know ALPN.
    var protocols: [String] = []
    var stapledResponse: [UInt8]?
    /// Whether it compresses when it may.
    var compresses = false
    var knowsFallbackSignal = true
    /// The names of the authorities whose client certificates it wants; `nil` where it wants none.
    var clientAuthorities: [[UInt8]]?
    /// Whether it answers SSL 2.0.
    var speaksSSL2 = false
    /// What it answers to SSL 2.0 before that, one after the other.
    var answersToSSL2: [Result<[UInt8], ConnectionFailure>] = []
    /// What it does before anything else: the first that has something to say decides.
    var quirks: [Quirk] = []

    /// A server of some suites in each version.
    init(_ suites: [TLSProtocolVersion: [UInt16]]) {
        self.suites = suites.mapValues { $0.map(CipherSuite.init) }
    }

    /// What it does with a connection.
    enum Reaction: Sendable {
        case bytes([UInt8])
        case silence
        case close
        case reset
        /// Nothing listens.
        case refusal
        /// Something else comes in between.
        case failure(ConnectionFailure)

        static func alert(_ number: UInt8) -> Self { .bytes(ScriptedServer.alert(number)) }
    }

    /// - Parameter number: The number of the connection, from 1.
    func reaction(to hello: SentHello, number: Int) -> Reaction {
        for quirk in self.quirks {
            if let reaction = quirk.react(self, hello, number) { return reaction }
        }
        return self.sensibleReaction(to: hello)
    }

    func sensibleReaction(to hello: SentHello) -> Reaction {
        guard let version = self.version(for: hello), let newest = self.suites.keys.max() else { return .alert(70) }
        let isFallback = hello.suites.contains { $0.rawValue == 0x5600 }
        if isFallback, self.knowsFallbackSignal, newest > version { return .alert(86) }
        return version >= .tls13 ? self.tls13(hello) : self.older(hello, version)
    }

    /// RFC 8446 §4.2.1: servers of TLS 1.3 go by the extension, and others do not know it.
    private func version(for hello: SentHello) -> TLSProtocolVersion? {
        if let offered = hello.versions, self.suites.keys.contains(.tls13) {
            return offered.filter(self.suites.keys.contains).max()
        }
        return self.suites.keys.filter { $0 <= min(hello.legacyVersion, .tls12) }.max()
    }
}

// MARK: - Choosing

extension FakeServer {
    /// Chooses a suite.
    func suite(
        _ hello: SentHello, _ version: TLSProtocolVersion, where isUsable: (CipherSuite) -> Bool = { _ in true }
    ) -> CipherSuite? {
        let own = (self.suites[version] ?? []).filter { hello.suites.contains($0) && isUsable($0) }
        guard self.order != .client else { return hello.suites.first(where: own.contains) }
        let first = hello.suites.first { !$0.isGREASE }
        guard self.prioritisesChaCha, first?.protection == .chaCha20Poly1305 else { return own.first }
        return own.first { $0.protection == .chaCha20Poly1305 } ?? own.first
    }

    /// The group for a client without a list is the server's first.
    func group(_ hello: SentHello, where isUsable: (NamedGroup) -> Bool) -> NamedGroup? {
        let own = self.groups.filter(isUsable)
        guard let offered = hello.groups else { return own.first }
        return self.order == .client ? offered.first(where: own.contains) : own.first(where: offered.contains)
    }

    /// What it signs with for a key; without the extension it is SHA-1 (RFC 5246 §7.4.1.4.1).
    func scheme(_ hello: SentHello, _ authentication: CipherSuite.Authentication) -> SignatureScheme? {
        let kinds: [SignatureScheme.SignatureKind] = authentication == .ecdsa ? [.ecdsa] : [.rsaPSS, .rsaPKCS1]
        let offered = hello.schemes ?? [0x0201, 0x0203].map(SignatureScheme.init)
        return self.schemes.first { scheme in
            offered.contains(scheme) && kinds.contains { $0 == scheme.signatureKind }
        }
    }

    func isUsable(_ suite: CipherSuite, _ hello: SentHello, _ version: TLSProtocolVersion) -> Bool {
        if suite.keyExchange == .ecdhe, self.group(hello, where: { $0.kind == .ellipticCurve }) == nil { return false }
        switch suite.authentication {
        case .rsa:
            let isSigned = version == .tls12 && suite.keyExchange != .rsa
            return self.rsaChain != nil && (!isSigned || self.scheme(hello, .rsa) != nil)
        case .ecdsa:
            // RFC 8422 §5.1.1: the curve of the certificate's key has to be on offer too.
            let isKnown = hello.groups?.contains(.secp256r1) ?? true
            return self.ecdsaChain != nil && isKnown && (version < .tls12 || self.scheme(hello, .ecdsa) != nil)
        default: return true
        }
    }
}

/// One thing that a server does otherwise than it should, or sooner.
struct Quirk: Sendable {
    /// What it does with a hello, by the number of the connection; `nil` where the quirk has nothing to do with it.
    let react: @Sendable (FakeServer, SentHello, Int) -> FakeServer.Reaction?

    init(_ react: @escaping @Sendable (FakeServer, SentHello, Int) -> FakeServer.Reaction?) {
        self.react = react
    }
}
