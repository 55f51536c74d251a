//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A valid path and nothing more.
public let kSecPolicyAppleX509Basic: CFString = "1.2.840.113635.100.1.2"
/// TLS, of a server or a client.
public let kSecPolicyAppleSSL: CFString = "1.2.840.113635.100.1.3"
/// S/MIME, of which there is no policy here.
public let kSecPolicyAppleSMIME: CFString = "1.2.840.113635.100.1.8"
/// EAP, of which there is no policy here.
public let kSecPolicyAppleEAP: CFString = "1.2.840.113635.100.1.9"
/// IPsec, of which there is no policy here.
public let kSecPolicyAppleIPsec: CFString = "1.2.840.113635.100.1.11"
/// Code signing, of which there is no policy here.
public let kSecPolicyAppleCodeSigning: CFString = "1.2.840.113635.100.1.16"
/// Apple IDs, of which there is no policy here.
public let kSecPolicyAppleIDValidation: CFString = "1.2.840.113635.100.1.18"
/// Receipts of the Mac App Store, of which there is no policy here.
public let kSecPolicyMacAppStoreReceipt: CFString = "1.2.840.113635.100.1.19"
/// Time stamps, of which there is no policy here.
public let kSecPolicyAppleTimeStamping: CFString = "1.2.840.113635.100.1.20"
/// Revocation.
public let kSecPolicyAppleRevocation: CFString = "1.2.840.113635.100.1.21"
/// Passes of Wallet, of which there is no policy here.
public let kSecPolicyApplePassbookSigning: CFString = "1.2.840.113635.100.1.22"
/// The identifier of a policy.
public let kSecPolicyOid: CFString = "SecPolicyOid"
/// The name that a certificate must be for.
public let kSecPolicyName: CFString = "SecPolicyName"
/// A Boolean: the certificate is a client's.
public let kSecPolicyClient: CFString = "SecPolicyClient"
/// The bits of a policy about revocation.
public let kSecPolicyRevocationFlags: CFString = "SecPolicyRevocationFlags"
/// The identifier of a team, for passes of Wallet.
public let kSecPolicyTeamIdentifier: CFString = "SecPolicyTeamIdentifier"

/// OCSP responses are consulted.
public let kSecRevocationOCSPMethod: CFOptionFlags = 1
/// Revocation lists are consulted. Apple's systems take it as a wish to leave OCSP out.
public let kSecRevocationCRLMethod: CFOptionFlags = 2
/// Lists are fetched before OCSP responses.
public let kSecRevocationPreferCRL: CFOptionFlags = 4
/// The leaf needs a valid answer that it is not revoked.
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 8
/// Nothing is fetched for the evaluation.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 16
/// Either method.
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags = 3
