//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The one script of the page of a fleet: it sorts, filters and shows the rows that the page holds, and loads nothing.
enum FleetScript {
    /// Text from rows becomes text of elements and never markup. What is shown is in the address after `#`, so that it can
    /// be passed on: `#sort=days&dir=desc&question=trust&show=failed,unknown&q=example`.
    static let source = String(decoding: PackageResources.fleet_js, as: UTF8.self)
}
