//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The one style sheet of all pages.
enum HTMLStyle {
    /// Colours have a contrast of 4.5 to 1 at least, by day and by night (WCAG 2.2, 1.4.3).
    static let sheet = HTMLText(resource: PackageResources.page_css)
}
