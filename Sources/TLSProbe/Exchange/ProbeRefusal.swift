//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// The form in which a server refuses an offer.
///
/// Only clear refusals count. A timeout is never a refusal.
public enum ProbeRefusal: Sendable, Hashable {
    /// The server sent a fatal alert, as the standards require.
    case alert(TLSAlertDescription)
    /// The server agreed on an older version instead.
    case otherVersion(TLSProtocolVersion)
    /// The server closed or reset the connection each time, and accepted another offer right after.
    case silence

    /// `true` for protocol_version, which refuses the version and every older one (RFC 5246 §7.2.2).
    var isOfVersion: Bool { self == .alert(.protocolVersion) }
}

// MARK: - Codes and messages, the one table of them

extension ProbeRefusal {
    /// A short, stable name for programs.
    public var code: String {
        switch self {
        case .alert: "alert"
        case .otherVersion: "other-version"
        case .silence: "silence"
        }
    }

    /// The refusal in one sentence.
    public var message: String {
        switch self {
        case .alert(let alert): "The server refuses it with the alert \(alert)."
        case .otherVersion(let version): "The server agrees on \(version) instead."
        case .silence: "The server closes the connection, where it answers other offers."
        }
    }

    /// The remedy in one sentence, for a server that should not refuse.
    public var remedy: String {
        switch self {
        case .alert, .otherVersion:
            "Enable the version in the server's configuration. If it has none, update its TLS library."
        case .silence: "Enable the version in the server's configuration, and look at what lies before the server."
        }
    }
}

extension ProbeRefusal {
    /// One refusal of each kind that no other list of codes has.
    package static let oneOfEach: [ProbeRefusal] = [.otherVersion(.tls12), .silence]
}
