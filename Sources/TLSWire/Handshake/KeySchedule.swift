//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// The key schedule of TLS 1.3, as far as a server's first flight needs it (RFC 8446 §7.1).
struct KeySchedule: Sendable {
    /// The digest of the cipher suite.
    enum Digest: Sendable {
        case sha256
        case sha384
    }

    private let digest: Digest

    init(_ digest: Digest) {
        self.digest = digest
    }

    /// The length of the digest in octets.
    var length: Int { self.digest == .sha256 ? 32 : 48 }

    /// Returns the secret that protects the server's handshake records.
    ///
    /// - Parameters:
    ///   - sharedSecret: The result of the key agreement.
    ///   - transcript: The messages up to the ServerHello, inclusive.
    func serverHandshakeSecret(_ sharedSecret: [UInt8], transcript: [UInt8]) -> [UInt8] {
        let zeros = [UInt8](repeating: 0, count: self.length)
        let early = self.extract(zeros, salt: [])
        let handshake = self.extract(sharedSecret, salt: self.derive(early, "derived", hash: self.hash([])))
        return self.derive(handshake, "s hs traffic", hash: self.hash(transcript))
    }

    /// Derives the key and the initialization vector from a secret (RFC 8446 §7.3).
    func trafficKey(of secret: [UInt8], keyLength: Int) -> (key: [UInt8], vector: [UInt8]) {
        (self.expand(secret, "key", context: [], length: keyLength), self.expand(secret, "iv", context: [], length: 12))
    }

    /// Returns the content of a Finished message (RFC 8446 §4.4.4).
    func finished(of secret: [UInt8], transcript: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: self.expand(secret, "finished", context: [], length: self.length))
        let hash = self.hash(transcript)
        return switch self.digest {
        case .sha256: Array(HMAC<SHA256>.authenticationCode(for: hash, using: key))
        case .sha384: Array(HMAC<SHA384>.authenticationCode(for: hash, using: key))
        }
    }

    func hash(_ octets: [UInt8]) -> [UInt8] {
        switch self.digest {
        case .sha256: Array(SHA256.hash(data: octets))
        case .sha384: Array(SHA384.hash(data: octets))
        }
    }

    /// Derives a secret: Derive-Secret of RFC 8446 §7.1.
    private func derive(_ secret: [UInt8], _ label: String, hash: [UInt8]) -> [UInt8] {
        self.expand(secret, label, context: hash, length: self.length)
    }

    /// Expands a secret: HKDF-Expand-Label of RFC 8446 §7.1.
    private func expand(_ secret: [UInt8], _ label: String, context: [UInt8], length: Int) -> [UInt8] {
        var info = OctetWriter()
        info.write(UInt16(truncatingIfNeeded: length))
        info.writeVector8(Array("tls13 \(label)".utf8))
        info.writeVector8(context)
        let key = SymmetricKey(data: secret)
        let output =
            switch self.digest {
            case .sha256: HKDF<SHA256>.expand(pseudoRandomKey: key, info: info.bytes, outputByteCount: length)
            case .sha384: HKDF<SHA384>.expand(pseudoRandomKey: key, info: info.bytes, outputByteCount: length)
            }
        return unsafe output.withUnsafeBytes { unsafe Array($0) }
    }

    private func extract(_ material: [UInt8], salt: [UInt8]) -> [UInt8] {
        let key = SymmetricKey(data: material)
        return switch self.digest {
        case .sha256:
            unsafe HKDF<SHA256>.extract(inputKeyMaterial: key, salt: salt).withUnsafeBytes { unsafe Array($0) }
        case .sha384:
            unsafe HKDF<SHA384>.extract(inputKeyMaterial: key, salt: salt).withUnsafeBytes { unsafe Array($0) }
        }
    }
}
