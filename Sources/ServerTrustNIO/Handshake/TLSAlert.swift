//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The alerts of TLS (RFC 8446, section 6, and the IANA registry), and what they mean for someone who received one.
enum TLSAlert {
    /// The name of an alert.
    ///
    /// - Parameter number: The number on the wire.
    /// - Returns: The name in the registry, or the number if it has none.
    static func name(of number: UInt8) -> String {
        Self.names[number] ?? "alert \(number)"
    }

    /// The name of the alert in an error text of BoringSSL, such as `SSLV3_ALERT_HANDSHAKE_FAILURE`.
    ///
    /// - Parameter text: The text.
    /// - Returns: The name in lower case, or `nil` if the error is not about a received alert.
    static func name(inBoringSSLReason text: String) -> String? {
        for prefix in ["SSLV3_ALERT_", "TLSV1_ALERT_", "TLSV1_"] where text.hasPrefix(prefix) {
            return text.dropFirst(prefix.count).lowercased()
        }
        return nil
    }

    /// What to do about an alert that ended a handshake.
    ///
    /// - Parameters:
    ///   - name: The name of the alert.
    ///   - afterServerHello: Whether version and cipher suite had been agreed on by then.
    /// - Returns: A clause.
    static func advice(for name: String, afterServerHello: Bool) -> String {
        switch name {
        case "protocol_version": "the server wants another version of TLS than the ones offered"
        case "handshake_failure" where afterServerHello: "the server wants a client certificate"
        case "handshake_failure", "insufficient_security": "the server accepts none of the offered cipher suites"
        case "unrecognized_name": "the server has no site of that name; check the name and the address"
        case "certificate_required", "bad_certificate", "unknown_ca", "certificate_unknown", "access_denied":
            "the server wants a client certificate it knows"
        case "no_application_protocol": "the server speaks none of the offered application protocols"
        case "internal_error": "the server failed on its side; look into its log"
        default: "look into the server's log for this connection"
        }
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
