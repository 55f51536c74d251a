//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
public import ServerTrust
import TLSWire

// The only table of the codes of violations and the codes that Apple's systems report for them.
extension ATSViolation {
    package static let insecureLoadCode = "insecure-load"

    /// A short, stable name for programs.
    public var code: String {
        switch self.reason {
        case .insecureLoad: Self.insecureLoadCode
        case .connectionFailed(let failure): failure.code
        case .versionTooOld: "tls-version-too-old"
        case .cipherSuite: "cipher-suite"
        case .noExtendedMasterSecret: "no-extended-master-secret"
        case .keyTooSmall(_, let bits, let minimum): bits < minimum ? "key-too-small" : "key-kind"
        case .leafDigest: "leaf-digest"
        case .issuerDigest: "issuer-digest"
        case .signatureAlgorithmNotOffered: "signature-algorithm-not-offered"
        case .untrusted: "untrusted"
        case .leafNotPinned: "leaf-not-pinned"
        case .authorityNotPinned: "authority-not-pinned"
        case .unknown(let fact): fact.code
        }
    }

    /// The code of the reason: that of the chain's worst reason if the chain is not trusted, or ``code``.
    public var rule: String {
        if case .untrusted(let failure) = self.reason { failure.primary.code } else { self.code }
    }

    /// The code in `NSURLErrorDomain` with which a load fails.
    public var urlError: URLErrorCode {
        switch self.reason {
        case .insecureLoad: .appTransportSecurityRequiresSecureConnection
        case .connectionFailed(let failure): failure.urlError
        case .versionTooOld, .cipherSuite, .noExtendedMasterSecret, .keyTooSmall, .leafDigest,
            .issuerDigest, .signatureAlgorithmNotOffered, .unknown:
            .secureConnectionFailed
        // There are codes for dates and roots (-1201, -1203, -1204), but today's loads report -1202, and the stream's code has the
        // details.
        case .untrusted, .leafNotPinned, .authorityNotPinned: .serverCertificateUntrusted
        }
    }

    /// The code of the stream in the SSL domain, `_kCFStreamErrorCodeKey`, or `nil` if TLS is not involved.
    public var osStatus: OSStatusCode? {
        switch self.reason {
        case .insecureLoad: nil
        case .connectionFailed(let failure): failure.osStatus
        case .versionTooOld: .sslATSMinimumVersionViolation
        case .cipherSuite: .sslATSCiphersuiteViolation
        case .noExtendedMasterSecret, .signatureAlgorithmNotOffered, .unknown: .sslATSViolation
        case .keyTooSmall: .sslATSMinimumKeySizeViolation
        case .leafDigest: .sslATSLeafCertificateHashAlgorithmViolation
        case .issuerDigest: .sslATSCertificateHashAlgorithmViolation
        case .untrusted(let failure): failure.streamStatus
        case .leafNotPinned, .authorityNotPinned: .sslATSCertificateTrustViolation
        }
    }
}

extension ATSViolation {
    /// One violation of each kind that does not depend on an evaluated chain, for lists of codes.
    package static let oneOfEach: [ATSViolation] =
        [
            ATSViolation(.insecureLoad), ATSViolation(.versionTooOld(.tls11, minimum: .tls12)),
            ATSViolation(.cipherSuite(CipherSuite(rawValue: 0x002F), .ats)),
            ATSViolation(.noExtendedMasterSecret), ATSViolation(.leafDigest(.sha1)),
            ATSViolation(.issuerDigest(.sha1, certificateIndex: 1)),
            ATSViolation(.signatureAlgorithmNotOffered(.unknown)), ATSViolation(.leafNotPinned(found: nil, pinned: [])),
            ATSViolation(.authorityNotPinned(found: [], pinned: [])),
            ATSViolation(.keyTooSmall(.rsa, bits: 1_024, minimum: 2_048)),
            ATSViolation(.keyTooSmall(.ed25519, bits: 256, minimum: 256)),
        ]
        + Fact.allCases.map { ATSViolation(.unknown($0)) }
}

extension ConnectionFailure {
    fileprivate var urlError: URLErrorCode {
        switch self {
        case .hostNotFound, .lookupFailed: .cannotFindHost
        case .timedOut, .exhausted, .cancelled: .timedOut
        case .clientCertificate(let alert):
            alert.isAboutCertificate ? .clientCertificateRejected : .clientCertificateRequired
        default: self.isWithoutServer ? .cannotConnectToHost : .secureConnectionFailed
        }
    }

    fileprivate var osStatus: OSStatusCode? {
        switch self {
        case .closed, .reset, .handshake(_, .otherError): .sslClosedNoNotify
        case .alert(let alert), .clientCertificate(let alert): OSStatusCode(alert: alert)
        case .handshake(_, .unknown), .handshake(_, .nothingInCommon): .sslNegotiation
        default: self.isWithoutServer ? nil : .sslProtocol
        }
    }
}

extension TrustFailure {
    /// SecureTransport's code for the failure (SecureTransport.h).
    fileprivate var streamStatus: OSStatusCode {
        switch self.primary.reason {
        case .nameMismatch: .sslHostNameMismatch
        case .expired: .sslCertExpired
        case .notYetValid: .sslCertNotYetValid
        case .untrustedRoot: .sslUnknownRootCert
        case .unknownIssuer: .sslNoRootCert
        default: self.primary.check.isPinning ? .sslATSCertificateTrustViolation : .sslXCertChainInvalid
        }
    }
}

extension ATSViolation.Fact {
    fileprivate var code: String {
        switch self {
        case .version: "unknown-version"
        case .cipherSuite: "unknown-cipher-suite"
        case .extendedMasterSecret: "unknown-extended-master-secret"
        case .trust: "unknown-trust"
        case .redirect: "unknown-redirect"
        }
    }
}
