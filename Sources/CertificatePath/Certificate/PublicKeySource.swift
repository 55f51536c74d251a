//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A public key in its buffer: in a certificate, or in a trust anchor given as a name and a key.
enum PublicKeySource: Sendable {
    case certificate(CertificateView)
    case anchor(SubjectAndKey)

    init(_ certificate: CertificateView) { self = .certificate(certificate) }

    /// The buffer that the ranges of ``info`` refer to.
    var bytes: [UInt8] {
        switch self {
        case .certificate(let certificate): certificate.bytes
        case .anchor(let anchor): anchor.bytes
        }
    }

    var info: SubjectPublicKeyInfo {
        switch self {
        case .certificate(let certificate): certificate.fields.subjectPublicKeyInfo
        case .anchor(let anchor): anchor.info
        }
    }

    var verificationKey: VerificationKey {
        switch self {
        case .certificate(let certificate): certificate.verificationKey
        case .anchor(let anchor): anchor.verificationKey
        }
    }

    /// Returns `true` if two keys have the same encoding.
    func isSameKey(as other: PublicKeySource) -> Bool {
        if case (.certificate(let left), .certificate(let right)) = (self, other), left === right { return true }
        return equalBytes(self.info.whole, in: self.bytes, other.info.whole, in: other.bytes)
    }
}
