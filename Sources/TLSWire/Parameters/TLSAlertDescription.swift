//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An alert of TLS (RFC 8446 §6, and IANA's registry), by its number on the wire.
///
/// Its description is the name in the registry, such as `handshake_failure`.
public struct TLSAlertDescription: RawRepresentable, Hashable, Sendable {
    /// The number on the wire, of a known or unknown alert.
    public let rawValue: UInt8

    /// Creates an alert from its number on the wire.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    private static let names: [UInt8: String] = [
        0: "close_notify", 10: "unexpected_message", 20: "bad_record_mac", 21: "decryption_failed",
        22: "record_overflow", 30: "decompression_failure", 40: "handshake_failure", 41: "no_certificate",
        42: "bad_certificate", 43: "unsupported_certificate", 44: "certificate_revoked", 45: "certificate_expired",
        46: "certificate_unknown", 47: "illegal_parameter", 48: "unknown_ca", 49: "access_denied",
        50: "decode_error", 51: "decrypt_error", 70: "protocol_version", 71: "insufficient_security",
        80: "internal_error", 86: "inappropriate_fallback", 90: "user_canceled", 100: "no_renegotiation",
        109: "missing_extension", 110: "unsupported_extension", 112: "unrecognized_name",
        113: "bad_certificate_status_response", 115: "unknown_psk_identity", 116: "certificate_required",
        120: "no_application_protocol", 121: "ech_required",
    ]
}

// MARK: - The alerts that mean something to a client

extension TLSAlertDescription {
    /// The sender closes the connection and sends nothing more.
    public static let closeNotify = Self(rawValue: 0)
    /// No set of parameters suits both sides.
    public static let handshakeFailure = Self(rawValue: 40)
    /// A certificate was corrupt, or its signature was wrong.
    public static let badCertificate = Self(rawValue: 42)
    /// A certificate was refused for a reason without an alert of its own.
    public static let certificateUnknown = Self(rawValue: 46)
    /// A value was out of range, or did not match another one.
    public static let illegalParameter = Self(rawValue: 47)
    /// The authority of a certificate is not known.
    public static let unknownCA = Self(rawValue: 48)
    /// A certificate was valid, but access was refused.
    public static let accessDenied = Self(rawValue: 49)
    /// The version of TLS is not supported.
    public static let protocolVersion = Self(rawValue: 70)
    /// The server requires stronger parameters than the client offered.
    public static let insufficientSecurity = Self(rawValue: 71)
    /// An error occurred on the sender's side.
    public static let internalError = Self(rawValue: 80)
    /// The server has no site with the name that the client sent (RFC 6066 §3).
    public static let unrecognizedName = Self(rawValue: 112)
    /// The server requires a client certificate and received none.
    public static let certificateRequired = Self(rawValue: 116)
    /// The server supports none of the application protocols that the client offered (RFC 7301).
    public static let noApplicationProtocol = Self(rawValue: 120)
}

extension TLSAlertDescription {
    /// `true` if the alert refuses a certificate, from bad_certificate to access_denied (RFC 8446 §6.2).
    package var isAboutCertificate: Bool { (42...49).contains(self.rawValue) }

    /// `true` if a server may send the alert because it misses or refuses a client certificate.
    package var mayDemandCertificate: Bool {
        // RFC 5246 §7.4.6: handshake_failure before TLS 1.3, and no_certificate in SSL 3.0.
        self == .handshakeFailure || self.rawValue == 41 || self == .certificateRequired || self.isAboutCertificate
    }
}

extension TLSAlertDescription {
    /// The remedy for an alert with a single cause in one sentence, or `nil` for an alert with several causes.
    package var remedy: String? {
        switch self {
        case .unrecognizedName: "Check the name: the server has no site of it."
        case .protocolVersion: "Enable TLS 1.2 or 1.3 at the server."
        case .handshakeFailure, .insufficientSecurity:
            "Enable ECDHE with AES-GCM over X25519 or P-256 at the server, and replace a key of it that is neither RSA nor on "
                + "P-256 or P-384."
        case .certificateRequired, .badCertificate, .unknownCA, .certificateUnknown, .accessDenied:
            "Give the client a certificate of an authority that the server trusts."
        case .noApplicationProtocol: "Have the server speak a protocol that clients offer: h2 or http/1.1."
        default: nil
        }
    }
}

extension TLSAlertDescription: CustomStringConvertible {
    /// The name in the registry, or the number of an unknown alert.
    public var description: String { Self.names[self.rawValue] ?? "\(self.rawValue)" }
}

extension TLSAlertDescription {
    /// `true` if the alert concerns the offer. Other alerts may come from any fault of the server.
    package var isRefusal: Bool {
        switch self.rawValue {
        // handshake_failure, illegal_parameter, protocol_version, insufficient_security, inappropriate_fallback,
        // missing_extension, unsupported_extension, unrecognized_name, no_application_protocol
        case 40, 47, 70, 71, 86, 109, 110, 112, 120: true
        default: false
        }
    }
}
