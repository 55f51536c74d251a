//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// A subject and a key, concatenated in one buffer.
final class SubjectAndKey: Sendable, Hashable {
    let bytes: [UInt8]
    let subject: ByteRange
    let subjectHash: UInt64
    let info: SubjectPublicKeyInfo
    /// The key that verifies signatures, made when it is first needed.
    private let verificationKeyIfMade = Mutex<VerificationKey?>(nil)

    init(subject: [UInt8], subjectPublicKeyInfo: [UInt8]) throws(DERError) {
        let bytes = subject + subjectPublicKeyInfo
        guard bytes.count <= CertificateFields.maximumSize else { throw DERError(.tooLarge, at: 0) }
        var reader = DERReader(all: bytes.span)
        self.subject = try reader.next(.sequence, in: bytes.span).content
        self.subjectHash = try DistinguishedName.check(self.subject, in: bytes.span)
        self.info = try SubjectPublicKeyInfo(&reader, in: bytes.span)
        try reader.finish()
        self.bytes = bytes
    }

    var verificationKey: VerificationKey {
        self.verificationKeyIfMade.withLock { key in
            if let key { return key }
            let made = VerificationKey(self.info, in: self.bytes)
            key = made
            return made
        }
    }

    static func == (left: SubjectAndKey, right: SubjectAndKey) -> Bool { left.bytes == right.bytes }
    func hash(into hasher: inout Hasher) { hasher.combine(self.bytes) }
}
