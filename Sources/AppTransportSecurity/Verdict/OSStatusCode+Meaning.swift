//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ServerTrust
public import TLSWire

extension OSStatusCode {
    /// Creates the code for a handshake that the server ended with an alert (SecureTransport.h).
    public init(alert: TLSAlertDescription) {
        self = Self.byAlert[alert.rawValue] ?? .sslFatalAlert
    }

    private static let byAlert: [UInt8: OSStatusCode] = [
        10: .sslPeerUnexpectedMsg, 20: .sslPeerBadRecordMac, 21: .sslPeerDecryptionFail, 22: .sslPeerRecordOverflow,
        30: .sslPeerDecompressFail, 40: .sslPeerHandshakeFail, 42: .sslPeerBadCert, 43: .sslPeerUnsupportedCert,
        44: .sslPeerCertRevoked, 45: .sslPeerCertExpired, 46: .sslPeerCertUnknown, 47: .sslIllegalParam,
        48: .sslPeerUnknownCA, 49: .sslPeerAccessDenied, 50: .sslPeerDecodeError, 51: .sslPeerDecryptError,
        70: .sslPeerProtocolVersion, 71: .sslPeerInsufficientSecurity, 80: .sslPeerInternalError,
        86: .sslInappropriateFallback, 90: .sslPeerUserCancelled, 100: .sslPeerNoRenegotiation,
        109: .sslMissingExtension, 112: .sslUnrecognizedName, 116: .sslCertificateRequired,
    ]

    /// The meaning of a code of TLS or App Transport Security and its remedy, in a sentence each. It is `nil` for codes of trust,
    /// as the reasons of a trust evaluation are more precise.
    public var transportMeaning: (meaning: String, remedy: String)? {
        switch self {
        case .sslProtocol: ("The server breaks the rules of TLS.", "Check that the port speaks TLS.")
        case .sslNegotiation:
            (
                "Client and server have no version or cipher suite in common.",
                "Offer TLS 1.2 or 1.3 with ECDHE and AES-GCM at the server."
            )
        case .sslFatalAlert:
            (
                "From URL loading, trust or App Transport Security refused the server on this side. Less often the server "
                    + "ended the handshake with an alert.",
                "Look for the reason that the device's log has before it. Without one, look into the server's log."
            )
        case .sslClosedGraceful, .sslClosedAbort, .sslClosedNoNotify:
            ("The server closed the connection.", "Look into the server's log, and at what lies in between.")
        case .sslXCertChainInvalid: ("The chain is not valid.", "Evaluate the chain for the reasons.")
        case .sslBadCert: ("The certificate cannot be used.", "Have it issued again.")
        case .sslUnknownRootCert:
            (
                "The path ends at a root that is not trusted.",
                "If the root is your own, trust it. If not, use an authority that is trusted."
            )
        case .sslNoRootCert:
            (
                "The path ends at no root.",
                "Have the server send its intermediates. If its root is your own, trust it."
            )
        case .sslCertExpired: ("A certificate has expired.", "Renew it.")
        case .sslCertNotYetValid: ("A certificate is not valid yet.", "Check the clocks, or wait.")
        case .sslHostNameMismatch: ("The certificate is for other names.", "Have the host's name put into it.")
        case .sslConnectionRefused: ("Nothing listens at the port.", "Check that the server runs.")
        case .sslWeakPeerEphemeralDHKey: ("The server's Diffie-Hellman key is weak.", "Use ECDHE.")
        default: self.alertMeaning ?? self.violationMeaning
        }
    }

    private var alertMeaning: (meaning: String, remedy: String)? {
        switch self {
        case .sslPeerProtocolVersion:
            ("The server speaks no version of TLS that was offered.", "Enable TLS 1.2 or 1.3 at the server.")
        case .sslPeerHandshakeFail, .sslPeerInsufficientSecurity:
            (
                "The server takes none of the cipher suites that were offered, or can sign or agree on keys with nothing else that was.",
                "Enable ECDHE with AES-GCM over X25519 or P-256 at the server, and replace a key of it that is neither RSA nor on P-256 or P-384."
            )
        case .sslCertificateRequired, .sslPeerBadCert, .sslPeerUnknownCA, .sslPeerCertUnknown, .sslPeerAccessDenied:
            ("The server wants another certificate of the client.", "Give it one of an authority it trusts.")
        case .sslUnrecognizedName: ("The server has no site of that name.", "Check the name and the address.")
        case .sslPeerInternalError: ("The server failed on its side.", "Look into its log.")
        case .sslPeerUnexpectedMsg, .sslPeerBadRecordMac, .sslPeerDecryptionFail, .sslPeerRecordOverflow,
            .sslPeerDecompressFail, .sslPeerUnsupportedCert, .sslPeerCertRevoked, .sslPeerCertExpired, .sslIllegalParam,
            .sslPeerDecodeError, .sslPeerDecryptError, .sslPeerUserCancelled, .sslPeerNoRenegotiation,
            .sslInappropriateFallback, .sslMissingExtension:
            ("The server ended the handshake with an alert.", "Look into its log for this connection.")
        default: nil
        }
    }

    private var violationMeaning: (meaning: String, remedy: String)? {
        switch self {
        case .sslATSViolation: ("A requirement of App Transport Security is not met.", "See the reason.")
        case .sslATSMinimumVersionViolation:
            ("The version of TLS is older than demanded.", "Enable TLS 1.2 or 1.3 at the server.")
        case .sslATSCiphersuiteViolation:
            ("The cipher suite is not among those demanded.", "Enable ECDHE with AES-GCM at the server.")
        case .sslATSMinimumKeySizeViolation:
            ("The server's key is too small.", "Use a key of RSA with 2048 bits or more, or one on P-256 or P-384.")
        case .sslATSLeafCertificateHashAlgorithmViolation:
            ("The server's certificate is signed over less than SHA-256.", "Have it issued again, over SHA-256.")
        case .sslATSCertificateHashAlgorithmViolation:
            ("A certificate on the path is signed over less than SHA-256.", "Use an intermediate signed over SHA-256.")
        case .sslATSCertificateTrustViolation:
            ("The path is not trusted, or has no pinned key.", "Evaluate the chain for the reasons.")
        default: nil
        }
    }
}
