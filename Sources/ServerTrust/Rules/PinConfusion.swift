//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A pin that is the digest of something other than the intended key of a certificate of the path.
///
/// Such a pin proves which certificate was intended, so it is safe to name the correct pin.
struct PinConfusion: Sendable {
    /// The configured pin in Base64.
    let pinned: String
    /// The pinned object: `the digest of the certificate, not of its key`.
    let clause: String
    let meant: Pin

    /// Finds the first pin that matches the path in another form. `nil` if no pin matches the path in any form.
    ///
    /// - Parameters:
    ///   - pins: The pins that the path does not match.
    ///   - path: The path, the leaf first.
    init?(of pins: [PinRequirement], on path: [Certificate]) {
        for requirement in pins {
            for (index, certificate) in path.enumerated() {
                guard let found = Self.confusion(of: requirement, with: certificate, at: index, of: path.count) else {
                    continue
                }
                self = found
                return
            }
        }
        return nil
    }

    private init(_ digest: [UInt8], is clause: String, meaning meant: Pin) {
        self.pinned = Data(digest).base64EncodedString()
        self.clause = clause
        self.meant = meant
    }

    private static func confusion(
        of requirement: PinRequirement, with certificate: Certificate, at index: Int, of count: Int
    ) -> PinConfusion? {
        let (key, isLeaf) = (Pin(keyOf: certificate), index == 0)
        let name = isLeaf ? "the certificate" : "the certificate “\(certificate.subjectSummary)”"
        let pinnedKeys = requirement.keyDigests
        for (octets, clause) in Self.lookalikes(of: certificate, name) {
            let digest = Array(SHA256.hash(data: octets))
            if pinnedKeys.contains(digest) { return PinConfusion(digest, is: clause, meaning: key) }
        }
        if requirement.certificateDigests.contains(key.digest) {
            return PinConfusion(
                key.digest, is: "the digest of the key of \(name), among pins of certificates", meaning: key)
        }
        guard pinnedKeys.contains(key.digest) else { return nil }
        return PinConfusion(key.digest, is: Self.place(requirement.scope, isLeaf: isLeaf, name), meaning: key)
    }

    /// Returns the parts of a certificate that people hash in place of the SubjectPublicKeyInfo, each with its clause.
    private static func lookalikes(of certificate: Certificate, _ name: String) -> [(Data, String)] {
        let key = certificate.publicKey
        let (info, bare, pem) = (
            Data(key.subjectPublicKeyInfo), Data(key.externalRepresentation), certificate.pemRepresentation
        )
        let keyText = PEMText.block(key.subjectPublicKeyInfo, label: "PUBLIC KEY")
        return [
            (Data(certificate.view.bytes), "the digest of \(name), not of its key"),
            (bare, "the digest of the key without its algorithm (the SubjectPublicKeyInfo has both)"),
            (bare.dropFirst(), "the digest of the key without its algorithm (the SubjectPublicKeyInfo has both)"),
            (Data(pem.utf8), "the digest of \(name)'s PEM text"),
            (Data(pem.dropLast().utf8), "the digest of \(name)'s PEM text"),
            (Data(pem.replacing("\n", with: "\r\n").utf8), "the digest of \(name)'s PEM text"),
            (Data(keyText.utf8), "the digest of the key's PEM text"),
            (Data(keyText.dropLast().utf8), "the digest of the key's PEM text"),
            (Data(info.base64EncodedString().utf8), "the digest of the key's Base64 text"),
            (Data(Data(certificate.view.bytes).base64EncodedString().utf8), "the digest of \(name)'s Base64 text"),
        ]
    }

    /// Returns the clause for a pinned key that is on the path, but outside the scope of its pins.
    private static func place(_ scope: PinRequirement.Scope, isLeaf: Bool, _ name: String) -> String {
        switch scope {
        case .leaf: "the key of \(name), among pins of the server's own key"
        case .authorities where isLeaf: "the server's own key, among pins of authorities"
        case .anchor: "the key of \(name), among pins of the root"
        case .authorities, .path: "the key of \(name)"
        }
    }
}
