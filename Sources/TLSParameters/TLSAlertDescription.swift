//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An alert of TLS (RFC 8446 §6, and IANA's registry), as its number on the wire.
public struct TLSAlertDescription: RawRepresentable, Hashable, Sendable {
    /// The number on the wire, which need not be one of a known alert.
    public let rawValue: UInt8

    /// An alert from its number on the wire.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The alert of a name, such as `handshake_failure`; `nil` when there is none.
    public init?(name: String) {
        guard let number = Self.names.first(where: { $0.value == name })?.key else { return nil }
        self.init(rawValue: number)
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

extension TLSAlertDescription: CustomStringConvertible {
    /// The name in the registry; the number of an unknown alert.
    public var description: String { Self.names[self.rawValue] ?? "alert \(self.rawValue)" }
}
