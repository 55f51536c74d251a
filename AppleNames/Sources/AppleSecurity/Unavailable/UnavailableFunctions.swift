//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The functions of keychains, private keys and user settings, which do not exist here. The messages name the replacement.

/// Adds an item to a keychain.
@available(
    *, unavailable,
    message: "There is no keychain: keep secrets in files, and read identities with SecPKCS12Import of AppleURLLoading."
)
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    errSecUnimplemented
}

/// Finds items in a keychain.
@available(
    *, unavailable,
    message: "There is no keychain: keep secrets in files, and read identities with SecPKCS12Import of AppleURLLoading."
)
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    errSecUnimplemented
}

/// Changes items of a keychain.
@available(
    *, unavailable,
    message: "There is no keychain: keep secrets in files, and read identities with SecPKCS12Import of AppleURLLoading."
)
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { errSecUnimplemented }

/// Deletes items from a keychain.
@available(
    *, unavailable,
    message: "There is no keychain: keep secrets in files, and read identities with SecPKCS12Import of AppleURLLoading."
)
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { errSecUnimplemented }

/// Creates a private key.
@available(
    *, unavailable,
    message: "Keys here are public: sign with swift-crypto, and give an identity to URLCredential or to HTTPSession."
)
public func SecKeyCreateRandomKey(_ parameters: CFDictionary, _ error: UnsafeMutablePointer<CFError?>?) -> SecKey? {
    nil
}

/// Creates a signature.
@available(
    *, unavailable,
    message: "Keys here are public: sign with swift-crypto, and give an identity to URLCredential or to HTTPSession."
)
public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<CFError?>?
) -> CFData? { nil }

/// Encrypts data.
@available(*, unavailable, message: "Encrypt with swift-crypto.")
public func SecKeyCreateEncryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ plaintext: CFData, _ error: UnsafeMutablePointer<CFError?>?
) -> CFData? { nil }

/// Decrypts data.
@available(
    *, unavailable,
    message: "Keys here are public: sign with swift-crypto, and give an identity to URLCredential or to HTTPSession."
)
public func SecKeyCreateDecryptedData(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ ciphertext: CFData, _ error: UnsafeMutablePointer<CFError?>?
) -> CFData? { nil }

/// Agrees on a shared secret.
@available(
    *, unavailable,
    message: "Keys here are public: sign with swift-crypto, and give an identity to URLCredential or to HTTPSession."
)
public func SecKeyCopyKeyExchangeResult(
    _ privateKey: SecKey, _ algorithm: SecKeyAlgorithm, _ publicKey: SecKey, _ parameters: CFDictionary,
    _ error: UnsafeMutablePointer<CFError?>?
) -> CFData? { nil }

/// Reads the trust settings of a certificate.
@available(
    *, unavailable, message: "There are no settings of users: trust certificates with SecTrustSetAnchorCertificates."
)
public func SecTrustSettingsCopyTrustSettings(
    _ certRef: SecCertificate, _ domain: UInt32, _ trustSettings: UnsafeMutablePointer<CFArray?>
) -> OSStatus { errSecUnimplemented }

/// Sets the trust settings of a certificate.
@available(
    *, unavailable, message: "There are no settings of users: trust certificates with SecTrustSetAnchorCertificates."
)
public func SecTrustSettingsSetTrustSettings(
    _ certRef: SecCertificate, _ domain: UInt32, _ trustSettingsDictOrArray: CFTypeRef?
) -> OSStatus { errSecUnimplemented }

/// Removes the trust settings of a certificate.
@available(
    *, unavailable, message: "There are no settings of users: trust certificates with SecTrustSetAnchorCertificates."
)
public func SecTrustSettingsRemoveTrustSettings(_ certRef: SecCertificate, _ domain: UInt32) -> OSStatus {
    errSecUnimplemented
}

/// Lists the certificates with trust settings.
@available(
    *, unavailable,
    message:
        "There are no settings of users: see the anchorClass of SecTrust.result, which is user below a root that an administrator added."
)
public func SecTrustSettingsCopyCertificates(_ domain: UInt32, _ certArray: UnsafeMutablePointer<CFArray?>?) -> OSStatus
{ errSecUnimplemented }

/// Sets the keychains to search for issuers.
@available(*, unavailable, message: "There is no keychain: give issuers to SecTrustCreateWithCertificates.")
public func SecTrustSetKeychains(_ trust: SecTrust, _ keychainOrArray: CFTypeRef?) -> OSStatus { errSecUnimplemented }

/// Sets options through an older interface.
@available(*, unavailable, message: "Use SecTrustSetOptions.")
public func SecTrustSetParameters(_ trustRef: SecTrust, _ action: UInt32, _ actionData: CFData) -> OSStatus {
    errSecUnimplemented
}

/// Returns the CSSM result code.
@available(*, unavailable, message: "Use SecTrustCopyResult, SecTrustEvaluateWithError, or SecTrust.result.")
public func SecTrustGetCssmResultCode(_ trust: SecTrust, _ resultCode: UnsafeMutablePointer<OSStatus>) -> OSStatus {
    errSecUnimplemented
}

/// Returns all fields of a certificate with labels.
@available(*, unavailable, message: "Use the functions of SecCertificate, or SecCertificate.certificate with its view.")
public func SecCertificateCopyValues(
    _ certificate: SecCertificate, _ keys: CFArray?, _ error: UnsafeMutablePointer<CFError?>?
) -> CFDictionary? { nil }

/// Creates a policy through an older interface.
@available(*, unavailable, message: "Use SecPolicyCreateWithProperties.")
public func SecPolicyCreateWithOID(_ policyOID: CFTypeRef) -> SecPolicy? { nil }
