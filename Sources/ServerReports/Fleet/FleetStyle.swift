//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What the page of a fleet looks like beyond what all pages do.
enum FleetStyle {
    static let sheet = HTMLText(resource: PackageResources.fleet_css)
}
