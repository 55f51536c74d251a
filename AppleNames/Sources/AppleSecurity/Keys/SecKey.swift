//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
public import Foundation
public import ServerTrust

/// A public key. Two keys are equal if their SubjectPublicKeyInfo encodings are equal.
///
/// There are no private keys. A key verifies signatures with ``SecKeyVerifySignature(_:_:_:_:_:)``.
public final class SecKey: Sendable, Hashable {
    /// The key as a value.
    public let key: PublicKey

    /// Creates a key from a value.
    public init(_ key: PublicKey) { self.key = key }

    /// Creates a key, or returns `nil` for a kind of key that Security does not support.
    convenience init?(ifSupported key: PublicKey) {
        guard key.type != nil else { return nil }
        self.init(key)
    }

    /// Returns `true` if two keys have the same encoding.
    public static func == (left: SecKey, right: SecKey) -> Bool { left === right || left.key == right.key }

    /// Hashes the encoding.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.key) }
}

extension SecKey: CustomStringConvertible {
    /// The kind and the size of the key.
    public var description: String { "<SecKey \(self.key)>" }
}

extension PublicKey {
    /// The value of `kSecAttrKeyType`, or `nil` for a kind of key that Security does not support.
    var type: CFString? {
        switch self.kind {
        case .rsa: kSecAttrKeyTypeRSA
        case .p192, .p224, .p256, .p384, .p521: kSecAttrKeyTypeECSECPrimeRandom
        case .ed25519: kSecAttrKeyTypeEd25519
        case .otherCurve, .explicitCurve, .ed448, .mlDSA44, .mlDSA65, .mlDSA87, .unknown: nil
        }
    }
}

/// Returns the key without its algorithm: PKCS #1 for RSA, a point for elliptic curves.
///
/// - Parameters:
///   - key: The key.
///   - error: Never set, because every key is public.
public func SecKeyCopyExternalRepresentation(_ key: SecKey, _ error: UnsafeMutablePointer<CFError?>?) -> CFData? {
    Data(key.key.externalRepresentation)
}

/// Returns the attributes of a key, with the keys `kSecAttr…`.
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
    let octets = key.key.externalRepresentation
    var attributes: CFDictionary = [
        kSecAttrKeyClass: kSecAttrKeyClassPublic,
        kSecAttrKeySizeInBits: NSNumber(value: key.key.sizeInBits),
        kSecAttrEffectiveKeySize: NSNumber(value: key.key.sizeInBits),
        kSecAttrApplicationLabel: Data(Insecure.SHA1.hash(data: octets)),
        kSecAttrIsPermanent: false, kSecAttrIsExtractable: true, kSecAttrIsSensitive: false,
        kSecAttrCanVerify: true, kSecAttrCanSign: false, kSecAttrCanDecrypt: false,
        kSecValueData: Data(octets),
    ]
    attributes[kSecAttrKeyType] = key.key.type
    return attributes
}

/// Returns the block size of a key in bytes: the size of the RSA modulus or of the curve's field.
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { (key.key.sizeInBits + 7) / 8 }

/// Returns the public key of a key, which is the key itself. There are no private keys.
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { key }

/// Creates a public key from its external representation.
///
/// - Parameters:
///   - keyData: PKCS #1 for RSA, a point for elliptic curves.
///   - attributes: The type of the key, and its class, which must be public. The size is optional, and must match the data.
///   - error: Receives the reason if there is no key.
/// - Returns: The key, or `nil` if the data are not such a key or the key is private.
public func SecKeyCreateWithData(
    _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<CFError?>?
) -> SecKey? {
    guard attributes[kSecAttrKeyClass] as? String == kSecAttrKeyClassPublic else {
        error.report(errSecParam, "kSecAttrKeyClass must be kSecAttrKeyClassPublic: identities are read from PKCS #12.")
        return nil
    }
    guard let info = KeyInfo.encoded(Array(keyData), type: attributes[kSecAttrKeyType] as? String) else {
        error.report(errSecParam, "kSecAttrKeyType is not one of RSA and of curves, or the octets are no key of it.")
        return nil
    }
    guard let key = try? PublicKey(der: info), key.sizeInBits > 0, key.isUsable else {
        error.report(errSecParam, "The octets are no public key of the type.")
        return nil
    }
    if let size = attributes[kSecAttrKeySizeInBits], Int("\(size)") != key.sizeInBits {
        error.report(errSecParam, "The key has \(key.sizeInBits) bits, and kSecAttrKeySizeInBits says \(size).")
        return nil
    }
    return SecKey(key)
}

extension PublicKey {
    /// `true` if the point has a valid length. The verification of a signature checks that the point is on its curve.
    fileprivate var isUsable: Bool {
        guard self.kind != .rsa else { return true }
        let (octets, width) = (self.externalRepresentation, (self.sizeInBits + 7) / 8)
        return octets.first == 4 && octets.count == 2 * width + 1
    }
}

/// The encoding of a SubjectPublicKeyInfo from a key without its algorithm (RFC 5480 §2, RFC 3279 §2.3.1).
private enum KeyInfo {
    static func encoded(_ key: [UInt8], type: String?) -> [UInt8]? {
        switch type {
        case kSecAttrKeyTypeRSA?: Self.info(Self.rsaAlgorithm, key)
        case kSecAttrKeyTypeECSECPrimeRandom?: Self.curves[key.count].map { Self.info(Self.curveAlgorithm + $0, key) }
        default: nil
        }
    }

    private static func info(_ algorithm: [UInt8], _ key: [UInt8]) -> [UInt8] {
        TLV.encoded(0x30, TLV.encoded(0x30, algorithm) + TLV.encoded(0x03, [0] + key))
    }

    private static let rsaAlgorithm: [UInt8] = [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1, 5, 0]
    private static let curveAlgorithm: [UInt8] = [6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]

    /// The object identifiers of the curves, by the length of their points in bytes.
    private static let curves: [Int: [UInt8]] = [
        65: [6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7],
        97: [6, 5, 0x2B, 0x81, 4, 0, 0x22],
        133: [6, 5, 0x2B, 0x81, 4, 0, 0x23],
    ]
}
