//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire
import TestSupport

extension FakeServer {
    /// TLS 1.3: a key for one of those that came, or a wish for another (RFC 8446 §4.1.4).
    func tls13(_ hello: SentHello) -> Reaction {
        guard let shares = hello.keyShares else { return .alert(109) }
        guard let suite = self.suite(hello, .tls13), let wish = self.group(hello, where: \.isUsableInTLS13) else {
            return .alert(40)
        }
        let group = self.groups.first { group in shares.contains { $0.group == group } }
        let message = group.map { ScriptedServer.hello13(suite, $0) } ?? ScriptedServer.retryRequest(suite, wish)
        return .bytes(ScriptedServer.record(message))
    }

    /// TLS 1.2 and older, up to ServerHelloDone.
    func older(_ hello: SentHello, _ version: TLSProtocolVersion) -> Reaction {
        guard let suite = self.suite(hello, version, where: { self.isUsable($0, hello, version) }) else {
            return .alert(40)
        }
        if !self.protocols.isEmpty, let offered = hello.protocols, !offered.contains(where: self.protocols.contains) {
            return .alert(120)
        }
        return .bytes(self.flight(hello, version, suite))
    }

    /// The whole flight of a version and a suite.
    func flight(_ hello: SentHello, _ version: TLSProtocolVersion, _ suite: CipherSuite) -> [UInt8] {
        let compression: UInt8 = self.compresses && hello.compressionMethods.contains(1) ? 1 : 0
        var messages = ScriptedServer.hello(
            version, suite, extensions: self.extensions(hello, version), random: self.random(hello, version),
            compression: compression)
        if let chain = self.chain(suite) { messages += ScriptedServer.certificate(chain) }
        if let stapledResponse, hello.has(5) { messages += ScriptedServer.status(stapledResponse) }
        messages += self.keyExchange(hello, version, suite) ?? []
        if let clientAuthorities {
            messages += ScriptedServer.certificateRequest(clientAuthorities, hasSchemes: version >= .tls12)
        }
        return ScriptedServer.record(messages + ScriptedServer.done, version: version.rawValue)
    }

    private func chain(_ suite: CipherSuite) -> [[UInt8]]? {
        switch suite.authentication {
        case .rsa: self.rsaChain
        case .ecdsa: self.ecdsaChain
        default: nil
        }
    }

    /// RFC 8446 §4.1.3: a warning at the end, from who knows TLS 1.3.
    private func random(_ hello: SentHello, _ version: TLSProtocolVersion) -> [UInt8] {
        guard self.suites.keys.contains(.tls13) else { return ScriptedServer.random }
        return ScriptedServer.random.prefix(24) + Array("DOWNGRD".utf8) + [version == .tls12 ? 1 : 0]
    }

    /// Only what was offered may be answered (RFC 5246 §7.4.1.4); the signal stands for an extension (RFC 5746 §3.6).
    private func extensions(_ hello: SentHello, _ version: TLSProtocolVersion) -> [[UInt8]] {
        let isSignaled = hello.suites.contains { $0.rawValue == 0x00FF }
        var list = self.extensions.sorted().compactMap { type -> [UInt8]? in
            if type == 0xFF01 { return isSignaled ? ScriptedServer.serverExtension(type, [0]) : nil }
            return hello.has(type) ? ScriptedServer.serverExtension(type, type == 15 ? [1] : []) : nil
        }
        if self.stapledResponse != nil, hello.has(5) { list.append(ScriptedServer.serverExtension(5)) }
        if let name = self.protocols.first(where: { hello.protocols?.contains($0) == true }) {
            list.append(
                ScriptedServer.serverExtension(16, ScriptedServer.vector16(ScriptedServer.vector8(Array(name.utf8)))))
        }
        return version == .ssl30 ? [] : list
    }

    private func keyExchange(_ hello: SentHello, _ version: TLSProtocolVersion, _ suite: CipherSuite) -> [UInt8]? {
        let isSigned = version == .tls12 && !suite.isAnonymous
        let scheme = isSigned ? self.scheme(hello, suite.authentication ?? .rsa) : nil
        switch suite.keyExchange {
        case .ecdhe:
            let group = self.group(hello) { $0.kind == .ellipticCurve }
            return ScriptedServer.keyExchange(group ?? .secp256r1, signedWith: scheme)
        case .dhe:
            let prime = [UInt8](repeating: 0xFB, count: self.primeBits / 8)
            return ScriptedServer.keyExchange(prime: prime, signedWith: scheme)
        case .rsa where suite.isExport:
            let key = ScriptedServer.vector16([UInt8](repeating: 0xC1, count: 64)) + ScriptedServer.vector16([1, 0, 1])
            return ScriptedServer.message(12, key + ScriptedServer.vector16([7]))
        case .psk, .dhePSK, .ecdhePSK: return ScriptedServer.message(12, ScriptedServer.vector16(Array("hint".utf8)))
        default: return nil
        }
    }
}
