//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension RejectionReason {
    /// The check of Apple's that this reason fails, and so its error code and rank.
    var check: TrustCheck {
        switch self {
        case .expired, .notYetValid: .temporalValidity
        case .untrustedRoot: .anchorTrusted
        // Where Apple's path builder finds no key that made a signature, the path ends below it.
        case .unknownIssuer, .badSignature, .signatureAlgorithmMismatch, .unsupportedSignatureAlgorithm,
            .unsupportedIssuerKey, .malformedName:
            .missingIntermediate
        case .weakKey: .weakKeySize
        case .keyTooSmallForServer: .keySize
        case .brokenDigest: .weakSignature
        case .weakDigest: .signatureHashAlgorithms
        case .nameMismatch: .sslHostname
        case .extendedKeyUsage: .extendedKeyUsage
        case .serverAuthenticationMissing: .serverAuthEKU
        case .keyUsage: .keyUsage
        case .basicConstraintsMissing, .oldVersionIssuer: .basicConstraints
        case .notCertificateAuthority: .basicConstraintsCA
        case .pathLengthExceeded: .basicConstraintsPathLen
        case .tooManyIntermediates: .chainLength
        case .unknownCriticalExtension: .criticalExtensions
        case .malformedExtension: .unparseableExtension
        case .duplicateExtension: .duplicateExtension
        case .nameConstraints: .nameConstraints
        case .certificatePolicies: .policyConstraints
        case .keyIdentifierMismatch: .idLinkage
        case .emptySubject: .nonEmptySubject
        case .lifetimeTooLong(_, let limit):
            limit.anchorClasses == [.system] ? .systemTrustValidityPeriod : .otherTrustValidityPeriod
        case .certificateRule: .certificateProfile
        case .leafKeyNotPinned: .leafSPKISHA256
        case .authorityKeyNotPinned: .caspkiSHA256
        case .pathNotPinned, .anchorNotPinned: .pinnedPath
        case .revoked: .revocation
        case .revocationStatusUnknown: .revocationResponseRequired
        case .stapledResponseMissing: .stapledResponseRequired
        case .tlsFeatureMissing: .certificateProfile
        case .pathTooLong, .budgetExceeded: .workLimit
        }
    }
}
