//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust
public import TLSWire

extension TLSIdentity {
    /// Whether a server that asks for a certificate may take this one: one of its chain is of an authority that the server
    /// names (RFC 5246 §7.4.4, RFC 8446 §4.2.4), and its key makes signatures that the server takes. A server that names no
    /// authorities takes any.
    ///
    /// - Parameter request: What the server asks for.
    public func fits(_ request: ClientCertificateRequest) -> Bool {
        let certificates = self.certificates.map(\.view)
        guard let own = certificates.first, own.publicKeyKind.fits(request) else { return false }
        // Of more authorities than are kept, one may be that of the certificate.
        guard !request.authorities.isEmpty, request.authorityCount == request.authorities.count else { return true }
        return certificates.contains { certificate in
            request.authorities.contains { certificate.isIssued(byName: $0) }
        }
    }

    /// The identity to show to a server: of several the first that fits, a single one in any case, as the server may name
    /// fewer authorities than it takes.
    ///
    /// - Parameters:
    ///   - identities: The identities, the preferred one first.
    ///   - request: What the server asks for.
    /// - Returns: The identity; `nil` where none of several fits.
    public static func choice(among identities: [TLSIdentity], for request: ClientCertificateRequest) -> TLSIdentity? {
        identities.count > 1 ? identities.first { $0.fits(request) } : identities.first
    }
}

extension PublicKeyKind {
    /// Whether a key makes signatures that a server takes. Of keys that TLS has no signatures for, the server judges.
    fileprivate func fits(_ request: ClientCertificateRequest) -> Bool {
        let kinds: [SignatureScheme.SignatureKind]
        let type: UInt8
        switch self {
        case .rsa: (kinds, type) = ([.rsaPKCS1, .rsaPSS], 1)
        case .p192, .p224, .p256, .p384, .p521, .otherCurve, .explicitCurve: (kinds, type) = ([.ecdsa], 64)
        case .ed25519, .ed448: (kinds, type) = ([.eddsa], 64)
        case .unknown: return true
        }
        let (types, schemes) = (request.certificateTypes, request.signatureSchemes)
        guard types.isEmpty || types.contains(type) else { return false }
        return schemes.isEmpty || schemes.contains { $0.signatureKind.map(kinds.contains) ?? false }
    }
}
