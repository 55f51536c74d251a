//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import AppleSecurity
public import Foundation
import ServerTrust
public import ServerTrustNIO

/// A certificate of the client with its private key.
///
/// ``SecPKCS12Import(_:_:_:)`` reads an identity from a file. The private key cannot be extracted. Use the identity in a
/// `URLCredential` or in the configuration of a session.
public final class SecIdentity: Sendable, Hashable {
    /// The identity as a value.
    public let identity: TLSIdentity

    /// Creates an identity from a value.
    public init(_ identity: TLSIdentity) { self.identity = identity }

    /// Returns `true` if two identities have the same chain and key.
    public static func == (left: SecIdentity, right: SecIdentity) -> Bool {
        left === right || left.identity == right.identity
    }

    /// Hashes the chain and the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.identity) }
}

/// Returns the type identifier of identities.
public func SecIdentityGetTypeID() -> CFTypeID { 305 }

/// Copies the certificate of an identity.
///
/// - Returns: `errSecSuccess`, or `errSecDecode` if the certificate cannot be read.
@discardableResult
public func SecIdentityCopyCertificate(
    _ identityRef: SecIdentity, _ certificateRef: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    certificateRef.pointee = identityRef.identity.certificates.first.map(SecCertificate.init)
    return certificateRef.pointee == nil ? errSecDecode : errSecSuccess
}

/// Copies the private key of an identity.
@available(*, unavailable, message: "The key stays in the identity: give it to URLCredential or to HTTPSession.")
public func SecIdentityCopyPrivateKey(
    _ identityRef: SecIdentity, _ privateKeyRef: UnsafeMutablePointer<SecKey?>
) -> OSStatus { errSecUnimplemented }

/// The key for the password of a PKCS #12 file.
public let kSecImportExportPassphrase: CFString = "passphrase"
/// The key for an imported identity.
public let kSecImportItemIdentity: CFString = "identity"
/// The key for the chain of an imported identity.
public let kSecImportItemCertChain: CFString = "chain"
/// The key for a trust object with the chain of an imported identity.
public let kSecImportItemTrust: CFString = "trust"
/// The key for the subject summary of an imported identity.
public let kSecImportItemLabel: CFString = "label"
/// The key for the digest of the public key of an imported identity.
public let kSecImportItemKeyID: CFString = "keyid"

/// Imports an identity from a PKCS #12 file (RFC 7292).
///
/// - Parameters:
///   - pkcs12_data: The contents of the file.
///   - options: The password, which may be empty.
///   - items: Receives an array with one dictionary, or `nil` if there is no identity.
/// - Returns: `errSecSuccess`, `errSecParam` for a password that is not text, `errSecAuthFailed` for a wrong password,
///   `errSecUnsupportedFormat` for unsupported encryption, or `errSecDecode` for any other fault.
@discardableResult
public func SecPKCS12Import(
    _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    items.pointee = nil
    let password = options[kSecImportExportPassphrase]
    guard password == nil || password is String else { return errSecParam }
    do {
        let text = (password as? String).flatMap { $0.isEmpty ? nil : $0 }
        let identity = SecIdentity(try TLSIdentity(pkcs12: Array(pkcs12_data), password: text))
        guard let item = identity.item else { return errSecDecode }
        items.pointee = [item]
        return errSecSuccess
    } catch {
        return error.code.status
    }
}

extension SecIdentity {
    fileprivate var item: CFDictionary? {
        let chain = self.identity.certificates.map(SecCertificate.init)
        var trust: SecTrust?
        guard SecTrustCreateWithCertificates(chain, SecPolicyCreateBasicX509(), &trust) == errSecSuccess,
            let own = chain.first
        else { return nil }
        var item: CFDictionary = [kSecImportItemIdentity: self, kSecImportItemCertChain: chain]
        item[kSecImportItemTrust] = trust
        item[kSecImportItemLabel] = SecCertificateCopySubjectSummary(own)
        item[kSecImportItemKeyID] = SecCertificateCopyKey(own).flatMap(SecKeyCopyAttributes)?[kSecAttrApplicationLabel]
        return item
    }
}

extension TLSIdentityError.Code {
    fileprivate var status: OSStatus {
        switch self {
        case .passwordNeeded, .wrongPassword, .passwordNotNeeded, .passwordNotASCII: errSecAuthFailed
        case .unsupportedPKCS12: errSecUnsupportedFormat
        default: errSecDecode
        }
    }
}
