//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What the alerts of a server mean for someone who received one.
enum TLSAlert {
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
}
