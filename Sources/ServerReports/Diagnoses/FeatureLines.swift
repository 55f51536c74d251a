//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSProbe
import TLSWire

/// The features of a server other than versions and cipher suites, as text.
enum FeatureLines {
    /// Returns the known features and omits the unknown ones.
    static func features(_ features: FeatureFacts) -> [String] {
        let answers = FeatureName.allCases.compactMap { name in
            features[keyPath: name.path].map { $0 ? name.yes : name.no }
        }
        return answers + Self.others(features)
    }

    /// Returns the features that are not a matter of yes or no.
    static func others(_ features: FeatureFacts) -> [String] {
        var lines: [String] = []
        if let protocols = features.applicationProtocols {
            lines.append(protocols.isEmpty ? "no ALPN" : "ALPN " + protocols.prefix(8).joined(separator: ", "))
        }
        if let request = features.clientCertificate {
            lines.append("asks for a client certificate (of \(request.authorityCount) authorities)")
        }
        let trials = features.tolerance.filter { $0.isTolerated == false }.map(\.trial.rawValue)
        if !trials.isEmpty { lines.append("does not put up with \(trials.joined(separator: ", "))") }
        return lines
    }
}

/// The names of the features that a server supports or lacks.
enum FeatureName: String, CaseIterable {
    case extendedMasterSecret
    case secureRenegotiation
    case compression
    case encryptThenMAC
    case sessionTickets
    case ocspStapling
    case signedCertificateTimestamps
    case heartbeat
    case fallbackSCSV
    case downgradeSentinel
    case postQuantumAgreement

    var path: KeyPath<FeatureFacts, Bool?> {
        switch self {
        case .extendedMasterSecret: \.extendedMasterSecret
        case .secureRenegotiation: \.secureRenegotiation
        case .compression: \.compression
        case .encryptThenMAC: \.encryptThenMAC
        case .sessionTickets: \.sessionTickets
        case .ocspStapling: \.ocspStapling
        case .signedCertificateTimestamps: \.signedCertificateTimestamps
        case .heartbeat: \.heartbeat
        case .fallbackSCSV: \.fallbackSCSV
        case .downgradeSentinel: \.downgradeSentinel
        case .postQuantumAgreement: \.postQuantumAgreement
        }
    }

    /// The name that administrators look for.
    var title: HTMLText {
        switch self {
        case .extendedMasterSecret: "Extended master secret (RFC 7627)"
        case .secureRenegotiation: "Secure renegotiation (RFC 5746)"
        case .compression: "Compression"
        case .encryptThenMAC: "Encrypt-then-MAC (RFC 7366)"
        case .sessionTickets: "Session tickets (RFC 5077)"
        case .ocspStapling: "OCSP stapling"
        case .signedCertificateTimestamps: "SCTs in the handshake"
        case .heartbeat: "Heartbeat"
        case .fallbackSCSV: "TLS_FALLBACK_SCSV (RFC 7507)"
        case .downgradeSentinel: "Downgrade sentinel (RFC 8446 §4.1.3)"
        case .postQuantumAgreement: "Post-quantum key agreement (ML-KEM)"
        }
    }

    /// `true` if a server should have the feature. Compression and heartbeats have been used for attacks.
    var isWanted: Bool { self != .compression && self != .heartbeat }

    var yes: String {
        switch self {
        case .extendedMasterSecret: "extended master secret"
        case .secureRenegotiation: "protected renegotiation"
        case .compression: "compression, which reveals secrets in requests (CRIME)"
        case .encryptThenMAC: "encrypt-then-MAC"
        case .sessionTickets: "session tickets"
        case .ocspStapling: "stapled OCSP responses"
        case .signedCertificateTimestamps: "timestamps of certificate transparency"
        case .heartbeat: "heartbeats"
        case .fallbackSCSV: "refuses needless fallbacks"
        case .downgradeSentinel: "warns of downgrades"
        case .postQuantumAgreement: "post-quantum key agreement"
        }
    }

    var no: String {
        switch self {
        case .fallbackSCSV: "does not notice needless fallbacks"
        case .downgradeSentinel: "does not warn of downgrades"
        default: "no \(self.yes.split(separator: ",")[0])"
        }
    }
}
