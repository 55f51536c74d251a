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

/// A pin that is the digest of something else than the key of a certificate of the path, which it was meant to be.
///
/// Such a pin proves that the certificate is the one that was meant, so that it is safe to name the right one.
struct PinConfusion: Sendable {
    /// The pin as it is configured, in Base64.
    let pinned: String
    /// The thing whose digest it is: `the digest of the certificate, not of its key`.
    let clause: String
    /// The pin that was meant.
    let meant: Pin

    /// The first confusion between what is pinned and what a path has; `nil` where no pin is of the path in any form.
    ///
    /// - Parameters:
    ///   - pins: The pins that the path does not have.
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

    /// The parts of a certificate that people hash in place of the SubjectPublicKeyInfo.
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

    /// The key is pinned, and the pins are looked for elsewhere.
    private static func place(_ scope: PinRequirement.Scope, isLeaf: Bool, _ name: String) -> String {
        switch scope {
        case .leaf: "the key of \(name), among pins of the server's own key"
        case .authorities where isLeaf: "the server's own key, among pins of authorities"
        case .anchor: "the key of \(name), among pins of the root"
        case .authorities, .path: "the key of \(name)"
        }
    }
}
