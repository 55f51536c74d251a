//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The attribute for the type of a key.
public let kSecAttrKeyType: CFString = "type"
/// An RSA key.
public let kSecAttrKeyTypeRSA: CFString = "42"
/// An elliptic curve key, by the older name.
public let kSecAttrKeyTypeEC: CFString = "73"
/// A key on one of NIST's elliptic curves.
public let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"
/// An Ed25519 key.
public let kSecAttrKeyTypeEd25519: CFString = "105"
/// The attribute for the size of a key in bits.
public let kSecAttrKeySizeInBits: CFString = "bsiz"
/// The attribute for the effective size of a key, which excludes bits that do not add to its strength.
public let kSecAttrEffectiveKeySize: CFString = "esiz"
/// The attribute for the class of a key.
public let kSecAttrKeyClass: CFString = "kcls"
/// A public key.
public let kSecAttrKeyClassPublic: CFString = "0"
/// A private key. This package has none.
public let kSecAttrKeyClassPrivate: CFString = "1"
/// A symmetric key. This package has none.
public let kSecAttrKeyClassSymmetric: CFString = "2"
/// The attribute for the SHA-1 digest of a key's external representation.
public let kSecAttrApplicationLabel: CFString = "klbl"
/// The Boolean attribute for a key in a keychain.
public let kSecAttrIsPermanent: CFString = "perm"
/// The Boolean attribute for a key that can be extracted.
public let kSecAttrIsExtractable: CFString = "extr"
/// The Boolean attribute for a key that can be extracted only in encrypted form.
public let kSecAttrIsSensitive: CFString = "sens"
/// The Boolean attribute for a key that can verify signatures.
public let kSecAttrCanVerify: CFString = "vrfy"
/// The Boolean attribute for a key that can sign.
public let kSecAttrCanSign: CFString = "sign"
/// The Boolean attribute for a key that can decrypt.
public let kSecAttrCanDecrypt: CFString = "decr"
/// The attribute for the bytes of a key.
public let kSecValueData: CFString = "v_Data"
