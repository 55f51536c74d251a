//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CertificatePath
import ServerTrust

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The date format of every output.
package enum ISO8601 {
    /// Returns the date in UTC, in whole seconds: `2026-01-31T12:00:00Z`.
    package static func text(_ date: Date) -> String { "\(Timestamp(date))" }
}
