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

/// The SHA-256 digest of a public key or a whole certificate, which a server's path must have.
///
/// ```swift
/// let pin = Pin(keyOf: certificate)
/// let same = try Pin("\(pin)")   // sha256/ and 44 characters of Base64
/// ```
///
/// Prefer to pin keys: a key can stay the same when its certificate is renewed, while a certificate's digest changes.
public struct Pin: Sendable, Hashable {
    /// The digested objects.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The DER encoding of the SubjectPublicKeyInfo, as RFC 7469 pins it.
        case publicKey = "sha256"
        /// The DER encoding of the whole certificate.
        case certificate = "certificate-sha256"
    }

    /// The digested object.
    public let kind: Kind

    /// The digest, always 32 octets.
    public let digest: [UInt8]

    /// Creates the pin of a public key.
    public init(_ key: PublicKey) {
        self.init(.publicKey, checked: key.sha256)
    }

    /// Creates the pin of a certificate's key.
    public init(keyOf certificate: Certificate) {
        self.init(certificate.publicKey)
    }

    /// Creates the pin of a whole certificate.
    public init(certificate: Certificate) {
        self.init(.certificate, checked: certificate.sha256Fingerprint)
    }

    /// Creates a pin from a digest.
    ///
    /// - Parameters:
    ///   - kind: The digested object.
    ///   - digest: The SHA-256 digest, 32 octets.
    /// - Throws: ``PinError`` if the digest has another length.
    public init(_ kind: Kind = .publicKey, digest: [UInt8]) throws(PinError) {
        guard digest.count == Self.digestLength else { throw PinError(.wrongLength(octets: digest.count), text: "") }
        self.init(kind, checked: digest)
    }

    /// Creates the pin of a SubjectPublicKeyInfo in DER, even if its key cannot be read.
    package init(subjectPublicKeyInfo der: [UInt8]) {
        self.init(.publicKey, checked: Array(SHA256.hash(data: der)))
    }

    init(_ kind: Kind, checked digest: [UInt8]) {
        self.kind = kind
        self.digest = digest
    }

    static let digestLength = 32

    /// The digest in Base64, the usual form of pins.
    public var base64: String { Data(self.digest).base64EncodedString() }

    /// `true` if the digest is a placeholder that no key has. All octets or all characters of its Base64 are equal, or it is the
    /// digest of no octets, which a shell pipeline prints if its first command fails.
    public var isPlaceholder: Bool {
        self.digest.allSatisfy { $0 == self.digest[0] } || self.digest == Self.digestOfNothing || self.isOneCharacter
    }

    /// `true` if the Base64 repeats one character. Only four bits of the last character count.
    private var isOneCharacter: Bool {
        // Three octets are four characters, so a difference within six octets decides without Base64.
        guard self.digest.prefix(3) == self.digest.dropFirst(3).prefix(3) else { return false }
        let characters = Array(self.base64.utf8.prefix(43))
        guard let first = characters.first, characters.dropLast().allSatisfy({ $0 == first }) else { return false }
        return PinDecoder.foundation.pin(
            inBase64: String(decoding: characters.dropLast() + [first, 0x3D], as: UTF8.self))
            == self
    }

    private static let digestOfNothing: [UInt8] = [
        0xE3, 0xB0, 0xC4, 0x42, 0x98, 0xFC, 0x1C, 0x14, 0x9A, 0xFB, 0xF4, 0xC8, 0x99, 0x6F, 0xB9, 0x24, 0x27, 0xAE,
        0x41,
        0xE4, 0x64, 0x9B, 0x93, 0x4C, 0xA4, 0x95, 0x99, 0x1B, 0x78, 0x52, 0xB8, 0x55,
    ]
}

extension Pin: CustomStringConvertible {
    /// The pin in the form that ``init(_:)-(String)`` parses: `sha256/` and the digest in Base64.
    public var description: String { "\(self.kind.rawValue)/\(self.base64)" }
}

extension Pin: Comparable {
    /// Orders pins by kind and digest, for stable lists.
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
