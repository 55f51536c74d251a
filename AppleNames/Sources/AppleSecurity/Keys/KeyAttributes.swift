//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The type of a key.
public let kSecAttrKeyType: CFString = "type"
/// An RSA key.
public let kSecAttrKeyTypeRSA: CFString = "42"
/// A key on a curve, by the older name.
public let kSecAttrKeyTypeEC: CFString = "73"
/// A key on one of NIST's curves.
public let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"
/// An Ed25519 key.
public let kSecAttrKeyTypeEd25519: CFString = "105"
/// The size of a key.
public let kSecAttrKeySizeInBits: CFString = "bsiz"
/// The size of a key, without what does not add to its strength.
public let kSecAttrEffectiveKeySize: CFString = "esiz"
/// The class of a key.
public let kSecAttrKeyClass: CFString = "kcls"
/// A public key.
public let kSecAttrKeyClassPublic: CFString = "0"
/// A private key, of which there are none here.
public let kSecAttrKeyClassPrivate: CFString = "1"
/// A secret key, of which there are none here.
public let kSecAttrKeyClassSymmetric: CFString = "2"
/// The SHA-1 digest of a key's external representation.
public let kSecAttrApplicationLabel: CFString = "klbl"
/// A Boolean: the key is in a keychain.
public let kSecAttrIsPermanent: CFString = "perm"
/// A Boolean: the key can be read.
public let kSecAttrIsExtractable: CFString = "extr"
/// A Boolean: the key can be read only when it is encrypted.
public let kSecAttrIsSensitive: CFString = "sens"
/// A Boolean: the key verifies signatures.
public let kSecAttrCanVerify: CFString = "vrfy"
/// A Boolean: the key makes signatures.
public let kSecAttrCanSign: CFString = "sign"
/// A Boolean: the key decrypts.
public let kSecAttrCanDecrypt: CFString = "decr"
/// The octets of a key.
public let kSecValueData: CFString = "v_Data"
