//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import TLSProbe
import TLSWire

/// The server's side of TLS 1.3 as RFC 8446 §7.1 puts it, written a second time: AES-128-GCM, SHA-256 and X25519.
struct NaiveServer {
    private let hello: [UInt8]
    private let serverHello: [UInt8]
    private let secret: [UInt8]

    /// A server for a hello; `nil` for one without a key of X25519.
    init?(_ hello: ClientHello) {
        guard let shares = hello.extensions?.first(where: { $0.type.rawValue == 51 })?.content,
            let theirs = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: shares.suffix(32))
        else { return nil }
        let own = Curve25519.KeyAgreement.PrivateKey()
        guard let shared = try? own.sharedSecretFromKeyAgreement(with: theirs) else { return nil }
        // The record's header is no part of the message.
        self.hello = Array(hello.encoded().dropFirst(5))
        let key = ScriptedServer.number(29) + ScriptedServer.vector16(Array(own.publicKey.rawRepresentation))
        self.serverHello = ScriptedServer.hello(
            .tls12, CipherSuite(rawValue: 0x1301),
            extensions: [ScriptedServer.serverExtension(43, [3, 4]), ScriptedServer.serverExtension(51, key)],
            session: hello.sessionID)
        let zeros = [UInt8](repeating: 0, count: 32)
        let empty = Array(SHA256.hash(data: []))
        let early = Self.extract(zeros, salt: [])
        let handshake = Self.extract(
            shared.withUnsafeBytes { Array($0) }, salt: Self.expand(early, "derived", empty, 32))
        let transcript = Array(SHA256.hash(data: self.hello + self.serverHello))
        self.secret = Self.expand(handshake, "s hs traffic", transcript, 32)
    }

    /// What the server sends: each chunk in a record of its own, and after them what proves its key, as if all that came
    /// before were its messages.
    func octets(_ chunks: [[UInt8]], endsHonestly: Bool, splits: Bool) -> [UInt8] {
        var contents = chunks.map { (type: $0.first ?? 22, content: Array($0.dropFirst())) }
        if endsHonestly {
            let ending = self.ending(self.hello + self.serverHello + contents.flatMap(\.content))
            let pieces = splits ? ending.map { [$0] } : [ending]
            contents += pieces.map { (22, $0) }
        }
        return ScriptedServer.record(self.serverHello)
            + contents.enumerated().flatMap { self.sealed($0.element.content + [$0.element.type], UInt16($0.offset)) }
    }

    private func ending(_ transcript: [UInt8]) -> [UInt8] {
        let content =
            [UInt8](repeating: 0x20, count: 64) + Array("TLS 1.3, server CertificateVerify".utf8) + [0]
            + Array(SHA256.hash(data: transcript))
        let signature = Array(SHA256.hash(data: content))
        let verify = ScriptedServer.message(15, ScriptedServer.number(0x0403) + ScriptedServer.vector16(signature))
        let key = SymmetricKey(data: Self.expand(self.secret, "finished", [], 32))
        let hash = Array(SHA256.hash(data: transcript + verify))
        return verify + ScriptedServer.message(20, Array(HMAC<SHA256>.authenticationCode(for: hash, using: key)))
    }

    private func sealed(_ plain: [UInt8], _ number: UInt16) -> [UInt8] {
        let header = [23, 3, 3] + ScriptedServer.number(UInt16(truncatingIfNeeded: plain.count + 16))
        let key = SymmetricKey(data: Self.expand(self.secret, "key", [], 16))
        var nonce = Self.expand(self.secret, "iv", [], 12)
        nonce[10] ^= UInt8(number >> 8)
        nonce[11] ^= UInt8(number & 0xFF)
        guard let nonce = try? AES.GCM.Nonce(data: nonce),
            let box = try? AES.GCM.seal(plain, using: key, nonce: nonce, authenticating: header)
        else { return [] }
        return header + Array(box.ciphertext) + Array(box.tag)
    }

    private static func extract(_ material: [UInt8], salt: [UInt8]) -> [UInt8] {
        HKDF<SHA256>.extract(inputKeyMaterial: SymmetricKey(data: material), salt: salt).withUnsafeBytes { Array($0) }
    }

    private static func expand(_ secret: [UInt8], _ label: String, _ context: [UInt8], _ length: Int) -> [UInt8] {
        let label = Array("tls13 \(label)".utf8)
        let info =
            ScriptedServer.number(UInt16(length)) + ScriptedServer.vector8(label) + ScriptedServer.vector8(context)
        return HKDF<SHA256>.expand(
            pseudoRandomKey: SymmetricKey(data: secret), info: info, outputByteCount: length
        ).withUnsafeBytes { Array($0) }
    }
}

// MARK: - Where fuzzing starts from

extension HandshakeTarget {
    static func seeds() -> [[UInt8]] {
        let extensions = ScriptedServer.message(
            8,
            ScriptedServer.vector16(
                ScriptedServer.serverExtension(0) + ScriptedServer.serverExtension(16, [0, 3, 2, 104, 50])))
        let authorities = ScriptedServer.serverExtension(
            47, ScriptedServer.vector16(ScriptedServer.vector16([0x30, 0])))
        let schemes = ScriptedServer.serverExtension(13, ScriptedServer.vector16([4, 3]))
        let request = ScriptedServer.message(13, [0] + ScriptedServer.vector16(schemes + authorities))
        let stapled =
            ScriptedServer.serverExtension(5, [1, 0, 0, 1, 7]) + ScriptedServer.serverExtension(18, [0, 1, 9])
        let entry = ScriptedServer.vector24([0x30, 0]) + ScriptedServer.vector16(stapled)
        let certificate = ScriptedServer.message(11, [0] + ScriptedServer.vector24(entry))
        let flight = extensions + request + certificate
        let encrypted = [2, 3, 1].map { FuzzInput(header: [$0, 9], chunks: [[22] + flight]).encoded }
        let apart = FuzzInput(header: [2, 3], chunks: [[22] + extensions, [22] + certificate]).encoded
        let alert = FuzzInput(header: [1, 0], chunks: [[21, 2, 116]]).encoded
        return encrypted + [apart, alert] + self.clearSeeds
    }

    private static var clearSeeds: [[UInt8]] {
        let suite = CipherSuite(rawValue: 0xC02B)
        let flight =
            ScriptedServer.hello(.tls12, suite, extensions: [ScriptedServer.serverExtension(23)])
            + ScriptedServer.certificate([[0x30, 1, 1]]) + ScriptedServer.status([7, 7])
            + ScriptedServer.keyExchange(.x25519, signedWith: SignatureScheme(rawValue: 0x0403))
            + ScriptedServer.certificateRequest([[0x30, 0]]) + ScriptedServer.done
        let wish = ScriptedServer.retryRequest(CipherSuite(rawValue: 0x1301), .secp256r1)
        return [ScriptedServer.record(flight), ScriptedServer.record(wish), ScriptedServer.alert(40)].map {
            FuzzInput(header: [0, 7], chunks: [$0]).encoded
        }
    }
}
