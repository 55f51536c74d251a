//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The script of a fleet's page. It sorts, filters and shows the rows of the page, and loads nothing.
enum FleetScript {
    /// Text from rows becomes the text of elements and never markup. The current view is in the fragment of the address, so that
    /// it can be shared: `#sort=days&dir=desc&question=trust&show=failed,unknown&q=example`.
    static let source = String(decoding: PackageResources.fleet_js, as: UTF8.self)
}
