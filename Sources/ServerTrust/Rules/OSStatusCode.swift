//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A status code of Apple's Security framework (SecBase.h, SecureTransport.h), with its name.
///
/// The raw value is Apple's `OSStatus`. Codes from -9800 to -9899 are those of SecureTransport. ``TrustCheck/osStatus`` gives the
/// code for a failed check.
public enum OSStatusCode: Int32, Sendable, Hashable, CaseIterable {
    /// `errSecCreateChainFailed`
    case createChainFailed = -25318
    /// `errSSLProtocol`
    case sslProtocol = -9800
    /// `errSSLNegotiation`
    case sslNegotiation = -9801
    /// `errSSLFatalAlert`
    case sslFatalAlert = -9802
    /// `errSSLClosedGraceful`
    case sslClosedGraceful = -9805
    /// `errSSLClosedAbort`
    case sslClosedAbort = -9806
    /// `errSSLXCertChainInvalid`
    case sslXCertChainInvalid = -9807
    /// `errSSLBadCert`
    case sslBadCert = -9808
    /// `errSSLUnknownRootCert`
    case sslUnknownRootCert = -9812
    /// `errSSLNoRootCert`
    case sslNoRootCert = -9813
    /// `errSSLCertExpired`
    case sslCertExpired = -9814
    /// `errSSLCertNotYetValid`
    case sslCertNotYetValid = -9815
    /// `errSSLClosedNoNotify`
    case sslClosedNoNotify = -9816
    /// `errSSLPeerUnexpectedMsg`
    case sslPeerUnexpectedMsg = -9819
    /// `errSSLPeerBadRecordMac`
    case sslPeerBadRecordMac = -9820
    /// `errSSLPeerDecryptionFail`
    case sslPeerDecryptionFail = -9821
    /// `errSSLPeerRecordOverflow`
    case sslPeerRecordOverflow = -9822
    /// `errSSLPeerDecompressFail`
    case sslPeerDecompressFail = -9823
    /// `errSSLPeerHandshakeFail`
    case sslPeerHandshakeFail = -9824
    /// `errSSLPeerBadCert`
    case sslPeerBadCert = -9825
    /// `errSSLPeerUnsupportedCert`
    case sslPeerUnsupportedCert = -9826
    /// `errSSLPeerCertRevoked`
    case sslPeerCertRevoked = -9827
    /// `errSSLPeerCertExpired`
    case sslPeerCertExpired = -9828
    /// `errSSLPeerCertUnknown`
    case sslPeerCertUnknown = -9829
    /// `errSSLIllegalParam`
    case sslIllegalParam = -9830
    /// `errSSLPeerUnknownCA`
    case sslPeerUnknownCA = -9831
    /// `errSSLPeerAccessDenied`
    case sslPeerAccessDenied = -9832
    /// `errSSLPeerDecodeError`
    case sslPeerDecodeError = -9833
    /// `errSSLPeerDecryptError`
    case sslPeerDecryptError = -9834
    /// `errSSLPeerProtocolVersion`
    case sslPeerProtocolVersion = -9836
    /// `errSSLPeerInsufficientSecurity`
    case sslPeerInsufficientSecurity = -9837
    /// `errSSLPeerInternalError`
    case sslPeerInternalError = -9838
    /// `errSSLPeerUserCancelled`
    case sslPeerUserCancelled = -9839
    /// `errSSLPeerNoRenegotiation`
    case sslPeerNoRenegotiation = -9840
    /// `errSSLHostNameMismatch`
    case sslHostNameMismatch = -9843
    /// `errSSLConnectionRefused`
    case sslConnectionRefused = -9844
    /// `errSSLWeakPeerEphemeralDHKey`
    case sslWeakPeerEphemeralDHKey = -9850
    /// `errSSLInappropriateFallback`
    case sslInappropriateFallback = -9860
    /// `errSSLMissingExtension`
    case sslMissingExtension = -9861
    /// `errSSLCertificateRequired`
    case sslCertificateRequired = -9863
    /// `errSSLUnrecognizedName`
    case sslUnrecognizedName = -9865
    /// `errSSLATSViolation`
    case sslATSViolation = -9880
    /// `errSSLATSMinimumVersionViolation`
    case sslATSMinimumVersionViolation = -9881
    /// `errSSLATSCiphersuiteViolation`
    case sslATSCiphersuiteViolation = -9882
    /// `errSSLATSMinimumKeySizeViolation`
    case sslATSMinimumKeySizeViolation = -9883
    /// `errSSLATSLeafCertificateHashAlgorithmViolation`
    case sslATSLeafCertificateHashAlgorithmViolation = -9884
    /// `errSSLATSCertificateHashAlgorithmViolation`
    case sslATSCertificateHashAlgorithmViolation = -9885
    /// `errSSLATSCertificateTrustViolation`
    case sslATSCertificateTrustViolation = -9886
    /// `errSecHostNameMismatch`
    case hostNameMismatch = -67602
    /// `errSecUnknownCriticalExtensionFlag`
    case unknownCriticalExtensionFlag = -67603
    /// `errSecNoBasicConstraints`
    case noBasicConstraints = -67604
    /// `errSecNoBasicConstraintsCA`
    case noBasicConstraintsCA = -67605
    /// `errSecInvalidKeyUsageForPolicy`
    case invalidKeyUsageForPolicy = -67608
    /// `errSecInvalidExtendedKeyUsage`
    case invalidExtendedKeyUsage = -67609
    /// `errSecInvalidIDLinkage`
    case invalidIDLinkage = -67610
    /// `errSecPathLengthConstraintExceeded`
    case pathLengthConstraintExceeded = -67611
    /// `errSecUnknownCertExtension`
    case unknownCertExtension = -67618
    /// `errSecIncompleteCertRevocationCheck`
    case incompleteCertRevocationCheck = -67635
    /// `errSecCertificateRevoked`
    case certificateRevoked = -67820
    /// `errSecInvalidSubjectName`
    case invalidSubjectName = -67655
    /// `errSecInvalidName`
    case invalidName = -67689
    /// `errSecUnsupportedKeySize`
    case unsupportedKeySize = -67735
    /// `errSecInvalidDigestAlgorithm`
    case invalidDigestAlgorithm = -67815
    /// `errSecCertificateExpired`
    case certificateExpired = -67818
    /// `errSecVerifyActionFailed`
    case verifyActionFailed = -67825
    /// `errSecInvalidPolicyIdentifiers`
    case invalidPolicyIdentifiers = -67835
    /// `errSecNotTrusted`
    case notTrusted = -67843
    /// `errSecCertificateValidityPeriodTooLong`
    case certificateValidityPeriodTooLong = -67901
    /// `errSecCertificateDuplicateExtension`
    case certificateDuplicateExtension = -67903

    /// The name of the constant in Apple's headers.
    public var name: String {
        let text = "\(self)"
        guard !text.hasPrefix("ssl") else { return "errSSL" + text.dropFirst(3) }
        return "errSec" + text.prefix(1).uppercased() + text.dropFirst()
    }
}
