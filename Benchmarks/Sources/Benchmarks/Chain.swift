//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import CryptoExtras
import Foundation
import SwiftASN1
import X509

/// A chain as a web server sends it, with everything a certificate of a public authority has in it.
struct Chain {
    enum Key: String {
        case rsa2048 = "RSA-2048"
        case rsa4096 = "RSA-4096"
        case p256 = "P-256"
        case p384 = "P-384"

        func make() throws -> Certificate.PrivateKey {
            switch self {
            case .rsa2048: Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits2048))
            case .rsa4096: Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits4096))
            case .p256: Certificate.PrivateKey(P256.Signing.PrivateKey())
            case .p384: Certificate.PrivateKey(P384.Signing.PrivateKey())
            }
        }

        var algorithm: Certificate.SignatureAlgorithm {
            switch self {
            case .rsa2048, .rsa4096: .sha256WithRSAEncryption
            case .p256: .ecdsaWithSHA256
            case .p384: .ecdsaWithSHA384
            }
        }
    }

    let name: String
    let root: Certificate
    let intermediate: Certificate
    let leaf: Certificate
    let leafKey: Certificate.PrivateKey

    static let host = "www.example.com"
    static let now = Date()

    /// A chain.
    ///
    /// - Parameter logs: The keys of logs whose timestamps the leaf has; without any it has octets in their place.
    init(
        root rootKey: Key, intermediate intermediateKey: Key, leaf leafKey: Key, logs: [P256.Signing.PrivateKey] = []
    ) throws {
        let title = "\(leafKey.rawValue) < \(intermediateKey.rawValue) < \(rootKey.rawValue)"
        self.name = title
        let (rootPrivate, intermediatePrivate) = (try rootKey.make(), try intermediateKey.make())
        let rootName = try DistinguishedName { CommonName("Benchmark \(title) Root R1") }
        let intermediateName = try DistinguishedName { CommonName("Benchmark \(title) Issuing CA 1B3") }
        self.root = try Self.issue(
            rootPrivate.publicKey, subject: rootName, issuer: rootName, by: rootPrivate, rootKey.algorithm,
            Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: rootPrivate.publicKey)
            })
        self.intermediate = try Self.issue(
            intermediatePrivate.publicKey, subject: intermediateName, issuer: rootName, by: rootPrivate,
            rootKey.algorithm,
            Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(digitalSignature: true, keyCertSign: true, cRLSign: true))
                try ExtendedKeyUsage([.serverAuth, .clientAuth])
                SubjectKeyIdentifier(hash: intermediatePrivate.publicKey)
                AuthorityKeyIdentifier(keyIdentifier: Self.keyIdentifier(rootPrivate.publicKey))
                try Self.revocationPointers
                Self.policies
            })
        let key = try leafKey.make()
        self.leafKey = key
        let serialNumber = Certificate.SerialNumber()
        func leaf(_ last: Certificate.Extension?) throws -> Certificate {
            try Self.issue(
                key.publicKey, subject: try DistinguishedName { CommonName(Self.host) },
                issuer: intermediateName, by: intermediatePrivate, intermediateKey.algorithm,
                try Certificate.Extensions {
                    Critical(KeyUsage(digitalSignature: true, keyEncipherment: true))
                    try ExtendedKeyUsage([.serverAuth, .clientAuth])
                    Critical(BasicConstraints.notCertificateAuthority)
                    SubjectAlternativeNames((0..<9).map { .dnsName("host\($0).example.com") } + [.dnsName(Self.host)])
                    AuthorityKeyIdentifier(keyIdentifier: Self.keyIdentifier(intermediatePrivate.publicKey))
                    try Self.revocationPointers
                    Self.policies
                    if let last { last }
                }, serialNumber)
        }
        let body = try leaf(nil).tbsCertificateBytes
        let timestamps = try Timestamps(body: Array(body), issuer: intermediatePrivate.publicKey, logs: logs)
        self.leaf = try leaf(logs.isEmpty ? Self.timestamps : timestamps.extension)
    }

    private static func issue(
        _ key: Certificate.PublicKey, subject: DistinguishedName, issuer: DistinguishedName,
        by issuerKey: Certificate.PrivateKey, _ algorithm: Certificate.SignatureAlgorithm,
        _ extensions: Certificate.Extensions, _ serialNumber: Certificate.SerialNumber = Certificate.SerialNumber()
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: serialNumber, publicKey: key,
            notValidBefore: Self.now.addingTimeInterval(-86_400),
            notValidAfter: Self.now.addingTimeInterval(86_400 * 90),
            issuer: issuer, subject: subject, signatureAlgorithm: algorithm, extensions: extensions,
            issuerPrivateKey: issuerKey)
    }

    private static func keyIdentifier(_ key: Certificate.PublicKey) -> ArraySlice<UInt8> {
        SubjectKeyIdentifier(hash: key).keyIdentifier
    }

    /// A distribution point and an OCSP responder.
    private static var revocationPointers: Certificate.Extensions {
        get throws {
            let url = Array("http://crl.example.com/authority.crl".utf8)
            let point: [UInt8] = Self.tlv(0x30, Self.tlv(0x30, Self.tlv(0xA0, Self.tlv(0xA0, Self.tlv(0x86, url)))))
            return try Certificate.Extensions {
                AuthorityInformationAccess([
                    .init(method: .ocspServer, location: .uniformResourceIdentifier("http://ocsp.example.com"))
                ])
                Certificate.Extension(oid: [2, 5, 29, 31], critical: false, value: point[...])
            }
        }
    }

    /// The CA/Browser Forum's domain-validated policy.
    private static var policies: Certificate.Extension {
        let policy: [UInt8] = Self.tlv(0x30, Self.tlv(0x30, [0x06, 0x06, 0x67, 0x81, 0x0C, 0x01, 0x02, 0x01]))
        return Certificate.Extension(oid: [2, 5, 29, 32], critical: false, value: policy[...])
    }

    /// As many bytes as two signed certificate timestamps have.
    private static var timestamps: Certificate.Extension {
        let list = [UInt8](repeating: 0x5A, count: 240)
        return Certificate.Extension(
            oid: [1, 3, 6, 1, 4, 1, 11129, 2, 4, 2], critical: false, value: Self.tlv(0x04, list)[...])
    }

    static func tlv(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length: [UInt8] =
            switch content.count {
            case ..<128: [UInt8(content.count)]
            case ..<256: [0x81, UInt8(content.count)]
            default: [0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
            }
        return [tag] + length + content
    }
}

extension Certificate {
    var der: [UInt8] {
        var serializer = DER.Serializer()
        do {
            try serializer.serialize(self)
        } catch {
            return []
        }
        return serializer.serializedBytes
    }
}
