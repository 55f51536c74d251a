//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ServerTrust

/// The program that writes reports.
package enum ReportTool {
    package static let name = "servertrust"
    /// The version in all outputs.
    package static let version = PackageVersion.current
    /// Apple's page on App Transport Security, for links in reports.
    static let transportSecurityHelp =
        "https://developer.apple.com/documentation/bundleresources/information-property-list/nsapptransportsecurity"
}
