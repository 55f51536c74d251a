//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust
public import TLSWire

extension TLSIdentity {
    /// Returns `true` if a server that requests a client certificate may accept this identity.
    ///
    /// A certificate of the chain must be issued by an authority that the server names (RFC 5246 §7.4.4, RFC 8446 §4.2.4), and the
    /// key must make signatures that the server accepts. A server that names no authorities accepts any.
    ///
    /// - Parameter request: The server's request.
    public func fits(_ request: ClientCertificateRequest) -> Bool {
        let certificates = self.certificates.map(\.view)
        guard let own = certificates.first, own.publicKeyKind.fits(request) else { return false }
        // The request keeps a limited number of authorities. If there were more, the issuer may be one of the others.
        guard !request.authorities.isEmpty, request.authorityCount == request.authorities.count else { return true }
        return certificates.contains { certificate in
            request.authorities.contains { certificate.isIssued(byName: $0) }
        }
    }

    /// Returns the identity to present to a server.
    ///
    /// Of several identities it is the first that fits. A single identity is always presented, because a server may name fewer
    /// authorities than it accepts.
    ///
    /// - Parameters:
    ///   - identities: The identities, the preferred one first.
    ///   - request: The server's request.
    /// - Returns: The identity, or `nil` if none of several fits.
    public static func choice(among identities: [TLSIdentity], for request: ClientCertificateRequest) -> TLSIdentity? {
        identities.count > 1 ? identities.first { $0.fits(request) } : identities.first
    }
}

extension PublicKeyKind {
    /// Returns `true` if the key makes signatures that the server accepts. Keys of unknown kinds are left to the server to judge.
    fileprivate func fits(_ request: ClientCertificateRequest) -> Bool {
        let kinds: [SignatureScheme.SignatureKind]
        let type: UInt8
        switch self {
        case .rsa: (kinds, type) = ([.rsaPKCS1, .rsaPSS], 1)
        case .p192, .p224, .p256, .p384, .p521, .otherCurve, .explicitCurve: (kinds, type) = ([.ecdsa], 64)
        case .ed25519, .ed448: (kinds, type) = ([.eddsa], 64)
        case .mlDSA44, .mlDSA65, .mlDSA87, .unknown: return true
        }
        let (types, schemes) = (request.certificateTypes, request.signatureSchemes)
        guard types.isEmpty || types.contains(type) else { return false }
        return schemes.isEmpty || schemes.contains { $0.signatureKind.map(kinds.contains) ?? false }
    }
}
