//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import TLSWire

/// How a server refuses an offer.
public enum ProbeRefusal: Sendable, Hashable {
    /// With a fatal alert, as the standards want it.
    case alert(TLSAlertDescription)
    /// It agreed on another, older version instead.
    case otherVersion(TLSProtocolVersion)
    /// By closing or resetting the connection, each time while it answered another offer right after.
    case silence

    /// Whether it says that the version is what is refused, and so every older one: protocol_version (RFC 5246 §7.2.2).
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

    /// What the server did, in one sentence.
    public var message: String {
        switch self {
        case .alert(let alert): "The server refuses it with the alert \(alert)."
        case .otherVersion(let version): "The server agrees on \(version) instead."
        case .silence: "The server closes the connection, where it answers other offers."
        }
    }

    /// What to do where it should not refuse, in one sentence.
    public var remedy: String {
        switch self {
        case .alert, .otherVersion:
            "Enable the version in the server's configuration. If it has none, update its TLS library."
        case .silence: "Enable the version in the server's configuration, and look at what lies before the server."
        }
    }
}

extension ProbeRefusal {
    /// One of each that other codes do not name, for lists of codes.
    package static let oneOfEach: [ProbeRefusal] = [.otherVersion(.tls12), .silence]
}
