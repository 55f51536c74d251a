//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// How a test ends: what is not known is neither of the other two.
public enum ATSOutcome: String, Sendable, Hashable, CaseIterable {
    /// The connection is let through.
    case passed
    /// It is not.
    case failed
    /// It cannot be told, as a fact that decides it is not known.
    case unknown
}

extension ATSVerdict {
    /// How it ends. Unknown only where nothing else speaks against the connection: a fact that is missing mends none that
    /// is there.
    public var outcome: ATSOutcome {
        if self.isAllowed { return .passed }
        return self.violations.allSatisfy(\.isDoubt) ? .unknown : .failed
    }
}

extension ATSViolation {
    /// Whether it says that something is not known, and not that it is wrong: a fact is missing, or there was no server to
    /// ask. A load fails all the same.
    public var isDoubt: Bool {
        switch self.reason {
        case .unknown: true
        case .connectionFailed(let failure): failure.isBelowTLS
        case .insecureLoad, .versionTooOld, .cipherSuite, .noExtendedMasterSecret, .keyTooSmall, .leafDigest,
            .issuerDigest, .signatureAlgorithmNotOffered, .untrusted, .leafNotPinned, .authorityNotPinned:
            false
        }
    }
}

extension ATSConnectionFailure {
    /// Whether there was no server to speak TLS with.
    public var isBelowTLS: Bool {
        switch self {
        case .hostNotFound, .notConnected, .timedOut: true
        case .closed, .alert, .notTLS, .protocolError, .tooMuch, .nothingInCommon, .keyUsage, .clientCertificate: false
        }
    }

    /// A server with which no client completes a handshake.
    package var breaksProtocol: Bool {
        switch self {
        case .notTLS, .protocolError, .tooMuch: true
        default: false
        }
    }

    /// True if nothing speaks against the server: there was none, the connection ended, the server failed on its side, or it
    /// wants a certificate of the client. One such attempt is no refusal.
    public var isWithoutAnswer: Bool {
        switch self {
        case .hostNotFound, .notConnected, .timedOut, .closed, .alert(.internalError), .clientCertificate: true
        case .alert, .notTLS, .protocolError, .tooMuch, .nothingInCommon, .keyUsage: false
        }
    }
}
