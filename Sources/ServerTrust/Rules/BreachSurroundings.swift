//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// The certificates and pins around a broken rule. They tell one cause from another.
struct BreachSurroundings: Sendable {
    /// The path, the leaf first.
    let path: [Certificate]
    /// The certificates that were sent, the leaf first.
    let sent: [Certificate]
    /// The pins that the path must have.
    let pins: [PinRequirement]

    /// The self-signed root of the same name and key as a certificate that another authority signed.
    func root(crossSignedAs certificate: Certificate) -> Certificate? {
        guard !certificate.isSelfIssued, certificate.isCertificateAuthority else { return nil }
        return self.sent.first { other in
            other.isSelfIssued && other.publicKey == certificate.publicKey && other.subject == certificate.subject
        }
    }

    /// The authorities above a certificate of the path that have name constraints.
    func constrainers(above index: Int) -> [Certificate] {
        self.path.dropFirst(index + 1).filter(\.view.hasNameConstraints)
    }
}
