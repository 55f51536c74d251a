//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization
import TLSProbe
import TLSWire
import TestSupport
import Testing

/// The way to a made-up server, without sockets and without waiting.
final class FakeExchange: ProbeExchange {
    private let server: FakeServer
    private let log = Mutex(Log())

    private struct Log {
        var hellos: [SentHello] = []
        var connections = 0
        var hellosOfSSL2 = 0
        var pauses: [Duration] = []
    }

    /// What verifies signatures in the clear; `nil` verifies none.
    let signatureVerifier: (any HandshakeSignatureVerifier)?

    init(_ server: FakeServer, verifiedBy verifier: (any HandshakeSignatureVerifier)? = nil) {
        self.server = server
        self.signatureVerifier = verifier
    }

    var connections: Int { self.log.withLock { $0.connections } }
    /// What was offered, real handshakes included.
    var hellos: [SentHello] { self.log.withLock { $0.hellos } }
    var pauses: [Duration] { self.log.withLock { $0.pauses } }

    func reply(to hello: ClientHello) async -> ProbeReply {
        guard let sent = SentHello(hello.encoded()) else {
            Issue.record("a hello that cannot be read")
            return ProbeReply(failure: .closed)
        }
        return self.reply(to: sent)
    }

    private func reply(to hello: SentHello) -> ProbeReply {
        let number = self.log.withLock { log in
            log.hellos.append(hello)
            log.connections += 1
            return log.connections
        }
        switch self.server.reaction(to: hello, number: number) {
        case .bytes(let bytes): return Self.reply(of: bytes)
        case .silence: return ProbeReply(failure: .timedOut(.silent))
        case .close: return ProbeReply(failure: .closed)
        case .reset: return ProbeReply(failure: .reset)
        case .refusal: return ProbeReply(failure: .connectionRefused)
        case .failure(let failure): return ProbeReply(failure: failure)
        }
    }

    /// As the prober's sockets read it; where a flight is not complete, the server has closed.
    private static func reply(of bytes: [UInt8]) -> ProbeReply {
        var reader = ServerFlightReader()
        var failure: ConnectionFailure?
        do {
            switch try reader.read(bytes) {
            case .unfinished: failure = .closed
            case .finished: break
            case .notTLS(let beginning): failure = .notTLS(beginning: beginning)
            }
        } catch {
            failure = .malformed(error)
        }
        return ProbeReply(reader.flight, failure: failure, receivedBytes: bytes.count)
    }

    func answer(to bytes: [UInt8]) async -> Result<[UInt8], ConnectionFailure> {
        let number = self.log.withLock { log in
            log.connections += 1
            log.hellosOfSSL2 += 1
            return log.hellosOfSSL2
        }
        if number <= self.server.answersToSSL2.count { return self.server.answersToSSL2[number - 1] }
        guard self.server.speaksSSL2 else { return .success(ScriptedServer.alert(70)) }
        // A SERVER-HELLO with a certificate of one octet and one cipher (SSL 2.0 §2.6).
        return .success([0x80, 12, 4, 0, 1, 0, 2, 0, 1, 0, 3, 0, 0, 0x30])
    }

    func pause(for duration: Duration) async { self.log.withLock { $0.pauses.append(duration) } }
}

// MARK: - Handshakes in earnest

extension FakeExchange {
    /// As a TLS library would: with few suites, a key, and sight of what is encrypted.
    func handshake(offering offer: HandshakeOffer) async -> HandshakeResult {
        let versions = [TLSProtocolVersion.tls13, .tls12, .tls11, .tls10].filter {
            (offer.minimumVersion...offer.maximumVersion).contains($0)
        }
        let suites = Self.library.filter { $0.isTLS13 || offer.cipherSuites?.contains($0) ?? true }
        var probe = ProbeOffer(versions, (offer.cipherSuites ?? []).filter(suites.contains) + suites)
        probe.groups = [.x25519, .secp256r1, .secp384r1]
        probe.keyShares = [.x25519]
        probe.signatureSchemes = offer.signatureSchemes ?? [0x0403, 0x0804, 0x0401].map(SignatureScheme.init)
        probe.serverName = offer.serverName
        probe.applicationProtocols = offer.applicationProtocols
        var chance = SystemRandomNumberGenerator()
        let reply = await self.reply(to: probe.clientHello(using: &chance))
        return self.result(reply, probe)
    }

    func completedHandshake(offering offer: HandshakeOffer) async -> HandshakeResult {
        await self.handshake(offering: offer)
    }

    private func result(_ reply: ProbeReply, _ offer: ProbeOffer) -> HandshakeResult {
        var result = HandshakeResult()
        guard let hello = reply.flight.hello else {
            result.failure = reply.flight.alert.map { .alert($0) } ?? reply.failure ?? .closed
            return result
        }
        (result.version, result.cipherSuite) = (hello.version, hello.cipherSuite)
        result.usesExtendedMasterSecret = hello.usesExtendedMasterSecret
        result.applicationProtocol = hello.applicationProtocol
        result.certificates = reply.flight.certificates ?? self.encryptedChain(offer) ?? []
        if self.server.clientAuthorities != nil { result.failure = .alert(TLSAlertDescription(rawValue: 116)) }
        if result.certificates.isEmpty { result.failure = .alert(TLSAlertDescription(rawValue: 40)) }
        if hello.version == .tls13 { result.supportedGroups = self.server.declaredGroups }
        result.isKeyProven = result.failure == nil || self.server.clientAuthorities != nil
        return result
    }

    /// RFC 8446 §4.4.2.2: the certificate goes by the signature schemes on offer.
    private func encryptedChain(_ offer: ProbeOffer) -> [[UInt8]]? {
        let kinds = offer.signatureSchemes.map(\.signatureKind)
        if let chain = self.server.ecdsaChain, kinds.contains(.ecdsa) { return chain }
        return kinds.contains(.rsaPSS) ? self.server.rsaChain : nil
    }

    /// What BoringSSL has.
    private static let library = [
        0x1301, 0x1302, 0x1303, 0xC02B, 0xC02C, 0xC02F, 0xC030, 0xCCA8, 0xCCA9, 0xC009, 0xC00A, 0xC013, 0xC014, 0x9C,
        0x9D, 0x2F, 0x35, 0x0A,
    ].map(CipherSuite.init)
}
