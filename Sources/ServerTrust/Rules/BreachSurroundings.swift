//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// The certificates and pins around a broken rule, which distinguish its possible causes.
struct BreachSurroundings: Sendable {
    /// The path, the leaf first.
    let path: [Certificate]
    /// The certificates that the peer sent, the leaf first.
    let sent: [Certificate]
    let pins: [PinRequirement]
    /// The certificate policies that the caller accepts.
    var policyInputs = PolicyInputs()

    /// Returns the sent self-signed root with the name and key of a cross-certificate, or `nil` if there is none.
    func root(crossSignedAs certificate: Certificate) -> Certificate? {
        guard !certificate.isSelfIssued, certificate.isCertificateAuthority else { return nil }
        return self.sent.first { other in
            other.isSelfIssued && other.publicKey == certificate.publicKey && other.subject == certificate.subject
        }
    }

    func constrainers(above index: Int) -> [Certificate] {
        self.path.dropFirst(index + 1).filter(\.view.hasNameConstraints)
    }
}
