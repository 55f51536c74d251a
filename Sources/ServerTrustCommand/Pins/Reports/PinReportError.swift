//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why pins cannot be read or written down, and what to do.
struct PinReportError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
