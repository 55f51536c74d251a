//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import CryptoExtras
import SwiftASN1
public import X509

/// A private key of a throw-away certificate, in memory only.
///
/// Assign a key to ``CertificateDescription/key`` to certify the same key more than once, as in a renewal.
public struct TestPrivateKey: Hashable, Sendable {
    /// The kind of key.
    public let kind: TestKeyKind

    /// The key as a type of swift-certificates.
    public let key: Certificate.PrivateKey

    /// Generates a key.
    ///
    /// - Parameter kind: The kind of key. RSA takes from about 10 milliseconds for 1024 bits to seconds for 4096 bits.
    /// - Throws: `CryptoKitError` if the key cannot be generated.
    public init(_ kind: TestKeyKind) throws {
        self.kind = kind
        if let bits = kind.rsaBits {
            self.key = Certificate.PrivateKey(try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits)))
            return
        }
        switch kind {
        case .p384: self.key = Certificate.PrivateKey(P384.Signing.PrivateKey())
        case .p521: self.key = Certificate.PrivateKey(P521.Signing.PrivateKey())
        case .ed25519: self.key = Certificate.PrivateKey(Curve25519.Signing.PrivateKey())
        default: self.key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        }
    }

    /// The key in PEM, unencrypted.
    ///
    /// - Throws: `ASN1Error` if the key cannot be serialized.
    public var pem: String {
        get throws {
            try self.key.serializeAsPEM().pemString
        }
    }

    /// Returns the algorithm of a signature with this key.
    ///
    /// - Parameter hash: The hash function, or `nil` for the default of the key.
    /// - Returns: The algorithm.
    /// - Throws: ``TestCertificateError`` if this kind of key does not sign with `hash`.
    func signatureAlgorithm(hash: TestSignatureHash?) throws -> Certificate.SignatureAlgorithm {
        switch (self.kind, hash) {
        case (.ed25519, nil): .ed25519
        case (.rsa1024, nil), (.rsa2048, nil), (.rsa3072, nil), (.rsa4096, nil): .sha256WithRSAEncryption
        case (.rsa1024, let hash?), (.rsa2048, let hash?), (.rsa3072, let hash?), (.rsa4096, let hash?):
            hash.withRSA
        case (.p256, nil), (.p256, .sha256), (.p384, .sha256), (.p521, .sha256): .ecdsaWithSHA256
        case (.p384, nil), (.p256, .sha384), (.p384, .sha384), (.p521, .sha384): .ecdsaWithSHA384
        case (.p521, nil), (.p256, .sha512), (.p384, .sha512), (.p521, .sha512): .ecdsaWithSHA512
        case (.ed25519, let hash?), (.p256, let hash?), (.p384, let hash?), (.p521, let hash?):
            throw TestCertificateError("a key of kind \(self.kind.rawValue) does not sign with \(hash.rawValue)")
        }
    }
}

extension TestSignatureHash {
    fileprivate var withRSA: Certificate.SignatureAlgorithm {
        switch self {
        case .sha1: .sha1WithRSAEncryption
        case .sha256: .sha256WithRSAEncryption
        case .sha384: .sha384WithRSAEncryption
        case .sha512: .sha512WithRSAEncryption
        }
    }
}
