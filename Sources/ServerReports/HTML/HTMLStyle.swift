//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The common style sheet of all pages.
enum HTMLStyle {
    /// The colors have a contrast of at least 4.5 to 1 in light and dark mode (WCAG 2.2, 1.4.3).
    static let sheet = HTMLText(resource: PackageResources.page_css)
}
