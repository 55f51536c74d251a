//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

@testable import CertificatePath

/// Signs certificates of known issuers anew, whatever became of what is signed.
///
/// The keys are known to everyone, and no store trusts them: they only make it possible to see what the rules say about a
/// certificate that an authority really signed.
enum Resigner {
    private static let authorities: [[UInt8]: TestKey] = Dictionary(
        ([Fixtures.root, Fixtures.first, Fixtures.second] + ValidationSeeds.otherAuthorities).map { ($0.name, $0.key) },
        uniquingKeysWith: { first, _ in first })

    /// The certificate with a valid signature, if its issuer is known and is said to sign with Ed25519.
    static func signed(_ der: [UInt8], _ isWanted: Bool) -> [UInt8] {
        guard isWanted, let view = try? CertificateView(der: der), view.signatureAlgorithm.scheme == .ed25519 else {
            return der
        }
        let issuer = DER.element(0x30, der[view.fields.issuer])
        let body = der[view.fields.tbsCertificate]
        guard let key = self.authorities[issuer], let signature = try? key.sign(body, .ed25519) else { return der }
        return DER.sequence(body, TestAlgorithm.ed25519.identifier, DER.bitString(signature))
    }
}
