//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// A public key where it lies: in a certificate or in a trust anchor given as a name and a key.
struct PublicKeySource: Sendable {
    let bytes: [UInt8]
    let info: SubjectPublicKeyInfo
    private let lazyKey: LazyVerificationKey?

    init(_ certificate: CertificateView) {
        self.bytes = certificate.bytes
        self.info = certificate.fields.subjectPublicKeyInfo
        self.lazyKey = certificate.verificationKey
    }

    init(bytes: [UInt8], info: SubjectPublicKeyInfo) {
        self.bytes = bytes
        self.info = info
        self.lazyKey = nil
    }

    /// The key in the form signatures are checked with.
    var verificationKey: VerificationKey {
        self.lazyKey?.value(self.info, in: self.bytes) ?? VerificationKey(self.info, in: self.bytes)
    }

    /// The SHA-256 digest of the SubjectPublicKeyInfo.
    var digest: [UInt8] { Array(SHA256.hash(data: self.bytes.slice(self.info.whole))) }

    /// Whether two keys are encoded alike.
    func isSameKey(as other: PublicKeySource) -> Bool {
        equalBytes(self.bytes, self.info.whole, other.bytes, other.info.whole)
    }
}
