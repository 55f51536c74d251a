//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import TLSWire

/// The outcome of a test. A missing fact is neither a success nor a failure.
public enum ATSOutcome: String, Sendable, Hashable, CaseIterable {
    /// The connection is allowed.
    case passed
    /// The connection is refused.
    case failed
    /// Not enough is known to decide.
    case unknown
}

extension ATSVerdict {
    /// The outcome of the verdict. It is unknown only if nothing but missing facts counts against the connection.
    public var outcome: ATSOutcome {
        if self.isAllowed { return .passed }
        return self.violations.allSatisfy(\.isDoubt) ? .unknown : .failed
    }
}

extension ATSViolation {
    /// `true` if the violation is only a missing fact, or if there was no server to connect to. A load fails anyway.
    public var isDoubt: Bool {
        switch self.reason {
        case .unknown: true
        case .connectionFailed(let failure): failure.isWithoutServer
        case .insecureLoad, .versionTooOld, .cipherSuite, .noExtendedMasterSecret, .keyTooSmall, .leafDigest,
            .issuerDigest, .signatureAlgorithmNotOffered, .untrusted, .leafNotPinned, .authorityNotPinned:
            false
        }
    }
}
