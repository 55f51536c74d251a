//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

/// The protection of the records of TLS 1.3 in one direction (RFC 8446 §5.2).
struct RecordProtection: Sendable {
    private let cipher: Cipher
    private let key: SymmetricKey
    private let vector: [UInt8]
    private var sequenceNumber: UInt64 = 0

    /// The AEAD cipher.
    enum Cipher: Sendable {
        case aesGCM(keyLength: Int)
        case chaCha20Poly1305

        var keyLength: Int {
            switch self {
            case .aesGCM(let length): length
            case .chaCha20Poly1305: 32
            }
        }
    }

    /// - Parameters:
    ///   - cipher: The AEAD cipher.
    ///   - schedule: The key schedule of the suite.
    ///   - secret: The secret that protects the records.
    init(_ cipher: Cipher, _ schedule: KeySchedule, secret: [UInt8]) {
        let (key, vector) = schedule.trafficKey(of: secret, keyLength: cipher.keyLength)
        self.cipher = cipher
        self.key = SymmetricKey(data: key)
        self.vector = vector
    }

    /// Decrypts the next record.
    ///
    /// - Returns: The inner type and the content without padding.
    mutating func open(_ record: TLSRecord) throws(HandshakeError) -> (type: UInt8, content: ArraySlice<UInt8>) {
        guard record.content.count <= Self.maximumLength else {
            throw .malformed(.recordTooLong(record.content.count))
        }
        guard record.content.count > Self.tagLength else { throw .badRecordMAC }
        let plain = try self.decrypt(record)
        // The number cannot overflow, as the number of records is limited.
        self.sequenceNumber &+= 1
        guard let end = plain.lastIndex(where: { $0 != 0 }) else { throw .malformed(.emptyRecord) }
        guard end <= Self.maximumContent else { throw .malformed(.recordTooLong(end)) }
        return (plain[end], plain[..<end])
    }

    private static let tagLength = 16
    /// The maximum length of a content in octets (RFC 8446 §5.1).
    private static let maximumContent = 1 << 14
    /// The maximum length of a protected record in octets (RFC 8446 §5.2).
    private static let maximumLength = (1 << 14) + 256

    private func decrypt(_ record: TLSRecord) throws(HandshakeError) -> [UInt8] {
        let (text, tag) = (record.content.dropLast(Self.tagLength), record.content.suffix(Self.tagLength))
        do {
            switch self.cipher {
            case .aesGCM:
                let box = try AES.GCM.SealedBox(nonce: .init(data: self.nonce), ciphertext: text, tag: tag)
                return Array(try AES.GCM.open(box, using: self.key, authenticating: record.header))
            case .chaCha20Poly1305:
                let box = try ChaChaPoly.SealedBox(nonce: .init(data: self.nonce), ciphertext: text, tag: tag)
                return Array(try ChaChaPoly.open(box, using: self.key, authenticating: record.header))
            }
        } catch {
            throw .badRecordMAC
        }
    }

    /// The nonce of the next record (RFC 8446 §5.3).
    private var nonce: [UInt8] {
        var nonce = self.vector
        for (place, index) in nonce.indices.suffix(8).enumerated() {
            nonce[index] ^= UInt8(truncatingIfNeeded: self.sequenceNumber >> UInt64(8 * (7 - place)))
        }
        return nonce
    }
}

extension CipherSuite {
    /// The cipher and the digest of a TLS 1.3 suite, or `nil` if swift-crypto does not support it, such as CCM.
    var handshakeProtection: (cipher: RecordProtection.Cipher, digest: KeySchedule.Digest)? {
        switch self.rawValue {
        case 0x1301: (.aesGCM(keyLength: 16), .sha256)
        case 0x1302: (.aesGCM(keyLength: 32), .sha384)
        case 0x1303: (.chaCha20Poly1305, .sha256)
        default: nil
        }
    }
}
