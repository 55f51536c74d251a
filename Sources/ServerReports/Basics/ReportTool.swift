//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The program that writes reports.
package enum ReportTool {
    /// Its name.
    package static let name = "servertrust"
    /// Its version, as everything says it.
    package static let version = "0.1.0"
    /// Apple's page on App Transport Security, which reports point to.
    static let transportSecurityHelp =
        "https://developer.apple.com/documentation/bundleresources/information-property-list/nsapptransportsecurity"
}
