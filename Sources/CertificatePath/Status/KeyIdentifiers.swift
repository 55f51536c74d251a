//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// The key identifiers by which a signer's key may be named.
///
/// A key has as many identifiers as certificates, and the server chooses which of these it sends. A document that “names
/// another key” names none of what its signer's key is known by: otherwise a server could choose the certificate that makes a
/// genuine “revoked” a stranger's.
struct KeyIdentifiers {
    private let known: [[UInt8]]

    /// Nothing is known of the key: no document names another one.
    static let unknown = KeyIdentifiers(known: [])

    private init(known: [[UInt8]]) { self.known = known }

    /// - Parameters:
    ///   - signer: The signer's certificate.
    ///   - certificate: A certificate that its key signed.
    ///   - others: Certificates that may have the same key.
    init(of signer: CertificateView, below certificate: CertificateView?, among others: [CertificateView]) {
        guard signer.has(.subjectKeyIdentifier) else {
            self = .unknown
            return
        }
        let key = PublicKeySource(signer)
        let twins = others.filter { $0.has(.subjectKeyIdentifier) && PublicKeySource($0).isSameKey(as: key) }
        let own = ([signer] + twins).map { $0.bytes[$0.fields.extensions.subjectKeyIdentifier] }
        let named = certificate.map { [$0.bytes[$0.fields.extensions.authorityKeyIdentifier]] } ?? []
        self.known = own + named + Self.digests(of: signer)
    }

    /// RFC 5280 §4.2.1.2 and RFC 7093 §2: what most authorities take for an identifier.
    private static func digests(of signer: CertificateView) -> [[UInt8]] {
        let info = signer.fields.subjectPublicKeyInfo
        let key = signer.bytes[info.key]
        let short = Array(Insecure.SHA1.hash(data: key))
        let long = [SHA256.hash(data: key), SHA256.hash(data: signer.bytes[info.whole])].map { Array($0.prefix(20)) }
        return [short, [0x40 | short[12] & 0x0F] + short.suffix(7)] + long
    }

    /// Whether an identifier is that of another key.
    func exclude(_ identifier: ByteRange, in bytes: [UInt8]) -> Bool {
        guard !self.known.isEmpty, !identifier.isEmpty else { return false }
        let identifier = bytes[identifier]
        return !self.known.contains(identifier)
    }
}
