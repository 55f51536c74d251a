//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Failures that someone decided to accept for one certificate: what `SecTrustCopyExceptions` returns.
///
/// Codable, to be saved in whatever format the program saves its settings in. Certificates are known by their SHA-256
/// digests, where Apple's cookie has SHA-1.
public struct TrustExceptions: Sendable, Hashable, Codable {
    private var entries: [Entry]

    private struct Entry: Hashable, Codable {
        /// SHA-256 of the certificate, 32 octets.
        var digest: [UInt8]
        /// Apple's names of the failed checks.
        var checks: Set<String>
    }

    /// Records the recoverable failures of a result, the leaf's entry always first (SecTrust.c `SecTrustCopyExceptions`).
    init(_ result: TrustResult) {
        self.entries = result.path.enumerated().map { index, certificate in
            let failed = result.allReasons.filter { $0.certificateIndex == index && $0.severity == .recoverable }
            return Entry(digest: certificate.sha256Fingerprint, checks: Set(failed.map(\.check.rawValue)))
        }
        while self.entries.count > 1, self.entries.last?.checks.isEmpty == true { self.entries.removeLast() }
    }

    /// The SHA-256 digest of the leaf the exceptions are for.
    public var leafDigest: [UInt8]? { self.entries.first?.digest }

    /// SecPolicyServer.c `SecPVCIsExceptedError`: same place, same certificate, same check.
    func covers(_ reason: TrustFailureReason, of certificate: Certificate) -> Bool {
        guard reason.severity == .recoverable, self.entries.indices.contains(reason.certificateIndex) else {
            return false
        }
        let entry = self.entries[reason.certificateIndex]
        return entry.checks.contains(reason.check.rawValue) && entry.digest == certificate.sha256Fingerprint
    }
}
