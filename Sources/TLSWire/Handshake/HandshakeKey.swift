//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// A fresh key for the key agreement of one handshake.
///
/// Create a key for each key share of a ``ClientHello``, and pass the keys to the ``HandshakeReader`` of its answer.
public struct HandshakeKey: Sendable {
    /// The group of the key.
    public let group: NamedGroup
    /// The public key as carried in a key share (RFC 8446 §4.2.8.2).
    public let share: [UInt8]
    private let secret: Secret

    private enum Secret: Sendable {
        case x25519(Curve25519.KeyAgreement.PrivateKey)
        case p256(P256.KeyAgreement.PrivateKey)
        case p384(P384.KeyAgreement.PrivateKey)
        case p521(P521.KeyAgreement.PrivateKey)
        /// The seed of ML-KEM-768, and the key on the curve.
        case hybrid(seed: [UInt8], Curve25519.KeyAgreement.PrivateKey)
    }

    private init(_ group: NamedGroup, _ share: [UInt8], secret: Secret) {
        self.group = group
        self.share = share
        self.secret = secret
    }

    /// Creates a new key, or returns `nil` if swift-crypto does not support the group.
    public init?(_ group: NamedGroup) {
        switch group {
        case .x25519: self.init(x25519: Curve25519.KeyAgreement.PrivateKey())
        case .secp256r1:
            let key = P256.KeyAgreement.PrivateKey()
            self.init(group, Array(key.publicKey.x963Representation), secret: .p256(key))
        case .secp384r1:
            let key = P384.KeyAgreement.PrivateKey()
            self.init(group, Array(key.publicKey.x963Representation), secret: .p384(key))
        case .secp521r1:
            let key = P521.KeyAgreement.PrivateKey()
            self.init(group, Array(key.publicKey.x963Representation), secret: .p521(key))
        case .x25519MLKEM768: self.init(hybridWith: Curve25519.KeyAgreement.PrivateKey())
        default: return nil
        }
    }

    /// Creates a key of X25519 from a private key, for the test vectors of RFC 8448.
    init(x25519 key: Curve25519.KeyAgreement.PrivateKey) {
        self.init(.x25519, Array(key.publicKey.rawRepresentation), secret: .x25519(key))
    }

    /// Creates a hybrid key. Its share has the encapsulation key before the point (RFC 10024 §3).
    private init?(hybridWith key: Curve25519.KeyAgreement.PrivateKey) {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *),
            let encapsulation = try? MLKEM768.PrivateKey()
        else { return nil }
        let share = Array(encapsulation.publicKey.rawRepresentation) + Array(key.publicKey.rawRepresentation)
        self.init(.x25519MLKEM768, share, secret: .hybrid(seed: Array(encapsulation.seedRepresentation), key))
    }

    static func isAvailable(for group: NamedGroup) -> Bool {
        switch group {
        case .x25519, .secp256r1, .secp384r1, .secp521r1: true
        case .x25519MLKEM768:
            if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { true } else { false }
        default: false
        }
    }
}

// MARK: - Key agreement

extension HandshakeKey {
    /// Returns the secret shared with the server.
    ///
    /// - Parameter share: The server's key share of the same group.
    /// - Throws: ``HandshakeError/badKeyShare`` if the share is not a valid key, or one that makes the secret public.
    func sharedSecret(with share: [UInt8]) throws(HandshakeError) -> [UInt8] {
        do {
            switch self.secret {
            case .x25519(let key): return try Self.agree(key, share[...])
            case .p256(let key):
                return Array(try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: share)))
            case .p384(let key):
                return Array(try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: share)))
            case .p521(let key):
                return Array(try key.sharedSecretFromKeyAgreement(with: .init(x963Representation: share)))
            case .hybrid(let seed, let key): return try Self.agree(seed: seed, key, share)
            }
        } catch {
            throw .badKeyShare
        }
    }

    /// The length of a ciphertext of ML-KEM-768 in octets (FIPS 203, table 3).
    private static let ciphertextLength = 1088

    private static func agree(
        _ key: Curve25519.KeyAgreement.PrivateKey, _ share: ArraySlice<UInt8>
    ) throws -> [UInt8] {
        let secret = [UInt8](try key.sharedSecretFromKeyAgreement(with: .init(rawRepresentation: share)))
        // RFC 8446 §7.4.2: an all-zero secret is public. swift-crypto does not check it.
        guard secret.contains(where: { $0 != 0 }) else { throw HandshakeError.badKeyShare }
        return secret
    }

    private static func agree(
        seed: [UInt8], _ key: Curve25519.KeyAgreement.PrivateKey, _ share: [UInt8]
    ) throws -> [UInt8] {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *),
            share.count == Self.ciphertextLength + 32
        else { throw HandshakeError.badKeyShare }
        let encapsulation = try MLKEM768.PrivateKey(seedRepresentation: seed, publicKey: nil)
        let first = try encapsulation.decapsulate(share.prefix(Self.ciphertextLength))
        return unsafe first.withUnsafeBytes { unsafe Array($0) }
            + (try self.agree(key, share.dropFirst(Self.ciphertextLength)))
    }
}

extension [UInt8] {
    fileprivate init(_ secret: SharedSecret) { self = unsafe secret.withUnsafeBytes { unsafe [UInt8]($0) } }
}
