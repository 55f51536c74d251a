//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import CryptoExtras
import Foundation
import X509

/// The signature checks of a chain alone, with the keys made beforehand: what no engine can be faster than.
struct SignatureLimit {
    private let checks: [() -> Bool]

    init(_ chain: Chain) throws {
        self.checks = [
            try Self.check(chain.leaf, by: chain.intermediate),
            try Self.check(chain.intermediate, by: chain.root),
        ]
    }

    func run() {
        for check in self.checks { precondition(check()) }
    }

    /// The same, with the intermediate's key made each time: what an engine without caches cannot be faster than.
    static func withFreshKey(_ chain: Chain) throws -> () throws -> Void {
        let intermediate = try Self.check(chain.intermediate, by: chain.root)
        let message = Data(chain.leaf.tbsCertificateBytes)
        let signature = Self.signatureBits(of: chain.leaf)
        let key = chain.intermediate.publicKey.subjectPublicKeyInfoBytes
        if P256.Signing.PublicKey(chain.intermediate.publicKey) != nil {
            let point = Data(key.suffix(65))
            return {
                let key = try P256.Signing.PublicKey(x963Representation: point)
                let leaf = key.isValidSignature(
                    try .init(derRepresentation: signature), for: SHA256.hash(data: message))
                precondition(leaf && intermediate())
            }
        }
        if P384.Signing.PublicKey(chain.intermediate.publicKey) != nil {
            let point = Data(key.suffix(97))
            return {
                let key = try P384.Signing.PublicKey(x963Representation: point)
                let leaf = key.isValidSignature(
                    try .init(derRepresentation: signature), for: SHA384.hash(data: message))
                precondition(leaf && intermediate())
            }
        }
        let der = Data(key)
        return {
            let key = try _RSA.Signing.PublicKey(derRepresentation: der)
            let leaf = key.isValidSignature(
                .init(rawRepresentation: signature), for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
            precondition(leaf && intermediate())
        }
    }

    private static func check(_ certificate: X509.Certificate, by issuer: X509.Certificate) throws -> () -> Bool {
        let message = Data(certificate.tbsCertificateBytes)
        let signature = Self.signatureBits(of: certificate)
        if let key = P256.Signing.PublicKey(issuer.publicKey) {
            return {
                (try? key.isValidSignature(.init(derRepresentation: signature), for: SHA256.hash(data: message)))
                    == true
            }
        }
        if let key = P384.Signing.PublicKey(issuer.publicKey) {
            return {
                (try? key.isValidSignature(.init(derRepresentation: signature), for: SHA384.hash(data: message)))
                    == true
            }
        }
        guard let key = _RSA.Signing.PublicKey(issuer.publicKey) else { return { false } }
        return {
            key.isValidSignature(
                .init(rawRepresentation: signature), for: SHA256.hash(data: message), padding: .insecurePKCS1v1_5)
        }
    }

    /// The content of the BIT STRING at the end of a certificate.
    private static func signatureBits(of certificate: X509.Certificate) -> Data {
        let der = certificate.der
        let start = 4 + certificate.tbsCertificateBytes.count
        let algorithmLength = 2 + Int(der[start + 1])
        let bits = start + algorithmLength
        let header = der[bits + 1] < 0x80 ? 2 : 2 + Int(der[bits + 1] & 0x7F)
        return Data(der[(bits + header + 1)...])
    }
}
