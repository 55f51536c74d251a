//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath

/// The lifetimes that public authorities may give the certificates of servers (Baseline Requirements 6.3.2, ballot SC-081).
///
/// Apple's systems refuse none of them below 398 days.
enum PublicLifetimes {
    /// The limit that a certificate is above; `nil` if it is above none.
    ///
    /// Both ends of a validity are part of it, and a begun day counts as a day.
    static func limit(brokenBy life: CertificateLife) -> LifetimeLimit? {
        let limit = Self.limits.last { $0.issuedFrom <= life.notBefore }
        return limit.flatMap { $0.maximumSeconds <= life.seconds ? $0 : nil }
    }

    private static let limits = [(2026, 200), (2027, 100), (2029, 47)].map { year, days in
        LifetimeLimit(
            issuedFrom: Timestamp("\(year)-03-15T00:00:00Z") ?? Timestamp(secondsSinceEpoch: .max),
            maximumSeconds: Int64(days) * 86_400, anchorClasses: [.system],
            source: "Public authorities may issue for at most \(days) days since \(year)-03-15, both ends included")
    }
}
