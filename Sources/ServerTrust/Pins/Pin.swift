//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The SHA-256 digest of a public key, or of a whole certificate, that a server's path must have.
///
/// Pin keys: a key outlives the certificates for it, a certificate's digest changes with every renewal.
public struct Pin: Sendable, Hashable {
    /// What is digested.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The DER encoding of the SubjectPublicKeyInfo, as RFC 7469 pins it.
        case publicKey = "sha256"
        /// The DER encoding of the whole certificate.
        case certificate = "certificate-sha256"
    }

    /// What is digested.
    public let kind: Kind

    /// The digest, always 32 octets.
    public let digest: [UInt8]

    /// The pin of a key.
    public init(_ key: PublicKey) {
        self.init(.publicKey, checked: key.sha256)
    }

    /// The pin of the key of a certificate.
    public init(keyOf certificate: Certificate) {
        self.init(certificate.publicKey)
    }

    /// The pin of a whole certificate.
    public init(certificate: Certificate) {
        self.init(.certificate, checked: certificate.sha256Fingerprint)
    }

    /// A pin from a digest.
    ///
    /// - Parameters:
    ///   - kind: What was digested.
    ///   - digest: The SHA-256 digest, 32 octets.
    /// - Throws: ``PinError`` when it has another length.
    public init(_ kind: Kind = .publicKey, digest: [UInt8]) throws(PinError) {
        guard digest.count == Self.digestLength else { throw PinError(.wrongLength(octets: digest.count), text: "") }
        self.init(kind, checked: digest)
    }

    /// The pin of a SubjectPublicKeyInfo in DER, whatever key it holds.
    package init(subjectPublicKeyInfo der: [UInt8]) {
        self.init(.publicKey, checked: Array(SHA256.hash(data: der)))
    }

    init(_ kind: Kind, checked digest: [UInt8]) {
        self.kind = kind
        self.digest = digest
    }

    static let digestLength = 32

    /// The digest in Base64, as most pins are written.
    public var base64: String { Data(self.digest).base64EncodedString() }

    /// Whether no key has such a digest: all octets, or all characters of its Base64, are the same, where a pin is still to
    /// come; or it is the digest of no octets at all, which is what a pipeline prints whose first command failed.
    public var isPlaceholder: Bool {
        self.digest.allSatisfy { $0 == self.digest[0] } || self.digest == Self.digestOfNothing || self.isOneCharacter
    }

    /// Whether the Base64 is one character over and over, but for the last one, of which only four bits count.
    private var isOneCharacter: Bool {
        // Three octets are four characters: what differs within six octets needs no Base64 to be told.
        guard self.digest.prefix(3) == self.digest.dropFirst(3).prefix(3) else { return false }
        let characters = Array(self.base64.utf8.prefix(43))
        guard let first = characters.first, characters.dropLast().allSatisfy({ $0 == first }) else { return false }
        return PinDecoder.foundation.pin(
            inBase64: String(decoding: characters.dropLast() + [first, 0x3D], as: UTF8.self))
            == self
    }

    /// SHA-256 of no octets.
    private static let digestOfNothing: [UInt8] = [
        0xE3, 0xB0, 0xC4, 0x42, 0x98, 0xFC, 0x1C, 0x14, 0x9A, 0xFB, 0xF4, 0xC8, 0x99, 0x6F, 0xB9, 0x24, 0x27, 0xAE,
        0x41,
        0xE4, 0x64, 0x9B, 0x93, 0x4C, 0xA4, 0x95, 0x99, 0x1B, 0x78, 0x52, 0xB8, 0x55,
    ]
}

extension Pin: CustomStringConvertible {
    /// The pin as ``init(_:)-(String)`` reads it: `sha256/` and the digest in Base64.
    public var description: String { "\(self.kind.rawValue)/\(self.base64)" }
}

extension Pin: Comparable {
    /// The order of the digests: an order for lists, without a meaning.
    public static func < (left: Pin, right: Pin) -> Bool {
        left.kind == right.kind
            ? left.digest.lexicographicallyPrecedes(right.digest) : left.kind.rawValue > right.kind.rawValue
    }
}

extension Pin: Codable {
    /// Reads the text form.
    public init(from decoder: any Decoder) throws {
        try self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.description)
    }
}
