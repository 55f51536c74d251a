//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The one table of what refusals are called.
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
            "Enable the version in the server's configuration; if it has none, update its TLS library."
        case .silence: "Enable the version in the server's configuration, and look at what lies before the server."
        }
    }
}
