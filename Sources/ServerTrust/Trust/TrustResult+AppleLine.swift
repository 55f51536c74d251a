//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

extension TrustResult {
    /// The line that Apple's systems log for the refusal: `Trust evaluate failure: [leaf SSLHostname]`.
    ///
    /// It names the failed checks of each certificate, in the order of the path: `leaf` is the server's own certificate, `root` the
    /// last one, and `ca1` the first one between them (SecTrust.c `SecTrustCopyFailureDescription`).
    ///
    /// The line is `nil` if the chain is trusted, or if only rules other than Apple's refuse it, such as pins of other programs.
    public var appleLine: String? {
        guard self.failure != nil else { return nil }
        let details = self.details
        let parts = details.enumerated().compactMap { index, failed -> String? in
            let checks = failed.keys.filter { TrustCheck(rawValue: $0)?.isApples == true }
            guard !checks.isEmpty else { return nil }
            let sorted = checks.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            return " [\(Self.label(of: index, among: details.count)) \(sorted.joined(separator: " "))]"
        }
        return parts.isEmpty ? nil : Self.linePrefix + parts.joined()
    }

    package static let linePrefix = "Trust evaluate failure:"

    private static func label(of index: Int, among count: Int) -> String {
        if index == 0 { return "leaf" }
        return index == count - 1 ? "root" : "ca\(index)"
    }
}

extension TrustFailureReason {
    /// Returns Apple's checks that fail for this reason. One reason may fail two of Apple's checks, and Apple's systems report both
    /// (SecPolicyServer.c).
    func failedChecks(by profile: ValidationProfile?, below anchor: AnchorClass?) -> [TrustCheck] {
        guard let profile, let anchor else { return [self.check] }
        switch self.reason {
        case .extendedKeyUsage where self.certificateIndex == 0 && self.mustNameServerAuthentication(profile, anchor):
            return [self.check, .serverAuthEKU]
        case .lifetimeTooLong(let seconds, _):
            let isAboveGeneralLimit = profile.serverLifetimeLimits.contains { limit in
                limit.anchorClasses != [.system] && limit.anchorClasses.contains(anchor)
                    && seconds > limit.maximumSeconds && self.certificate.view.notBefore >= limit.issuedFrom
            }
            return isAboveGeneralLimit ? [self.check, .otherTrustValidityPeriod] : [self.check]
        default:
            return [self.check]
        }
    }

    private func mustNameServerAuthentication(_ profile: ValidationProfile, _ anchor: AnchorClass) -> Bool {
        guard case .extendedKeyUsage(let required, _) = self.reason,
            required.contains(where: { $0.description == "1.3.6.1.5.5.7.3.1" })
        else { return false }
        return profile.serverAuthentication.isRequired(of: self.certificate.view, below: anchor)
    }
}
