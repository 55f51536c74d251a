//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The answer that determines the verdict of a scan.
package enum ScanCriterion: String, CaseIterable, Sendable {
    case ats
    case fcp
    case trust
    /// The app of an Info.plist can connect.
    case plist
    /// Hosts with pins are trusted and match one of them.
    case pins
    /// No certificate that the host presents is due for a warning before it ends.
    case expiry
    /// No answer of a host affects the verdict.
    case never
}
