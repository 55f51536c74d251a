//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import TestSupport
import Testing

@testable import TLSProbe
@testable import TLSWire

/// A server that says whatever a test wants it to say. Its certificates are bare keys.
struct ForgedFlight {
    /// The key that signs.
    let key = P256.Signing.PrivateKey()
    /// The hello that is answered, and its keys.
    let hello: ClientHello
    let keys: [HandshakeKey]

    /// A server for a hello of TLS 1.3 and 1.2, in a form or in the prober's own.
    init(form: ClientHelloForm? = nil, _ change: (inout ProbeOffer) -> Void = { _ in }) throws {
        var offer = ProbeOffer(
            [.tls13, .tls12], [0x1301, 0x1302, 0x1303, 0xC02B, 0xC02F, 0x009C].map(CipherSuite.init))
        offer.groups = [.x25519, .secp256r1, .secp384r1]
        offer.signatureSchemes = [0x0403, 0x0804, 0x0401].map(SignatureScheme.init)
        (offer.serverName, offer.applicationProtocols) = ("server.test", ["h2", "http/1.1"])
        change(&offer)
        var chance = SystemRandomNumberGenerator()
        self.keys = [try #require(HandshakeKey(.x25519))]
        self.hello =
            form?.hello(offering: offer, keys: self.keys, using: &chance)
            ?? offer.clientHello(using: &chance, keys: self.keys)
    }

    var reader: HandshakeReader { HandshakeReader(self.hello, keys: self.keys, verifiedBy: BareKeyVerifier()) }

    /// What a test changes of an honest server of TLS 1.3.
    struct Script {
        var suite: UInt16 = 0x1301
        var legacyVersion: UInt16 = 0x0303
        var session: [UInt8]?
        var compression: UInt8 = 0
        var group = NamedGroup.x25519
        var share: [UInt8]?
        var helloExtensions: [[UInt8]] = []
        /// The octets behind the ServerHello in its record.
        var excess: [UInt8] = []
        /// What comes between the ServerHello and what is encrypted.
        var between: [UInt8] = ScriptedServer.record([1], type: 20)
        var extensions: [UInt8] = []
        var request: [UInt8]?
        var certificate: [UInt8]?
        var entryExtensions: [UInt8] = []
        /// The message from the content of the Certificate message.
        var certificateMessage: ([UInt8]) -> [UInt8] = { ScriptedServer.message(11, $0) }
        var scheme: UInt16 = 0x0403
        var signer: P256.Signing.PrivateKey?
        var signedContext = "TLS 1.3, server CertificateVerify"
        var finished: [UInt8]?
        /// Changes the list of encrypted messages.
        var arrange: ([[UInt8]]) -> [[UInt8]] = { $0 }
        /// How messages are put into the contents of records, each with its type within.
        var records: ([[UInt8]]) -> [(type: UInt8, content: [UInt8])] = { [(22, Array($0.joined()))] }
        var padding = 0
    }

    /// The octets of a server that follows a script.
    func octets(_ change: (inout Script) -> Void = { _ in }) throws -> [UInt8] {
        var script = Script()
        change(&script)
        let own = Curve25519.KeyAgreement.PrivateKey()
        let answer = self.serverHello(script, share: script.share ?? Array(own.publicKey.rawRepresentation))
        let agreed = try own.sharedSecretFromKeyAgreement(with: .init(rawRepresentation: self.keys[0].share))
        let suite = try #require(CipherSuite(rawValue: script.suite).handshakeProtection)
        let schedule = KeySchedule(suite.digest)
        let transcript = self.hello.message + answer
        let secret = schedule.serverHandshakeSecret(agreed.withUnsafeBytes { Array($0) }, transcript: transcript)
        let messages = script.arrange(try self.messages(script, schedule, secret, transcript))
        let traffic = schedule.trafficKey(of: secret, keyLength: suite.cipher.keyLength)
        let sealed = try script.records(messages).enumerated().map { number, record in
            try self.seal(
                record.content + [record.type] + [UInt8](repeating: 0, count: script.padding), traffic,
                number: UInt8(number), isChaCha: script.suite == 0x1303)
        }
        return ScriptedServer.record(answer + script.excess) + script.between + sealed.joined()
    }

    private func serverHello(_ script: Script, share: [UInt8]) -> [UInt8] {
        let extensions =
            ScriptedServer.serverExtension(43, [3, 4])
            + ScriptedServer.serverExtension(
                51, ScriptedServer.number(script.group.rawValue) + ScriptedServer.vector16(share))
            + Array(script.helloExtensions.joined())
        return ScriptedServer.message(
            2,
            ScriptedServer.number(script.legacyVersion) + ScriptedServer.random
                + ScriptedServer.vector8(script.session ?? self.hello.sessionID) + ScriptedServer.number(script.suite)
                + [script.compression] + ScriptedServer.vector16(extensions))
    }

    private func messages(
        _ script: Script, _ schedule: KeySchedule, _ secret: [UInt8], _ transcript: [UInt8]
    ) throws -> [[UInt8]] {
        let certificate = script.certificate ?? Array(self.key.publicKey.x963Representation)
        let entry = ScriptedServer.vector24(certificate) + ScriptedServer.vector16(script.entryExtensions)
        var messages = [ScriptedServer.message(8, ScriptedServer.vector16(script.extensions))]
        if let request = script.request { messages.append(ScriptedServer.message(13, request)) }
        messages.append(script.certificateMessage([0] + ScriptedServer.vector24(entry)))
        let content =
            [UInt8](repeating: 0x20, count: 64) + Array(script.signedContext.utf8) + [0]
            + schedule.hash(transcript + messages.joined())
        let signature = try (script.signer ?? self.key).signature(for: content).derRepresentation
        let scheme = [UInt8(script.scheme >> 8), UInt8(script.scheme & 0xFF)]
        messages.append(ScriptedServer.message(15, scheme + ScriptedServer.vector16(Array(signature))))
        let finished = schedule.finished(of: secret, transcript: transcript + messages.joined())
        messages.append(ScriptedServer.message(20, script.finished ?? finished))
        return messages
    }

    private func seal(
        _ plain: [UInt8], _ traffic: (key: [UInt8], vector: [UInt8]), number: UInt8, isChaCha: Bool
    ) throws -> [UInt8] {
        let length = plain.count + 16
        let header: [UInt8] = [23, 3, 3, UInt8(length >> 8), UInt8(length & 0xFF)]
        var nonce = traffic.vector
        nonce[11] ^= number
        let key = SymmetricKey(data: traffic.key)
        if isChaCha {
            let box = try ChaChaPoly.seal(plain, using: key, nonce: .init(data: nonce), authenticating: header)
            return header + Array(box.ciphertext) + Array(box.tag)
        }
        let box = try AES.GCM.seal(plain, using: key, nonce: .init(data: nonce), authenticating: header)
        return header + Array(box.ciphertext) + Array(box.tag)
    }
}

/// Verifies signatures of ECDSA by P-256, of certificates that are bare keys.
struct BareKeyVerifier: HandshakeSignatureVerifier {
    func verifies(
        _ signature: [UInt8], over content: [UInt8], by scheme: SignatureScheme, in version: TLSProtocolVersion,
        keyOf certificate: [UInt8]
    ) -> Bool {
        guard scheme == SignatureScheme(rawValue: 0x0403),
            let key = try? P256.Signing.PublicKey(x963Representation: certificate),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
        else { return false }
        return key.isValidSignature(signature, for: content)
    }
}
