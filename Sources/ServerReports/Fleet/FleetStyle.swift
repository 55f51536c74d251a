//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The style sheet of a fleet's page, in addition to the sheet of all pages.
enum FleetStyle {
    static let sheet = HTMLText(resource: PackageResources.fleet_css)
}
