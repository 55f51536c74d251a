//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The identifier of the policy that requires only a valid path.
public let kSecPolicyAppleX509Basic: CFString = "1.2.840.113635.100.1.2"
/// The identifier of the policy for a TLS server or client.
public let kSecPolicyAppleSSL: CFString = "1.2.840.113635.100.1.3"
/// The identifier of the policy for S/MIME, which is not supported.
public let kSecPolicyAppleSMIME: CFString = "1.2.840.113635.100.1.8"
/// The identifier of the policy for EAP, which is not supported.
public let kSecPolicyAppleEAP: CFString = "1.2.840.113635.100.1.9"
/// The identifier of the policy for IPsec, which is not supported.
public let kSecPolicyAppleIPsec: CFString = "1.2.840.113635.100.1.11"
/// The identifier of the policy for code signing, which is not supported.
public let kSecPolicyAppleCodeSigning: CFString = "1.2.840.113635.100.1.16"
/// The identifier of the policy for Apple IDs, which is not supported.
public let kSecPolicyAppleIDValidation: CFString = "1.2.840.113635.100.1.18"
/// The identifier of the policy for receipts of the Mac App Store, which is not supported.
public let kSecPolicyMacAppStoreReceipt: CFString = "1.2.840.113635.100.1.19"
/// The identifier of the policy for time stamps, which is not supported.
public let kSecPolicyAppleTimeStamping: CFString = "1.2.840.113635.100.1.20"
/// The identifier of the policy for revocation.
public let kSecPolicyAppleRevocation: CFString = "1.2.840.113635.100.1.21"
/// The identifier of the policy for passes of Wallet, which is not supported.
public let kSecPolicyApplePassbookSigning: CFString = "1.2.840.113635.100.1.22"
/// The property for the identifier of a policy.
public let kSecPolicyOid: CFString = "SecPolicyOid"
/// The property for the name that a certificate must match.
public let kSecPolicyName: CFString = "SecPolicyName"
/// The Boolean property for the certificate of a client.
public let kSecPolicyClient: CFString = "SecPolicyClient"
/// The property for the flags of a revocation policy.
public let kSecPolicyRevocationFlags: CFString = "SecPolicyRevocationFlags"
/// The property for the identifier of a team, for passes of Wallet.
public let kSecPolicyTeamIdentifier: CFString = "SecPolicyTeamIdentifier"

/// The flag to use OCSP responses.
public let kSecRevocationOCSPMethod: CFOptionFlags = 1
/// The flag to use revocation lists. Apple's systems treat it as a request not to use OCSP.
public let kSecRevocationCRLMethod: CFOptionFlags = 2
/// The flag to fetch revocation lists before OCSP responses.
public let kSecRevocationPreferCRL: CFOptionFlags = 4
/// The flag to require a valid response for the leaf that it is not revoked.
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 8
/// The flag to fetch nothing for the evaluation.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 16
/// The flags for both methods.
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags = 3
