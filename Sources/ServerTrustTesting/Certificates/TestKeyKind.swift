//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The kind of key of a throw-away certificate.
public enum TestKeyKind: String, CaseIterable, Hashable, Sendable {
    /// RSA with 1024 bits, which every client should refuse.
    case rsa1024 = "rsa-1024"
    /// RSA with 2048 bits.
    case rsa2048 = "rsa-2048"
    /// RSA with 3072 bits. The key takes a noticeable time to generate.
    case rsa3072 = "rsa-3072"
    /// RSA with 4096 bits. The key takes seconds to generate.
    case rsa4096 = "rsa-4096"
    /// ECDSA on the NIST curve P-256.
    case p256 = "p-256"
    /// ECDSA on the NIST curve P-384.
    case p384 = "p-384"
    /// ECDSA on the NIST curve P-521.
    case p521 = "p-521"
    /// Ed25519, which no browser accepts in certificates.
    case ed25519

    /// The size of an RSA modulus in bits, or `nil` if the kind is not RSA.
    var rsaBits: Int? {
        switch self {
        case .rsa1024: 1024
        case .rsa2048: 2048
        case .rsa3072: 3072
        case .rsa4096: 4096
        case .p256, .p384, .p521, .ed25519: nil
        }
    }
}

/// The hash function of a throw-away certificate's signature.
public enum TestSignatureHash: String, CaseIterable, Hashable, Sendable {
    /// SHA-1, for RSA only. Collisions have been practical since 2017.
    case sha1 = "sha-1"
    /// SHA-256.
    case sha256 = "sha-256"
    /// SHA-384.
    case sha384 = "sha-384"
    /// SHA-512.
    case sha512 = "sha-512"
}
