//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// The key identifiers that may name a signer's key.
///
/// A key has as many identifiers as certificates, and the server chooses which of these it sends. A document names
/// another key only if its identifier differs from every known identifier of the signer's key. Otherwise a server
/// could choose the certificate that makes a genuine "revoked" look like that of another key.
struct KeyIdentifiers {
    /// The identifiers in all available certificates of the key, and its digests. `nil` if nothing is known about the
    /// key. No document then names another key.
    private let ofKey: Set<[UInt8]>?
    /// The identifiers in the signer's certificate and in the certificate in question.
    private var others: [[UInt8]] = []

    static let unknown = KeyIdentifiers(ofKey: nil)

    private init(ofKey: Set<[UInt8]>?) { self.ofKey = ofKey }

    /// Creates the set of a key's identifiers.
    ///
    /// - Parameter certificates: The certificates with the key.
    init(ofKeyIn certificates: [CertificateView]) {
        var known = certificates.first.map(Self.digests) ?? []
        for certificate in certificates where certificate.has(.subjectKeyIdentifier) {
            known.insert(certificate.bytes[certificate.fields.extensions.subjectKeyIdentifier])
        }
        self.ofKey = known
    }

    /// Adds the identifiers in a signer's certificate and in a certificate below it.
    ///
    /// - Parameters:
    ///   - signer: A certificate with the key.
    ///   - certificate: A certificate that the key signed, if one is available.
    func with(signer: CertificateView, below certificate: CertificateView?) -> KeyIdentifiers {
        let named = certificate?.fields.extensions.authorityKeyIdentifier
        // An authority that does not name its key in the certificates it signs may use any identifier.
        guard signer.has(.subjectKeyIdentifier), named?.isEmpty != true else { return .unknown }
        var identifiers = self
        identifiers.others = [signer.bytes[signer.fields.extensions.subjectKeyIdentifier]]
        if let certificate, let named { identifiers.others.append(certificate.bytes[named]) }
        return identifiers
    }

    /// Returns the digests that most authorities use as identifiers (RFC 5280 §4.2.1.2 and RFC 7093 §2).
    private static func digests(of certificate: CertificateView) -> Set<[UInt8]> {
        let info = certificate.fields.subjectPublicKeyInfo
        let key = certificate.bytes[info.key]
        let short = Array(Insecure.SHA1.hash(data: key))
        let ofInfo = Array(SHA256.hash(data: certificate.bytes[info.whole]))
        let long = [
            Array(SHA256.hash(data: key)), Array(SHA384.hash(data: key)), Array(SHA512.hash(data: key)), ofInfo,
        ]
        return Set([short, [0x40 | short[12] & 0x0F] + short.suffix(7), ofInfo] + long.map { Array($0.prefix(20)) })
    }

    /// Returns `true` if an identifier is that of another key.
    func exclude(_ identifier: ByteRange, in bytes: [UInt8]) -> Bool {
        guard let ofKey, !identifier.isEmpty else { return false }
        let identifier = bytes[identifier]
        return !self.others.contains(identifier) && !ofKey.contains(identifier)
    }
}
