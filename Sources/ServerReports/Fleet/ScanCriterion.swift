//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What decides the verdict of a scan.
package enum ScanCriterion: String, CaseIterable, Sendable {
    case ats
    case fcp
    case trust
    /// Whether the app of an Info.plist gets through.
    case plist
    /// Whether hosts that have pins are trusted and have one of them.
    case pins
    /// Nothing that a host does.
    case never
}
